//! Whether what was quoted supports the numbers and names of a text.
//!
//! Units are not converted and not compared: `8061 s` is supported by a recorded 8061, whatever it counts.

use super::decimal::Decimal;
use super::fold::fold;
use super::recorded::Recorded;
use super::search::Needles;
use super::token::{Token, tokens};
use serde_json::Value;
use std::collections::BTreeSet;

/// The numbers and texts of what was quoted.
#[derive(Debug, Default)]
pub(crate) struct Support {
    numbers: BTreeSet<Decimal>,
    percents: BTreeSet<Decimal>,
    /// Folded.
    texts: Vec<String>,
}

impl Support {
    /// Adds a text. A text that is nothing but a number has its unit elsewhere, which may be percent.
    pub(crate) fn add_text(&mut self, text: &str) {
        let folded = fold(text).text().to_owned();
        match Decimal::parse(folded.trim()) {
            Some(value) => self.add_percent(value),
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
        self.texts.push(folded);
    }

    /// Adds a recorded value that matched, or the part of a text that did.
    pub(super) fn add(&mut self, matched: Recorded<'_>) {
        match matched {
            Recorded::Text(text) => self.add_text(text),
            Recorded::Number(number) => self.add_text(number.as_str()),
            Recorded::Literal(_) => {}
            Recorded::Tree(tree) => self.add_tree(tree),
        }
    }

    /// The scalars of an object or array, and its keys.
    fn add_tree(&mut self, tree: &Value) {
        match tree {
            Value::Array(items) => items.iter().for_each(|item| self.add_tree(item)),
            Value::Object(entries) => {
                for (key, value) in entries {
                    self.add_text(key);
                    self.add_tree(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => self.add(Recorded::of(tree)),
        }
    }

    /// Adds a number that a percentage may be about.
    fn add_percent(&mut self, value: Decimal) {
        self.percents.insert(value.clone());
        self.numbers.insert(value);
    }

    /// Whether each number of `text` was quoted, and each of its names literally.
    pub(crate) fn covers(&self, text: &str) -> bool {
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

    fn holds_all(&self, names: &BTreeSet<&str>) -> bool {
        if names.is_empty() {
            return true;
        }
        let needles = Needles::new(names.iter().copied());
        let mut missing: BTreeSet<usize> = (0..names.len()).collect();
        for text in &self.texts {
            needles.each_in(text, |name, _| {
                missing.remove(&name);
            });
        }
        missing.is_empty()
    }
}
