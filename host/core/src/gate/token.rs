//! Where a folded text may be cut, and which numbers and names are in it.
//!
//! A name is what must occur literally: whatever holds a digit and is no plain number. `p99`, `cart-7d9f`, `v2.3`,
//! `10.0.0.1`, `2026-03-01`, `10:02` and `250ms` are names; so is a number with odd commas or padding zeros.

use super::decimal::Decimal;

/// A word of a text that holds a digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Number(Decimal),
    Percent(Decimal),
    /// A number with letters written against it: `250ms`.
    Measured(Decimal, &'a str),
    Name(&'a str),
}

/// Whether a quote may begin or end at this place of a folded text.
///
/// Not inside a run of ASCII letters or digits, and not where a number would be split at its sign, dot or comma.
pub(super) fn is_border(text: &str, at: usize) -> bool {
    let Some((before, after)) = text.split_at_checked(at) else { return false };
    let mut left = before.chars().rev();
    let mut right = after.chars();
    let (Some(last), Some(first)) = (left.next(), right.next()) else { return true };
    let (previous, next) = (left.next(), right.next());
    let splits_run = last.is_ascii_alphanumeric() && first.is_ascii_alphanumeric();
    let splits_separator = (is_separator(first) && is_digit(Some(last)) && is_digit(next))
        || (is_separator(last) && is_digit(Some(first)) && is_digit(previous))
        || (last == '.' && is_digit(Some(first)) && opens_number(previous));
    let splits_sign =
        is_sign(last) && is_unary(previous) && (is_digit(Some(first)) || (first == '.' && is_digit(next)));
    let splits_exponent = (is_sign(last) && is_digit(Some(first)) && ends_in_mantissa(before, last))
        || (is_sign(first) && is_digit(next) && ends_in_mantissa(text.get(..=at).unwrap_or_default(), first));
    !(splits_run || splits_separator || splits_sign || splits_exponent)
}

/// The numbers and names of a folded text, in its order.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(is_word)).map(|found| at + found) {
        let end = word_end(text, start);
        tokens.extend(token(text, start, end));
        at = end;
    }
    tokens
}

fn token(text: &str, start: usize, end: usize) -> Option<Token<'_>> {
    let (before, rest) = text.split_at_checked(start)?;
    let (word, after) = rest.split_at_checked(end - start)?;
    if !word.contains(char::is_numeric) {
        return None;
    }
    let written = text.get(start - prefix(before, word)..end)?;
    Some(match measure(written) {
        Some((value, "")) if after.trim_start().starts_with('%') => Token::Percent(value),
        Some((value, "")) => Token::Number(value),
        Some((value, _)) => Token::Measured(value, written),
        None => Token::Name(word),
    })
}

/// How many bytes before a word belong to its number: a decimal point, a sign.
fn prefix(before: &str, word: &str) -> usize {
    if !word.starts_with(|first: char| first.is_ascii_digit()) {
        return 0;
    }
    let pointless = before.strip_suffix('.').filter(|rest| opens_number(rest.chars().next_back())).unwrap_or(before);
    let unsigned =
        pointless.strip_suffix(is_sign).filter(|rest| is_unary(rest.chars().next_back())).unwrap_or(pointless);
    before.len() - unsigned.len()
}

/// Reads `[sign]digits[.digits]`, the digits before the point grouped or not, and the letters that follow.
fn measure(written: &str) -> Option<(Decimal, &str)> {
    let unsigned = written.strip_prefix(is_sign).unwrap_or(written);
    let end = unsigned.find(|c: char| !(is_digit(Some(c)) || is_separator(c))).unwrap_or(unsigned.len());
    let (number, unit) = unsigned.split_at_checked(end)?;
    if !unit.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let whole = if whole.is_empty() { "0".into() } else { ungroup(whole)? };
    let minus = if written.starts_with('-') { "-" } else { "" };
    Some((Decimal::parse(&format!("{minus}{whole}.{fraction}"))?, unit))
}

/// `1,000,000` without its commas; `None` where they do not group by three.
fn ungroup(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let grouped = whole.contains(',');
    let well_formed = !grouped || (matches!(first.len(), 1..=3) && groups.all(|group| group.len() == 3));
    well_formed.then(|| whole.replace(',', ""))
}

/// Where the word that starts at `start` ends. A single mark between two parts of a name or number joins them.
fn word_end(text: &str, start: usize) -> usize {
    let mut rest = text.get(start..).unwrap_or_default();
    let mut previous = [None, None];
    loop {
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { break };
        let next = chars.next();
        if !is_word(first) && !joins(previous, first, next) {
            break;
        }
        previous = [previous[1], Some(first)];
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    text.len() - rest.len()
}

fn joins([before_last, last]: [Option<char>; 2], mark: char, next: Option<char>) -> bool {
    let between = |is: fn(char) -> bool| last.is_some_and(is) && next.is_some_and(is);
    match mark {
        '-' | '_' | '.' => between(is_word),
        ',' | ':' | '/' => between(|c| c.is_ascii_digit()),
        '+' => is_digit(before_last) && matches!(last, Some('e' | 'E')) && is_digit(next),
        _ => false,
    }
}

/// Numerals of other scripts belong to words, so that none of them goes unchecked.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && c.is_numeric())
}

fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}

fn is_separator(c: char) -> bool {
    matches!(c, '.' | ',')
}

fn is_sign(c: char) -> bool {
    matches!(c, '-' | '+')
}

/// Whether a sign after this character belongs to the number that follows: in `cart-7` it does not.
fn is_unary(before_sign: Option<char>) -> bool {
    before_sign.is_none_or(|c| !c.is_alphanumeric())
}

/// Whether a point after this character starts a number: `.5`, but neither `v.5` nor `...5`.
fn opens_number(before_point: Option<char>) -> bool {
    before_point.is_none_or(|c| !c.is_alphanumeric() && c != '.')
}

/// Whether `text` ends in a number with `e` and `sign`, as in `1.5e-`; not so in `cart-7e-`.
fn ends_in_mantissa(text: &str, sign: char) -> bool {
    let Some(number) = text.strip_suffix(sign).and_then(|rest| rest.strip_suffix(['e', 'E'])) else { return false };
    let stem = number.trim_end_matches(|c: char| is_digit(Some(c)) || c == '.');
    let mut before = stem.chars().rev();
    let stands_alone = match before.next() {
        Some('-') => is_unary(before.next()),
        Some(c) => !c.is_alphanumeric() && c != '_',
        None => true,
    };
    number.ends_with(|c: char| c.is_ascii_digit()) && stands_alone
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` marks each place where the text may be cut.
    fn borders(text: &str) -> String {
        let mut marked = String::new();
        for (at, c) in text.char_indices() {
            if at > 0 && is_border(text, at) {
                marked.push('|');
            }
            marked.push(c);
        }
        marked
    }

    #[test]
    fn cuts_neither_runs_nor_numbers() {
        // R-GATE-07
        for marked in [
            "312| |errors| |in| |5m",
            "8.5",
            "was| |10|.",
            "1,000|,",
            "a|,|5",
            "-5",
            "+5.5",
            "-.5",
            ".5",
            "(|-5|)",
            "x|=|-5",
            "cart|-|7d9f",
            "a| |-| |5",
            "1|.|.|5",
            "wait|.|.|.|5",
            "v2.3|.|x",
            "v|.|5",
            "10|:|02",
            "2026|-|03|-|01",
            "1.5e-05",
            "-1e+9|,",
            "api|-|7e|-|4x",
            "45|%",
            "5|µ|s",
            "é|-|5",
            "p99|_|ms",
        ] {
            let text = marked.replace('|', "");
            assert_eq!(borders(&text), marked);
            assert!(is_border(&text, 0) && is_border(&text, text.len()));
        }
        assert!(!is_border("é", 1) && !is_border("a", 2));
    }

    #[test]
    fn reads_numbers_and_names() {
        // R-GATE-07
        let number = |text: &str| Token::Number(Decimal::parse(text).unwrap());
        let percent = |text: &str| Token::Percent(Decimal::parse(text).unwrap());
        let measured = |value: &str, text| Token::Measured(Decimal::parse(value).unwrap(), text);
        let name = Token::Name;
        for (text, expected) in [
            ("no digit - at all.", vec![]),
            ("p99 is 8.61 s.", vec![name("p99"), number("8.61")]),
            ("from 0.5% to -45%, (-.5)", vec![percent("0.5"), percent("-45"), number("-0.5")]),
            ("1,000 of 12,345,678.50", vec![number("1000"), number("12345678.5")]),
            ("1,2,3 and 12,34", vec![name("1,2,3"), name("12,34")]),
            ("cart-7d9f, v2.3 and node_7", vec![name("cart-7d9f"), name("v2.3"), name("node_7")]),
            ("order-42", vec![name("order-42")]),
            ("10.0.0.1:8080 at 10:02", vec![name("10.0.0.1:8080"), name("10:02")]),
            ("2026-03-01T10:02:33.5Z", vec![name("2026-03-01T10:02:33.5Z")]),
            ("2026/03/01", vec![name("2026/03/01")]),
            ("/orders/42: 503", vec![number("42"), number("503")]),
            ("status:503 took=250ms", vec![number("503"), measured("250", "250ms")]),
            ("grew by +5x", vec![measured("5", "+5x")]),
            ("1e5 1e+5 1.5e-05", vec![name("1e5"), name("1e+5"), name("1.5e-05")]),
            ("007 of 7", vec![name("007"), number("7")]),
            ("pool[0] #512 $5", vec![number("0"), number("512"), number("5")]),
            ("5-10", vec![name("5-10")]),
            ("1..5", vec![number("1"), number("5")]),
            ("错误12个", vec![number("12")]),
            ("８.61 and ½ x²", vec![name("８.61"), name("½"), name("x²")]),
            ("5µs", vec![number("5")]),
        ] {
            let expected: Vec<Token<'_>> = expected;
            assert_eq!(tokens(text), expected, "{text:?}");
        }
    }
}
