//! The records of a run. Each is a record of its own (R-RUN-01), and its contract is checked here, once for all stores.

use super::{EVENTS_MAX, StoreError};
use crate::digest::sha256_hex;
use portcullis_core::document::Verdict;
use portcullis_core::ledger::{Invocation, InvocationStatus};
use portcullis_core::trail::{Event, OrchestrationTrace};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An identity longer than this is a text that strayed into the wrong field.
const IDENTITY_BYTES_MAX: usize = 256;
const WORD_BYTES_MAX: usize = 64;

/// A run as it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    pub run_id: String,
    pub session_id: String,
    /// The process that runs it, in words that tell it from any other, also from a later one with the same number.
    pub owner: String,
    pub question: String,
    /// What serves each node (R-HOST-06).
    pub nodes: Vec<NodeComponent>,
    pub created_ms: i64,
}

impl NewRun {
    /// A run without identity is nobody's (R-NODE-03).
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let is_identity = |text: &str| !text.trim().is_empty() && text.len() <= IDENTITY_BYTES_MAX;
        if is_identity(&self.run_id) && is_identity(&self.session_id) && is_identity(&self.owner) {
            Ok(())
        } else {
            Err(StoreError::Invalid("run id, session id and owner must be there and have at most 256 bytes"))
        }
    }
}

/// The component that serves a node in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeComponent {
    pub node: String,
    pub component: String,
    pub version: String,
    pub sha256: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RunStatus {
    Running,
    Success,
    Failed,
}

impl RunStatus {
    /// The word of the wire format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Success => "SUCCESS",
            Self::Failed => "FAILED",
        }
    }
}

/// A run as it is read. The audit is no part of it: only [`RunView`](super::RunView) brings the two together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    pub run_id: String,
    pub session_id: String,
    pub status: RunStatus,
    pub question: String,
    pub answer: Option<String>,
    pub verdict: Option<Verdict>,
    /// The executed nodes in order. Read off the events, so that the two cannot differ (R-EVENT-03).
    pub agent_flow: Vec<String>,
    pub metrics: Map<String, Value>,
    pub nodes: Vec<NodeComponent>,
    pub failure_reason: Option<String>,
    pub owner: String,
    pub created_ms: i64,
    pub finished_ms: Option<i64>,
}

/// A run that has not finished, and the process that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOwner {
    pub run_id: String,
    pub owner: String,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    pub ending: Ending,
    /// Durations and counts.
    pub metrics: Map<String, Value>,
    pub finished_ms: i64,
}

/// A success without an answer or an audit cannot be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// There is a safe answer, from the composer or from a fallback (R-RUN-03).
    Success { answer: String, verdict: Option<Verdict>, trace: OrchestrationTrace },
    /// There is none. `trace` is what really happened until then, if anything did (R-RUN-05).
    Failed { reason: String, trace: Option<OrchestrationTrace> },
}

impl Ending {
    pub(super) fn status(&self) -> RunStatus {
        match self {
            Self::Success { .. } => RunStatus::Success,
            Self::Failed { .. } => RunStatus::Failed,
        }
    }

    pub(super) fn trace(&self) -> Option<&OrchestrationTrace> {
        match self {
            Self::Success { trace, .. } => Some(trace),
            Self::Failed { trace, .. } => trace.as_ref(),
        }
    }

    pub(super) fn check(&self) -> Result<(), StoreError> {
        match self {
            Self::Success { answer, .. } if answer.trim().is_empty() => {
                Err(StoreError::Invalid("a blank answer is no success"))
            }
            Self::Success { trace, .. } if trace.events.is_empty() => {
                Err(StoreError::Invalid("a success has an orchestration trace with events"))
            }
            Self::Success { .. } | Self::Failed { .. } => Ok(()),
        }
    }
}

/// One attempt of an agent node: its event, and the figures of its texts. The texts themselves are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The place of the event in the run, from 1.
    pub seq: u32,
    #[serde(flatten)]
    pub event: Event,
    /// Of the bytes that the agent was given; equal in both attempts (R-HOST-08). None when it came to no input.
    pub input_sha256: Option<String>,
    pub input_bytes: u64,
    pub output_bytes: u64,
    pub started_ms: i64,
    pub duration_ms: u64,
}

/// Only words get into the trail, so no text can be smuggled there (R-RUN-02); and there is an end to them.
pub(super) fn check_event(run_id: &str, seq: u32, event: &Event) -> Result<(), StoreError> {
    let is_word = |text: &str| {
        (1..=WORD_BYTES_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    if !is_word(&event.node) || !is_word(&event.outcome) {
        return Err(StoreError::Invalid("node and outcome of an event are words of at most 64 letters, digits and _"));
    }
    if usize::try_from(seq).is_ok_and(|seq| seq <= EVENTS_MAX) {
        Ok(())
    } else {
        Err(StoreError::Full { run_id: run_id.to_owned(), what: "events", max: EVENTS_MAX })
    }
}

/// A tool call with its body, as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInvocation {
    pub invocation: Invocation,
    /// What the provider had, before anything was cut.
    pub original_bytes: u64,
    pub started_ms: i64,
    pub duration_ms: u64,
}

/// A tool call without its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InvocationRecord {
    pub invocation_id: String,
    pub tool_name: String,
    /// JSON text, as the tool was called.
    pub arguments: String,
    pub status: InvocationStatus,
    pub output_bytes: u64,
    /// Of the recorded output.
    pub output_sha256: String,
    pub original_bytes: u64,
    pub truncated: bool,
    pub started_ms: i64,
    pub duration_ms: u64,
}

impl From<&ToolInvocation> for InvocationRecord {
    fn from(recorded: &ToolInvocation) -> Self {
        let Invocation { invocation_id, run_id: _, tool_name, arguments, status, output, truncated } =
            &recorded.invocation;
        Self {
            invocation_id: invocation_id.clone(),
            tool_name: tool_name.clone(),
            arguments: arguments.clone(),
            status: *status,
            output_bytes: output.len() as u64,
            output_sha256: sha256_hex(output),
            original_bytes: recorded.original_bytes,
            truncated: *truncated,
            started_ms: recorded.started_ms,
            duration_ms: recorded.duration_ms,
        }
    }
}

/// What the gatekeeper left of one round: enough to prove each claim against the ledger again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    pub round: u8,
    pub checked_bindings: Vec<CheckedBinding>,
    /// The claims that passed; empty until the verified input was built.
    pub claims: Vec<ClaimRecord>,
}

/// A binding as the gatekeeper left it (R-GATE-02). Of a failed one, `matched_text` is what the agent said: untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedBinding {
    pub claim_id: String,
    pub source_invocation_id: Option<String>,
    pub tool_name: String,
    pub raw_path: String,
    pub matched_text: String,
    pub status: BindingStatus,
    pub reason_code: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingStatus {
    Pass,
    Fail,
}

/// A claim that passed the gatekeeper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimRecord {
    pub claim_id: String,
    pub text: String,
    /// What the verifier said; none when it has not, or could not.
    pub allowed: Option<bool>,
}

/// What one evaluation said of a finished run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evaluation {
    pub name: String,
    pub status: String,
    pub figures: Map<String, Value>,
}
