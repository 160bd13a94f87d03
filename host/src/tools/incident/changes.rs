//! `changes.jsonl` and the tool `list_changes`.

use super::answer::{self, Answer, Paging};
use super::describe;
use super::error::{BundleError, CallError};
use super::files::{self, Folder};
use super::moment::{Moment, Span};
use portcullis_core::document::Tool;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

pub(super) const TOOL: &str = "list_changes";
const CHANGES: usize = 200;

#[derive(Debug)]
struct Change {
    time: Moment,
    entity: Option<String>,
    kind: String,
    /// The whole line, any further fields included.
    record: Map<String, Value>,
}

/// The changes of a bundle in the order of time; none when the file is absent.
#[derive(Debug, Default)]
pub(super) struct Changes {
    changes: Vec<Change>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    entity: Option<String>,
    kind: Option<String>,
    from: Option<Moment>,
    to: Option<Moment>,
    limit: Option<usize>,
    offset: Option<usize>,
}

impl Changes {
    pub(super) fn load(folder: &Folder) -> Result<Self, BundleError> {
        let path = folder.join("changes.jsonl");
        let records = folder.lines::<Map<String, Value>>(&path)?.unwrap_or_default();
        let mut changes = Vec::with_capacity(records.len());
        for (line, record) in records {
            let time = Moment::of_file(&path, line, "time", files::text_field(&path, line, &record, "time")?)?;
            let entity = files::optional_text_field(&path, line, &record, "entity")?.map(str::to_owned);
            let kind = files::text_field(&path, line, &record, "kind")?.to_owned();
            files::text_field(&path, line, &record, "description")?;
            changes.push(Change { time, entity, kind, record });
        }
        changes.sort_by_key(|change| change.time.at());
        Ok(Self { changes })
    }

    pub(super) fn tool(&self) -> Tool {
        let kinds: BTreeSet<&str> = self.changes.iter().map(|change| change.kind.as_str()).collect();
        let entities: BTreeSet<&str> = self.changes.iter().filter_map(|change| change.entity.as_deref()).collect();
        let held = match (self.changes.first(), self.changes.last()) {
            (Some(first), Some(last)) => format!(
                "There are {} from {} to {}: {}.",
                self.changes.len(),
                first.time.as_str(),
                last.time.as_str(),
                describe::names("kinds", &kinds)
            ),
            _ => "There is no data.".to_owned(),
        };
        let mut properties = Map::new();
        properties.insert("entity".into(), describe::property_of("Entity; * stands for any text.", &entities));
        properties.insert("kind".into(), describe::property_of("Kind of change; * stands for any text.", &kinds));
        describe::range_properties(&mut properties);
        let description = format!("Deploys, configuration changes, scaling, restarts and other changes. {held}");
        describe::tool(TOOL, description, &properties)
    }

    pub(super) fn call(&self, arguments: &str) -> Result<Answer, CallError> {
        let query: Query = answer::arguments(arguments)?;
        let span = Span { from: query.from, to: query.to };
        let chosen: Vec<&Map<String, Value>> = self
            .changes
            .iter()
            .filter(|change| {
                let entity = change.entity.as_deref().unwrap_or_default();
                span.contains(&change.time)
                    && query.entity.as_deref().is_none_or(|pattern| describe::fits(pattern, entity))
                    && query.kind.as_deref().is_none_or(|pattern| describe::fits(pattern, &change.kind))
            })
            .map(|change| &change.record)
            .collect();
        let why_empty = if self.changes.is_empty() { "the bundle has no changes" } else { "no change fits the query" };
        Ok(answer::page("changes", &chosen, Paging::new(query.offset, query.limit, CHANGES), why_empty))
    }
}
