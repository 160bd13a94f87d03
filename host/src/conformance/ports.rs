//! What a component reaches during an examination: an agent and tools that do as told and remember what they heard.

use async_trait::async_trait;
use portcullis_core::document::Tool;
use portcullis_plugins::{InvokeError, Invoker, RunIdentity, ToolError, ToolPort, ToolReply};
use std::sync::{Arc, Mutex, PoisonError};

/// An agent that replies as told.
pub(super) struct ToldAgent {
    reply: Result<String, InvokeError>,
    heard: Mutex<Vec<Heard>>,
}

/// One question to an agent.
#[derive(Clone)]
pub(super) struct Heard {
    pub(super) input: String,
    pub(super) run: Arc<RunIdentity>,
}

impl ToldAgent {
    pub(super) fn new(reply: Result<String, InvokeError>) -> Arc<Self> {
        Arc::new(Self { reply, heard: Mutex::default() })
    }

    pub(super) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Invoker for ToldAgent {
    async fn invoke(&self, input: &str, run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        let heard = Heard { input: input.to_owned(), run: Arc::clone(run) };
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(heard);
        self.reply.clone()
    }
}

/// Tools of which every call replies as told.
pub(super) struct ToldTools {
    tools: Vec<Tool>,
    reply: Result<String, ToolError>,
    calls: Mutex<Vec<ToolCall>>,
}

/// One call of a tool.
#[derive(Clone)]
pub(super) struct ToolCall {
    pub(super) name: String,
    pub(super) arguments: String,
    /// What the caller may cite.
    pub(super) invocation_id: Option<String>,
}

impl ToldTools {
    pub(super) fn new(tools: &[Tool], reply: Result<String, ToolError>) -> Arc<Self> {
        Arc::new(Self { tools: tools.to_vec(), reply, calls: Mutex::default() })
    }

    pub(super) fn calls(&self) -> Vec<ToolCall> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl ToolPort for ToldTools {
    fn available(&self) -> Vec<Tool> {
        self.tools.clone()
    }

    async fn call(&self, name: &str, arguments: &str) -> Result<ToolReply, ToolError> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = if self.tools.iter().any(|tool| tool.name == name) {
            self.reply.clone()
        } else {
            Err(ToolError::UnknownTool(name.to_owned()))
        };
        // The same calls get the same ids, so that the same input can give the same answer.
        let invocation_id = reply.is_ok().then(|| format!("inv-given-{}", calls.len() + 1));
        calls.push(ToolCall {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            invocation_id: invocation_id.clone(),
        });
        Ok(ToolReply { invocation_id: invocation_id.unwrap_or_default(), output: reply? })
    }
}
