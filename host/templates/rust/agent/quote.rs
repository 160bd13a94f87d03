//! Finds in a tool output the place that speaks of a failure: a line to quote, and the path that leads to it.
//! A single word is a label, such as a level or the name of a metric, and says nothing of what went wrong.

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
        let speaks = line.split_whitespace().nth(1).is_some() && FAILURE.iter().any(|word| lower.contains(word));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, expected: Option<(&str, &str)>) {
        let expected = expected.map(|(path, line)| Quote { path: path.into(), line: line.into() });
        assert_eq!(find(output), expected, "{output}");
    }

    #[test]
    fn the_first_line_that_speaks_of_a_failure_is_quoted() {
        check(r#"{"lines": [{"m": "it started"}, {"m": "pool exhausted"}]}"#, Some(("/lines/1/m", "pool exhausted")));
        check(r#"{"a/b~c": "ERROR 7"}"#, Some(("/a~1b~0c", "ERROR 7")));
        check("GET /\r\n  ERROR no route \r\nbye", Some(("", "ERROR no route")));
        check(r#"["all fine\nconnection refused\nall fine"]"#, Some(("/0", "connection refused")));
    }

    #[test]
    fn where_nothing_fails_nothing_is_quoted() {
        let deep = "[".repeat(500);
        for output in
            ["", "{}", "null", "[1, true]", "all is well", r#"{"level": "error"}"#, "ERROR caf\u{fffd}", &deep]
        {
            check(output, None);
        }
    }

    #[test]
    fn a_long_line_is_cut_between_two_words() {
        let long = format!("ERROR {} end", "x".repeat(292));
        check(&long, Some(("", &long[..298])));
        check(&format!("{} ERROR", "x".repeat(400)), None);
    }
}
