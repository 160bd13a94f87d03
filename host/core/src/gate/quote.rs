//! Compares quotes with what was recorded.

use super::GateReason;
use super::decimal::Decimal;
use super::fold::fold;
use super::recorded::{Output, Recorded, each_scalar, same};
use super::search::Needles;
use crate::json;
use std::collections::BTreeMap;

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
    let mut found: Vec<Option<Recorded<'v>>> = placed.iter().map(Placed::outside_text).collect();
    find_in_texts(placed, &mut found);
    let mut elsewhere = vec![false; placed.len()];
    find_elsewhere(placed, &found, outputs, &mut elsewhere);
    let reason = |elsewhere| if elsewhere { GateReason::TextElsewhere } else { GateReason::TextNotFound };
    found.into_iter().zip(elsewhere).map(|(found, elsewhere)| found.ok_or(reason(elsewhere))).collect()
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
}

/// Looks for quotes in the texts that their paths lead to.
fn find_in_texts<'v>(placed: &[Placed<'v>], found: &mut [Option<Recorded<'v>>]) {
    // Many paths, spelled alike or not, can lead to one text. It is told by where it lies, and folded once.
    let mut texts: BTreeMap<*const u8, (&'v str, Vec<usize>)> = BTreeMap::new();
    for (position, item) in placed.iter().enumerate() {
        if let Recorded::Text(text) = item.value {
            texts.entry(text.as_ptr()).or_insert_with(|| (text, Vec::new())).1.push(position);
        }
    }
    for (text, positions) in texts.into_values() {
        let folded = fold(text);
        let quotes = positions.iter().filter_map(|&position| placed.get(position));
        let needles = Needles::new(quotes.map(|item| item.quote.folded.as_str()));
        needles.each_in(folded.text(), |needle, range| {
            if let Some(place @ None) = positions.get(needle).and_then(|&position| found.get_mut(position)) {
                *place = Some(Recorded::Text(folded.recorded(range)));
            }
        });
    }
}

/// Looks for the quotes that were not found at any scalar of their outputs.
fn find_elsewhere(
    placed: &[Placed<'_>],
    found: &[Option<Recorded<'_>>],
    outputs: &BTreeMap<&str, Output<'_>>,
    elsewhere: &mut [bool],
) {
    let mut lost: BTreeMap<&str, Vec<(usize, &Quote<'_>)>> = BTreeMap::new();
    for ((position, item), found) in placed.iter().enumerate().zip(found) {
        if found.is_none() {
            lost.entry(item.invocation_id).or_default().push((position, &item.quote));
        }
    }
    for (invocation_id, quotes) in lost {
        // A text is one place: there is no other in it.
        let Some(Output::Json(root)) = outputs.get(invocation_id) else { continue };
        let needles = Needles::new(quotes.iter().map(|(_, quote)| quote.folded.as_str()));
        let mut decimals: BTreeMap<Decimal, Vec<usize>> = BTreeMap::new();
        let mut literals: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (position, quote) in &quotes {
            literals.entry(quote.bare()).or_default().push(*position);
            if let Some(value) = Decimal::parse(quote.bare()) {
                decimals.entry(value).or_default().push(*position);
            }
        }
        let mut mark = |position: usize| {
            if let Some(place) = elsewhere.get_mut(position) {
                *place = true;
            }
        };
        each_scalar(root, |scalar| match scalar {
            Recorded::Text(text) => needles.each_in(fold(text).text(), |needle, _| {
                quotes.get(needle).into_iter().for_each(|(position, _)| mark(*position));
            }),
            Recorded::Number(number) if !decimals.is_empty() => {
                let equal = Decimal::parse(number.as_str()).and_then(|value| decimals.get(&value));
                equal.into_iter().flatten().for_each(|position| mark(*position));
            }
            Recorded::Literal(literal) => {
                literals.get(literal).into_iter().flatten().for_each(|position| mark(*position));
            }
            Recorded::Number(_) | Recorded::Tree(_) => {}
        });
    }
}
