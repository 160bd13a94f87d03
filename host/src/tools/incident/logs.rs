//! `logs.jsonl` and the tool `query_logs`: the lines, or how often each kind of line occurs.

use super::answer::{self, Answer, Paging};
use super::describe;
use super::error::{BundleError, CallError};
use super::files::{self, Folder};
use super::moment::{self, Moment, Span};
use portcullis_core::document::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const TOOL: &str = "query_logs";
const LINES: usize = 100;
const GROUPS: usize = 200;

#[derive(Debug)]
struct Line {
    time: Moment,
    entity: String,
    level: Option<String>,
    message: String,
    /// The whole line, any further fields included.
    record: Map<String, Value>,
}

/// The log lines of a bundle in the order of time; none when the file is absent.
#[derive(Debug, Default)]
pub(super) struct Logs {
    lines: Vec<Line>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    entity: Option<String>,
    min_level: Option<String>,
    contains: Option<String>,
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
    Lines,
    Templates,
}

/// Lines of one entity and level whose messages differ in numbers and ids only.
#[derive(Debug, Serialize)]
struct Group<'a> {
    entity: &'a str,
    level: Option<&'a str>,
    count: usize,
    /// Counts around `split_at`; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<usize>,
    first_time: &'a str,
    last_time: &'a str,
    /// The last such line.
    message: &'a str,
}

impl Logs {
    pub(super) fn load(folder: &Folder) -> Result<Self, BundleError> {
        let path = folder.join("logs.jsonl");
        let records = folder.lines::<Map<String, Value>>(&path)?.unwrap_or_default();
        let mut lines = Vec::with_capacity(records.len());
        for (line, record) in records {
            let time = Moment::of_file(&path, line, "time", files::text_field(&path, line, &record, "time")?)?;
            let entity = files::text_field(&path, line, &record, "entity")?.to_owned();
            let level = files::optional_text_field(&path, line, &record, "level")?.map(str::to_owned);
            let message = files::text_field(&path, line, &record, "message")?.to_owned();
            lines.push(Line { time, entity, level, message, record });
        }
        lines.sort_by_key(|line| line.time.at());
        Ok(Self { lines })
    }

    pub(super) fn tool(&self) -> Tool {
        let entities: BTreeSet<&str> = self.lines.iter().map(|line| line.entity.as_str()).collect();
        let held = match (self.lines.first(), self.lines.last()) {
            (Some(first), Some(last)) => format!(
                "There are {} lines from {} to {}, {} of them at level warn or worse: {}.",
                self.lines.len(),
                first.time.as_str(),
                last.time.as_str(),
                self.lines.iter().filter(|line| severity(line.level.as_deref()) >= Some(Severity::Warn)).count(),
                describe::names("entities", &entities)
            ),
            _ => "There is no data.".to_owned(),
        };
        let mut properties = Map::new();
        properties.insert("entity".into(), describe::property_of("Entity; * stands for any text.", &entities));
        properties.insert(
            "min_level".into(),
            json!({ "type": "string", "enum": ["debug", "info", "warn", "error", "fatal"],
                "description": "This level or worse. Lines without a known level are kept." }),
        );
        properties.insert("contains".into(), describe::property("string", "Text in the message, in any case."));
        properties.insert(
            "view".into(),
            json!({ "type": "string", "enum": ["lines", "templates"],
                "description": "templates: counts of lines that differ in numbers and ids only." }),
        );
        properties.insert(
            "split_at".into(),
            describe::property("string", "RFC 3339 time: templates are counted before and from then on as well."),
        );
        describe::range_properties(&mut properties);
        describe::tool(TOOL, format!("Log lines, or counts of their templates. {held}"), &properties)
    }

    pub(super) fn call(&self, arguments: &str) -> Result<Answer, CallError> {
        let query: Query = answer::arguments(arguments)?;
        let min_level = match query.min_level.as_deref() {
            None => None,
            Some(word) => Some(severity(Some(word)).ok_or_else(|| {
                CallError::InvalidArguments("min_level is none of debug, info, warn, error, fatal".into())
            })?),
        };
        let contains = query.contains.as_ref().map(|text| text.to_lowercase());
        let span = Span { from: query.from, to: query.to };
        let chosen: Vec<&Line> = self
            .lines
            .iter()
            .filter(|line| {
                span.contains(&line.time)
                    && query.entity.as_deref().is_none_or(|pattern| describe::fits(pattern, &line.entity))
                    && min_level.is_none_or(|min| severity(line.level.as_deref()).is_none_or(|level| level >= min))
                    && contains.as_ref().is_none_or(|text| line.message.to_lowercase().contains(text))
            })
            .collect();
        let why_empty = if self.lines.is_empty() { "the bundle has no logs" } else { "no line fits the query" };
        Ok(match query.view {
            View::Lines => {
                let records: Vec<&Map<String, Value>> = chosen.iter().map(|line| &line.record).collect();
                answer::page("lines", &records, Paging::new(query.offset, query.limit, LINES), why_empty)
            }
            View::Templates => {
                let groups = group(&chosen, query.split_at.as_ref());
                answer::page("templates", &groups, Paging::new(query.offset, query.limit, GROUPS), why_empty)
            }
        })
    }
}

/// The worst and the most frequent come first.
fn group<'a>(lines: &[&'a Line], split: Option<&Moment>) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(&str, Option<&str>, String), Group<'a>> = BTreeMap::new();
    for line in lines {
        let group =
            groups.entry((&line.entity, line.level.as_deref(), template(&line.message))).or_insert_with(|| Group {
                entity: &line.entity,
                level: line.level.as_deref(),
                count: 0,
                before: split.map(|_| 0),
                after: split.map(|_| 0),
                first_time: line.time.as_str(),
                last_time: line.time.as_str(),
                message: &line.message,
            });
        group.count += 1;
        if let Some(split) = split {
            let side = if moment::is_after(&line.time, split) { &mut group.after } else { &mut group.before };
            *side = side.map(|count| count + 1);
        }
        group.last_time = line.time.as_str();
        group.message = &line.message;
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse((severity(group.level), group.count)));
    groups
}

/// How bad a level is. Loggers spell it in many ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    Debug,
    Info,
    Warn,
    Error,
    Fatal,
}

fn severity(level: Option<&str>) -> Option<Severity> {
    Some(match level?.to_ascii_lowercase().as_str() {
        "trace" | "debug" | "fine" | "verbose" => Severity::Debug,
        "info" | "information" | "notice" | "normal" | "ok" => Severity::Info,
        "warn" | "warning" => Severity::Warn,
        "error" | "err" | "severe" => Severity::Error,
        "fatal" | "critical" | "crit" | "alert" | "emerg" | "emergency" | "panic" => Severity::Fatal,
        _ => return None,
    })
}

/// A message with its numbers and ids blanked.
fn template(message: &str) -> String {
    let mut template = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(character) = rest.chars().next() {
        let id = rest.find(|c: char| !(c.is_ascii_hexdigit() || c == '-')).unwrap_or(rest.len());
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let is_id = id >= 8 && rest.bytes().take(id).any(|byte| byte.is_ascii_digit());
        if id >= 8 && !is_id {
            // A long run without a digit is no id, wherever in it one begins to read.
            let (run, after) = rest.split_at_checked(id).unwrap_or((rest, ""));
            template.push_str(run);
            rest = after;
            continue;
        }
        let skip = if is_id { id } else { digits };
        if skip > 0 {
            template.push('#');
            rest = rest.get(skip..).unwrap_or_default();
        } else {
            template.push(character);
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
        }
    }
    template
}

#[cfg(test)]
mod tests {
    use super::template;

    #[test]
    fn a_template_forgets_numbers_and_ids_alone() {
        for (message, expected) in [
            ("order 4711 failed after 3.5 s", "order # failed after #.# s"),
            ("trace 0af7651916cd43dd8448eb211c80319c", "trace #"),
            ("order 5c2e3a1b-90ab-4cde-8f01-23456789abcd paid", "order # paid"),
            ("no instance of travel2-service", "no instance of travel#-service"),
            ("deadbeef is a word", "deadbeef is a word"),
        ] {
            assert_eq!(template(message), expected);
        }
    }
}
