//! What a comparison found, and how two results are compared. Pure: it knows texts, not components.

use crate::digest::sha256_hex;
use portcullis_core::answer::turns_text;
use portcullis_core::json;
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{AttemptFailure, Role};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::time::Duration;

/// Characters of a text that are shown around the place where it parts from the other.
const EXCERPT_CHARS: usize = 80;
/// Bytes of them that come before that place.
const LEAD_BYTES: usize = 24;
/// A place in a document is shown in so many characters.
const POINTER_CHARS: usize = 200;

/// What one call of a candidate gave, beside what the current component gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Comparison {
    #[serde(serialize_with = "world")]
    pub role: Role,
    /// 1, or 2 after the evidence retry.
    pub round: u8,
    /// 1, or 2 for a technical retry.
    pub attempt: u8,
    pub stage: Stage,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The candidate had made another input for the agent, so what it heard from the agent answers another question.
    pub other_input: bool,
    /// How long the current component took; the agent's own time is taken off.
    #[serde(rename = "ours_us", serialize_with = "micros")]
    pub ours: Duration,
    #[serde(rename = "theirs_us", serialize_with = "micros")]
    pub theirs: Duration,
}

/// Which call it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// From the projection to the agent's input.
    Prepare,
    /// From the agent's reply to the text that the parser gets.
    Attempt,
    /// From the text to a document or a violation.
    Parse,
}

/// How the two results compare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The same bytes, with their digest in hex.
    Same {
        bytes: usize,
        sha256: String,
    },
    /// The agent failed both, as it was heard. Any other failure leaves nothing to compare.
    SameFailure {
        #[serde(rename = "reason_code")]
        reason: ReasonCode,
    },
    Differs(Difference),
    /// The candidate failed, or there was nothing to compare it with. The detail may hold a guest's words, bounded.
    Failed {
        #[serde(rename = "reason_code")]
        reason: ReasonCode,
        detail: String,
    },
}

/// What is not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "difference", rename_all = "snake_case")]
pub enum Difference {
    /// The bytes part at `offset`.
    Text {
        offset: usize,
        /// Where both are JSON: the first value that differs, as a JSON Pointer (RFC 6901). None when only the order of
        /// keys or white space does.
        pointer: Option<String>,
        ours: Side,
        theirs: Side,
    },
    /// The same text, but the agent was asked another number of times.
    Invocations { ours: usize, theirs: usize },
    /// The current component failed, the candidate did not.
    OnlyOursFailed {
        #[serde(rename = "reason_code")]
        reason: ReasonCode,
    },
}

/// One of two texts that differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Side {
    pub bytes: usize,
    /// What stands around the first difference: bounded, and without marks that would steer a terminal.
    pub excerpt: String,
}

impl Stage {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Attempt => "attempt",
            Self::Parse => "parse",
        }
    }
}

/// What the agent or the run's budget did, and no component can do of itself.
const fn is_of_the_agent(reason: ReasonCode) -> bool {
    matches!(
        reason,
        ReasonCode::InvokeTimeout
            | ReasonCode::InvokeTransient
            | ReasonCode::InvokePermanent
            | ReasonCode::ToolBlocked
            | ReasonCode::RunBudget
    )
}

impl Outcome {
    /// The candidate may take the place of the current component, as far as this call tells.
    pub const fn is_same(&self) -> bool {
        match self {
            Self::Same { .. } | Self::SameFailure { .. } => true,
            Self::Differs(_) | Self::Failed { .. } => false,
        }
    }

    pub(super) fn of(ours: &Result<String, ReasonCode>, theirs: Result<&str, &AttemptFailure>) -> Self {
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) if ours == theirs => {
                Self::Same { bytes: ours.len(), sha256: sha256_hex(ours.as_bytes()) }
            }
            (Ok(ours), Ok(theirs)) => Self::Differs(Difference::of(ours, theirs)),
            (Err(reason), Ok(_)) => Self::Differs(Difference::OnlyOursFailed { reason: *reason }),
            (Err(reason), Err(theirs)) if *reason == theirs.reason && is_of_the_agent(*reason) => {
                Self::SameFailure { reason: *reason }
            }
            (Ok(_) | Err(_), Err(theirs)) => Self::Failed { reason: theirs.reason, detail: theirs.detail.clone() },
        }
    }

    /// The run's time was over before the current component was done.
    pub(super) fn nothing_to_compare_with() -> Self {
        let detail = "the run ended the current component: there is nothing to compare with".to_owned();
        Self::Failed { reason: ReasonCode::RunBudget, detail }
    }
}

impl Difference {
    /// Where the two part, in words without a payload.
    pub fn place(&self) -> String {
        match self {
            Self::Text { offset, pointer: Some(pointer), .. } if pointer.is_empty() => {
                format!("byte {offset}, the whole document")
            }
            Self::Text { offset, pointer: Some(pointer), .. } => format!("byte {offset}, {pointer}"),
            Self::Text { offset, pointer: None, .. } => format!("byte {offset}"),
            Self::Invocations { ours, theirs } => format!("the agent was asked {theirs} times, not {ours}"),
            Self::OnlyOursFailed { reason } => format!("the current one failed: {}", reason.as_str()),
        }
    }

    fn of(ours: &str, theirs: &str) -> Self {
        let offset = ours.bytes().zip(theirs.bytes()).take_while(|(our, their)| our == their).count();
        let pointer = match (json::read(ours), json::read(theirs)) {
            (Ok(ours), Ok(theirs)) => parting(&ours, &theirs).map(|pointer| shown(&pointer, POINTER_CHARS)),
            (Ok(_) | Err(_), Ok(_) | Err(_)) => None,
        };
        let side = |text: &str| Side { bytes: text.len(), excerpt: excerpt(text, offset) };
        Self::Text { offset, pointer, ours: side(ours), theirs: side(theirs) }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn world<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(role.world())
}

fn micros<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

/// The first value of a document that is another one in the other document, or is not there.
fn parting(ours: &Value, theirs: &Value) -> Option<String> {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let changed = ours.iter().find_map(|(key, value)| match theirs.get(key) {
                Some(other) => parting(value, other).map(|rest| step(key) + &rest),
                None => Some(step(key)),
            });
            changed.or_else(|| theirs.keys().find(|key| !ours.contains_key(*key)).map(|key| step(key)))
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            let pairs = ours.iter().zip(theirs).enumerate();
            let changed = pairs.into_iter().find_map(|(at, (ours, theirs))| {
                let rest = parting(ours, theirs)?;
                Some(format!("/{at}{rest}"))
            });
            changed.or_else(|| (ours.len() != theirs.len()).then(|| format!("/{}", ours.len().min(theirs.len()))))
        }
        (ours, theirs) => (ours != theirs).then(String::new),
    }
}

fn step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn excerpt(text: &str, offset: usize) -> String {
    let start = text.floor_char_boundary(offset.saturating_sub(LEAD_BYTES));
    let rest = shown(text.get(start..).unwrap_or_default(), EXCERPT_CHARS);
    if start > 0 { format!("…{rest}") } else { rest }
}

/// The beginning of a foreign text, fit for one line of a terminal.
fn shown(text: &str, chars: usize) -> String {
    let harmless = |c: char| if c.is_control() || turns_text(c) { '\u{FFFD}' } else { c };
    let mut shown: String = text.chars().take(chars).map(harmless).collect();
    if text.chars().nth(chars).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(reason: ReasonCode) -> AttemptFailure {
        AttemptFailure { class: portcullis_plugins::FailureClass::NonRetryable, reason, detail: "why".into() }
    }

    #[test]
    fn the_place_is_the_first_byte_and_the_first_value_that_differs() {
        // R-HOST-08
        for (ours, theirs, offset, pointer) in [
            (r#"{"a":1,"b":[1,2]}"#, r#"{"a":1,"b":[1,3]}"#, 14, Some("/b/1")),
            (r#"{"b":[1]}"#, r#"{"b":[1,2]}"#, 7, Some("/b/1")),
            (r#"{"b":[1,2]}"#, r#"{"b":[1]}"#, 7, Some("/b/1")),
            (r#"{"a/b":{"~":1}}"#, r#"{"a/b":{}}"#, 8, Some("/a~1b/~0")),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, 6, Some("/b")),
            (r#"{"a":1}"#, r#"{"a":1.0}"#, 6, Some("/a")),
            ("1", "[1]", 0, Some("")),
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, 2, None),
            (r#"{"a":1}"#, r#"{"a": 1}"#, 5, None),
            (r#"{"a":1}"#, r#"{"a":1,"a":2}"#, 6, None),
            ("plain", "place", 3, None),
            ("text", "text and more", 4, None),
            ("", "x", 0, None),
        ] {
            let Difference::Text { offset: found, pointer: place, .. } = Difference::of(ours, theirs) else {
                panic!("no texts: {ours}")
            };
            assert_eq!((found, place.as_deref()), (offset, pointer), "{ours} {theirs}");
        }
    }

    #[test]
    fn an_excerpt_is_bounded_and_harmless_wherever_the_texts_part() {
        // R-HOST-03
        let long = "é".repeat(1_000);
        for (ours, theirs) in [
            (format!("{long}a{long}"), format!("{long}b{long}")),
            // They part inside a character.
            (format!("{long}é"), format!("{long}è")),
            ("\u{1b}[31m\u{202e}red\n".to_owned(), String::new()),
        ] {
            let Difference::Text { ours: one, theirs: other, .. } = Difference::of(&ours, &theirs) else {
                panic!("no texts")
            };
            assert_eq!((one.bytes, other.bytes), (ours.len(), theirs.len()));
            for shown in [one.excerpt, other.excerpt] {
                assert!(shown.chars().count() <= EXCERPT_CHARS + 2, "{shown}");
                assert!(!shown.chars().any(|c| c.is_control() || turns_text(c)), "{shown:?}");
            }
        }
        let key = format!("{{\"{}\\n\":1}}", "k".repeat(1_000));
        let Difference::Text { pointer: Some(pointer), .. } = Difference::of(&key, "{}") else { panic!("no place") };
        assert_eq!(pointer.chars().count(), POINTER_CHARS + 1);
    }

    #[test]
    fn only_the_same_end_is_the_same() {
        // R-NODE-07
        let (text, trap) = (|| Ok("text".to_owned()), failure(ReasonCode::GuestTrapped));
        let check = |ours: Result<String, ReasonCode>, theirs: Result<&str, &AttemptFailure>, is_same: bool| {
            let outcome = Outcome::of(&ours, theirs);
            assert_eq!(outcome.is_same(), is_same, "{outcome:?}");
        };
        check(text(), Ok("text"), true);
        check(text(), Ok("text "), false);
        check(text(), Err(&trap), false);
        check(Err(ReasonCode::GuestTrapped), Ok("text"), false);
        check(Err(ReasonCode::GuestTrapped), Err(&trap), false);
        check(Err(ReasonCode::InvokeTransient), Err(&failure(ReasonCode::InvokeTransient)), true);
        check(Err(ReasonCode::InvokeTransient), Err(&trap), false);
        assert!(!Outcome::nothing_to_compare_with().is_same());
    }
}
