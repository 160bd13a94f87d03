//! What a tool recorded: an output, and one value in it.

use super::path::Path;
use super::{GateReason, decimal::Decimal};
use crate::json;
use serde_json::{Number, Value};
use std::borrow::Cow;

/// A recorded output, read once.
pub(super) enum Output<'a> {
    Json(Value),
    /// Anything that is no JSON, with U+FFFD for what is no UTF-8.
    Text(Cow<'a, str>),
}

/// A recorded value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Recorded<'v> {
    Text(&'v str),
    Number(&'v Number),
    /// `true`, `false` or `null`.
    Literal(&'static str),
    /// An object or an array.
    Tree(&'v Value),
}

impl<'a> Output<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        // An owned text is a repaired one, and JSON is always UTF-8.
        match &text {
            Cow::Borrowed(valid) => json::read(valid).map_or(Self::Text(text), Self::Json),
            Cow::Owned(_) => Self::Text(text),
        }
    }

    pub(super) fn value(&self, path: &Path) -> Result<Recorded<'_>, GateReason> {
        match self {
            Self::Json(root) => path.resolve(root).map(Recorded::of).ok_or(GateReason::PathNotFound),
            Self::Text(text) if path.is_whole() => Ok(Recorded::Text(text)),
            Self::Text(_) => Err(GateReason::OutputNotJson),
        }
    }
}

impl<'v> Recorded<'v> {
    pub(super) fn of(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Literal("null"),
            Value::Bool(true) => Self::Literal("true"),
            Value::Bool(false) => Self::Literal("false"),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text),
            Value::Array(_) | Value::Object(_) => Self::Tree(value),
        }
    }

    /// As a citation shows it: text as it was recorded, anything else as compact JSON.
    pub(super) fn to_text(self) -> String {
        match self {
            Self::Text(text) => text.to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Literal(literal) => literal.to_owned(),
            Self::Tree(value) => value.to_string(),
        }
    }
}

/// What a quote matched.
#[derive(Debug, Clone, Copy)]
pub(super) enum Matched<'v> {
    /// A value as a whole. Its unit, if it is a number, stands elsewhere.
    Whole(Recorded<'v>),
    /// A part of a longer text, and whether a percent sign follows it there.
    Part { text: &'v str, before_percent: bool },
}

impl Matched<'_> {
    /// As a citation shows it.
    pub(super) fn to_text(self) -> String {
        match self {
            Self::Whole(value) => value.to_text(),
            Self::Part { text, before_percent: _ } => text.to_owned(),
        }
    }
}

/// Calls `visit` with each scalar in `root`, `root` included. It does not recurse: the depth is the output's.
pub(super) fn each_scalar<'v>(root: &'v Value, mut visit: impl FnMut(Recorded<'v>)) {
    let mut waiting = vec![root];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(entries) => waiting.extend(entries.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => visit(Recorded::of(value)),
        }
    }
}

/// Whether two JSON values are structurally equal: numbers as exact decimals, keys in any order, texts as they are.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            Decimal::parse(left.as_str()).is_some_and(|value| Some(value) == Decimal::parse(right.as_str()))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        (
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_),
            _,
        ) => left == right,
    }
}
