//! Robust statistics of one series. Medians are values that were really measured, so that a claim can quote them.

use serde::Serialize;
use serde_json::Number;

/// One measured value with its literal form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample<'a> {
    pub(super) value: f64,
    pub(super) literal: &'a Number,
    pub(super) time: &'a str,
}

/// What a side of a split looks like; only `n` when there is no value.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    n: usize,
    #[serde(flatten)]
    of_values: Option<OfValues>,
}

#[derive(Debug, Serialize)]
struct OfValues {
    /// The lower one of the two middle values when their number is even.
    median: Number,
    /// Median absolute deviation from the median, rounded.
    mad: Number,
    min: Number,
    min_time: String,
    max: Number,
    max_time: String,
    first: Number,
    last: Number,
}

/// `samples` in the order of time.
pub(super) fn figures(samples: &[Sample<'_>]) -> Figures {
    Figures { n: samples.len(), of_values: of_values(samples) }
}

fn of_values(samples: &[Sample<'_>]) -> Option<OfValues> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
    let (min, max) = (sorted.first()?, sorted.last()?);
    let median = sorted.get((sorted.len() - 1) / 2)?;
    let mut deviations: Vec<f64> = sorted.iter().map(|sample| (sample.value - median.value).abs()).collect();
    deviations.sort_by(f64::total_cmp);
    let mad = deviations.get((deviations.len() - 1) / 2)?;
    Some(OfValues {
        median: median.literal.clone(),
        mad: rounded(*mad),
        min: min.literal.clone(),
        min_time: min.time.to_owned(),
        max: max.literal.clone(),
        max_time: max.time.to_owned(),
        first: samples.first()?.literal.clone(),
        last: samples.last()?.literal.clone(),
    })
}

/// Six significant digits, so that a computed number does not look more exact than it is.
pub(super) fn rounded(value: f64) -> Number {
    let value = format!("{value:.5e}").parse().unwrap_or(value);
    let whole = Number::from_f64(value).unwrap_or_else(|| Number::from(0));
    // `3`, not `3.0`: a reader compares it with what the file says.
    whole.to_string().strip_suffix(".0").and_then(|text| text.parse().ok()).unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_a_measured_value_and_keeps_its_digits() {
        let literals: Vec<Number> = ["2.50", "10", "1.0", "3"].iter().map(|text| text.parse().unwrap()).collect();
        let samples: Vec<Sample> =
            literals.iter().map(|literal| Sample { value: literal.as_f64().unwrap(), literal, time: "t" }).collect();
        let text = serde_json::to_value(figures(&samples)).unwrap().to_string();
        let expected =
            r#"{"n":4,"median":2.50,"mad":0.5,"min":1.0,"min_time":"t","max":10,"max_time":"t","first":2.50,"last":3}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::to_value(figures(&[])).unwrap().to_string(), r#"{"n":0}"#);
    }

    #[test]
    fn computed_numbers_are_rounded() {
        for (value, expected) in [(0.1 + 0.2, "0.3"), (123_456_789.0, "123457000"), (2.0, "2"), (f64::NAN, "0")] {
            assert_eq!(rounded(value).to_string(), expected);
        }
    }
}
