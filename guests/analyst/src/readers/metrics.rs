//! Series: what a metric means when it is high or low by itself, and when it got worse around a moment.

use super::Readings;
use crate::evidence::{Observation, Quote};
use crate::finding::{Finding, Health, Source, State};
use crate::knowledge::{Kind, Meaning, Worse};
use crate::series::{self, Compared, Deviation, Series, Side};
use crate::subject::Subject;
use crate::time::{MINUTE, Millis};

/// A share of a resource above which it is saturated.
const SATURATED: f64 = 85.0;
/// Replica lag, in seconds, that readers notice.
const LAG_SECONDS: f64 = 30.0;
/// What is left of storage or memory when it is nearly gone, as a part of what there was.
const NEARLY_GONE: f64 = 0.25;
/// How much more a surge is.
const SURGE: f64 = 3.0;
/// The part of the requests that fail when an availability fell.
const FALL: f64 = 0.02;
/// A series that ends so long before the alert says nothing of it.
const STALE: Millis = 5 * MINUTE;

/// Findings in series whose points are known: levels, trends, and breaks.
pub(crate) fn read_listed(series: &[Series], observations: &[Observation], subject: &Subject, readings: &mut Readings) {
    for series in series {
        let meaning = Meaning::of(&series.metric);
        let thirds = Thirds::of(series);
        if let Some((kind, strength)) = judge(series, meaning, &thirds) {
            push_level(series, kind, strength, meaning, observations, readings);
        } else {
            readings.calm.insert((series.entity.clone(), meaning));
            let is_restless =
                meaning.is_symptom() && !series::is_quiet(series) || meaning == Meaning::Load && thirds.dries_up();
            if is_restless || meaning.is_symptom() && ends_before(series, subject) {
                readings.restless.insert(series.entity.clone());
            } else {
                push_calm(series, meaning, observations, subject, readings);
            }
        }
    }
}

/// The beginning and the end of a series.
struct Thirds {
    first: Side,
    last: Side,
    all: Side,
}

impl Thirds {
    fn of(series: &Series) -> Self {
        let values: Vec<f64> = series.points.iter().map(|point| point.value).collect();
        let third = (values.len() / 3).max(1);
        Self {
            first: Side::of_values(values.get(..third.min(values.len())).unwrap_or_default()),
            last: Side::of_values(values.get(values.len().saturating_sub(third)..).unwrap_or_default()),
            all: Side::of_values(&values),
        }
    }

    /// Whether the end is lower than anything at the beginning was, by this part of its middle.
    fn falls(&self, part: f64) -> bool {
        self.last.max < self.first.min && self.last.median <= (1.0 - part) * self.first.median
    }

    /// Whether there is less than half of what there was.
    fn dries_up(&self) -> bool {
        2.0 * self.last.max < self.first.min
    }

    /// Whether the end is worse than anything at the beginning was.
    fn rises(&self, factor: f64) -> bool {
        self.last.min > self.first.max.max(0.0) && self.last.median >= factor * self.first.min.max(f64::MIN_POSITIVE)
    }
}

/// Whether a series shows a fault by itself.
pub(crate) fn is_faulty(series: &Series) -> bool {
    judge(series, Meaning::of(&series.metric), &Thirds::of(series)).is_some()
}

/// What a series is a sign of by itself, and how telling that is.
fn judge(series: &Series, meaning: Meaning, thirds: &Thirds) -> Option<(Kind, f64)> {
    let n = series.points.len();
    if n < 3 {
        return None;
    }
    let first = series.points.first()?.value;
    let last = series.points.last()?.value;
    let saturated = series.points.iter().filter(|point| point.value >= SATURATED).count();
    match meaning {
        Meaning::Cpu if is_percent(series) && saturated * 2 >= n => Some((Kind::CpuSaturation, 0.9)),
        Meaning::Memory if is_percent(series) && saturated * 2 >= n => Some((Kind::MemoryPressure, 0.8)),
        Meaning::Memory if thirds.rises(1.5) && is_steady(series) => Some((Kind::MemoryLeak, 0.6)),
        Meaning::FreeStorage if first > 0.0 && thirds.last.median <= NEARLY_GONE * thirds.first.max => {
            Some((Kind::StorageFull, 0.9))
        }
        Meaning::FreeMemory if first > 0.0 && thirds.last.median <= NEARLY_GONE * thirds.first.max => {
            Some((Kind::MemoryPressure, 0.8))
        }
        Meaning::Credits if thirds.last.median <= 10.0 && thirds.first.max > 20.0 => {
            Some((Kind::CreditsExhausted, 0.8))
        }
        Meaning::ReplicaLag if thirds.all.max >= LAG_SECONDS && last >= 0.5 * thirds.all.max => {
            Some((Kind::ReplicationLag, 0.9))
        }
        Meaning::Writes if thirds.last.median >= SURGE * first.max(f64::MIN_POSITIVE) || peaks(thirds, first) => {
            Some((Kind::WriteSurge, 0.7))
        }
        Meaning::Reads if thirds.last.median >= SURGE * first.max(f64::MIN_POSITIVE) => Some((Kind::ReadSurge, 0.5)),
        Meaning::IoLatency if thirds.rises(SURGE) => Some((Kind::IoLatency, 0.7)),
        Meaning::DatabaseLoad if thirds.rises(SURGE) => Some((Kind::DatabaseLoad, 0.5)),
        Meaning::Connections if thirds.all.min == 0.0 && first > 5.0 => Some((Kind::ConnectionDrop, 0.8)),
        Meaning::Locks if thirds.rises(1.5) => Some((Kind::LockWaits, 0.6)),
        Meaning::Errors if thirds.rises(SURGE) => Some((Kind::ErrorRate, 0.6)),
        Meaning::Latency if thirds.rises(SURGE) => Some((Kind::Latency, 0.6)),
        Meaning::Availability if thirds.falls(FALL) => Some((Kind::Availability, 0.6)),
        Meaning::Latency
        | Meaning::Errors
        | Meaning::Availability
        | Meaning::Cpu
        | Meaning::Memory
        | Meaning::FreeStorage
        | Meaning::FreeMemory
        | Meaning::Credits
        | Meaning::ReplicaLag
        | Meaning::Connections
        | Meaning::Writes
        | Meaning::Reads
        | Meaning::IoLatency
        | Meaning::Queue
        | Meaning::DatabaseLoad
        | Meaning::Locks
        | Meaning::Restarts
        | Meaning::Load => None,
    }
}

/// A surge that is over already when the series ends.
fn peaks(thirds: &Thirds, first: f64) -> bool {
    thirds.all.median >= 2.0 * first.max(f64::MIN_POSITIVE) && thirds.all.max >= 2.5 * first.max(f64::MIN_POSITIVE)
}

fn is_percent(series: &Series) -> bool {
    is_percent_name(&series.metric, &series.unit)
}

fn is_percent_name(metric: &str, unit: &str) -> bool {
    let (unit, name) = (unit.to_lowercase(), metric.to_lowercase());
    unit.contains("percent")
        || unit.contains('%')
        || ["utilization", "percent", "usagerate", "_pct"].iter().any(|word| name.contains(word))
}

/// Whether a series goes one way nearly all the time.
fn is_steady(series: &Series) -> bool {
    let steps = series.points.iter().zip(series.points.iter().skip(1)).filter(|(a, b)| b.value >= a.value).count();
    steps * 10 >= series.points.len().saturating_sub(1) * 9
}

fn push_level(
    series: &Series,
    kind: Kind,
    strength: f64,
    meaning: Meaning,
    observations: &[Observation],
    readings: &mut Readings,
) {
    let (Some(observation), Some(first)) = (observations.get(series.of), series.points.first()) else { return };
    let worse = if meaning == Meaning::Connections { Worse::Lower } else { meaning.worse() };
    let Some(extreme) = series.extreme(worse) else { return };
    let quotes: Vec<Quote> =
        [&first.path, &extreme.path].iter().filter_map(|path| Quote::value(series.of, observation, path)).collect();
    let [from, to] = quotes.as_slice() else { return };
    let unit = if series.unit.is_empty() { String::new() } else { format!(" {}", series.unit) };
    let text = if first.path == extreme.path {
        format!("{} is at {}{unit}", series.metric, to.text)
    } else {
        format!("{} went from {} to {}{unit}", series.metric, from.text, to.text)
    };
    readings.findings.push(Finding {
        kind,
        entity: series.entity.clone(),
        object: None,
        source: Source::Metric,
        state: State::Active,
        strength,
        time: Some(extreme.time),
        text,
        quotes,
    });
}

/// A series that says that all is well, for those that an alert may be about.
fn push_calm(
    series: &Series,
    meaning: Meaning,
    observations: &[Observation],
    subject: &Subject,
    readings: &mut Readings,
) {
    let is_telling = matches!(meaning, Meaning::Cpu | Meaning::Connections | Meaning::ReplicaLag)
        || meaning.is_symptom() && subject.covers(&series.entity);
    let (true, Some(observation), Some(extreme)) =
        (is_telling, observations.get(series.of), series.extreme(meaning.worse()))
    else {
        return;
    };
    let Some(quote) = Quote::value(series.of, observation, &extreme.path) else { return };
    let bound = if meaning.worse() == Worse::Lower { "at least" } else { "at most" };
    let text = format!("{} of {} is {bound} {} {}", series.metric, series.entity, quote.text, series.unit);
    readings.health.push(Health {
        entity: series.entity.clone(),
        text: text.trim().to_owned(),
        is_recovery: false,
        time: None,
        quotes: vec![quote],
    });
}

/// Whether a series has nothing to say of the time of the alert.
fn ends_before(series: &Series, subject: &Subject) -> bool {
    let last = series.points.last().map(|point| point.time);
    subject.alert_time.zip(last).is_some_and(|(alert, last)| last < alert - STALE)
}

/// Users see no change in a symptom around a moment, or may see one.
pub(crate) fn read_steady(
    compared: &[Compared],
    observations: &[Observation],
    subject: &Subject,
    readings: &mut Readings,
) {
    for series in compared.iter().filter(|series| series.meaning().is_symptom()) {
        if !series.is_quiet() {
            readings.restless.insert(series.entity.clone());
            continue;
        }
        let figures = ["before", "after"].map(|side| series.figure(side, "median", observations));
        let [Some((before, first)), Some((after, second))] = figures else { continue };
        if subject.covers(&series.entity) {
            readings.health.push(Health {
                entity: series.entity.clone(),
                text: format!(
                    "{} of {} had a median of {before} before and {after} after",
                    series.metric, series.entity
                ),
                is_recovery: false,
                time: None,
                quotes: vec![first, second],
            });
        }
    }
}

/// A series that got worse around a moment. Utilisation must be high as well.
pub(crate) fn deviating(compared: &Compared, observations: &[Observation]) -> Option<(Deviation, Finding)> {
    let deviation = compared.deviation()?;
    let kind = compared.meaning().kind()?;
    let is_load = matches!(compared.meaning(), Meaning::Cpu | Meaning::Memory);
    let is_share = is_percent_name(&compared.metric, &compared.unit) && compared.after.max >= SATURATED;
    if is_load && !is_share || matches!(compared.meaning(), Meaning::Writes | Meaning::Reads | Meaning::DatabaseLoad) {
        return None;
    }
    let worst = if compared.meaning().worse() == Worse::Lower { "min" } else { "max" };
    let (before, before_quote) = compared.figure("before", "median", observations)?;
    let (after, after_quote) = compared.figure("after", "median", observations)?;
    let (extreme, extreme_quote) = compared.figure("after", worst, observations)?;
    let bound = if worst == "min" { "lowest" } else { "highest" };
    let unit = if compared.unit.is_empty() { String::new() } else { format!(" {}", compared.unit) };
    let text =
        format!("{} had a median of {before} before and {after} after ({bound} {extreme}{unit})", compared.metric);
    let mut quotes = vec![before_quote, after_quote, extreme_quote];
    for name in ["metric", "entity"] {
        quotes.extend(Quote::value(
            compared.of,
            observations.get(compared.of)?,
            &crate::evidence::join(&compared.path, name),
        ));
    }
    let finding = Finding {
        kind,
        entity: compared.entity.clone(),
        object: None,
        source: Source::Metric,
        state: State::Active,
        strength: deviation.score,
        time: None,
        text,
        quotes,
    };
    Some((deviation, finding))
}

/// The listed series of all observations.
pub(crate) fn all_listed(observations: &[Observation]) -> Vec<Series> {
    observations.iter().enumerate().flat_map(|(of, observation)| series::listed(of, observation)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Point;

    fn kind(metric: &str, unit: &str, values: &[f64]) -> Option<Kind> {
        let points =
            (0..).zip(values).map(|(index, value)| Point { time: index * 60_000, value: *value, path: String::new() });
        let series =
            Series { entity: "db".into(), metric: metric.into(), unit: unit.into(), of: 0, points: points.collect() };
        judge(&series, Meaning::of(metric), &Thirds::of(&series)).map(|(kind, _)| kind)
    }

    #[test]
    fn a_series_tells_by_its_level_and_trend() {
        for (metric, unit, values, expected) in [
            ("CPUUtilization", "Percent", &[20.0, 91.0, 93.0, 95.0, 94.0][..], Some(Kind::CpuSaturation)),
            ("CPUUtilization", "Percent", &[41.0, 56.0, 72.0, 52.0, 41.0], None),
            ("FreeStorageSpace", "Bytes", &[9e9, 6e9, 3e9, 1e9, 2e8, 1e8], Some(Kind::StorageFull)),
            ("FreeStorageSpace", "Bytes", &[9e9, 9e9, 9e9, 9e9], None),
            ("ReplicaLag", "Seconds", &[1.0, 40.0, 90.0, 200.0, 400.0], Some(Kind::ReplicationLag)),
            ("ReplicaLag", "Seconds", &[1.0, 25.0, 29.0, 1.0, 1.0], None),
            ("ReplicaLag", "Seconds", &[1.0, 60.0, 90.0, 1.0, 1.0], None),
            ("DatabaseConnections", "Count", &[300.0, 310.0, 0.0, 290.0, 300.0], Some(Kind::ConnectionDrop)),
            ("DatabaseConnections", "Count", &[300.0, 310.0, 305.0], None),
            ("WriteIOPS", "Count/Second", &[400.0, 9000.0, 20000.0, 20000.0, 20000.0], Some(Kind::WriteSurge)),
            ("WriteIOPS", "Count/Second", &[900.0, 1000.0, 950.0, 1100.0], None),
            ("WriteLatency", "Seconds", &[0.01, 0.012, 0.01, 0.2, 0.4, 0.5], Some(Kind::IoLatency)),
            ("ReadLatency", "Seconds", &[0.005, 0.02, 0.005, 0.012, 0.02, 0.005], None),
            ("BurstBalance", "Percent", &[80.0, 50.0, 20.0, 5.0, 0.0, 0.0], Some(Kind::CreditsExhausted)),
            ("MemoryUtilization", "Percent", &[80.0, 90.0, 95.0, 97.0], Some(Kind::MemoryPressure)),
            ("heap_used", "Bytes", &[1e8, 1.5e8, 2e8, 2.5e8, 3e8, 3.5e8], Some(Kind::MemoryLeak)),
            ("requests", "Count", &[1.0, 100.0, 1000.0], None),
            ("availability", "%", &[99.9, 99.8, 99.9, 90.0, 80.0, 81.0], Some(Kind::Availability)),
            ("availability", "%", &[99.9, 99.8, 99.9, 99.7, 99.8, 99.9], None),
        ] {
            assert_eq!(kind(metric, unit, values), expected, "{metric} {values:?}");
        }
    }
}
