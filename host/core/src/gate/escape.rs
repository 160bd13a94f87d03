//! Terminal escape sequences (ECMA-48), which colour a log line and say nothing.

/// The character that starts a terminal escape sequence.
pub(super) const ESC: char = '\u{1b}';

const BEL: u8 = 0x07;
/// A control sequence or a short escape that is longer than this is broken.
const SHORT_MAX: usize = 64;
/// A string sequence, such as a hyperlink, that is longer than this is broken.
const STRING_MAX: usize = 4096;

/// How many bytes of `text`, which starts with [`ESC`], are a terminal escape sequence.
///
/// A broken or cut sequence counts as its ESC alone, so that it never takes text with it; and as every ESC counts,
/// text without its sequences has no ESC left that could start another one.
pub(super) fn length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let after = bytes.get(2..).unwrap_or_default();
    match bytes.get(1) {
        Some(b'[') => control_sequence(after).map_or(1, |length| length + 2),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => string_sequence(after).map_or(1, |length| length + 2),
        Some(0x20..=0x2f) => short_escape(after).map_or(1, |length| length + 2),
        Some(0x30..=0x7e) => 2,
        Some(_) | None => 1,
    }
}

/// Parameters, intermediates, one final byte.
fn control_sequence(bytes: &[u8]) -> Option<usize> {
    let parameters = run(bytes, |byte| matches!(byte, 0x30..=0x3f));
    let intermediates = run(bytes.get(parameters..)?, |byte| matches!(byte, 0x20..=0x2f));
    ends(bytes, parameters + intermediates, |byte| matches!(byte, 0x40..=0x7e))
}

/// Intermediates, one final byte: `ESC ( B`.
fn short_escape(bytes: &[u8]) -> Option<usize> {
    let intermediates = run(bytes, |byte| matches!(byte, 0x20..=0x2f));
    ends(bytes, intermediates, |byte| matches!(byte, 0x30..=0x7e))
}

/// Printable text up to BEL or `ESC \`: a title, a hyperlink.
fn string_sequence(bytes: &[u8]) -> Option<usize> {
    let content = bytes.iter().take(STRING_MAX).take_while(|&&byte| byte >= 0x20).count();
    match bytes.get(content..)? {
        [BEL, ..] => Some(content + 1),
        [0x1b, b'\\', ..] => Some(content + 2),
        _ => None,
    }
}

fn run(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take(SHORT_MAX).take_while(|&&byte| belongs(byte)).count()
}

fn ends(bytes: &[u8], at: usize, is_final: impl Fn(u8) -> bool) -> Option<usize> {
    bytes.get(at).filter(|&&byte| is_final(byte)).map(|_| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_whole_sequences_and_of_broken_ones_the_esc_alone() {
        // R-GATE-07
        for (text, sequence) in [
            ("\u{1b}[31mERROR", "\u{1b}[31m"),
            ("\u{1b}[1;38;5;208mhot", "\u{1b}[1;38;5;208m"),
            ("\u{1b}[?25l", "\u{1b}[?25l"),
            ("\u{1b}]0;title\u{7}text", "\u{1b}]0;title\u{7}"),
            ("\u{1b}]8;;http://a/é\u{1b}\\link", "\u{1b}]8;;http://a/é\u{1b}\\"),
            ("\u{1b}(Btext", "\u{1b}(B"),
            ("\u{1b}Mtext", "\u{1b}M"),
            ("\u{1b}7text", "\u{1b}7"),
            // Cut off, or broken by what follows.
            ("\u{1b}", "\u{1b}"),
            ("\u{1b}[", "\u{1b}"),
            ("\u{1b}[31", "\u{1b}"),
            ("\u{1b}[3\nERROR", "\u{1b}"),
            ("\u{1b}[3é", "\u{1b}"),
            ("\u{1b}]0;title without an end", "\u{1b}"),
            ("\u{1b}]0;title\nERROR\u{7}", "\u{1b}"),
            ("\u{1b}\u{1b}[31m", "\u{1b}"),
            ("\u{1b}é", "\u{1b}"),
        ] {
            assert_eq!(text.get(..length(text)), Some(sequence), "{text:?}");
        }
    }

    #[test]
    fn has_a_bound() {
        // R-GATE-07
        let long = |inside: &str, count: usize, end: &str| length(&format!("\u{1b}{inside}{}{end}", "1".repeat(count)));
        assert_eq!(long("[", SHORT_MAX, "m"), SHORT_MAX + 3);
        assert_eq!(long("[", SHORT_MAX + 1, "m"), 1);
        assert_eq!(long("]", STRING_MAX, "\u{7}"), STRING_MAX + 3);
        assert_eq!(long("]", STRING_MAX + 1, "\u{7}"), 1);
    }
}
