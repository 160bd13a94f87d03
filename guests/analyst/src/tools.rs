//! What an investigation may call. The component implements it over its import; tests implement it over anything.

use portcullis_contract::input::Tool;

/// The tools of one run.
pub trait Tools {
    /// What may be called.
    fn available(&self) -> Vec<Tool>;
    /// One call with JSON text of an object.
    fn call(&self, name: &str, arguments: &str) -> Result<ToolReply, ToolError>;
}

/// A recorded tool output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolReply {
    /// What a binding cites.
    pub invocation_id: String,
    /// JSON text, or plain text where the tool gave none.
    pub output: String,
}

/// How a call failed. The words are for the reader of a limitation, never evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolError {
    UnknownTool,
    InvalidArguments(String),
    /// Policy forbids the call, or the run has used its calls.
    Blocked(String),
    Failed(String),
    TimedOut,
}
