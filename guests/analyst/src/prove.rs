//! Sees to it that a claim is provable before it is stated: whatever in its text has a digit must stand in a quote.
//!
//! This is stricter than the host's contract, so that what passes here passes there.

use crate::evidence::{Body, Observation, Quote};
use serde_json::Value;
use std::collections::BTreeSet;

/// Bindings that one claim may have.
pub(crate) const BINDINGS: usize = 8;

/// The quotes that prove a text: those given, and more from the same observations for words that these do not hold.
/// Nothing when the text cannot be proved.
pub(crate) fn prove(text: &str, quotes: &[Quote], observations: &[Observation]) -> Option<Vec<Quote>> {
    let mut kept: Vec<Quote> = Vec::new();
    for quote in quotes {
        if !kept.contains(quote) && holds(quote, observations) {
            kept.push(quote.clone());
        }
    }
    let mut needed: Vec<Quote> = Vec::new();
    for word in words(text) {
        let holds_word = |quote: &Quote| occurs(&quote.text, word);
        if needed.iter().any(holds_word) {
            continue;
        }
        let quote = kept.iter().find(|quote| holds_word(quote)).cloned().or_else(|| find(word, &kept, observations))?;
        needed.push(quote);
    }
    // What the text needs comes first; the other quotes fill what is left.
    let mut proof: Vec<Quote> = kept.iter().filter(|quote| needed.contains(quote)).cloned().collect();
    proof.extend(needed.into_iter().filter(|quote| !kept.contains(quote)));
    proof.extend(kept.into_iter().filter(|quote| !proof.contains(quote)).collect::<Vec<_>>());
    let needed = words(text).len();
    if proof.is_empty() || needed > BINDINGS && proof.len() > BINDINGS {
        return None;
    }
    proof.truncate(BINDINGS);
    words(text).iter().all(|word| proof.iter().any(|quote| occurs(&quote.text, word))).then_some(proof)
}

/// Whether a name can be proved to occur: it has no digit, or stands in some observation.
pub(crate) fn can_name(name: &str, observations: &[Observation]) -> bool {
    words(name).into_iter().all(|word| find(word, &[], observations).is_some())
}

/// The words of a text that have a digit, without the punctuation around them.
fn words(text: &str) -> BTreeSet<&str> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.chars().any(|c| c.is_ascii_digit()))
        .collect()
}

/// Whether a word stands in a text as a word of its own: not in the middle of a longer word or number.
fn occurs(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(start, _)| {
        let before = text.get(..start).unwrap_or_default();
        let after = text.get(start + word.len()..).unwrap_or_default();
        let is_digit_first = word.starts_with(|c: char| c.is_ascii_digit());
        let joined_before = before.ends_with(|c: char| c.is_ascii_alphanumeric())
            || is_digit_first && before.ends_with(['.', ',', '-', '+']) && before.len() > 1;
        let mut next = after.chars();
        let joined_after = match (next.next(), next.next()) {
            (Some(c), _) if c.is_ascii_alphanumeric() => true,
            (Some('.' | ','), Some(c)) => c.is_ascii_digit() && word.ends_with(|c: char| c.is_ascii_digit()),
            _ => false,
        };
        !joined_before && !joined_after
    })
}

/// A place that holds the word: in the observations that are quoted already, or in any other. A number that stands in
/// another row than what is quoted is another thing's, so it counts only beside a quote.
fn find(word: &str, quotes: &[Quote], observations: &[Observation]) -> Option<Quote> {
    let cited: BTreeSet<usize> = quotes.iter().map(|quote| quote.of).collect();
    let others = (0..observations.len()).filter(|index| !cited.contains(index));
    let is_number = word.parse::<f64>().is_ok();
    cited.iter().copied().chain(others).find_map(|of| match &observations.get(of)?.body {
        Body::Json(value) => {
            let mut places = Vec::new();
            find_in_json(word, value, String::new(), &mut places);
            // Of equally near places the first one: the answer must not depend on anything else.
            let (nearness, (path, text)) = places
                .into_iter()
                .rev()
                .map(|place| (nearness(&place.0, of, quotes), place))
                .max_by_key(|(nearness, _)| *nearness)?;
            (!is_number || nearness >= ROW).then_some(Quote { of, path, text })
        }
        Body::Text(text) => text.lines().find(|line| occurs(line, word)).map(|line| Quote::piece(of, line)),
        Body::Nothing => None,
    })
}

/// A row of a list is named by the list and its index.
const ROW: usize = 2;

/// How many names and indexes from the root on a place shares with the nearest quote of its output.
fn nearness(path: &str, of: usize, quotes: &[Quote]) -> usize {
    let shared = |quote: &Quote| {
        let steps = path.split('/').skip(1).zip(quote.path.split('/').skip(1));
        steps.take_while(|(one, other)| one == other).count()
    };
    quotes.iter().filter(|quote| quote.of == of).map(shared).max().unwrap_or(0)
}

/// Places enough to choose from; a word that stands in more is no name of anything.
const PLACES: usize = 512;

fn find_in_json(word: &str, value: &Value, path: String, places: &mut Vec<(String, String)>) {
    if places.len() == PLACES {
        return;
    }
    match value {
        Value::String(text) if text.len() <= 200 && occurs(text, word) => places.push((path, text.clone())),
        Value::Number(number) if number.to_string() == word => places.push((path, word.to_owned())),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find_in_json(word, item, crate::evidence::join_index(&path, index), places);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                find_in_json(word, field, crate::evidence::join(&path, name), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether the quote really stands there, at word borders.
fn holds(quote: &Quote, observations: &[Observation]) -> bool {
    let Some(observation) = observations.get(quote.of) else { return false };
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = fold(&quote.text);
    // A replacement character stands for bytes that nobody can quote.
    if wanted.is_empty() || wanted.contains('\u{fffd}') {
        return false;
    }
    match (&observation.body, observation.at(&quote.path)) {
        (Body::Text(text), _) => quote.path.is_empty() && occurs(&fold(text), &wanted),
        (Body::Json(_), Some(Value::String(text))) => occurs(&fold(text), &wanted),
        (Body::Json(_), Some(value)) => {
            let literal = value.to_string();
            literal == quote.text
        }
        (Body::Json(_), None) | (Body::Nothing, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn observation(body: Body) -> Observation {
        Observation { invocation_id: "inv-1".into(), tool: "t".into(), arguments: serde_json::Map::new(), body }
    }

    #[test]
    fn words_stand_alone_or_do_not_count() {
        for (text, word, expected) in [
            ("8016 ms", "801", false),
            ("took 8.01 s", "8.01", true),
            ("took 8.01 s", "8", false),
            ("took -8 s", "8", false),
            ("cart-7d9f: up", "cart-7d9f", true),
            ("cart-7d9fx", "cart-7d9f", false),
            ("v2.3.", "v2.3", true),
            ("1,200", "200", false),
        ] {
            assert_eq!(occurs(text, word), expected, "{word} in {text}");
        }
    }

    #[test]
    fn a_text_needs_a_quote_for_each_word_with_a_digit() {
        let observations = [
            observation(Body::Json(json!({"name": "cart-1", "p99": 8.5}))),
            observation(Body::Text("node n-7 is down".into())),
        ];
        let quotes = [Quote { of: 0, path: "/p99".into(), text: "8.5".into() }];
        let proof = |text| prove(text, &quotes, &observations).map(|proof| proof.len());
        assert_eq!(proof("it took 8.5 s"), Some(1));
        assert_eq!(proof("cart-1 took 8.5 s"), Some(2), "the name is looked up");
        assert_eq!(proof("n-7 took 8.5 s"), Some(2), "in other observations too");
        assert_eq!(proof("it took 8.6 s"), None);
        assert_eq!(prove("it is slow", &[], &observations), None, "no quote is no proof");
        let wrong = [Quote { of: 0, path: "/p99".into(), text: "8".into() }];
        assert_eq!(prove("it took long", &wrong, &observations), None);
    }
}
