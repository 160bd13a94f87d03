//! `traces.jsonl` and the tool `query_traces`: spans, what operations cost by themselves, and who calls whom.

use super::answer::{self, Answer, Paging};
use super::describe;
use super::error::{BundleError, CallError, Place};
use super::figures;
use super::files::Folder;
use super::moment::{self, Moment, Span as Range};
use portcullis_core::document::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const TOOL: &str = "query_traces";
const SPANS: usize = 100;
const GROUPS: usize = 300;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the fields are named as in the file")]
struct Span {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    entity: String,
    operation: String,
    start: Moment,
    duration_ms: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// The time in which no child was running.
    #[serde(skip_deserializing, default = "zero")]
    self_ms: Number,
}

fn zero() -> Number {
    Number::from(0)
}

/// The spans of a bundle in the order of time; none when the file is absent.
#[derive(Debug, Default)]
pub(super) struct Traces {
    spans: Vec<Span>,
    /// The spans of each caller and callee: those whose parent is another entity's.
    calls: BTreeMap<(String, String), Vec<CalledSpan>>,
}

/// A span that another entity called.
#[derive(Debug)]
struct CalledSpan {
    start: Moment,
    failed: bool,
    /// What the caller waited longer than the callee worked: the way there and back. Known only where the caller's span
    /// stands for this one call.
    gap_ms: Option<Number>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    entity: Option<String>,
    operation: Option<String>,
    trace_id: Option<String>,
    #[serde(default)]
    errors_only: bool,
    from: Option<Moment>,
    to: Option<Moment>,
    #[serde(default)]
    view: View,
    split_at: Option<Moment>,
    limit: Option<usize>,
    offset: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum View {
    #[default]
    Spans,
    Entities,
    Operations,
    Calls,
}

#[derive(Debug, Serialize)]
struct Group<'a> {
    entity: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a str>,
    #[serde(flatten)]
    sides: Sides,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Sides {
    Whole { all: Cost },
    Split { before: Cost, after: Cost },
}

/// What a group of spans took, children included and not.
#[derive(Debug, Serialize)]
struct Cost {
    count: usize,
    errors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<Times>,
    #[serde(skip_serializing_if = "Option::is_none")]
    self_ms: Option<Times>,
}

#[derive(Debug, Serialize)]
struct Times {
    median: Number,
    max: Number,
}

#[derive(Debug, Serialize)]
struct Call<'a> {
    from: &'a str,
    to: &'a str,
    #[serde(flatten)]
    sides: CallSides,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum CallSides {
    Whole(CallCost),
    Split { before: CallCost, after: CallCost },
}

#[derive(Debug, Serialize)]
struct CallCost {
    count: usize,
    errors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_ms: Option<Times>,
}

impl Traces {
    pub(super) fn load(folder: &Folder) -> Result<Self, BundleError> {
        let path = folder.join("traces.jsonl");
        let lines = folder.lines::<Span>(&path)?.unwrap_or_default();
        let mut spans = Vec::with_capacity(lines.len());
        let mut seen = BTreeSet::new();
        for (line, span) in lines {
            if span.duration_ms.as_f64().is_none_or(|duration| !(0.0..1e12).contains(&duration)) {
                let place = Place::field(line, "duration_ms");
                return Err(BundleError::new(&path, place, "is no duration", "write milliseconds, zero or more"));
            }
            if !seen.insert((span.trace_id.clone(), span.span_id.clone())) {
                let place = Place::field(line, "span_id");
                return Err(BundleError::new(&path, place, "occurs twice in this trace", "keep one of the two lines"));
            }
            spans.push(span);
        }
        spans.sort_by_key(|span| span.start.at());
        let mut traces = Self { spans, calls: BTreeMap::new() };
        traces.relate();
        Ok(traces)
    }

    /// Fills in what needs a span's children or parent.
    fn relate(&mut self) {
        let mut children: BTreeMap<(&str, &str), Vec<&Span>> = BTreeMap::new();
        for span in &self.spans {
            if let Some(parent) = &span.parent_span_id {
                children.entry((&span.trace_id, parent)).or_default().push(span);
            }
        }
        let mut calls: BTreeMap<(String, String), Vec<CalledSpan>> = BTreeMap::new();
        let mut self_times = Vec::with_capacity(self.spans.len());
        for span in &self.spans {
            let children =
                children.get(&(span.trace_id.as_str(), span.span_id.as_str())).map_or(&[][..], Vec::as_slice);
            self_times.push(figures::rounded(self_time(span, children)));
            for child in children.iter().filter(|child| child.entity != span.entity) {
                let gap = milliseconds(&span.duration_ms) - milliseconds(&child.duration_ms);
                let gap_ms = (children.len() == 1 && gap >= 0.0).then(|| figures::rounded(gap));
                let called = CalledSpan { start: child.start.clone(), failed: failed(child), gap_ms };
                calls.entry((span.entity.clone(), child.entity.clone())).or_default().push(called);
            }
        }
        for (span, self_time) in self.spans.iter_mut().zip(self_times) {
            span.self_ms = self_time;
        }
        self.calls = calls;
    }

    pub(super) fn tool(&self) -> Tool {
        let entities: BTreeSet<&str> = self.spans.iter().map(|span| span.entity.as_str()).collect();
        let traces: BTreeSet<&str> = self.spans.iter().map(|span| span.trace_id.as_str()).collect();
        let held = match (self.spans.first(), self.spans.last()) {
            (Some(first), Some(last)) => format!(
                "There are {} spans of {} traces from {} to {}, {} of them failed: {}.",
                self.spans.len(),
                traces.len(),
                first.start.as_str(),
                last.start.as_str(),
                self.spans.iter().filter(|span| failed(span)).count(),
                describe::names("entities", &entities)
            ),
            _ => "There is no data.".to_owned(),
        };
        let mut properties = Map::new();
        properties.insert("entity".into(), describe::property_of("Entity; * stands for any text.", &entities));
        properties.insert("operation".into(), describe::property("string", "Operation; * stands for any text."));
        properties.insert("trace_id".into(), describe::property("string", "Only this trace."));
        properties.insert("errors_only".into(), describe::property("boolean", "Only spans whose status is an error."));
        properties.insert(
            "view".into(),
            json!({ "type": "string", "enum": ["spans", "entities", "operations", "calls"],
                "description": "entities, operations: counts, errors, total and self time; calls: who calls whom, and the gap between what the caller waited and the callee worked." }),
        );
        properties.insert(
            "split_at".into(),
            describe::property(
                "string",
                "RFC 3339 time: entities, operations and calls are compared before and from then on.",
            ),
        );
        describe::range_properties(&mut properties);
        describe::tool(TOOL, format!("Trace spans and what they cost. {held}"), &properties)
    }

    pub(super) fn call(&self, arguments: &str) -> Result<Answer, CallError> {
        let query: Query = answer::arguments(arguments)?;
        let range = Range { from: query.from.clone(), to: query.to.clone() };
        let chosen: Vec<&Span> = self
            .spans
            .iter()
            .filter(|span| {
                range.contains(&span.start)
                    && query.entity.as_deref().is_none_or(|pattern| describe::fits(pattern, &span.entity))
                    && query.operation.as_deref().is_none_or(|pattern| describe::fits(pattern, &span.operation))
                    && query.trace_id.as_ref().is_none_or(|id| span.trace_id == *id)
                    && (!query.errors_only || failed(span))
            })
            .collect();
        let paging = |default| Paging::new(query.offset, query.limit, default);
        let split = query.split_at.as_ref();
        let why_empty = if self.spans.is_empty() { "the bundle has no traces" } else { "no span fits the query" };
        Ok(match query.view {
            View::Spans => answer::page("spans", &chosen, paging(SPANS), why_empty),
            View::Entities => {
                let groups = group(&chosen, split, |span| (&span.entity, None));
                answer::page("entities", &groups, paging(GROUPS), why_empty)
            }
            View::Operations => {
                let groups = group(&chosen, split, |span| (&span.entity, Some(&span.operation)));
                answer::page("operations", &groups, paging(GROUPS), why_empty)
            }
            View::Calls => {
                answer::page("calls", &self.calls(query.entity.as_deref(), split), paging(GROUPS), why_empty)
            }
        })
    }

    fn calls(&self, entity: Option<&str>, split: Option<&Moment>) -> Vec<Call<'_>> {
        self.calls
            .iter()
            .filter(|((from, to), _)| entity.is_none_or(|e| describe::fits(e, from) || describe::fits(e, to)))
            .map(|((from, to), spans)| {
                let sides = match split {
                    None => CallSides::Whole(call_cost(&spans.iter().collect::<Vec<_>>())),
                    Some(split) => {
                        let (after, before) =
                            spans.iter().partition::<Vec<_>, _>(|span| moment::is_after(&span.start, split));
                        CallSides::Split { before: call_cost(&before), after: call_cost(&after) }
                    }
                };
                Call { from, to, sides }
            })
            .collect()
    }
}

fn call_cost(spans: &[&CalledSpan]) -> CallCost {
    CallCost {
        count: spans.len(),
        errors: spans.iter().filter(|span| span.failed).count(),
        gap_ms: times(spans.iter().filter_map(|span| span.gap_ms.as_ref())),
    }
}

fn milliseconds(number: &Number) -> f64 {
    number.as_f64().unwrap_or(0.0)
}

/// A span's duration without the union of its children's.
fn self_time(span: &Span, children: &[&Span]) -> f64 {
    let duration = milliseconds(&span.duration_ms);
    let mut covered = 0.0;
    let mut reached = 0.0;
    // The children come in the order of their start.
    for child in children {
        let begin = child.start.at().duration_since(span.start.at()).as_millis_f64();
        let end = (begin + milliseconds(&child.duration_ms)).min(duration);
        let begin = begin.max(reached);
        if end > begin {
            covered += end - begin;
            reached = end;
        }
    }
    duration - covered
}

/// A status is free text: words, or an HTTP status.
fn failed(span: &Span) -> bool {
    let Some(status) = span.status.as_deref() else { return false };
    match status.trim().parse::<u16>() {
        Ok(code) => code >= 400,
        Err(_) => {
            !matches!(status.trim().to_ascii_lowercase().as_str(), "" | "ok" | "unset" | "success" | "status_code_ok")
        }
    }
}

fn group<'a>(
    spans: &[&'a Span],
    split: Option<&Moment>,
    key: impl Fn(&'a Span) -> (&'a String, Option<&'a String>),
) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(&String, Option<&String>), Vec<&Span>> = BTreeMap::new();
    for span in spans {
        groups.entry(key(span)).or_default().push(span);
    }
    groups
        .into_iter()
        .map(|((entity, operation), spans)| {
            let sides = match split {
                None => Sides::Whole { all: cost(&spans) },
                Some(split) => {
                    let (after, before) =
                        spans.into_iter().partition::<Vec<_>, _>(|span| moment::is_after(&span.start, split));
                    Sides::Split { before: cost(&before), after: cost(&after) }
                }
            };
            Group { entity, operation: operation.map(String::as_str), sides }
        })
        .collect()
}

fn cost(spans: &[&Span]) -> Cost {
    Cost {
        count: spans.len(),
        errors: spans.iter().filter(|span| failed(span)).count(),
        duration_ms: times(spans.iter().map(|span| &span.duration_ms)),
        self_ms: times(spans.iter().map(|span| &span.self_ms)),
    }
}

fn times<'a>(numbers: impl Iterator<Item = &'a Number>) -> Option<Times> {
    let mut sorted: Vec<&Number> = numbers.collect();
    sorted.sort_by(|a, b| milliseconds(a).total_cmp(&milliseconds(b)));
    let median = sorted.get(sorted.len().checked_sub(1)? / 2)?;
    Some(Times { median: (*median).clone(), max: (*sorted.last()?).clone() })
}
