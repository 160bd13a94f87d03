//! Finds the one document in a model's text. The rules are stated at the crate's front; what a document holds beside
//! its `answer_version` is not known here.

use crate::document::Violation;
use crate::json::{self, Fault, excerpt};
use crate::limits::TEXT_BYTES_MAX;
use serde_json::{Map, Value};

/// The object of `text` whose `answer_version` is `version`.
pub(crate) fn document(text: &str, version: &str) -> Result<Map<String, Value>, Violation> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(Violation { path: String::new(), message: format!("longer than {TEXT_BYTES_MAX} bytes") });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut search = Search { text, version, found: Findings::default() };
    let mut at = 0;
    while let Some(mark) = next_mark(text, at) {
        at = search.step(mark);
    }
    search.found.conclude(version).map_err(|refusal| refusal.at_its_place(text))
}

/// Everything but these is prose.
fn next_mark(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes().get(from..)?;
    bytes.iter().position(|byte| matches!(byte, b'{' | b'[' | b'<')).map(|position| from + position)
}

struct Search<'t> {
    text: &'t str,
    version: &'t str,
    found: Findings,
}

impl Search<'_> {
    /// Takes in what stands at `mark`, and says where to look on: always behind it.
    fn step(&mut self, mark: usize) -> usize {
        let here = rest(self.text, mark);
        let len = match here.as_bytes().first() {
            Some(b'<') => self.tag(mark, here),
            _ => self.bracket(mark, here),
        };
        mark + len
    }

    fn tag(&mut self, mark: usize, here: &str) -> usize {
        if let Some(len) = closing_tag(here) {
            self.reasoning_ends();
            return len;
        }
        let Some(len) = opening_tag(here) else { return 1 };
        let reasoning = rest(here, len);
        let end = reasoning.match_indices("</").find(|(at, _)| closing_tag(rest(reasoning, *at)).is_some());
        end.map_or_else(
            || {
                self.found.refuse(|| Refusal::new(mark, "the reasoning is not closed"));
                here.len()
            },
            |(at, _)| len + at,
        )
    }

    /// All that was met so far is reasoning, and counts for nothing.
    fn reasoning_ends(&mut self) {
        self.found = Findings::default();
    }

    fn bracket(&mut self, start: usize, here: &str) -> usize {
        match json::read_front(here) {
            Ok((value, len)) => {
                self.value(start, here, len, value);
                len
            }
            Err(fault) => self.broken(start, here, fault),
        }
    }

    /// A bracket that does not begin strict JSON. What was read up to the fault is JSON as far as it goes, so it is
    /// not read again: that is what keeps the walk linear.
    fn broken(&mut self, start: usize, here: &str, fault: Fault) -> usize {
        if let Some(end) = last_closing_tag(front(here, fault.offset), here) {
            self.reasoning_ends();
            return end;
        }
        let Some(opening) = Opening::of(here) else { return fault.offset.max(1) };
        let len = extent(here, opening);
        let refusal = || Refusal { offset: start + fault.offset, path: fault.path, message: fault.reason };
        if self.names_version(here, len) {
            self.found.refuse(refusal);
        } else {
            self.found.explain(false, refusal);
        }
        len
    }

    /// A strict JSON value that stands at `start`.
    fn value(&mut self, start: usize, here: &str, len: usize, value: Value) {
        match value {
            Value::Object(map) if map.get("answer_version").and_then(Value::as_str) == Some(self.version) => {
                self.found.document(start, map);
                self.closing_brace(start + len);
            }
            Value::Object(map) => {
                let names_version = self.names_version(here, len);
                self.found.explain(names_version, || other_object(start, &map));
            }
            Value::Array(_) if self.names_version(here, len) => {
                self.found.explain(true, || Refusal::new(start, "the document stands in an array"));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {}
        }
    }

    /// A brace that closes nothing stands right behind the document that ends at `end`.
    fn closing_brace(&mut self, end: usize) {
        let after = rest(self.text, end);
        let beyond = after.trim_start_matches(is_space_fence_or_separator);
        if beyond.starts_with('}') {
            let mark = end + after.len() - beyond.len();
            self.found.refuse(|| Refusal::new(mark, "a closing brace too many"));
        }
    }

    fn names_version(&self, here: &str, len: usize) -> bool {
        here.get(..len).is_some_and(|part| part.contains(self.version))
    }
}

/// What may stand between a document and the end of a larger value that it is part of.
fn is_space_fence_or_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '`' | '~' | ']' | ',')
}

fn other_object(start: usize, map: &Map<String, Value>) -> Refusal {
    match map.get("answer_version") {
        None => Refusal::new(start, "an object without answer_version"),
        Some(version) => Refusal {
            offset: start,
            path: "/answer_version".to_owned(),
            message: match version.as_str() {
                Some(version) => format!("another answer_version: {}", excerpt(version)),
                None => "answer_version must be a string".to_owned(),
            },
        },
    }
}

/// What was met since the last closing reasoning tag.
#[derive(Default)]
struct Findings {
    document: Option<Map<String, Value>>,
    /// Why the text is refused although it may hold a document. The first reason counts.
    refusal: Option<Refusal>,
    /// What explains best why there is no document.
    explanation: Option<Explanation>,
}

struct Explanation {
    names_version: bool,
    refusal: Refusal,
}

impl Findings {
    fn document(&mut self, start: usize, map: Map<String, Value>) {
        match &self.document {
            None => self.document = Some(map),
            Some(first) if *first == map => {}
            Some(_) => self.refuse(|| Refusal::new(start, "ambiguous: a second document that differs")),
        }
    }

    fn refuse(&mut self, refusal: impl FnOnce() -> Refusal) {
        self.refusal.get_or_insert_with(refusal);
    }

    /// What names the wanted version explains better than what does not; else the first counts.
    fn explain(&mut self, names_version: bool, refusal: impl FnOnce() -> Refusal) {
        if self.explanation.as_ref().is_none_or(|known| names_version && !known.names_version) {
            self.explanation = Some(Explanation { names_version, refusal: refusal() });
        }
    }

    fn conclude(self, version: &str) -> Result<Map<String, Value>, Refusal> {
        match (self.refusal, self.document, self.explanation) {
            (Some(refusal), _, _) => Err(refusal),
            (None, Some(document), _) => Ok(document),
            (None, None, Some(Explanation { refusal, .. })) => {
                Err(Refusal { message: format!("no {version}: {}", refusal.message), ..refusal })
            }
            (None, None, None) => Err(Refusal::new(0, format!("no {version}: there is no JSON object"))),
        }
    }
}

/// A violation whose place in the text is not yet counted in lines.
struct Refusal {
    offset: usize,
    path: String,
    message: String,
}

impl Refusal {
    fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, path: String::new(), message: message.into() }
    }

    /// Lines and columns count from 1, columns in characters.
    fn at_its_place(self, text: &str) -> Violation {
        let before = front(text, self.offset);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        Violation { path: self.path, message: format!("{} (line {line}, column {column})", self.message) }
    }
}

/// What a bracket opens that is not strict JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// It begins as JSON does, so its strings may hold brackets, line breaks and fences.
    Json,
    /// A brace that no key follows: it reaches no further than the next fence, and its quotes may be apostrophes.
    Brace,
}

impl Opening {
    /// `None` is a square bracket of prose, as in a link or an interval.
    fn of(text: &str) -> Option<Self> {
        let mut bytes = text.bytes();
        let bracket = bytes.next();
        match (bracket, bytes.find(|byte| !byte.is_ascii_whitespace())) {
            (Some(b'{'), Some(b'"')) | (Some(b'['), Some(b'"' | b'{' | b'[')) => Some(Self::Json),
            (Some(b'{'), _) => Some(Self::Brace),
            _ => None,
        }
    }
}

/// How far something broken reaches, in bytes: to its closing bracket, to the end of the reasoning that it is part of,
/// or else to the end of `text`.
fn extent(text: &str, opening: Opening) -> usize {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' if closing_tag(rest(text, at)).is_some() => return at,
            b'\n' if opening == Opening::Brace => {
                if begins_fence(rest(text, at + 1)) {
                    return at;
                }
                in_string = false;
            }
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn begins_fence(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t']);
    line.starts_with("```") || line.starts_with("~~~")
}

fn opening_tag(text: &str) -> Option<usize> {
    tag_len(text, "<")
}

fn closing_tag(text: &str) -> Option<usize> {
    tag_len(text, "</")
}

/// Where the last closing tag that begins in `front` ends in `text`.
fn last_closing_tag(front: &str, text: &str) -> Option<usize> {
    front.rmatch_indices('<').find_map(|(at, _)| closing_tag(rest(text, at)).map(|len| at + len))
}

/// The length of the reasoning tag at the front of `text`, in whatever case it is written.
fn tag_len(text: &str, opening: &str) -> Option<usize> {
    let tag = text.strip_prefix(opening)?;
    ["think", "thinking", "reasoning", "thought"].into_iter().find_map(|name| {
        let found = tag.get(..name.len())?.eq_ignore_ascii_case(name) && rest(tag, name.len()).starts_with('>');
        found.then_some(opening.len() + name.len() + 1)
    })
}

/// The first `len` bytes, or less where that would split a character.
fn front(text: &str, len: usize) -> &str {
    (0..=len).rev().find_map(|end| text.get(..end)).unwrap_or_default()
}

fn rest(text: &str, from: usize) -> &str {
    text.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::document;
    use serde_json::Value;

    /// `text` with `D` for a document of version `v`, `E` for another one, and `O` for an object that is none;
    /// `expected` is the document that is found, or a word of the violation.
    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let spell = |text: &str| {
            let text = text.replace('D', r#"{"answer_version":"v1","n":1}"#);
            text.replace('E', r#"{"answer_version":"v1","n":2}"#).replace('O', r#"{"level":"error"}"#)
        };
        let found = document(&spell(text), "v1").map(|map| Value::Object(map).to_string());
        match expected {
            Ok(document) => assert_eq!(found.map_err(|violation| violation.message), Ok(spell(document)), "{text}"),
            Err(message) => {
                let violation = found.unwrap_err();
                assert!(violation.message.contains(message), "{text}: {violation:?}");
            }
        }
    }

    #[test]
    fn wrapping_is_removed() {
        // R-PARSE-01
        for text in [
            "D",
            " \r\n D\n",
            "\u{feff}D",
            "before D after",
            "```json\nD\n```",
            "```json\r\nD\r\n```",
            "```D```",
            "~~~\nD\n~~~",
            "`D`",
            "<answer>D</answer>",
            "O D O",
            "[] [1] D",
            "[link](x) [0, 5) D",
            "{x} {{ y }} D",
            "it's {a \"b\"} D",
            "5\" wide D",
            "{\"a\": ...} D",
            "{a,\n```json\nD\n```",
            "D\n```\nD\n```",
            "a } D",
        ] {
            check(text, Ok("D"));
        }
    }

    #[test]
    fn reasoning_is_dropped() {
        // R-PARSE-01
        for text in [
            "<think>x</think>D",
            "x</think>D",
            "E</think>D",
            "<think>E</think>D",
            "E</think>E</THINKING> D",
            "{</think>D",
            "{\"answer_version\": \"v1\", \"n</think>D",
            "[1, \"</think>D",
            "[tru</think>D",
            "<reasoning>[{</reasoning>D",
            "<think> \"</think>\" E </think>D",
            "</think> D <b>",
        ] {
            check(text, Ok("D"));
        }
        check("D</think>", Err("no JSON object"));
        check("D<think>E</think>", Err("no JSON object"));
        check("D<think>E", Err("the reasoning is not closed (line 1, column 30)"));
        check("<think>D", Err("the reasoning is not closed"));
        check("< think> D </ think> <thinker>", Ok("D"));
    }

    #[test]
    fn content_is_not_wrapping() {
        // R-PARSE-01
        for text in [
            r#"{"answer_version":"v1","t":"</think>"}"#,
            r#"{"answer_version":"v1","t":"<think>"}"#,
            r#"{"answer_version":"v1","t":"```json\n{}```"}"#,
            r#"{"answer_version":"v1","t":{"answer_version":"v1"}}"#,
            r#"{"answer_version":"v1","t":"\u007b \" } ] \u201cso\u201d"}"#,
        ] {
            let found = document(&format!("so: {text} </b>"), "v1").unwrap();
            assert_eq!(Value::Object(found), serde_json::from_str::<Value>(text).unwrap());
        }
    }

    #[test]
    fn what_was_meant_as_the_document_is_not_passed_over() {
        // R-PARSE-01
        for (text, message) in [
            (r#"{"answer_version":"v1","n":1,"n":1}"#, "duplicate key \"n\" (line 1, column 32)"),
            (r#"{"answer_version":"v1","m":{"n":1,"n":1}} D"#, "duplicate key \"n\""),
            (r#"D {"answer_version":"v1",}"#, "trailing comma"),
            (r#"{"answer_version":"v1","n":"#, "EOF while parsing a value (line 1, column 27)"),
            (r#"{"n": [D, ], "answer_version":"v1"}"#, "trailing comma"),
            ("{'answer_version': 'v1', 'draft': D}", "key must be a string (line 1, column 2)"),
            ("{answer_version: \"v1\", draft: D}", "key must be a string"),
            ("{// note\n\"answer_version\": \"v1\", \"draft\": D}", "key must be a string"),
            ("{\"n\": \"two\nlines\", \"draft\": D}", "control character"),
            ("{\"n\": \"\n```json\nD\n```\n\"}", "control character"),
            ("{\"n\": NaN, \"draft\": D}", "expected value"),
            ("[D, ]", "trailing comma"),
            ("[[D]", "EOF"),
            ("[\"a\", D", "EOF"),
            ("{{D}}", "key must be a string"),
            ("{\"a\" D", "expected `:`"),
        ] {
            check(text, Err(message));
        }
    }

    #[test]
    fn a_closing_brace_in_prose_is_prose() {
        // R-PARSE-01
        for text in ["D … and } done", "```json\nD\n```\nNote: } closes it.", "} D", "D {x} }", "D and D, then }"] {
            check(text, Ok("D"));
        }
    }

    #[test]
    fn more_than_wrapping_is_refused() {
        // R-PARSE-01
        for (text, message) in [
            ("", "no v1: there is no JSON object (line 1, column 1)"),
            ("the answer_version v1", "there is no JSON object"),
            ("\u{feff}\u{feff}", "there is no JSON object"),
            ("D E", "ambiguous: a second document that differs (line 1, column 31)"),
            ("```json\nD\n```\n```json\nE\n```", "ambiguous: a second document that differs (line 5, column 1)"),
            ("D}", "a closing brace too many (line 1, column 30)"),
            ("D\n }", "a closing brace too many"),
            ("```json\nD\n```\n}", "a closing brace too many (line 4, column 1)"),
            ("D],\n}", "a closing brace too many"),
            ("D and D}", "a closing brace too many"),
            ("[D]", "no v1: the document stands in an array"),
            ("[[D], 1] O", "the document stands in an array"),
            ("[1, D", "there is no JSON object"),
            ("O", "no v1: an object without answer_version"),
            (r#"{"result": D}"#, "an object without answer_version"),
            (r#""{\"answer_version\":\"v1\"}""#, "key must be a string"),
            (r#"{"answer_version":"v2"}"#, "no v1: another answer_version: \"v2\""),
            (r#"{"answer_version":1}"#, "answer_version must be a string"),
            (r#"{"level":"error"#, "no v1: EOF while parsing a string"),
        ] {
            check(text, Err(message));
        }
    }

    #[test]
    fn a_violation_quotes_little() {
        // R-PARSE-01
        let long = "x".repeat(5_000);
        for text in [
            format!(r#"{{"answer_version":"{long}"}}"#),
            format!(r#"{{"answer_version":"v1","{long}":1,"{long}":2}}"#),
            format!(r#"{{"answer_version":"v1","{long}":1,}}"#),
            format!(r#"{{"answer_version":"v1","{long}":{{"{long}":tru}}}}"#),
        ] {
            let violation = document(&text, "v1").unwrap_err();
            assert!(violation.message.len() + violation.path.len() < 160, "{violation:?}");
        }
    }
}
