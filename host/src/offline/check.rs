//! The gatekeeper alone, over a file of recorded tool calls and claims. No run, no agent, no store.

use portcullis_core::document::Violation;
use portcullis_core::gate::{self, GateInput, GateReport};
use portcullis_core::json;
use portcullis_core::ledger::{Invocation, InvocationStatus};
use portcullis_plugins::{AttemptFailure, EvidenceParser};
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::{Map, Value};

/// Larger files are refused before they are read.
pub const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The file, as `portcullis check` reads it. Further fields are notes.
#[derive(Debug, Deserialize)]
pub struct CheckFile {
    pub run_id: String,
    pub invocations: Vec<RecordedCall>,
    /// Tool names beyond those of the invocations, for names with a prefix (R-PARSE-03).
    #[serde(default)]
    pub registered_tools: Vec<String>,
    /// An `executor_evidence_v2` document, or an agent's text that holds one.
    pub executor_output: Value,
}

/// One recorded tool call. `output` is JSON, or a string for plain text. Further fields are notes.
#[derive(Debug, Deserialize)]
pub struct RecordedCall {
    pub invocation_id: String,
    pub run_id: String,
    pub tool_name: String,
    pub status: InvocationStatus,
    pub output: Value,
    #[serde(default)]
    pub truncated: bool,
    #[serde(default)]
    pub arguments: Option<Value>,
}

/// Why a file cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error("this is no check file: not UTF-8 at byte {at}")]
    NotUtf8 { at: usize },
    #[error("this is no check file: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("executor_output breaks the contract executor_evidence_v2 at `{}`: {}", .0.path, .0.message)]
    Violation(Violation),
    #[error("the evidence parser failed: {}: {}", .0.reason.as_str(), .0.detail)]
    Parser(AttemptFailure),
}

impl RecordedCall {
    fn into_invocation(self) -> Invocation {
        let output = match self.output {
            Value::String(text) => text,
            value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                value.to_string()
            }
        };
        Invocation {
            invocation_id: self.invocation_id,
            run_id: self.run_id,
            tool_name: self.tool_name,
            arguments: self.arguments.map_or_else(|| "{}".to_owned(), |arguments| arguments.to_string()),
            status: self.status,
            output: output.into_bytes().into(),
            truncated: self.truncated,
        }
    }
}

/// Reads a file, parses its claims with the same parser component that a run uses (R-PARSE-04), and checks them.
///
/// # Errors
/// A [`CheckError`] with the place.
pub async fn check(bytes: &[u8], parser: &EvidenceParser) -> Result<GateReport, CheckError> {
    let text = str::from_utf8(bytes).map_err(|error| CheckError::NotUtf8 { at: error.valid_up_to() })?;
    // First as strictly as a run reads: what names a key twice has no single meaning (R-PARSE-01).
    check_shape(&json::read(text)?)?;
    let file: CheckFile = serde_json::from_str(text)?;
    let text = match &file.executor_output {
        Value::String(text) => text.clone(),
        value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            value.to_string()
        }
    };
    let parsed = parser.parse(&text).await.map_err(CheckError::Parser)?;
    let evidence = parsed.map_err(CheckError::Violation)?;
    let invocations: Vec<_> = file.invocations.into_iter().map(RecordedCall::into_invocation).collect();
    Ok(gate::check(&GateInput {
        run_id: &file.run_id,
        evidence: &evidence,
        invocations: &invocations,
        tools: &file.registered_tools,
    }))
}

/// What the typed read would let through: a list of values in place of an object, and a misspelt optional field whose
/// absence may raise trust. Any other slip in a name makes a required field missing.
fn check_shape(file: &Value) -> serde_json::Result<()> {
    let file = object(file, || "it".to_owned())?;
    refuse_misspelt(file, "registered_tools", || "it".to_owned())?;
    for (at, call) in file.get("invocations").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let place = || format!("invocations[{at}]");
        refuse_misspelt(object(call, place)?, "truncated", place)?;
    }
    Ok(())
}

fn object(value: &Value, place: impl Fn() -> String) -> serde_json::Result<&Map<String, Value>> {
    value.as_object().ok_or_else(|| serde_json::Error::custom(format!("{} is no JSON object", place())))
}

fn refuse_misspelt(fields: &Map<String, Value>, known: &str, place: impl Fn() -> String) -> serde_json::Result<()> {
    match fields.keys().find(|name| is_misspelt(name, known)) {
        Some(name) => Err(serde_json::Error::custom(format!(
            "{} has an unknown field `{name}`, did you mean `{known}`?",
            place()
        ))),
        None => Ok(()),
    }
}

/// In another style (`isTruncated`), or at most two slips away.
fn is_misspelt(name: &str, known: &str) -> bool {
    let letters = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let (written, meant) = (letters(name), letters(known));
    name != known && (written.contains(&meant) || strsim::damerau_levenshtein(&written, &meant) <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_that_would_raise_trust_is_told_from_a_note() {
        // R-GATE-08
        for (name, is_slip) in [
            ("truncated", false),
            ("truncatd", true),
            ("turncated", true),
            ("Truncated", true),
            ("isTruncated", true),
            ("output_truncated", true),
            ("duration_ms", false),
            ("original_bytes", false),
            ("started_ms", false),
            ("", false),
        ] {
            assert_eq!(is_misspelt(name, "truncated"), is_slip, "{name}");
        }
        assert!(is_misspelt("registeredTools", "registered_tools"));
        assert!(!is_misspelt("session_id", "registered_tools"));
    }
}
