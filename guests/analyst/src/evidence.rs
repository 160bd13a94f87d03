//! What was observed, and quotes of it. A quote names an observation, a place in it, and the text there.

use portcullis_contract::document::Binding;
use serde_json::{Map, Value};

/// One tool output.
#[derive(Debug)]
pub(crate) struct Observation {
    pub(crate) invocation_id: String,
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) body: Body,
}

#[derive(Debug)]
pub(crate) enum Body {
    Json(Value),
    Text(String),
    /// The tool found nothing. It must not be quoted.
    Nothing,
}

impl Body {
    pub(crate) fn of(output: String) -> Self {
        match serde_json::from_str::<Value>(&output) {
            Ok(value) if value.get("no_data").is_some() => Self::Nothing,
            Ok(value @ (Value::Object(_) | Value::Array(_))) => Self::Json(value),
            Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | Err(_) => {
                if output.trim().is_empty() { Self::Nothing } else { Self::Text(output) }
            }
        }
    }
}

impl Observation {
    /// A text argument.
    pub(crate) fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name)?.as_str()
    }

    /// The value at a JSON Pointer.
    pub(crate) fn at(&self, path: &str) -> Option<&Value> {
        match &self.body {
            Body::Json(value) => value.pointer(path),
            Body::Text(_) | Body::Nothing => None,
        }
    }
}

/// A longer quote is cut at a blank: nobody reads it.
const LONGEST: usize = 400;

/// A piece of one observation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Quote {
    /// The index of the observation.
    pub(crate) of: usize,
    /// A JSON Pointer; empty for plain text.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Quote {
    /// The value at a place of a JSON output: a string or a literal, or a whole small array or object.
    pub(crate) fn value(of: usize, observation: &Observation, path: &str) -> Option<Self> {
        let text = match observation.at(path)? {
            Value::String(text) => shorten(&clean_part(text)),
            literal @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                literal.to_string()
            }
        };
        (!text.is_empty() && !text.contains(char::REPLACEMENT_CHARACTER)).then(|| Self {
            of,
            path: path.to_owned(),
            text,
        })
    }

    /// A piece of plain text, runs of white space as one blank.
    pub(crate) fn piece(of: usize, text: &str) -> Self {
        let text = clean_part(text).split_whitespace().collect::<Vec<_>>().join(" ");
        Self { of, path: String::new(), text: shorten(&text) }
    }

    pub(crate) fn binding(&self, observations: &[Observation]) -> Option<Binding> {
        let observation = observations.get(self.of)?;
        Some(Binding {
            source_invocation_id: Some(observation.invocation_id.clone()),
            tool_name: observation.tool.clone(),
            raw_path: self.path.clone(),
            matched_text: self.text.clone(),
        })
    }
}

/// A text, or its longest run of words without the mark of bytes that could not be read: that mark matches nothing.
fn clean_part(text: &str) -> String {
    if !text.contains(char::REPLACEMENT_CHARACTER) {
        return text.to_owned();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let runs = words.split(|word| word.contains(char::REPLACEMENT_CHARACTER)).map(|run| run.join(" "));
    runs.max_by_key(String::len).unwrap_or_default()
}

/// The text, or as much of its beginning as ends at a blank.
pub(crate) fn shorten(text: &str) -> String {
    shorten_to(text, LONGEST)
}

/// Like [`shorten`], to another length.
pub(crate) fn shorten_to(text: &str, longest: usize) -> String {
    let text = text.trim();
    if text.len() <= longest {
        return text.to_owned();
    }
    let mut end = longest;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or_default();
    head.rsplit_once(char::is_whitespace).map_or(head, |(head, _)| head).trim_end().to_owned()
}

/// Joins a step to a JSON Pointer.
pub(crate) fn join(path: &str, step: &str) -> String {
    format!("{path}/{}", step.replace('~', "~0").replace('/', "~1"))
}

/// Joins an index to a JSON Pointer.
pub(crate) fn join_index(path: &str, index: usize) -> String {
    format!("{path}/{index}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_is_not_quoted() {
        for (text, expected) in [
            ("plain  text", Some("plain  text")),
            ("a \u{fffd} byte 500 error", Some("byte 500 error")),
            ("disk fu\u{fffd}ll on db now\u{fffd}", Some("on db")),
            ("\u{fffd}\u{fffd}", None),
            (" ", None),
        ] {
            let observation = Observation {
                invocation_id: "inv-1".into(),
                tool: "t".into(),
                arguments: Map::new(),
                body: Body::Json(serde_json::json!({"a": text})),
            };
            assert_eq!(Quote::value(0, &observation, "/a").map(|quote| quote.text).as_deref(), expected, "{text}");
            assert!(!Quote::piece(0, text).text.contains('\u{fffd}'));
            if text.contains('\u{fffd}') {
                assert_eq!(Quote::value(0, &observation, ""), None, "a whole object cannot be cut");
            }
        }
    }
}
