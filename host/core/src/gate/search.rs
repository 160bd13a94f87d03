//! Finds many folded quotes in a folded text at once, in one pass over the text.

use super::token::is_border;
use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use std::ops::{ControlFlow, Range};

/// Different texts to look for. The cost of a pass is that of the text and, at worst, of each place that may hold a
/// needle once for each needle that ends there. What is wanted several times is to be given once.
pub(super) struct Needles {
    /// Absent when it could not be built: then nothing is ever found.
    automaton: Option<NFA>,
}

impl Needles {
    /// None of the needles may be empty.
    pub(super) fn new<'n>(needles: impl IntoIterator<Item = &'n str>) -> Self {
        // The search below has no use for a prefilter.
        Self { automaton: NFA::builder().prefilter(false).build(needles).ok() }
    }

    /// Tells of each place in `text` that holds a needle between token borders, from left to right, until it is told to
    /// stop.
    ///
    /// It steps through the text by itself, because most ends of a needle in a long run of letters are no border, and
    /// the searches of the library would name each of them.
    pub(super) fn each_in(&self, text: &str, mut found: impl FnMut(usize, Range<usize>) -> ControlFlow<()>) {
        let Some(automaton) = &self.automaton else { return };
        let Ok(mut state) = automaton.start_state(Anchored::No) else { return };
        let mut starts = Starts { text, known: Vec::new() };
        for (end, byte) in (1..).zip(text.bytes()) {
            state = automaton.next_state(Anchored::No, state, byte);
            if !automaton.is_match(state) || !is_border(text, end) {
                continue;
            }
            for needle in (0..automaton.match_len(state)).map(|index| automaton.match_pattern(state, index)) {
                let start = end - automaton.pattern_len(needle);
                if starts.is_border(start) && found(needle.as_usize(), start..end).is_break() {
                    return;
                }
            }
        }
    }
}

/// The places where a needle may begin. Many needles begin at one place, so each is looked at once.
struct Starts<'t> {
    text: &'t str,
    /// Empty until the first place is asked for: most texts hold no needle.
    known: Vec<Option<bool>>,
}

impl Starts<'_> {
    fn is_border(&mut self, at: usize) -> bool {
        if self.known.is_empty() {
            self.known.resize(self.text.len() + 1, None);
        }
        let known = self.known.get_mut(at);
        known.is_some_and(|known| *known.get_or_insert_with(|| is_border(self.text, at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, needles: &[&str]) -> Vec<(usize, Range<usize>)> {
        let mut places = Vec::new();
        Needles::new(needles.iter().copied()).each_in(text, |needle, place| {
            places.push((needle, place));
            ControlFlow::Continue(())
        });
        places
    }

    #[test]
    fn finds_each_needle_at_each_place_that_may_be_cut() {
        // R-GATE-07
        assert_eq!(found("312 errors, 12 errors", &["12 errors"]), [(0, 12..21)]);
        assert_eq!(found("a b a b", &["a b", "b"]), [(0, 0..3), (1, 2..3), (0, 4..7), (1, 6..7)]);
        assert_eq!(found("aaaa aa", &["aa"]), [(0, 5..7)]);
        // The second place counts although it overlaps the first, which cannot be cut.
        assert_eq!(found("ba a a", &["a a"]), [(0, 3..6)]);
        assert_eq!(found("", &["a"]), []);
    }

    #[test]
    fn a_search_ends_when_it_is_told() {
        // R-GATE-07
        let mut places = 0;
        Needles::new(["a", "a a"]).each_in(&"a ".repeat(1000), |_, _| {
            places += 1;
            if places == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(places, 3);
    }
}
