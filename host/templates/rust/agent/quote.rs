//! Finds in a tool output the place that speaks of a failure: a line to quote, and the path that leads to it.

use serde_json::Value;

/// One line of a tool output.
#[derive(Debug, PartialEq, Eq)]
pub struct Quote {
    /// A JSON Pointer (RFC 6901); empty for the whole output.
    pub path: String,
    pub line: String,
}

/// A quote is for a person to read.
const LINE_CHARS_MAX: usize = 300;
/// What a binding allows.
const PATH_CHARS_MAX: usize = 1_024;

/// Words, in lower case, that a line about a failure holds.
const FAILURE: [&str; 9] =
    ["error", "fail", "fatal", "exhausted", "refused", "timeout", "timed out", "denied", "unavailable"];

/// The first line of the output that speaks of a failure, if there is one.
pub fn find(output: &str) -> Option<Quote> {
    match serde_json::from_str::<Value>(output) {
        Ok(value) => in_value(&value, &mut String::new()),
        Err(_) => in_text(output).map(|line| Quote { path: String::new(), line }),
    }
}

/// The depth is bounded by `serde_json`, which refuses to read more than 128 levels.
fn in_value(value: &Value, path: &mut String) -> Option<Quote> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
        Value::String(text) => {
            let line = in_text(text).filter(|_| path.chars().count() <= PATH_CHARS_MAX)?;
            Some(Quote { path: path.clone(), line })
        }
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| below(path, &index.to_string(), item)),
        Value::Object(fields) => {
            fields.iter().find_map(|(name, field)| below(path, &name.replace('~', "~0").replace('/', "~1"), field))
        }
    }
}

fn below(path: &mut String, segment: &str, value: &Value) -> Option<Quote> {
    let end = path.len();
    path.push('/');
    path.push_str(segment);
    let found = in_value(value, path);
    path.truncate(end);
    found
}

fn in_text(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let lower = line.to_lowercase();
        let speaks = FAILURE.iter().any(|word| lower.contains(word));
        // Bytes that were no text are never matched.
        (speaks && !line.contains('\u{fffd}')).then(|| shortened(line.trim())).flatten().map(str::to_owned)
    })
}

/// As many whole words as fit: a quote may not end within one.
fn shortened(line: &str) -> Option<&str> {
    let Some((end, _)) = line.char_indices().nth(LINE_CHARS_MAX) else { return Some(line) };
    let front = line.get(..end)?;
    front.rsplit_once(' ').map(|(words, _)| words.trim_end())
}
