//! Sandboxed components as agents: the analyst by default, or a third party's own.

use async_trait::async_trait;
use portcullis_plugins::{Investigator, InvokeError, Invoker, RunIdentity, Thinker, ToolPort};
use std::sync::Arc;

/// An agent without tools.
pub struct ThinkerAgent(pub Arc<Thinker>);

#[async_trait]
impl Invoker for ThinkerAgent {
    async fn invoke(&self, input: &str, run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        self.0.respond(input, run).await
    }
}

/// An agent with the tools of one run.
pub struct InvestigatorAgent {
    pub component: Arc<Investigator>,
    pub tools: Option<Arc<dyn ToolPort>>,
}

#[async_trait]
impl Invoker for InvestigatorAgent {
    async fn invoke(&self, input: &str, run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        match &self.tools {
            Some(tools) => self.component.respond(input, run, Arc::clone(tools)).await,
            None => Err(InvokeError::Permanent("this node's agent gets no tools".into())),
        }
    }
}
