//! The tools of a run: providers that have them, and the gateway that guards and records every call.
//!
//! This room knows no agent, no node and no store: what it records is handed to a [`Recorder`].

mod gateway;
pub mod incident;

pub use gateway::{Gateway, Policy, Recorder, Recording};

use async_trait::async_trait;
use portcullis_core::document::Tool;
use portcullis_core::ledger::InvocationStatus;

/// Where tools come from. A provider never mints invocation ids and never sees a run.
#[async_trait]
pub trait ToolProvider: Send + Sync {
    /// The tools in a stable order.
    fn tools(&self) -> Vec<Tool>;
    /// One try of one call. `arguments` is JSON text of an object.
    ///
    /// # Errors
    /// [`CallError`] when the call could not be made at all; a tool that failed is an answer with its status.
    async fn call(&self, name: &str, arguments: &str) -> Result<ToolAnswer, CallError>;
}

/// What a tool returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    pub status: InvocationStatus,
    /// JSON text, or plain text. Not always UTF-8.
    pub output: Vec<u8>,
    /// The provider cut the output.
    pub truncated: bool,
}

/// Why a call could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("unknown tool `{0}`")]
    UnknownTool(String),
    #[error("{0}")]
    InvalidArguments(String),
}

/// An incident bundle answers from memory, so its calls cannot wait.
#[async_trait]
impl ToolProvider for incident::Bundle {
    fn tools(&self) -> Vec<Tool> {
        Self::tools(self)
    }

    async fn call(&self, name: &str, arguments: &str) -> Result<ToolAnswer, CallError> {
        match Self::call(self, name, arguments) {
            Ok(answer) => Ok(ToolAnswer {
                status: match answer.status {
                    incident::AnswerStatus::Ok => InvocationStatus::Ok,
                    incident::AnswerStatus::NoData => InvocationStatus::NoData,
                    incident::AnswerStatus::Error => InvocationStatus::Error,
                },
                output: answer.output.into_bytes(),
                truncated: answer.truncated,
            }),
            Err(incident::CallError::UnknownTool) => Err(CallError::UnknownTool(name.to_owned())),
            Err(incident::CallError::InvalidArguments(words)) => Err(CallError::InvalidArguments(words)),
        }
    }
}

/// A run without any tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTools;

#[async_trait]
impl ToolProvider for NoTools {
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }

    async fn call(&self, name: &str, _arguments: &str) -> Result<ToolAnswer, CallError> {
        Err(CallError::UnknownTool(name.to_owned()))
    }
}
