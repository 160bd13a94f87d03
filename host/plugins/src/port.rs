//! What a component may reach outside itself, as traits. The host's other rooms implement them; this crate only calls them.

use async_trait::async_trait;
use portcullis_core::document::Tool;
use portcullis_core::reason::ReasonCode;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Who a run is. Made once by the host and lent to guests as the `run-config` resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunIdentity {
    pub run_id: String,
    pub session_id: String,
    pub metadata: BTreeMap<String, String>,
}

impl RunIdentity {
    /// Whether it says which run and which session. Without both no agent and no tool is called (R-NODE-03).
    pub fn is_complete(&self) -> bool {
        !self.run_id.trim().is_empty() && !self.session_id.trim().is_empty()
    }
}

/// The agent that the host configured for one node. One call is one try within one deadline: no hidden retries.
#[async_trait]
pub trait Invoker: Send + Sync {
    /// Hands `input` to the agent and returns its text.
    async fn invoke(&self, input: &str, run: &Arc<RunIdentity>) -> Result<String, InvokeError>;
}

/// How an invocation failed. The texts go to the log alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvokeError {
    #[error("the agent did not answer in time: {0}")]
    TimedOut(String),
    /// Known to pass by itself, perhaps: connection reset, rate limit, server error.
    #[error("the agent failed for now: {0}")]
    Transient(String),
    /// Anything else, the unknown included.
    #[error("the agent failed: {0}")]
    Permanent(String),
    #[error("policy forbade a tool that the agent needed: {0}")]
    Blocked(String),
    /// The run's own budget is used up: wall time or invocations.
    #[error("the run's budget is used up: {0}")]
    RunBudget(String),
    /// The agent is a component, and the host had to end it.
    #[error("the agent's component failed: {}: {detail}", reason.as_str())]
    Component { reason: ReasonCode, detail: String },
}

/// The tools of one run. Every call is recorded under that run before its output is handed on.
#[async_trait]
pub trait ToolPort: Send + Sync {
    /// The tools that policy allows, in a stable order.
    fn available(&self) -> Vec<Tool>;
    /// `arguments` is JSON text of an object.
    async fn call(&self, name: &str, arguments: &str) -> Result<ToolReply, ToolError>;
}

/// A recorded tool output as the agent gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolReply {
    /// What a binding cites as `source_invocation_id`.
    pub invocation_id: String,
    /// JSON text, or plain text when the tool gave none.
    pub output: String,
}

/// How a tool call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    #[error("unknown tool: {0}")]
    UnknownTool(String),
    #[error("invalid arguments: {0}")]
    InvalidArguments(String),
    #[error("blocked by policy: {0}")]
    Blocked(String),
    #[error("the tool failed: {0}")]
    Failed(String),
    #[error("the tool did not answer in time")]
    TimedOut,
}
