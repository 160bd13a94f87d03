//! Exact decimals. Nothing is rounded and nothing is expanded: `1e1000000000` takes as much room as it is written with.

/// A decimal in its one canonical form, so that equal values are equal structures: 10 = 10.0 = 1e1, and -0 = 0.
///
/// The order is that of the structure, for sets and maps. It is not the order of numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Decimal {
    negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: String,
    /// The power of ten of the last digit.
    exponent: i64,
}

impl Decimal {
    /// Reads a number as JSON writes it. `None` for anything else, and for an exponent that no `i64` holds.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
        let padded = whole.len() > 1 && whole.starts_with('0');
        if padded || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let written = format!("{whole}{fraction}");
        let kept = written.trim_end_matches('0');
        let digits = kept.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let dropped = i64::try_from(written.len() - kept.len()).ok()?;
        let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(dropped)?;
        Some(Self { negative, digits, exponent })
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_values_are_equal_however_they_are_written() {
        // R-GATE-07
        for equal in [
            &["10", "10.0", "1e1", "1E+1", "100e-1", "0.01e3"][..],
            &["0", "-0", "0.000", "0e5", "-0.0e-7"],
            &["0.3", "3e-1", "0.30"],
            &["-1.5", "-15e-1"],
            &["73019482551300000012", "7301948255130000001.2e1"],
            &["1e1000000000", "10e999999999"],
        ] {
            for text in equal {
                assert_eq!(Decimal::parse(text), Decimal::parse(equal[0]), "{text}");
                assert!(Decimal::parse(text).is_some(), "{text}");
            }
        }
    }

    #[test]
    fn different_values_differ() {
        // R-GATE-07
        for (left, right) in [
            ("0.3", "0.30000000000000004"),
            ("7301948255130000001", "7301948255130000000"),
            ("73019482551300000012", "7.3019482551300006e+19"),
            ("5", "-5"),
            ("1", "10"),
            ("1e1000000000", "1e1000000001"),
        ] {
            assert_ne!(Decimal::parse(left).unwrap(), Decimal::parse(right).unwrap(), "{left} {right}");
        }
    }

    #[test]
    fn only_the_syntax_of_json_is_a_number() {
        // R-GATE-07
        for text in [
            "",
            "-",
            "+5",
            "007",
            "00",
            "1,000",
            "10 ms",
            "10%",
            ".5",
            "5.",
            "1.2.3",
            "1e",
            "1e+",
            "1e1.5",
            "e5",
            "0x10",
            "NaN",
            "Infinity",
            "--1",
            " 1",
            "１",
            "1e99999999999999999999",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text:?}");
        }
    }

    /// An independent and slow reading: the value times 10^40 as a plain integer, for small numbers only.
    fn scaled(negative: bool, digits: u64, exponent: i32) -> i128 {
        let mut value = i128::from(digits);
        for _ in 0..(20 + exponent) {
            value *= 10;
        }
        if negative { -value } else { value }
    }

    proptest! {
        #[test]
        fn agrees_with_a_slow_reading(
            left in (any::<bool>(), 0u64..2000, -12i32..1), right in (any::<bool>(), 0u64..2000, -12i32..1), point in 0usize..4,
        ) {
            let write = |(negative, digits, exponent): (bool, u64, i32), point: usize| {
                let mut mantissa = digits.to_string();
                let shift = point.min(mantissa.len() - 1);
                if shift > 0 {
                    mantissa.insert(mantissa.len() - shift, '.');
                }
                let exponent = exponent + i32::try_from(shift).unwrap();
                format!("{}{mantissa}e{exponent}", if negative { "-" } else { "" })
            };
            let equal = scaled(left.0, left.1, left.2) == scaled(right.0, right.1, right.2);
            let read = |value, point| Decimal::parse(&write(value, point)).unwrap();
            prop_assert_eq!(read(left, 0) == read(right, point), equal);
            prop_assert_eq!(read(left, 0), read(left, point));
        }

        #[test]
        fn reads_any_text_without_panic(text in "[-+0-9.eE]{0,30}") {
            Decimal::parse(&text);
        }
    }
}
