//! `recordings.jsonl`: tools that were really called once, replayed under the same name.
//!
//! The arguments of a call choose among the recorded ones: those that are given must be as recorded, and one recording
//! must be left.

use super::answer::{self, Answer, AnswerStatus};
use super::describe;
use super::error::{BundleError, CallError, Place};
use super::files::Folder;
use portcullis_core::document::Tool;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// As many recorded argument sets as a schema or an answer lists.
const SETS_LISTED: usize = 50;

/// As many characters of a tool's name fit into the documents that agents answer with.
const NAME_CHARS_MAX: usize = 128;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recording {
    tool_name: String,
    arguments: Map<String, Value>,
    status: Status,
    output: Value,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    Error,
    NoData,
}

/// The recordings by tool; none when the file is absent.
#[derive(Debug, Default)]
pub(super) struct Recordings {
    tools: BTreeMap<String, Vec<Recording>>,
}

impl Recordings {
    pub(super) fn load(folder: &Folder) -> Result<Self, BundleError> {
        let mut tools: BTreeMap<String, Vec<Recording>> = BTreeMap::new();
        let path = folder.join("recordings.jsonl");
        for (line, recording) in folder.lines::<Recording>(&path)?.unwrap_or_default() {
            let refused = |problem: String| {
                let place = Place::field(line, "tool_name");
                BundleError::new(&path, place, problem, "write the name under which the tool was called")
            };
            if recording.tool_name.trim().is_empty() {
                return Err(refused("is blank".to_owned()));
            }
            if recording.tool_name.chars().count() > NAME_CHARS_MAX {
                return Err(refused(format!("has more than {NAME_CHARS_MAX} characters")));
            }
            tools.entry(recording.tool_name.clone()).or_default().push(recording);
        }
        Ok(Self { tools })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    pub(super) fn tools(&self) -> Vec<Tool> {
        self.tools.iter().map(|(name, recordings)| tool(name, recordings)).collect()
    }

    pub(super) fn call(&self, name: &str, arguments: &str) -> Result<Answer, CallError> {
        let recordings = self.tools.get(name).ok_or(CallError::UnknownTool)?;
        let given: Map<String, Value> = answer::arguments(arguments)?;
        let exact = |recording: &&Recording| recording.arguments == given;
        let fitting =
            |recording: &&Recording| given.iter().all(|(key, value)| recording.arguments.get(key) == Some(value));
        if let Some(recording) = recordings.iter().find(exact) {
            return Ok(replay(recording));
        }
        Ok(match recordings.iter().filter(fitting).collect::<Vec<_>>().as_slice() {
            [recording] => replay(recording),
            [] => Answer {
                status: AnswerStatus::NoData,
                output: json!({
                    "no_data": "no call was recorded with these arguments",
                    "recorded_arguments": sets(recordings.iter()),
                })
                .to_string(),
                truncated: false,
            },
            several => Answer {
                status: AnswerStatus::Error,
                output: json!({
                    "error": "several recorded calls fit these arguments, give more of them",
                    "recorded_arguments": sets(several.iter().copied()),
                })
                .to_string(),
                truncated: false,
            },
        })
    }
}

fn sets<'a>(recordings: impl Iterator<Item = &'a Recording>) -> Value {
    recordings.take(SETS_LISTED).map(|recording| Value::Object(recording.arguments.clone())).collect()
}

fn replay(recording: &Recording) -> Answer {
    let (output, truncated) = match &recording.output {
        Value::String(text) => {
            let (text, truncated) = answer::cut(text);
            (text.to_owned(), truncated)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            (recording.output.to_string(), false)
        }
    };
    match recording.status {
        Status::Ok => Answer { status: AnswerStatus::Ok, output, truncated },
        Status::Error => Answer { status: AnswerStatus::Error, output, truncated },
        Status::NoData => Answer::no_data(&output),
    }
}

fn tool(name: &str, recordings: &[Recording]) -> Tool {
    let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (key, value) in recordings.iter().flat_map(|recording| &recording.arguments) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        values.entry(key).or_default().insert(text);
    }
    let arguments: Vec<String> = values
        .iter()
        .map(|(key, values)| describe::names(&format!("values of {key}"), &values.iter().map(String::as_str).collect()))
        .collect();
    let with = if arguments.is_empty() { String::new() } else { format!(", with {}", arguments.join("; ")) };
    let properties: Map<String, Value> = values.keys().map(|key| ((*key).to_owned(), json!({}))).collect();
    let schema = json!({ "type": "object", "properties": properties, "examples": sets(recordings.iter()) });
    Tool {
        name: name.to_owned(),
        description: format!(
            "Replays {} recorded call(s){with}. Arguments must be as in the examples of the schema.",
            recordings.len()
        ),
        input_schema: schema.to_string(),
    }
}
