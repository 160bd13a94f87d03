//! `incident.json`: what was asked and what is known already.

use super::error::{BundleError, Place};
use super::files::{self, Folder};
use super::moment::Moment;
use portcullis_core::document::Fact;
use serde::Deserialize;
use serde_json::{Map, Value};

const FILE: &str = "incident.json";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: u64,
    #[serde(rename = "id")]
    _id: String,
    question: String,
    facts: Map<String, Value>,
    window: Window,
    alert_time: Option<Moment>,
    #[serde(rename = "source")]
    _source: Option<String>,
    #[serde(rename = "licence")]
    _licence: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Window {
    from: Moment,
    to: Moment,
}

#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) question: String,
    pub(super) facts: Vec<Fact>,
}

impl Manifest {
    pub(super) fn load(folder: &Folder) -> Result<Self, BundleError> {
        let path = folder.join(FILE);
        let Some(text) = folder.read(&path, files::MANIFEST_LIMIT)? else {
            let way_out = "name a folder that is an incident bundle; only this file is required in it";
            return Err(BundleError::new(&path, Place::default(), "does not exist", way_out));
        };
        // The version is looked at first: another one may well have other fields.
        let value: Value = files::document(&path, &text)?;
        if value.get("format").is_some_and(|format| format.as_u64() != Some(1)) {
            let place = Place { line: None, field: Some("format") };
            return Err(BundleError::new(&path, place, "is not 1", "this version reads format 1 only"));
        }
        let document: Document = files::document(&path, &text)?;
        let fault = |field, problem, way_out| {
            Err(BundleError::new(&path, Place { line: None, field: Some(field) }, problem, way_out))
        };
        if document.format != 1 {
            return fault("format", "is not 1", "this version reads format 1 only");
        }
        if document.question.trim().is_empty() {
            return fault("question", "is blank", "write what is to be diagnosed");
        }
        if document.window.from.at() > document.window.to.at() {
            return fault("window", "ends before it begins", "swap `from` and `to`");
        }
        Ok(Self { question: document.question.clone(), facts: facts(&document) })
    }
}

/// The facts in the order of the file, then the times, unless a fact has that name already.
fn facts(document: &Document) -> Vec<Fact> {
    let mut facts: Vec<Fact> =
        document.facts.iter().map(|(name, value)| Fact { name: name.clone(), value: words(value) }).collect();
    let times = [
        ("window_from", Some(&document.window.from)),
        ("window_to", Some(&document.window.to)),
        ("alert_time", document.alert_time.as_ref()),
    ];
    for (name, moment) in times {
        if let Some(moment) = moment
            && !document.facts.contains_key(name)
        {
            facts.push(Fact { name: name.to_owned(), value: moment.as_str().to_owned() });
        }
    }
    facts
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}
