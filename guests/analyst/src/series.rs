//! Metric series as tools give them, and how much worse they got.

use crate::evidence::{Observation, Quote, join, join_index};
use crate::knowledge::{Meaning, Worse};
use crate::time::{self, Millis};
use serde_json::Value;

/// One side of a comparison.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Side {
    pub(crate) n: usize,
    pub(crate) median: f64,
    pub(crate) mad: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

/// A series with every point.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) entity: String,
    pub(crate) metric: String,
    pub(crate) unit: String,
    pub(crate) of: usize,
    /// Where the points' values are, with their times.
    pub(crate) points: Vec<Point>,
}

#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) time: Millis,
    pub(crate) value: f64,
    pub(crate) path: String,
}

/// A series before and after a moment.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) entity: String,
    pub(crate) metric: String,
    pub(crate) unit: String,
    pub(crate) of: usize,
    pub(crate) path: String,
    pub(crate) before: Side,
    pub(crate) after: Side,
}

/// A change for the worse.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deviation {
    /// 0 to 1.
    pub(crate) score: f64,
    /// By how much the middle changed, as a positive number.
    pub(crate) amount: f64,
    /// The score of the middle's change alone, without bursts.
    sustained: f64,
}

/// A change smaller than this part of the level is no change.
const RELATIVE_FLOOR: f64 = 0.1;
/// Latency and the like must rise by this much to count.
const LEAST_RISE: f64 = 1.25;
/// So many deviations from the usual are half of certain.
const HALF_CERTAIN: f64 = 4.0;
/// What the median of the deviations is multiplied by to compare with a standard deviation.
const SPREAD_OF_MAD: f64 = 1.4826;
/// A side whose better points still score so much changed as a whole.
const AS_A_WHOLE: f64 = 0.33;
/// Scores below this are noise.
const NOISE: f64 = 0.3;
/// So many deviations from the middle are far from the usual.
const FAR: f64 = 6.0;
/// A break leaves at least so many points on each side.
const LEAST_POINTS: usize = 3;

impl Side {
    pub(crate) fn of_values(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let Some(median) = middle(&sorted) else { return Self::default() };
        let mut deviations: Vec<f64> = sorted.iter().map(|value| (value - median).abs()).collect();
        deviations.sort_by(f64::total_cmp);
        Self {
            n: sorted.len(),
            median,
            mad: middle(&deviations).unwrap_or(0.0),
            min: sorted.first().copied().unwrap_or(median),
            max: sorted.last().copied().unwrap_or(median),
        }
    }

    fn read(value: &Value) -> Option<Self> {
        let number = |name: &str| value.get(name).and_then(Value::as_f64);
        let n = value.get("n")?.as_u64().and_then(|n| usize::try_from(n).ok())?;
        if n == 0 {
            return Some(Self::default());
        }
        Some(Self { n, median: number("median")?, mad: number("mad")?, min: number("min")?, max: number("max")? })
    }
}

fn middle(sorted: &[f64]) -> Option<f64> {
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// The compared series of an output.
pub(crate) fn compared(of: usize, observation: &Observation) -> Vec<Compared> {
    entries(observation)
        .filter_map(|(path, value)| {
            Some(Compared {
                entity: text(value, "entity")?,
                metric: text(value, "metric")?,
                unit: text(value, "unit").unwrap_or_default(),
                of,
                before: Side::read(value.get("before")?)?,
                after: Side::read(value.get("after")?)?,
                path,
            })
        })
        .collect()
}

/// The series of an output that lists points, or of a monitoring service that lists times and values apart.
pub(crate) fn listed(of: usize, observation: &Observation) -> Vec<Series> {
    let own = entries(observation).filter_map(|(path, value)| {
        let points = value.get("points")?.as_array()?.iter().enumerate().filter_map(|(index, point)| {
            let time = time::parse(point.get("time")?.as_str()?)?;
            let value = point.get("value")?.as_f64()?;
            Some(Point { time, value, path: join(&join_index(&join(&path, "points"), index), "value") })
        });
        Some(Series {
            entity: text(value, "entity")?,
            metric: text(value, "metric")?,
            unit: text(value, "unit").unwrap_or_default(),
            of,
            points: points.collect(),
        })
    });
    own.chain(cloud_series(of, observation)).collect()
}

/// `CloudWatch` results: `metric_data_results` with `timestamps` and `values`.
fn cloud_series(of: usize, observation: &Observation) -> Vec<Series> {
    let results = observation.at("/metric_data_results").and_then(Value::as_array);
    let series = |(index, value): (usize, &Value)| {
        let path = format!("/metric_data_results/{index}");
        let times = value.get("timestamps")?.as_array()?;
        let points =
            value.get("values")?.as_array()?.iter().zip(times).enumerate().filter_map(|(index, (value, time))| {
                let path = join_index(&join(&path, "values"), index);
                Some(Point { time: time::parse(time.as_str()?)?, value: value.as_f64()?, path })
            });
        Some(Series {
            entity: value.pointer("/dimensions/0/Value").or_else(|| value.get("label"))?.as_str()?.to_owned(),
            metric: text(value, "metric_name").or_else(|| text(value, "label"))?,
            unit: text(value, "unit").unwrap_or_default(),
            of,
            points: points.collect(),
        })
    };
    results.into_iter().flatten().enumerate().filter_map(series).collect()
}

fn entries(observation: &Observation) -> impl Iterator<Item = (String, &Value)> {
    let series = observation.at("/series").and_then(Value::as_array);
    series.into_iter().flatten().enumerate().map(|(index, value)| (join_index("/series", index), value))
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

impl Series {
    /// The series split at a moment.
    pub(crate) fn sides(&self, split: Millis) -> (Side, Side) {
        let side = |after: bool| {
            let points = self.points.iter().filter(|point| (point.time >= split) == after);
            Side::of_values(&points.map(|point| point.value).collect::<Vec<_>>())
        };
        (side(false), side(true))
    }

    pub(crate) fn extreme(&self, worse: Worse) -> Option<&Point> {
        let by = |a: &&Point, b: &&Point| a.value.total_cmp(&b.value);
        match worse {
            Worse::Lower => self.points.iter().min_by(by),
            Worse::Higher | Worse::Neither => self.points.iter().max_by(by),
        }
    }
}

impl Compared {
    pub(crate) fn meaning(&self) -> Meaning {
        Meaning::of(&self.metric)
    }

    pub(crate) fn deviation(&self) -> Option<Deviation> {
        deviation(self.meaning(), &self.before, &self.after)
    }

    /// Whether it stayed as it was.
    pub(crate) fn is_quiet(&self) -> bool {
        let meaning = self.meaning();
        self.before.n >= LEAST_POINTS
            && self.after.n >= LEAST_POINTS
            && self.deviation().is_none_or(|deviation| deviation.score < NOISE)
            && is_near_usual(meaning, &self.before, &self.before)
            && is_near_usual(meaning, &self.before, &self.after)
    }

    /// A figure as it is written, with its quote.
    pub(crate) fn figure(&self, side: &str, name: &str, observations: &[Observation]) -> Option<(String, Quote)> {
        let path = join(&join(&self.path, side), name);
        let quote = Quote::value(self.of, observations.get(self.of)?, &path)?;
        Some((quote.text.clone(), quote))
    }
}

/// How much worse a series is after than before. Nothing when it is not, or when there is no before.
pub(crate) fn deviation(meaning: Meaning, before: &Side, after: &Side) -> Option<Deviation> {
    if before.n == 0 || after.n == 0 {
        return None;
    }
    // Lower is worse: look at it upside down.
    let (level, peak, base, usual) = match meaning.worse() {
        Worse::Higher => (after.median, after.max, before.median, before.max),
        Worse::Lower => (-after.median, -after.min, -before.median, -before.min),
        Worse::Neither => return None,
    };
    let floor = if meaning == Meaning::Availability {
        // A share of requests, in percent or as a part of one: half a percent of them is a lot.
        if base.abs() > 1.5 { 0.25 } else { 0.0025 }
    } else {
        (RELATIVE_FLOOR * base.abs()).max(f64::MIN_POSITIVE).max(RELATIVE_FLOOR * 0.1 * peak.abs())
    };
    // Of two or three values the deviations say little; their range says more.
    let usual_spread = if before.n < 4 { (before.max - before.min) / 2.0 } else { SPREAD_OF_MAD * before.mad };
    let scale = usual_spread.max(floor);
    let certainty = |value: f64| {
        let deviations = (value - base) / scale;
        if deviations > 0.0 { deviations / (deviations + HALF_CERTAIN) } else { 0.0 }
    };
    let rises = |value: f64| match meaning.worse() {
        Worse::Higher => value >= base.abs() * LEAST_RISE && value > base,
        Worse::Lower | Worse::Neither => value > base,
    };
    let sustained = if rises(level) { certainty(level) } else { 0.0 };
    // What happened before in the same way is background, unless there was hardly any before.
    // A bad point or two from just before the split do not make it usual: then nearly all after it must be worse.
    let better_part = level - 2.0 * SPREAD_OF_MAD * after.mad;
    let as_a_whole = after.n >= LEAST_POINTS && rises(better_part) && certainty(better_part) >= AS_A_WHOLE;
    let unusual = before.n < 4 || peak > usual + 0.25 * (usual - base).abs() + floor || as_a_whole;
    let burst = if rises(peak) && unusual { 0.7 * certainty(peak) } else { 0.0 };
    let score = if unusual { sustained.max(burst) } else { 0.0 };
    let amount = if sustained >= burst { level - base } else { peak - base };
    (score > 0.0).then_some(Deviation { score, amount, sustained: if unusual { sustained } else { 0.0 } })
}

/// The moment of a series at which it got worse and stayed so, wherever that is up to `until`, and how much worse.
pub(crate) fn shift(series: &Series, until: Option<Millis>) -> Option<(Millis, f64)> {
    let meaning = Meaning::of(&series.metric);
    let last = series.points.len().checked_sub(LEAST_POINTS)?;
    let splits = series.points.iter().enumerate().take(last + 1).skip(LEAST_POINTS);
    let splits = splits.filter(|(_, point)| until.is_none_or(|until| point.time <= until));
    let contrasts = splits.map(|(index, point)| (contrast(&series.points, index), point.time));
    let (_, split) = contrasts.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let (before, after) = series.sides(split);
    let deviation = deviation(meaning, &before, &after)?;
    (deviation.sustained > 0.0).then_some((split, deviation.sustained))
}

/// Whether a series never got worse: it has no break, and its worst is near the usual.
pub(crate) fn is_quiet(series: &Series) -> bool {
    let meaning = Meaning::of(&series.metric);
    let all = Side::of_values(&series.points.iter().map(|point| point.value).collect::<Vec<_>>());
    all.n >= 2 * LEAST_POINTS
        && shift(series, None).is_none_or(|(_, score)| score < NOISE)
        && is_near_usual(meaning, &all, &all)
}

/// Whether the worst of a side is what `usual` shows every now and then.
fn is_near_usual(meaning: Meaning, usual: &Side, side: &Side) -> bool {
    let spread = FAR * SPREAD_OF_MAD * usual.mad;
    match meaning.worse() {
        Worse::Higher => side.max <= (2.0 * usual.median).max(usual.median + spread),
        // A share of requests, in percent or as a part of one: nearly all of them succeed, or as many as at best.
        Worse::Lower => side.min >= usual.max - if usual.max.abs() > 1.5 { 1.0 } else { 0.01 },
        Worse::Neither => true,
    }
}

/// The moment among the series' own at which it broke most clearly, not far from `near` when that is given, and how
/// much worse it was from then on.
pub(crate) fn onset(series: &Series, near: Option<Millis>) -> Option<(Millis, f64)> {
    let meaning = Meaning::of(&series.metric);
    let step = series.points.iter().zip(series.points.iter().skip(1)).map(|(a, b)| b.time - a.time).min()?;
    let reach = (3 * step).max(5 * time::MINUTE);
    let mut best: Option<(Millis, f64, f64)> = None;
    for (index, split) in series.points.iter().enumerate().skip(1) {
        if near.is_some_and(|near| (split.time - near).abs() > reach) {
            continue;
        }
        let (before, after) = series.sides(split.time);
        let Some(deviation) = deviation(meaning, &before, &after) else { continue };
        let contrast = contrast(&series.points, index);
        if best.is_none_or(|(_, _, most)| contrast > most) {
            best = Some((split.time, deviation.score, contrast));
        }
    }
    best.map(|(time, score, _)| (time, score))
}

/// How different the points before an index are from those after it: the variance that this split explains.
#[expect(clippy::cast_precision_loss, reason = "a series has few points")]
fn contrast(points: &[Point], index: usize) -> f64 {
    let mean = |points: &[Point]| points.iter().map(|point| point.value).sum::<f64>() / points.len().max(1) as f64;
    let Some((before, after)) = points.split_at_checked(index) else { return 0.0 };
    let weight = before.len() as f64 * after.len() as f64 / points.len().max(1) as f64;
    weight * (mean(before) - mean(after)).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(meaning: Meaning, before: &[f64], after: &[f64]) -> f64 {
        deviation(meaning, &Side::of_values(before), &Side::of_values(after)).map_or(0.0, |deviation| deviation.score)
    }

    #[test]
    fn worse_is_measured_against_the_usual() {
        assert!(score(Meaning::Latency, &[0.08, 0.09], &[0.4, 0.5, 0.5]) > 0.8, "a clear rise");
        assert!(score(Meaning::Latency, &[0.08, 0.09], &[0.085, 0.09]) < 0.3, "no rise");
        assert!(score(Meaning::Latency, &[0.5, 0.5], &[0.1, 0.1]) == 0.0, "faster is not worse");
        assert!(score(Meaning::Availability, &[100.0, 100.0], &[97.0, 95.0, 100.0]) > 0.5, "fewer requests succeed");
        assert!(score(Meaning::Availability, &[52.0, 70.0], &[36.0, 60.0, 66.0]) < 0.3, "noisy before and after");
        assert!(score(Meaning::Cpu, &[1.0, 1.1, 0.9, 1.0, 1.0], &[99.0, 100.0, 1.0, 1.0, 1.0]) > 0.5, "a burst");
        assert!(score(Meaning::Latency, &[0.04, 28.9, 0.05, 0.04], &[0.04, 28.9, 14.0]) == 0.0, "background");
        assert!(score(Meaning::Errors, &[0.0, 0.0, 0.0], &[5.0, 6.0]) > 0.5, "from nothing");
        assert!(score(Meaning::Latency, &[], &[5.0]) == 0.0, "without a before");
        assert!(score(Meaning::Load, &[1.0], &[9.0]) == 0.0, "load is neither good nor bad");
    }

    fn series(metric: &str, values: &[f64]) -> Series {
        let points = (0..).zip(values).map(|(minute, value)| Point {
            time: minute * time::MINUTE,
            value: *value,
            path: String::new(),
        });
        Series { entity: "web".into(), metric: metric.into(), unit: String::new(), of: 0, points: points.collect() }
    }

    #[test]
    fn a_bad_point_before_the_split_does_not_hide_the_rest() {
        let (good, bad) = ([30.0, 31.0, 29.0, 30.0, 31.0, 30.0], [150.0, 151.0, 149.0, 150.0]);
        for late in 0..=3 {
            let before: Vec<f64> = good.iter().chain(&bad[..late]).copied().collect();
            assert!(score(Meaning::Latency, &before, &bad) > 0.8, "{late} bad points before the split");
        }
    }

    #[test]
    fn a_shift_is_found_wherever_it_is() {
        for onset in 3..=17 {
            let values: Vec<f64> =
                (0..20).map(|at| if at < onset { 30.0 } else { 150.0 } + f64::from(at % 3)).collect();
            let (at, score) = shift(&series("latency", &values), None).unwrap();
            assert_eq!((at, score > 0.8), (i64::from(onset) * time::MINUTE, true));
        }
        assert!(shift(&series("latency", &[30.0; 20]), None).is_none());
        assert!(shift(&series("latency", &[30.0, 31.0, 30.0, 90.0, 30.0, 31.0, 30.0]), None).is_none(), "a spike");
    }

    #[test]
    fn quiet_series_have_no_break_and_no_outlier() {
        for (metric, values, expected) in [
            ("latency", &[20.0, 21.0, 19.0, 20.0, 22.0, 20.0, 21.0][..], true),
            ("latency", &[20.0, 21.0, 19.0, 20.0, 60.0, 61.0, 60.0], false),
            ("latency", &[20.0, 20.0, 20.0, 45.0, 20.0, 20.0, 20.0], false),
            ("error_rate", &[0.0; 8], true),
            ("error_rate", &[0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.0], false),
            ("availability", &[99.9, 99.8, 99.9, 100.0, 99.9, 99.9], true),
            ("availability", &[99.9, 99.8, 99.9, 80.0, 81.0, 80.0], false),
            ("latency", &[20.0, 20.0], false),
        ] {
            assert_eq!(is_quiet(&series(metric, values)), expected, "{metric} {values:?}");
        }
    }

    #[test]
    fn the_onset_is_the_first_bad_point() {
        let series = series("latency", &[0.1, 0.1, 0.11, 0.1, 0.9, 1.0, 0.9]);
        assert_eq!(onset(&series, Some(3 * time::MINUTE)).unwrap().0, 4 * time::MINUTE);
        assert_eq!(onset(&series, None).unwrap().0, 4 * time::MINUTE);
    }
}
