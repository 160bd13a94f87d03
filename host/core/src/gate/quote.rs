//! Compares quotes with what was recorded.

use super::GateReason;
use super::decimal::Decimal;
use super::fold::{Folded, fold};
use super::recorded::{Matched, Output, Recorded, each_scalar, same};
use super::search::Needles;
use crate::json;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

/// A stated `matched_text`, read once.
#[derive(Debug)]
pub(super) struct Quote<'a> {
    stated: &'a str,
    folded: String,
}

/// A quote, the value that its path leads to, and the output that holds it.
#[derive(Debug)]
pub(super) struct Placed<'v> {
    pub(super) quote: Quote<'v>,
    pub(super) value: Recorded<'v>,
    pub(super) invocation_id: &'v str,
}

impl<'a> Quote<'a> {
    pub(super) fn read(stated: &'a str) -> Result<Self, GateReason> {
        let folded = fold(stated).text().to_owned();
        if folded.trim().is_empty() {
            return Err(GateReason::EmptyQuote);
        }
        // A mark alone says nothing of what stands around it; `[]` and `{}` are values of their own.
        let says_something = folded.contains(char::is_alphanumeric) || json::read(folded.trim()).is_ok();
        if !says_something {
            return Err(GateReason::EmptyQuote);
        }
        // It stands for bytes that are no text: no one can have read it.
        if stated.contains(char::REPLACEMENT_CHARACTER) {
            return Err(GateReason::TextNotFound);
        }
        Ok(Self { stated, folded })
    }

    /// As it is compared with a number or a literal: white space around it says nothing.
    fn bare(&self) -> &str {
        self.folded.trim()
    }
}

/// Folded quotes, each once, with the positions of those who make them.
type Quotes<'p> = BTreeMap<&'p str, Vec<usize>>;

/// For each quote the recorded value or text that matches it, or why there is none.
pub(super) fn compare<'v>(
    placed: &[Placed<'v>],
    outputs: &'v BTreeMap<&str, Output<'_>>,
) -> Vec<Result<Matched<'v>, GateReason>> {
    let numbers = numbers(placed);
    let mut found: Vec<Option<Matched<'v>>> = placed.iter().map(|item| item.outside_text(&numbers)).collect();
    for (text, quotes) in by_text(placed).into_values() {
        find_in_text(text, &quotes, &mut found);
    }
    let mut lost: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for ((position, item), _) in placed.iter().enumerate().zip(&found).filter(|(_, found)| found.is_none()) {
        lost.entry(item.invocation_id).or_default().push(position);
    }
    let mut elsewhere = BTreeSet::new();
    for (invocation_id, positions) in lost {
        // A text is one place: there is no other in it.
        if let Some(Output::Json(root)) = outputs.get(invocation_id) {
            find_elsewhere(placed, &positions, root, &mut elsewhere);
        }
    }
    let reason = |position| {
        if elsewhere.contains(&position) { GateReason::TextElsewhere } else { GateReason::TextNotFound }
    };
    found.into_iter().enumerate().map(|(position, found)| found.ok_or(reason(position))).collect()
}

impl<'v> Placed<'v> {
    /// The value itself, when it is no text and equals the quote.
    fn outside_text(&self, numbers: &Numbers) -> Option<Matched<'v>> {
        let equal = match self.value {
            Recorded::Text(_) => false,
            Recorded::Number(number) => {
                let quoted = Decimal::parse(self.quote.bare());
                quoted.is_some() && numbers.get(&number.as_str().as_ptr()) == Some(&quoted)
            }
            Recorded::Literal(literal) => self.quote.bare() == literal,
            Recorded::Tree(tree) => json::read(self.quote.stated).is_ok_and(|stated| same(&stated, tree)),
        };
        equal.then_some(Matched::Whole(self.value))
    }
}

/// Recorded numbers by where they lie. One may have as many digits as an output has bytes.
type Numbers = BTreeMap<*const u8, Option<Decimal>>;

/// Reads each number that a path leads to, once.
fn numbers(placed: &[Placed<'_>]) -> Numbers {
    let mut numbers = Numbers::new();
    for item in placed {
        if let Recorded::Number(number) = item.value {
            let digits = number.as_str();
            numbers.entry(digits.as_ptr()).or_insert_with(|| Decimal::parse(digits));
        }
    }
    numbers
}

/// The quotes by the text that their paths lead to, known by where it lies: many paths, spelled alike or not, can lead to
/// one text, and many bindings can quote the same of it. So what is looked for is as much as differs.
fn by_text<'p, 'v>(placed: &'p [Placed<'v>]) -> BTreeMap<*const u8, (&'v str, Quotes<'p>)> {
    let mut texts: BTreeMap<*const u8, (&'v str, Quotes<'p>)> = BTreeMap::new();
    for (position, item) in placed.iter().enumerate() {
        if let Recorded::Text(text) = item.value {
            let (_, quotes) = texts.entry(text.as_ptr()).or_insert((text, Quotes::new()));
            quotes.entry(&item.quote.folded).or_default().push(position);
        }
    }
    texts
}

/// Gives each quote its first place in a text that is folded and read once, and no further than is needed.
fn find_in_text<'v>(text: &'v str, quotes: &Quotes<'_>, found: &mut [Option<Matched<'v>>]) {
    let folded = fold(text);
    let mut missing: Vec<Option<&Vec<usize>>> = quotes.values().map(Some).collect();
    let mut left = missing.len();
    Needles::new(quotes.keys().copied()).each_in(folded.text(), |quote, place| {
        let Some(positions) = missing.get_mut(quote).and_then(Option::take) else { return ControlFlow::Continue(()) };
        let first = matched(&folded, place);
        for &position in positions {
            if let Some(found) = found.get_mut(position) {
                *found = Some(first);
            }
        }
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}

/// What a quote matched at a place of a folded text. White space around it makes a text no longer.
fn matched<'v>(folded: &Folded<'v>, place: Range<usize>) -> Matched<'v> {
    let quoted = folded.text().get(place.clone()).unwrap_or_default();
    let after = folded.text().get(place.end..).unwrap_or_default();
    let text = folded.recorded(place);
    if quoted.trim() == folded.text().trim() {
        return Matched::Whole(Recorded::Text(text));
    }
    Matched::Part { text, before_percent: after.trim_start().starts_with('%') }
}

/// Which of the quotes at these positions match any scalar of their output.
fn find_elsewhere(placed: &[Placed<'_>], positions: &[usize], root: &Value, matched: &mut BTreeSet<usize>) {
    let mut decimals: BTreeMap<Decimal, Vec<usize>> = BTreeMap::new();
    let mut literals: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut quotes = Quotes::new();
    for (position, item) in positions.iter().filter_map(|&position| Some((position, placed.get(position)?))) {
        let quote = item.quote.bare();
        quotes.entry(&item.quote.folded).or_default().push(position);
        literals.entry(quote).or_default().push(position);
        if let Some(value) = Decimal::parse(quote) {
            decimals.entry(value).or_default().push(position);
        }
    }
    let needles = Needles::new(quotes.keys().copied());
    let mut missing: Vec<Option<&Vec<usize>>> = quotes.values().map(Some).collect();
    each_scalar(root, |scalar| match scalar {
        Recorded::Text(text) => needles.each_in(fold(text).text(), |quote, _| {
            matched.extend(missing.get_mut(quote).and_then(Option::take).into_iter().flatten());
            ControlFlow::Continue(())
        }),
        Recorded::Number(number) if !decimals.is_empty() => {
            let equal = Decimal::parse(number.as_str()).and_then(|value| decimals.get(&value));
            matched.extend(equal.into_iter().flatten());
        }
        Recorded::Literal(literal) => matched.extend(literals.get(literal).into_iter().flatten()),
        Recorded::Number(_) | Recorded::Tree(_) => {}
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each text that is searched, and what it is searched for.
    fn searched(bindings: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let placed: Vec<Placed<'_>> = bindings
            .iter()
            .map(|(text, quote)| Placed {
                quote: Quote::read(quote).unwrap(),
                value: Recorded::Text(text),
                invocation_id: "inv-1",
            })
            .collect();
        let mut searched: Vec<_> = by_text(&placed)
            .into_values()
            .map(|(text, quotes)| (text.to_owned(), quotes.keys().map(|&quote| quote.to_owned()).collect()))
            .collect();
        searched.sort();
        searched
    }

    #[test]
    fn each_number_is_read_once() {
        // R-GATE-07
        let number = "1".repeat(1000).parse().unwrap();
        let placed: Vec<_> = ["1", "2", "1e3"]
            .map(|quote| Placed {
                quote: Quote::read(quote).unwrap(),
                value: Recorded::Number(&number),
                invocation_id: "inv-1",
            })
            .into();
        assert_eq!(numbers(&placed).len(), 1);
    }

    #[test]
    fn each_text_is_searched_once_and_for_each_quote_once() {
        // R-GATE-07
        // As many bindings as evidence can have, over a text that holds the quote at each place.
        let periodic = "a ".repeat(1000);
        let equal = vec![(periodic.as_str(), "a a"); 320];
        assert_eq!(searched(&equal), [(periodic.clone(), vec!["a a".to_owned()])]);
        // Equal texts at two places are two texts; quotes that fold to the same are one.
        let other = periodic.clone();
        let mixed = [(periodic.as_str(), "a a"), (periodic.as_str(), "a \n a"), (&other, "a"), (&periodic, "a")];
        assert_eq!(
            searched(&mixed),
            [(other.clone(), vec!["a".to_owned()]), (periodic.clone(), vec!["a".to_owned(), "a a".to_owned()])]
        );
    }
}
