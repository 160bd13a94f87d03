//! The gatekeeper alone, over a file of recorded tool calls and claims. No run, no agent, no store.

use portcullis_core::gate::{self, GateInput, GateReport};
use portcullis_core::json;
use portcullis_core::ledger::{Invocation, InvocationStatus};
use portcullis_plugins::{AttemptFailure, EvidenceParser};
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

/// Larger files are refused before they are read.
pub const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The file, as `portcullis check` reads it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckFile {
    pub run_id: String,
    /// Told for people; the gatekeeper knows runs only.
    #[serde(default, rename = "session_id")]
    _session_id: Option<String>,
    pub invocations: Vec<RecordedCall>,
    /// Tool names beyond those of the invocations, for names with a prefix (R-PARSE-03).
    #[serde(default)]
    pub registered_tools: Vec<String>,
    /// An `executor_evidence_v2` document, or an agent's text that holds one.
    pub executor_output: Value,
}

/// One recorded tool call. `output` is JSON, or a string for plain text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Told for people; what counts is `truncated`.
    #[serde(default, rename = "original_bytes")]
    _original_bytes: Option<u64>,
}

/// Why a file cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error("this is no check file: not UTF-8 at byte {at}")]
    NotUtf8 { at: usize },
    #[error("this is no check file: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("executor_output breaks the contract executor_evidence_v2 at `{path}`: {message}")]
    Violation { path: String, message: String },
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
    if !json::read(text)?.is_object() {
        return Err(serde_json::Error::custom("it is no JSON object").into());
    }
    let file: CheckFile = serde_json::from_str(text)?;
    let text = match &file.executor_output {
        Value::String(text) => text.clone(),
        value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            value.to_string()
        }
    };
    let parsed = parser.parse(&text).await.map_err(CheckError::Parser)?;
    let evidence =
        parsed.map_err(|violation| CheckError::Violation { path: violation.path, message: violation.message })?;
    let invocations: Vec<_> = file.invocations.into_iter().map(RecordedCall::into_invocation).collect();
    Ok(gate::check(&GateInput {
        run_id: &file.run_id,
        evidence: &evidence,
        invocations: &invocations,
        tools: &file.registered_tools,
    }))
}
