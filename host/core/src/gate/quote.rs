//! Compares quotes with what was recorded.

use super::GateReason;
use super::decimal::Decimal;
use super::fold::fold;
use super::recorded::{Output, Recorded, each_scalar, same};
use super::search::Needles;
use crate::json;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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

/// For each quote the recorded value or text that matches it, or why there is none.
pub(super) fn compare<'v>(
    placed: &[Placed<'v>],
    outputs: &'v BTreeMap<&str, Output<'_>>,
) -> Vec<Result<Recorded<'v>, GateReason>> {
    // One automaton serves all texts: a needle is known by the position of its quote.
    let needles = Needles::new(placed.iter().map(|item| item.quote.folded.as_str()));
    let mut found: Vec<Option<Recorded<'v>>> = placed.iter().map(Placed::outside_text).collect();
    find_in_texts(placed, &needles, &mut found);
    let mut lost: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for ((position, item), _) in placed.iter().enumerate().zip(&found).filter(|(_, found)| found.is_none()) {
        lost.entry(item.invocation_id).or_default().push(position);
    }
    let mut elsewhere = BTreeSet::new();
    for (invocation_id, positions) in lost {
        // A text is one place: there is no other in it.
        if let Some(Output::Json(root)) = outputs.get(invocation_id) {
            elsewhere.extend(find_elsewhere(placed, &positions, &needles, root));
        }
    }
    let reason = |position| {
        if elsewhere.contains(&position) { GateReason::TextElsewhere } else { GateReason::TextNotFound }
    };
    found.into_iter().enumerate().map(|(position, found)| found.ok_or(reason(position))).collect()
}

impl<'v> Placed<'v> {
    /// The value itself, when it is no text and equals the quote.
    fn outside_text(&self) -> Option<Recorded<'v>> {
        let equal = match self.value {
            Recorded::Text(_) => false,
            Recorded::Number(number) => {
                Decimal::parse(self.quote.bare()).is_some_and(|value| Some(value) == Decimal::parse(number.as_str()))
            }
            Recorded::Literal(literal) => self.quote.bare() == literal,
            Recorded::Tree(tree) => json::read(self.quote.stated).is_ok_and(|stated| same(&stated, tree)),
        };
        equal.then_some(self.value)
    }

    /// Where the text lies that the path leads to. Many paths, spelled alike or not, can lead to one text.
    fn text_address(&self) -> Option<*const u8> {
        match self.value {
            Recorded::Text(text) => Some(text.as_ptr()),
            Recorded::Number(_) | Recorded::Literal(_) | Recorded::Tree(_) => None,
        }
    }
}

/// Looks for quotes in the texts that their paths lead to. Each text is folded and read once.
fn find_in_texts<'v>(placed: &[Placed<'v>], needles: &Needles, found: &mut [Option<Recorded<'v>>]) {
    let mut texts: BTreeMap<*const u8, &'v str> = BTreeMap::new();
    for item in placed {
        if let Recorded::Text(text) = item.value {
            texts.insert(text.as_ptr(), text);
        }
    }
    for (address, text) in texts {
        let folded = fold(text);
        needles.each_in(folded.text(), |position, range| {
            let belongs = placed.get(position).and_then(Placed::text_address) == Some(address);
            if let Some(first @ None) = found.get_mut(position).filter(|_| belongs) {
                *first = Some(Recorded::Text(folded.recorded(range)));
            }
        });
    }
}

/// Which of the quotes at these positions match any scalar of their output.
fn find_elsewhere(
    placed: &[Placed<'_>],
    positions: &[usize],
    needles: &Needles,
    root: &Value,
) -> impl Iterator<Item = usize> {
    let mut decimals: BTreeMap<Decimal, Vec<usize>> = BTreeMap::new();
    let mut literals: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &position in positions {
        let Some(quote) = placed.get(position).map(|item| item.quote.bare()) else { continue };
        literals.entry(quote).or_default().push(position);
        if let Some(value) = Decimal::parse(quote) {
            decimals.entry(value).or_default().push(position);
        }
    }
    let mut matched = BTreeSet::new();
    each_scalar(root, |scalar| match scalar {
        Recorded::Text(text) => needles.each_in(fold(text).text(), |position, _| {
            matched.insert(position);
        }),
        Recorded::Number(number) if !decimals.is_empty() => {
            let equal = Decimal::parse(number.as_str()).and_then(|value| decimals.get(&value));
            matched.extend(equal.into_iter().flatten());
        }
        Recorded::Literal(literal) => matched.extend(literals.get(literal).into_iter().flatten()),
        Recorded::Number(_) | Recorded::Tree(_) => {}
    });
    // The texts may also hold quotes of other outputs.
    positions.iter().copied().filter(move |position| matched.contains(position))
}
