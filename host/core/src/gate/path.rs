//! `raw_path`: the whole output, a JSON Pointer (RFC 6901), or a JSONPath of names and indexes (RFC 9535).
//!
//! Paths are read here and not by a JSONPath library, because they come from a model: the library's time doubles with
//! each nested filter. It serves the tests as an oracle.

use serde_json::Value;

/// A well-formed path that names at most one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Name(String),
    /// From the end when negative.
    Index(i64),
    /// A token of a JSON Pointer: which of the two it is, the value decides.
    Token(String),
}

/// Why a text is no such path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathError {
    Syntax,
    /// It holds a wildcard, slice, list, filter or descendant. What comes after that is not read.
    NotSingular,
}

/// Indexes beyond what JSON numbers hold exactly are no indexes (RFC 9535, section 2.1).
const INDEX_MAX: i64 = (1 << 53) - 1;

impl Path {
    pub(super) fn parse(raw: &str) -> Result<Self, PathError> {
        let steps = match raw.chars().next() {
            None => Vec::new(),
            Some('/') => pointer(raw)?,
            Some('$') => Reader { rest: raw.get(1..).unwrap_or_default() }.segments()?,
            Some(_) => return Err(PathError::Syntax),
        };
        Ok(Self { steps })
    }

    pub(super) fn is_whole(&self) -> bool {
        self.steps.is_empty()
    }

    pub(super) fn resolve<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.steps.iter().try_fold(root, |value, step| match (step, value) {
            (Step::Name(name) | Step::Token(name), Value::Object(object)) => object.get(name),
            (Step::Index(index), Value::Array(array)) => match usize::try_from(*index) {
                Ok(index) => array.get(index),
                Err(_) => array.get(array.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?),
            },
            (Step::Token(token), Value::Array(array)) => array.get(array_index(token)?),
            (Step::Name(_) | Step::Index(_) | Step::Token(_), _) => None,
        })
    }
}

/// An array index as RFC 6901 writes it. `-`, the place after the last element, holds no value.
fn array_index(token: &str) -> Option<usize> {
    let padded = token.len() > 1 && token.starts_with('0');
    let digits = token.bytes().all(|byte| byte.is_ascii_digit());
    if digits && !padded { token.parse().ok() } else { None }
}

fn pointer(raw: &str) -> Result<Vec<Step>, PathError> {
    raw.split('/').skip(1).map(|token| unescape(token).map(Step::Token)).collect()
}

/// `~1` is `/` and `~0` is `~`; any other tilde is an error.
fn unescape(token: &str) -> Result<String, PathError> {
    let mut parts = token.split('~');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (tilde, rest) = match (part.strip_prefix('0'), part.strip_prefix('1')) {
            (Some(rest), _) => ('~', rest),
            (None, Some(rest)) => ('/', rest),
            (None, None) => return Err(PathError::Syntax),
        };
        text.push(tilde);
        text.push_str(rest);
    }
    Ok(text)
}

/// Reads a JSONPath after its `$`.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn segments(&mut self) -> Result<Vec<Step>, PathError> {
        let mut steps = Vec::new();
        while !self.rest.is_empty() {
            self.skip_blank();
            steps.push(match self.next() {
                Some('.') => self.shorthand()?,
                Some('[') => self.bracket()?,
                Some(_) | None => return Err(PathError::Syntax),
            });
        }
        Ok(steps)
    }

    /// After a dot.
    fn shorthand(&mut self) -> Result<Step, PathError> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
        let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end).ok_or(PathError::Syntax)?;
        match name.chars().next() {
            Some(first) if !first.is_ascii_digit() => {}
            None if self.rest.starts_with(['.', '*']) => return Err(PathError::NotSingular),
            Some(_) | None => return Err(PathError::Syntax),
        }
        self.rest = rest;
        Ok(Step::Name(name.to_owned()))
    }

    /// After an opening bracket.
    fn bracket(&mut self) -> Result<Step, PathError> {
        self.skip_blank();
        let step = match self.rest.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                self.next();
                Step::Name(self.string(quote)?)
            }
            Some('-' | '0'..='9') => Step::Index(self.index()?),
            Some('*' | ':' | '?') => return Err(PathError::NotSingular),
            Some(_) | None => return Err(PathError::Syntax),
        };
        self.skip_blank();
        match (self.next(), &step) {
            (Some(']'), _) => Ok(step),
            (Some(','), _) | (Some(':'), Step::Index(_)) => Err(PathError::NotSingular),
            (Some(_) | None, _) => Err(PathError::Syntax),
        }
    }

    fn index(&mut self) -> Result<i64, PathError> {
        let end = self.rest.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (written, rest) = self.rest.split_at_checked(end).ok_or(PathError::Syntax)?;
        let index: i64 = written.parse().map_err(|_| PathError::Syntax)?;
        // Neither `-0` nor padding zeros: an index is written in one way.
        if index.to_string() != written || index.unsigned_abs() > INDEX_MAX.unsigned_abs() {
            return Err(PathError::Syntax);
        }
        self.rest = rest;
        Ok(index)
    }

    /// After an opening quote.
    fn string(&mut self, quote: char) -> Result<String, PathError> {
        let mut text = String::new();
        loop {
            match self.next().ok_or(PathError::Syntax)? {
                '\\' => text.push(self.escaped(quote)?),
                end if end == quote => return Ok(text),
                '\0'..='\u{1f}' => return Err(PathError::Syntax),
                plain => text.push(plain),
            }
        }
    }

    /// After a backslash.
    fn escaped(&mut self, quote: char) -> Result<char, PathError> {
        Ok(match self.next().ok_or(PathError::Syntax)? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => self.code_point()?,
            same if same == quote || matches!(same, '/' | '\\') => same,
            _ => return Err(PathError::Syntax),
        })
    }

    /// After `\u`: a character, or the first half of a surrogate pair whose second half must follow.
    fn code_point(&mut self) -> Result<char, PathError> {
        let mut units = vec![self.hex()?];
        if matches!(units.first(), Some(0xd800..=0xdbff)) {
            self.rest = self.rest.strip_prefix("\\u").ok_or(PathError::Syntax)?;
            units.push(self.hex()?);
        }
        let text = String::from_utf16(&units).map_err(|_| PathError::Syntax)?;
        text.chars().next().ok_or(PathError::Syntax)
    }

    fn hex(&mut self) -> Result<u16, PathError> {
        let (digits, rest) = self.rest.split_at_checked(4).ok_or(PathError::Syntax)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(PathError::Syntax);
        }
        self.rest = rest;
        u16::from_str_radix(digits, 16).map_err(|_| PathError::Syntax)
    }

    fn skip_blank(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn document() -> Value {
        json!({
            "": "empty", "a": {"b": [10, 20, {"c": "deep"}]}, "a.b": "dot", "m/n": "slash", "t~x": "tilde", "~1": "both",
            "it's": "quote", "\"": "double", "é": "name", "0": "zero", "-": "dash", "\u{1f980}": "crab", "tab\t": "tab"
        })
    }

    #[test]
    fn resolves_to_the_one_value_that_it_names() {
        // R-GATE-07
        let whole = document();
        for (path, value) in [
            ("", Some(&whole)),
            ("$", Some(&whole)),
            ("/", Some(&json!("empty"))),
            ("/a/b/0", Some(&json!(10))),
            ("/a/b/2/c", Some(&json!("deep"))),
            ("/a.b", Some(&json!("dot"))),
            ("/m~1n", Some(&json!("slash"))),
            ("/t~0x", Some(&json!("tilde"))),
            ("/~01", Some(&json!("both"))),
            ("/0", Some(&json!("zero"))),
            ("/-", Some(&json!("dash"))),
            ("/a/b/-", None),
            ("/a/b/00", None),
            ("/a/b/+1", None),
            ("/a/b/-1", None),
            ("/a/b/3", None),
            ("/a/b/99999999999999999999", None),
            ("/a/b/", None),
            ("/a/b/0/0", None),
            ("$.a.b[0]", Some(&json!(10))),
            ("$.a.b[-1].c", Some(&json!("deep"))),
            ("$['a']['b'][2]['c']", Some(&json!("deep"))),
            ("$ [ 'a' ]\t.b\n[ 1 ]", Some(&json!(20))),
            ("$['a.b']", Some(&json!("dot"))),
            ("$[\"m/n\"]", Some(&json!("slash"))),
            ("$['m\\/n']", Some(&json!("slash"))),
            ("$['it\\'s']", Some(&json!("quote"))),
            ("$[\"it's\"]", Some(&json!("quote"))),
            ("$['\"']", Some(&json!("double"))),
            ("$.é", Some(&json!("name"))),
            ("$['\\u00e9']", Some(&json!("name"))),
            ("$['\\ud83e\\udd80']", Some(&json!("crab"))),
            ("$['tab\\t']", Some(&json!("tab"))),
            ("$['']", Some(&json!("empty"))),
            ("$.a.b[-4]", None),
            ("$.a.b[3]", None),
            ("$.a.b['0']", None),
            ("$.a[0]", None),
            ("$[0]", None),
            ("$.missing.b", None),
        ] {
            assert_eq!(Path::parse(path).unwrap().resolve(&whole), value, "{path:?}");
        }
    }

    #[test]
    fn refuses_what_is_malformed_or_plural() {
        // R-GATE-07
        for path in [
            "a",
            "rows[0]",
            "@.a",
            " $",
            "$ ",
            "$.",
            "$.a ",
            "$a",
            "$.a/b",
            "$.a-b",
            "$.0",
            "$. a",
            "$[",
            "$[]",
            "$[a]",
            "$['a'",
            "$['a]",
            "$['a'b]",
            "$[\"it\\'s\"]",
            "$['\\x']",
            "$['\\u12']",
            "$['\\ud83e']",
            "$['\\udd80']",
            "$['\\ud83e\\u0041']",
            "$['\t']",
            "$[00]",
            "$[-0]",
            "$[01]",
            "$[--1]",
            "$[1-]",
            "$[+1]",
            "$[1.0]",
            "$[9007199254740992]",
            "$[-9223372036854775808]",
            "$[99999999999999999999]",
            "/a~",
            "/a~2",
            "/~a/b",
        ] {
            assert_eq!(Path::parse(path), Err(PathError::Syntax), "{path:?}");
        }
        for path in
            ["$.*", "$..a", "$[*]", "$[0,1]", "$['a','b']", "$[1:2]", "$[:2]", "$[?@.a]", "$.a.b[*].c", "$..[0]"]
        {
            assert_eq!(Path::parse(path), Err(PathError::NotSingular), "{path:?}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_library(path in r#"\$([ ]{0,1}(\.(a|b|c|é|0|\*)|\[ ?(-?[0-3]|'(a|b|it\\'s|m\\?/n|\\u00e9)'|"(a|a\.b|it's|\\")"|\*|0:1|0,1) ?\])){0,4}"#) {
            let whole = document();
            let library = serde_json_path::JsonPath::parse(&path);
            match Path::parse(&path) {
                Ok(path) => {
                    let found = library.unwrap().query(&whole);
                    prop_assert_eq!(path.resolve(&whole), found.at_most_one().unwrap());
                }
                Err(PathError::Syntax) => prop_assert!(library.is_err()),
                // What comes after the first plural step is not read, so the library may still refuse the path.
                Err(PathError::NotSingular) => {}
            }
        }

        #[test]
        fn reads_any_text_without_panic(path in r#"[$/]?[\[\].'"\\~0-9a-z*,:?@ é-]{0,24}"#) {
            let read = Path::parse(&path);
            if let (Err(PathError::Syntax), Some('$')) = (read, path.chars().next()) {
                // Bounded, because the library is exponential in nested filters.
                prop_assert!(path.matches('?').count() > 3 || serde_json_path::JsonPath::parse(&path).is_err());
            }
        }
    }
}
