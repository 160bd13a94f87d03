//! One line of a batch: a question in words, or a JSON object.

use crate::run::Request;
use portcullis_core::document::Fact;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A line that asks something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// What the caller calls it.
    pub(super) id: Option<Value>,
    pub(super) request: Request,
}

/// The object, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    question: String,
    #[serde(default)]
    facts: Map<String, Value>,
    session_id: Option<String>,
    id: Option<Value>,
}

/// What a line asks; a blank one asks nothing.
///
/// # Errors
/// What is wrong, with the column, in words that go on after "line N".
pub(super) fn read(line: &[u8]) -> Result<Option<Question>, String> {
    let text = std::str::from_utf8(line)
        .map_err(|error| format!("column {}: it is not UTF-8", error.valid_up_to().saturating_add(1)))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let question = if text.trim_start().starts_with('{') {
        serde_json::from_str::<Written>(text).map_err(|error| placed(&error))?.into_question()?
    } else {
        let request = Request { question: text.trim().to_owned(), facts: Vec::new(), session_id: None };
        Question { id: None, request }
    };
    question.request.check().map_err(|error| format!("column 1: {error}"))?;
    Ok(Some(question))
}

impl Written {
    fn into_question(self) -> Result<Question, String> {
        let Self { question, facts, session_id, id } = self;
        if id.as_ref().is_some_and(|id| !id.is_string() && !id.is_number()) {
            return Err("column 1: `id` is a text or a number".to_owned());
        }
        let facts = facts.into_iter().map(|(name, value)| Fact { name, value: words(value) }).collect();
        Ok(Question { id, request: Request { question, facts, session_id } })
    }
}

/// As an incident's facts are read.
fn words(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// The parser sees one line, so it calls it line 1.
fn placed(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let words = words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words);
    format!("column {}: {words}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(line: &str, id: Option<Value>, question: &str, facts: &[(&str, &str)], session: Option<&str>) {
        let facts = facts.iter().map(|(name, value)| Fact { name: (*name).into(), value: (*value).into() }).collect();
        let request = Request { question: question.into(), facts, session_id: session.map(str::to_owned) };
        assert_eq!(read(line.as_bytes()), Ok(Some(Question { id, request })));
    }

    #[test]
    fn a_line_is_words_or_an_object() {
        // R-RUN-07
        check("  why is it slow? ", None, "why is it slow?", &[], None);
        check("[why] {is} it slow?", None, "[why] {is} it slow?", &[], None);
        check(r#"{"question": "why?"}"#, None, "why?", &[], None);
        check(
            r#" {"id": 7, "question": "why?", "facts": {"service": "cart", "n": 10.50}, "session_id": "s"}"#,
            Some(json!(7)),
            "why?",
            &[("service", "cart"), ("n", "10.50")],
            Some("s"),
        );
        assert_eq!(read(b" \t"), Ok(None));
        assert_eq!(read(b""), Ok(None));
    }

    #[test]
    fn what_is_no_question_is_told_with_its_column() {
        // R-RUN-07
        for (line, words) in [
            (&b"why\xff"[..], "column 4: it is not UTF-8"),
            (b"{", "column 1: EOF while parsing an object"),
            (b"{\"question\": \"why?\"", "column 19: EOF while parsing an object"),
            (b"{\"question\": \"why?\"} x", "column 22: trailing characters"),
            (b"{\"question\": 1}", "column 14: invalid type: integer `1`, expected a string"),
            (b"{\"qestion\": \"why?\"}", "unknown field `qestion`, expected one of `question`"),
            (b"{\"facts\": {}}", "missing field `question`"),
            (b"{\"question\": \"why?\", \"question\": \"how?\"}", "duplicate field `question`"),
            (b"{\"question\": \"why?\", \"facts\": []}", "invalid type: sequence"),
            (b"{\"question\": \"why?\", \"id\": []}", "column 1: `id` is a text or a number"),
            (b"{\"question\": \" \"}", "column 1: the question is blank"),
            (b"{\"question\": \"why?\", \"session_id\": \"\"}", "column 1: a session id is not blank"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.starts_with("column ") && error.contains(words), "{error}");
        }
        assert!(read("x".repeat(1 << 15).as_bytes()).unwrap_err().contains("at most 16384 are taken"));
    }
}
