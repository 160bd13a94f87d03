//! Whether what was quoted supports the numbers and names of a text.
//!
//! Units are not converted and not compared: `8061 s` is supported by a recorded 8061, whatever it counts.

use super::decimal::Decimal;
use super::fold::fold;
use super::recorded::{Matched, Recorded};
use super::search::Needles;
use super::token::{Token, tokens};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

/// The numbers and texts of what was quoted.
#[derive(Debug, Default)]
pub(crate) struct Support {
    numbers: BTreeSet<Decimal>,
    percents: BTreeSet<Decimal>,
    /// Folded, each once.
    texts: BTreeSet<String>,
}

impl Support {
    /// Adds a text.
    pub(crate) fn add_text(&mut self, text: &str) {
        self.add_quoted(text, false);
    }

    /// Adds what a quote matched. A value that is nothing but a number has its unit elsewhere, which may be percent; a
    /// number out of a longer text has the unit that stands there.
    pub(super) fn add(&mut self, matched: Matched<'_>) {
        match matched {
            Matched::Whole(value) => self.add_value(value),
            Matched::Part { text, before_percent } => self.add_quoted(text, before_percent),
        }
    }

    fn add_value(&mut self, value: Recorded<'_>) {
        match value {
            Recorded::Text(text) => self.add_quoted(text, true),
            Recorded::Number(number) => self.add_quoted(number.as_str(), true),
            Recorded::Literal(_) => {}
            Recorded::Tree(tree) => self.add_tree(tree),
        }
    }

    /// Adds a text that was quoted, and whether it may be a percentage if it is nothing but a number.
    fn add_quoted(&mut self, text: &str, may_be_percent: bool) {
        let folded = fold(text).text().to_owned();
        match Decimal::parse(folded.trim()) {
            Some(value) if may_be_percent => self.add_percent(value),
            Some(value) => {
                self.numbers.insert(value);
            }
            None => {
                for token in tokens(&folded) {
                    match token {
                        Token::Number(value) | Token::Measured(value, _) => {
                            self.numbers.insert(value);
                        }
                        Token::Percent(value) => self.add_percent(value),
                        Token::Name(_) => {}
                    }
                }
            }
        }
        self.texts.insert(folded);
    }

    /// The scalars of an object or array, and its keys.
    fn add_tree(&mut self, tree: &Value) {
        match tree {
            Value::Array(items) => items.iter().for_each(|item| self.add_tree(item)),
            Value::Object(entries) => {
                for (key, value) in entries {
                    self.add_quoted(key, true);
                    self.add_tree(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => self.add_value(Recorded::of(tree)),
        }
    }

    /// Adds a number that a percentage may be about.
    fn add_percent(&mut self, value: Decimal) {
        self.percents.insert(value.clone());
        self.numbers.insert(value);
    }

    /// Whether each number of `text` was quoted, and each of its names literally.
    pub(crate) fn covers(&self, text: &str) -> bool {
        if hides_something(text) {
            return false;
        }
        let folded = fold(text);
        let mut names = BTreeSet::new();
        let numbers_covered = tokens(folded.text()).into_iter().all(|token| match token {
            Token::Number(value) => self.numbers.contains(&value),
            Token::Percent(value) => self.percents.contains(&value),
            Token::Measured(_, name) | Token::Name(name) => {
                names.insert(name);
                true
            }
        });
        numbers_covered && self.holds_all(&names)
    }

    /// A name counts where it stands whole: `cart-7` is not in `cart-7-db`, nor 10:02 in 10:02:33.
    fn holds_all(&self, names: &BTreeSet<&str>) -> bool {
        if names.is_empty() {
            return true;
        }
        let needles = Needles::new(names.iter().copied());
        let mut missing: BTreeSet<usize> = (0..names.len()).collect();
        for text in &self.texts {
            needles.each_in(text, |name, place| {
                if stands_whole(text, &place) {
                    missing.remove(&name);
                }
                if missing.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        missing.is_empty()
    }
}

/// Whether a reader would see other numbers or names than the checks do: control characters, and invisible or combining
/// characters or unusual group marks within a word.
fn hides_something(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: Option<usize>| index.and_then(|index| chars.get(index)).copied();
    (0..).zip(&chars).any(|(index, &c)| {
        let (before, after) = (at(usize::checked_sub(index, 1)), at(Some(index + 1)));
        let is_beside = |is: fn(char) -> bool| before.is_some_and(is) || after.is_some_and(is);
        let is_between = |is: fn(char) -> bool| before.is_some_and(is) && after.is_some_and(is);
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
            || (is_invisible(c) && is_beside(char::is_alphanumeric))
            || (is_group_mark(c) && is_between(char::is_numeric))
    })
}

/// Format characters, variation selectors and combining marks.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}')
        || matches!(c, '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}')
        || matches!(c, '\u{300}'..='\u{36F}' | '\u{20D0}'..='\u{20FF}' | '\u{E0000}'..='\u{E0FFF}')
}

/// What some write between the groups of a number, beside the comma that is understood.
fn is_group_mark(c: char) -> bool {
    matches!(
        c,
        '\'' | '\u{A0}' | '\u{2BC}' | '\u{2009}' | '\u{2019}' | '\u{202F}' | '\u{66C}' | '\u{FF0C}' | '\u{FF0E}'
    )
}

/// Whether the place is a word of its own, and not a part of a longer name or time.
fn stands_whole(text: &str, place: &Range<usize>) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let joins = |edge: Option<char>, mark: Option<char>, beyond: Option<char>| match mark {
        Some('-' | '.') => beyond.is_some_and(char::is_alphanumeric),
        Some(':' | '/') => digit(edge) && digit(beyond),
        Some(_) | None => false,
    };
    let word = text.get(place.clone()).unwrap_or_default();
    let mut before = text.get(..place.start).unwrap_or_default().chars().rev();
    let mut after = text.get(place.end..).unwrap_or_default().chars();
    !joins(word.chars().next(), before.next(), before.next())
        && !joins(word.chars().next_back(), after.next(), after.next())
}
