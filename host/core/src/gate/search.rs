//! Finds many folded quotes in a folded text at once, in one pass over the text.

use super::token::is_border;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::ops::Range;

/// Texts to look for. The cost of a pass is that of the text and of the places that hold one of them, however many
/// they are and however they overlap.
pub(super) struct Needles {
    /// Absent when it could not be built: then nothing is ever found.
    automaton: Option<AhoCorasick>,
}

impl Needles {
    /// None of the needles may be empty.
    pub(super) fn new<'n>(needles: impl IntoIterator<Item = &'n str>) -> Self {
        // The other kinds take too long to build, or too much room for long needles.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        Self { automaton: AhoCorasick::builder().kind(kind).build(needles).ok() }
    }

    /// Tells of each place in `text` that holds a needle between token borders, from left to right.
    pub(super) fn each_in(&self, text: &str, mut found: impl FnMut(usize, Range<usize>)) {
        let Some(matches) =
            self.automaton.as_ref().and_then(|automaton| automaton.try_find_overlapping_iter(text).ok())
        else {
            return;
        };
        for place in matches {
            if is_border(text, place.start()) && is_border(text, place.end()) {
                found(place.pattern().as_usize(), place.range());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, needles: &[&str]) -> Vec<(usize, Range<usize>)> {
        let mut places = Vec::new();
        Needles::new(needles.iter().copied()).each_in(text, |needle, place| places.push((needle, place)));
        places
    }

    #[test]
    fn finds_each_needle_at_each_place_that_may_be_cut() {
        // R-GATE-07
        assert_eq!(found("312 errors, 12 errors", &["12 errors"]), [(0, 12..21)]);
        assert_eq!(
            found("a b a b", &["a b", "b", "a b"]),
            [(0, 0..3), (2, 0..3), (1, 2..3), (0, 4..7), (2, 4..7), (1, 6..7)]
        );
        assert_eq!(found("aaaa aa", &["aa"]), [(0, 5..7)]);
        // The second place counts although it overlaps the first, which cannot be cut.
        assert_eq!(found("ba a a", &["a a"]), [(0, 3..6)]);
        assert_eq!(found("", &["a"]), []);
    }
}
