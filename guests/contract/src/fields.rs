//! Takes a JSON object apart, field by field, and says where it breaks its contract. No document is known here.

use crate::document::Violation;
use crate::json::{excerpt, pointer_segment};
use crate::limits::ID_CHARS_MAX;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt;

/// Where a value stands; built on the way in, written out only for a violation.
#[derive(Clone, Copy)]
pub(crate) enum Path<'p> {
    Root,
    Field(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(parent, name) => write!(f, "{parent}/{}", pointer_segment(name)),
            Self::Item(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

impl Path<'_> {
    pub(crate) fn violation(&self, message: impl Into<String>) -> Violation {
        Violation { path: self.to_string(), message: message.into() }
    }
}

/// What a text may look like.
#[derive(Clone, Copy)]
pub(crate) enum Text {
    /// At most so many characters.
    Any(usize),
    /// At most so many characters, not all of them white space as JSON knows it.
    NotBlank(usize),
    Id,
}

impl Text {
    fn read(self, value: Value, path: Path) -> Result<String, Violation> {
        let Value::String(text) = value else {
            return Err(path.violation(format!("must be a string, is {}", kind(&value))));
        };
        let chars_max = match self {
            Self::Any(chars_max) | Self::NotBlank(chars_max) => chars_max,
            Self::Id => ID_CHARS_MAX,
        };
        // Bytes are never fewer than characters, and are counted already.
        if text.len() > chars_max && text.chars().nth(chars_max).is_some() {
            return Err(path.violation(format!("longer than {chars_max} characters")));
        }
        match self {
            Self::NotBlank(_) if text.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n')) => {
                Err(path.violation("must not be blank"))
            }
            Self::Id if text.is_empty() || !text.bytes().all(is_id_byte) => {
                Err(path.violation(format!("{} is no id: use [A-Za-z0-9_.-]", excerpt(&text))))
            }
            Self::Any(_) | Self::NotBlank(_) | Self::Id => Ok(text),
        }
    }
}

fn is_id_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

/// An object whose fields are taken one by one; [`end`](Self::end) refuses what is left.
pub(crate) struct Fields<'p> {
    map: Map<String, Value>,
    path: Path<'p>,
}

impl<'p> Fields<'p> {
    pub(crate) fn of(value: Value, path: Path<'p>) -> Result<Self, Violation> {
        match value {
            Value::Object(map) => Ok(Self { map, path }),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                Err(path.violation(format!("must be an object, is {}", kind(&other))))
            }
        }
    }

    pub(crate) fn text(&mut self, name: &str, text: Text) -> Result<String, Violation> {
        let value = self.required(name)?;
        text.read(value, Path::Field(&self.path, name))
    }

    pub(crate) fn optional_text(&mut self, name: &str, text: Text) -> Result<Option<String>, Violation> {
        self.optional(name).map(|value| text.read(value, Path::Field(&self.path, name))).transpose()
    }

    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Violation> {
        let value = self.required(name)?;
        flag(&value, Path::Field(&self.path, name))
    }

    pub(crate) fn optional_flag(&mut self, name: &str) -> Result<Option<bool>, Violation> {
        self.optional(name).map(|value| flag(&value, Path::Field(&self.path, name))).transpose()
    }

    pub(crate) fn optional_object(&mut self, name: &str) -> Result<Option<Map<String, Value>>, Violation> {
        let Some(value) = self.optional(name) else { return Ok(None) };
        Fields::of(value, Path::Field(&self.path, name)).map(|fields| Some(fields.map))
    }

    /// One of a closed set of words.
    pub(crate) fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Result<T, Violation> {
        let value = self.required(name)?;
        let found = value.as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            Path::Field(&self.path, name).violation(format!("must be one of {}", words.join(", ")))
        })
    }

    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        items_max: usize,
        read: impl Fn(Value, Path) -> Result<T, Violation>,
    ) -> Result<Vec<T>, Violation> {
        let value = self.required(name)?;
        list(value, Path::Field(&self.path, name), items_max, read)
    }

    pub(crate) fn texts(&mut self, name: &str, items_max: usize, text: Text) -> Result<Vec<String>, Violation> {
        self.list(name, items_max, |value, path| text.read(value, path))
    }

    /// Absent is empty.
    pub(crate) fn optional_texts(
        &mut self,
        name: &str,
        items_max: usize,
        text: Text,
    ) -> Result<Vec<String>, Violation> {
        match self.optional(name) {
            Some(value) => list(value, Path::Field(&self.path, name), items_max, |value, path| text.read(value, path)),
            None => Ok(Vec::new()),
        }
    }

    /// No field may be left: an unknown one is a misunderstanding that nobody would notice.
    pub(crate) fn end(self) -> Result<(), Violation> {
        match self.map.keys().next() {
            Some(name) => Err(self.path.violation(format!("unknown field {}", excerpt(name)))),
            None => Ok(()),
        }
    }

    fn required(&mut self, name: &str) -> Result<Value, Violation> {
        self.map.swap_remove(name).ok_or_else(|| self.path.violation(format!("field {name} is missing")))
    }

    fn optional(&mut self, name: &str) -> Option<Value> {
        self.map.swap_remove(name).filter(|value| !value.is_null())
    }
}

/// Refuses an id that occurs twice in `list`, at its second place.
pub(crate) fn check_unique<'i>(
    path: Path,
    id_field: Option<&str>,
    ids: impl Iterator<Item = &'i str>,
) -> Result<(), Violation> {
    let mut seen = BTreeSet::new();
    for (index, id) in ids.enumerate() {
        if !seen.insert(id) {
            let item = Path::Item(&path, index);
            let place = id_field.map_or(item, |name| Path::Field(&item, name));
            return Err(place.violation(format!("{} occurs twice", excerpt(id))));
        }
    }
    Ok(())
}

fn list<T>(
    value: Value,
    path: Path,
    items_max: usize,
    read: impl Fn(Value, Path) -> Result<T, Violation>,
) -> Result<Vec<T>, Violation> {
    let Value::Array(items) = value else {
        return Err(path.violation(format!("must be an array, is {}", kind(&value))));
    };
    if items.len() > items_max {
        return Err(path.violation(format!("more than {items_max} items")));
    }
    items.into_iter().enumerate().map(|(index, item)| read(item, Path::Item(&path, index))).collect()
}

fn flag(value: &Value, path: Path) -> Result<bool, Violation> {
    value.as_bool().ok_or_else(|| path.violation(format!("must be true or false, is {}", kind(value))))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
