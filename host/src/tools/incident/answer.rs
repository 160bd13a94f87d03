//! What a tool call gives, and how lists are paged so that no answer grows without bound.

use super::error::CallError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A page ends before it gets larger; the gateway refuses much larger results.
const PAGE_BYTES: usize = 200 * 1024;

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: AnswerStatus,
    /// JSON text, or plain text where the recorded tool gave none.
    pub output: String,
    /// The output was cut: it is not all that there was.
    pub truncated: bool,
}

/// Whether an answer says anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerStatus {
    Ok,
    /// The tool worked and found nothing.
    NoData,
    /// The recorded tool had failed, or the call fits more than one recording.
    Error,
}

impl Answer {
    pub(super) fn ok(output: &Value) -> Self {
        Self { status: AnswerStatus::Ok, output: output.to_string(), truncated: false }
    }

    /// An empty answer has one form, so that an agent can tell it from one that it may quote.
    pub(super) fn no_data(why: &str) -> Self {
        Self { status: AnswerStatus::NoData, output: json!({ "no_data": why }).to_string(), truncated: false }
    }
}

/// Decodes a call's arguments. No text at all means no arguments.
pub(super) fn arguments<T: DeserializeOwned>(text: &str) -> Result<T, CallError> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| CallError::InvalidArguments(error.to_string()))
}

/// The part of a list that a call asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paging {
    pub(super) offset: usize,
    pub(super) limit: usize,
}

impl Paging {
    pub(super) fn new(offset: Option<usize>, limit: Option<usize>, default_limit: usize) -> Self {
        Self { offset: offset.unwrap_or(0), limit: limit.unwrap_or(default_limit).max(1) }
    }
}

/// One page of `items` under `name`. `total` and `next_offset` tell what is left; a page is whole, never cut.
pub(super) fn page<T: Serialize>(name: &str, items: &[T], paging: Paging, why_empty: &str) -> Answer {
    if items.is_empty() {
        return Answer::no_data(why_empty);
    }
    let mut page = Vec::new();
    let mut bytes = 0;
    for item in items.iter().skip(paging.offset).take(paging.limit) {
        let value = serde_json::to_value(item).unwrap_or(Value::Null);
        bytes += value.to_string().len();
        if bytes > PAGE_BYTES && !page.is_empty() {
            break;
        }
        page.push(value);
    }
    if page.is_empty() {
        return Answer::no_data("the offset is behind the last entry");
    }
    let end = paging.offset + page.len();
    let mut output = Map::new();
    output.insert("total".into(), items.len().into());
    output.insert("offset".into(), paging.offset.into());
    output.insert("next_offset".into(), if end < items.len() { end.into() } else { Value::Null });
    output.insert(name.to_owned(), page.into());
    Answer::ok(&Value::Object(output))
}

/// Cuts plain text at a character border.
pub(super) fn cut(text: &str) -> (&str, bool) {
    let end = text.floor_char_boundary(PAGE_BYTES);
    (text.get(..end).unwrap_or_default(), end < text.len())
}
