//! `fold`: the one function that a quote and the recorded text both go through before they are compared.
//!
//! It undoes what happens to a text on its way through a terminal or a model and leaves its meaning alone: terminal
//! escape sequences go, Unicode composes (NFC), typographic dashes and quotation marks become plain, runs of white
//! space become one space. No case folding, no NFKC, nothing fuzzy. It keeps the way back to the recorded text.

use super::escape;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A folded text that knows which recorded text each part of it stands for.
#[derive(Debug)]
pub(crate) struct Folded<'a> {
    recorded: &'a str,
    text: Cow<'a, str>,
    /// In the order of the text, without gaps; empty when folding changed nothing.
    pieces: Vec<Piece>,
}

/// A part of the folded text, up to the next piece.
#[derive(Debug)]
struct Piece {
    folded: usize,
    recorded: Range<usize>,
    /// Byte for byte as long as what was recorded. Any other piece only stands for its recorded range as a whole.
    aligned: bool,
}

/// Folds `text`. Folding twice changes nothing more.
pub(crate) fn fold(text: &str) -> Folded<'_> {
    if plain_prefix(text) == text.len() {
        return Folded { recorded: text, text: Cow::Borrowed(text), pieces: Vec::new() };
    }
    let mut folding = Folding { text: String::with_capacity(text.len()), pieces: Vec::new() };
    let mut segment = String::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let plain = rest.get(..plain_prefix(rest)).unwrap_or_default();
        folding.push(plain, at..at + plain.len(), true);
        let Some((first, range)) = visible(text, at + plain.len()) else { break };
        at = range.end;
        if first.is_whitespace() {
            while let Some((_, next)) = visible(text, at).filter(|(next, _)| next.is_whitespace()) {
                at = next.end;
            }
            folding.push(" ", range.start..at, at == range.start + 1);
            continue;
        }
        segment.clear();
        segment.push(first);
        while let Some((next, next_range)) = visible(text, at).filter(|(next, _)| !starts_segment(*next)) {
            segment.push(next);
            at = next_range.end;
        }
        folding.push_segment(&segment, range.start..at);
    }
    Folded { recorded: text, text: Cow::Owned(folding.text), pieces: folding.pieces }
}

impl<'a> Folded<'a> {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The recorded text that a range of the folded text stands for, widened to what was folded as a whole.
    pub(super) fn recorded(&self, range: Range<usize>) -> &'a str {
        let start = self.piece(range.start).map_or(range.start, |piece| {
            piece.recorded.start + if piece.aligned { range.start - piece.folded } else { 0 }
        });
        // The last byte of the range says which piece it ends in.
        let end = self.piece(range.end.saturating_sub(1)).map_or(range.end, |piece| {
            if piece.aligned { piece.recorded.start + (range.end - piece.folded) } else { piece.recorded.end }
        });
        self.recorded.get(start..end).unwrap_or_default()
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        self.pieces.get(self.pieces.partition_point(|piece| piece.folded <= at).checked_sub(1)?)
    }
}

/// How many bytes at the start of `text` fold to themselves, whatever follows: most text is printable ASCII.
fn plain_prefix(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut next = bytes.iter().skip(1);
    let plain = bytes.iter().take_while(|byte| {
        let before_graphic = next.next().is_none_or(u8::is_ascii_graphic);
        byte.is_ascii_graphic() || (**byte == b' ' && before_graphic)
    });
    let plain = plain.count();
    // A mark that follows may compose with the last one.
    if plain == bytes.len() { plain } else { plain.saturating_sub(1) }
}

/// The first character at or after `at` that is no part of a terminal escape sequence, and its place.
fn visible(text: &str, mut at: usize) -> Option<(char, Range<usize>)> {
    loop {
        let rest = text.get(at..)?;
        let next = rest.chars().next()?;
        if next != escape::ESC {
            return Some((next, at..at + next.len_utf8()));
        }
        at += escape::length(rest);
    }
}

/// Whether normalization never looks across the place before this character.
fn starts_segment(next: char) -> bool {
    next.is_ascii()
        || (canonical_combining_class(next) == 0 && is_nfc_quick(std::iter::once(next)) == IsNormalized::Yes)
}

struct Folding {
    text: String,
    pieces: Vec<Piece>,
}

impl Folding {
    fn push_segment(&mut self, segment: &str, recorded: Range<usize>) {
        let mut buffer = [0; 4];
        let mut folded = String::new();
        for composed in segment.nfc() {
            folded.push_str(plain(composed).unwrap_or_else(|| composed.encode_utf8(&mut buffer)));
        }
        // One character that keeps its length can be told apart from its neighbours by its place alone.
        let aligned = folded.len() == recorded.len() && folded.chars().nth(1).is_none();
        self.push(&folded, recorded, aligned);
    }

    fn push(&mut self, folded: &str, recorded: Range<usize>, aligned: bool) {
        match self.pieces.last_mut() {
            Some(last) if last.aligned && aligned && last.recorded.end == recorded.start => {
                last.recorded.end = recorded.end;
            }
            Some(_) | None if folded.is_empty() => {}
            Some(_) | None => self.pieces.push(Piece { folded: self.text.len(), recorded, aligned }),
        }
        self.text.push_str(folded);
    }
}

/// What a typographic character is in plain text.
fn plain(typographic: char) -> Option<&'static str> {
    match typographic {
        // Hyphens, dashes and the minus sign, with their small and full-width forms.
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => Some("-"),
        '\u{2018}'..='\u{201b}' => Some("'"),
        '\u{201c}'..='\u{201f}' => Some("\""),
        '\u{2026}' => Some("..."),
        '\u{2264}' => Some("<="),
        '\u{2265}' => Some(">="),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folds_what_the_contract_names_and_nothing_else() {
        // R-GATE-07
        for (text, folded) in [
            ("plain text, 8.5 ms", "plain text, 8.5 ms"),
            ("\u{1b}[31mERROR\u{1b}[0m pool", "ERROR pool"),
            ("cafe\u{301}", "café"),
            ("e\u{1b}[0m\u{301}", "é"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("a\u{315}\u{300}", "à\u{315}"),
            ("read–only — ‑ −5", "read-only - - -5"),
            ("“it’s” „so‟", "\"it's\" \"so\""),
            ("wait… ≤ ≥", "wait... <= >="),
            ("a \t\r\n\u{a0}\u{2003}b", "a b"),
            ("  a\n", " a "),
            // Nothing else.
            ("ERROR ﬁne ½ Ａ", "ERROR ﬁne ½ Ａ"),
            ("« » ′ ″ · \u{ad}\u{200b}\u{feff}", "« » ′ ″ · \u{ad}\u{200b}\u{feff}"),
            ("=\u{338} ≤\u{338}", "≠ ≰"),
        ] {
            assert_eq!(fold(text).text(), folded, "{text:?}");
        }
    }

    #[test]
    fn finds_the_way_back() {
        // R-GATE-02
        for (recorded, quote, found) in [
            ("a plain text", "plain", "plain"),
            ("an \u{1b}[31mERROR\u{1b}[0m: pool", "ERROR: pool", "ERROR\u{1b}[0m: pool"),
            ("in cafe\u{301} 7", "café", "cafe\u{301}"),
            ("read–only\n\n file", "read-only file", "read–only\n\n file"),
            ("wait… 5", "wait... 5", "wait… 5"),
            // A part of what was folded as a whole stands for the whole.
            ("wait… 5", ". 5", "… 5"),
            ("ü\u{338}", "\u{338}", "ü\u{338}"),
        ] {
            let folded = fold(recorded);
            let start = folded.text().find(quote).unwrap();
            assert_eq!(folded.recorded(start..start + quote.len()), found, "{recorded:?}");
        }
    }

    /// Texts with much in them that folding looks at.
    pub(in crate::gate) fn foldable() -> impl Strategy<Value = String> {
        const PARTS: &[&str] = &[
            "a",
            "Z",
            "7",
            "12",
            " ",
            "  ",
            "\n",
            "\t",
            "\u{a0}",
            "\u{2003}",
            ".",
            ",",
            "-",
            "+",
            "–",
            "−",
            "“",
            "’",
            "…",
            "≤",
            "≥",
            "=",
            "<",
            "é",
            "e",
            "\u{301}",
            "\u{338}",
            "\u{327}",
            "\u{f73}",
            "\u{344}",
            "\u{212b}",
            "\u{1112}",
            "\u{1161}",
            "\u{11ab}",
            "ﬁ",
            "\u{1b}",
            "\u{1b}[",
            "\u{1b}[31m",
            "[0m",
            "\u{1b}]0;t\u{7}",
            "\u{1b}(B",
            "\u{7}",
            "\u{fffd}",
            "漢",
            "🦀",
        ];
        let part = prop_oneof![
            8 => prop::sample::select(PARTS).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn is_idempotent(text in foldable()) {
            let once = fold(&text);
            let twice = fold(once.text());
            prop_assert_eq!(twice.text(), once.text());
        }

        #[test]
        fn pieces_cover_both_texts_in_order(text in foldable()) {
            let folded = fold(&text);
            for (piece, next) in folded.pieces.iter().zip(folded.pieces.iter().skip(1)) {
                prop_assert!(piece.folded < next.folded);
                prop_assert!(piece.recorded.end <= next.recorded.start);
                // Between two pieces there is nothing but escape sequences.
                let between = &text[piece.recorded.end..next.recorded.start];
                prop_assert_eq!(visible(between, 0), None);
            }
        }

        #[test]
        fn what_a_piece_stands_for_folds_to_it(text in foldable()) {
            let folded = fold(&text);
            let borders = folded.pieces.iter().map(|piece| piece.folded).chain([folded.text().len()]);
            let borders: Vec<_> = if folded.pieces.is_empty() { vec![0, folded.text().len()] } else { borders.collect() };
            for (position, &start) in borders.iter().enumerate() {
                for &end in borders.iter().skip(position + 1) {
                    let again = fold(folded.recorded(start..end));
                    prop_assert_eq!(again.text(), &folded.text()[start..end]);
                }
            }
        }
    }
}
