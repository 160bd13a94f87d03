//! `metrics.csv` and the tool `query_metrics`.

use super::answer::{self, Answer, Paging};
use super::describe;
use super::error::{BundleError, CallError, Place};
use super::figures::{self, Figures, Sample};
use super::files::{self, Folder};
use super::moment::{self, Moment, Span};
use portcullis_core::document::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub(super) const TOOL: &str = "query_metrics";
const HEADER: [&str; 5] = ["time", "entity", "metric", "value", "unit"];
/// Series a page, unless the call says otherwise.
const SERIES: usize = 400;

#[derive(Debug)]
struct Series {
    entity: String,
    metric: String,
    unit: String,
    /// In the order of time.
    points: Vec<Point>,
}

#[derive(Debug, Serialize)]
struct Point {
    time: Moment,
    /// Absent where the file has no value.
    value: Option<Number>,
}

/// The series of a bundle, sorted by entity and metric; none when the file is absent.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    series: Vec<Series>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    entity: Option<String>,
    metric: Option<String>,
    from: Option<Moment>,
    to: Option<Moment>,
    split_at: Option<Moment>,
    limit: Option<usize>,
    offset: Option<usize>,
}

/// Every point of a series.
#[derive(Serialize)]
struct Listed<'a> {
    entity: &'a str,
    metric: &'a str,
    unit: &'a str,
    points: Vec<&'a Point>,
}

/// A series before and from a moment on.
#[derive(Serialize)]
struct Compared<'a> {
    entity: &'a str,
    metric: &'a str,
    unit: &'a str,
    before: Figures,
    after: Figures,
}

impl Metrics {
    pub(super) fn load(folder: &Folder) -> Result<Self, BundleError> {
        let path = folder.join("metrics.csv");
        match folder.read(&path, files::FILE_LIMIT)? {
            Some(text) => Self::parse(&path, &text),
            None => Ok(Self::default()),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, BundleError> {
        let unreadable = |error: &csv::Error| {
            let line = error.position().map_or(0, |position| usize::try_from(position.line()).unwrap_or(0));
            BundleError::new(
                path,
                Place::line(line),
                "is no CSV row of five fields",
                "write time,entity,metric,value,unit",
            )
        };
        let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
        if reader.headers().map_err(|error| unreadable(&error))? != HEADER.as_slice() {
            let problem = "does not begin with the header time,entity,metric,value,unit";
            return Err(BundleError::new(path, Place::line(1), problem, "put it into the first line"));
        }
        let mut series: BTreeMap<(String, String), Series> = BTreeMap::new();
        for row in reader.into_records() {
            let row = row.map_err(|error| unreadable(&error))?;
            let line = row.position().map_or(0, |position| usize::try_from(position.line()).unwrap_or(0));
            let field = |index| row.get(index).unwrap_or_default();
            let (entity, metric, value, unit) = (field(1), field(2), field(3), field(4));
            if entity.is_empty() || metric.is_empty() {
                let name = if entity.is_empty() { "entity" } else { "metric" };
                return Err(BundleError::new(
                    path,
                    Place::field(line, name),
                    "is empty",
                    "every point belongs to a series",
                ));
            }
            let value = match value {
                "" => None,
                text => Some(number(text).ok_or_else(|| {
                    let way_out = "write a plain decimal number, or leave it empty for no data";
                    BundleError::new(path, Place::field(line, "value"), "is no number", way_out)
                })?),
            };
            let point = Point { time: Moment::of_file(path, line, "time", field(0))?, value };
            let key = (entity.to_owned(), metric.to_owned());
            series
                .entry(key)
                .or_insert_with(|| Series {
                    entity: entity.to_owned(),
                    metric: metric.to_owned(),
                    unit: unit.to_owned(),
                    points: Vec::new(),
                })
                .points
                .push(point);
        }
        let mut series: Vec<Series> = series.into_values().collect();
        for series in &mut series {
            series.points.sort_by_key(|point| point.time.at());
        }
        Ok(Self { series })
    }

    pub(super) fn tool(&self) -> Tool {
        let entities: BTreeSet<&str> = self.series.iter().map(|series| series.entity.as_str()).collect();
        let metrics: BTreeSet<&str> = self.series.iter().map(|series| series.metric.as_str()).collect();
        let held = if self.series.is_empty() {
            "There is no data.".to_owned()
        } else {
            format!(
                "There are {} series: {}; {}.",
                self.series.len(),
                describe::names("entities", &entities),
                describe::names("metrics", &metrics)
            )
        };
        let mut properties = Map::new();
        properties.insert("entity".into(), describe::property_of("Entity; * stands for any text.", &entities));
        properties.insert("metric".into(), describe::property_of("Metric; * stands for any text.", &metrics));
        properties.insert(
            "split_at".into(),
            describe::property(
                "string",
                "RFC 3339 time: give n, median, MAD, min, max, first and last before and from then on, not the points.",
            ),
        );
        describe::range_properties(&mut properties);
        describe::tool(TOOL, format!("Metric series as points, or compared around a time. {held}"), &properties)
    }

    pub(super) fn call(&self, arguments: &str) -> Result<Answer, CallError> {
        let query: Query = answer::arguments(arguments)?;
        let span = Span { from: query.from, to: query.to };
        let chosen = |pattern: &Option<String>, name: &str| pattern.as_deref().is_none_or(|p| describe::fits(p, name));
        let chosen = self
            .series
            .iter()
            .filter(|series| chosen(&query.entity, &series.entity) && chosen(&query.metric, &series.metric))
            .map(|series| (series, series.points.iter().filter(|point| span.contains(&point.time)).collect::<Vec<_>>()))
            .filter(|(_, points)| !points.is_empty());
        let paging = Paging::new(query.offset, query.limit, SERIES);
        let why_empty = if self.series.is_empty() { "the bundle has no metrics" } else { "no point fits the query" };
        Ok(if let Some(split) = &query.split_at {
            let compared: Vec<_> = chosen.map(|(series, points)| compare(series, &points, split)).collect();
            answer::page("series", &compared, paging, why_empty)
        } else {
            let listed: Vec<_> = chosen
                .map(|(Series { entity, metric, unit, points: _ }, points)| Listed { entity, metric, unit, points })
                .collect();
            answer::page("series", &listed, paging, why_empty)
        })
    }
}

fn compare<'a>(series: &'a Series, points: &[&'a Point], split: &Moment) -> Compared<'a> {
    let side = |after: bool| {
        let samples: Vec<Sample> = points
            .iter()
            .filter(|point| moment::is_after(&point.time, split) == after)
            .filter_map(|point| {
                let literal = point.value.as_ref()?;
                Some(Sample { value: literal.as_f64()?, literal, time: point.time.as_str() })
            })
            .collect();
        figures::figures(&samples)
    };
    Compared {
        entity: &series.entity,
        metric: &series.metric,
        unit: &series.unit,
        before: side(false),
        after: side(true),
    }
}

/// A finite decimal number with the digits of the file.
fn number(text: &str) -> Option<Number> {
    text.parse::<Number>().ok().filter(|number| number.as_f64().is_some_and(f64::is_finite))
}
