//! The imports of the worlds: what a guest can ask of the host. Each is bounded, and none gives more than its role says.

use crate::bindings::{RunConfig, invoker, log, run, tools, types};
use crate::failure::Halt;
use crate::guest_log::Level;
use crate::port::{InvokeError, ToolError};
use crate::state::{Outside, StoreState};
use std::sync::Arc;
use wasmtime::component::Resource;

impl types::Host for StoreState {}

impl log::Host for StoreState {
    async fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            log::Level::Debug => Level::Debug,
            log::Level::Info => Level::Info,
            log::Level::Warn => Level::Warn,
            log::Level::Error => Level::Error,
        };
        self.log().write(level, &message);
        Ok(())
    }
}

impl run::Host for StoreState {}

impl run::HostRunConfig for StoreState {
    async fn run_id(&mut self, config: Resource<RunConfig>) -> wasmtime::Result<String> {
        Ok(self.table.get(&config)?.run_id.clone())
    }

    async fn session_id(&mut self, config: Resource<RunConfig>) -> wasmtime::Result<String> {
        Ok(self.table.get(&config)?.session_id.clone())
    }

    async fn metadata(&mut self, config: Resource<RunConfig>, name: String) -> wasmtime::Result<Option<String>> {
        Ok(self.table.get(&config)?.metadata.get(&name).cloned())
    }

    async fn drop(&mut self, config: Resource<RunConfig>) -> wasmtime::Result<()> {
        self.table.delete(config)?;
        Ok(())
    }
}

impl invoker::Host for StoreState {
    async fn invoke(
        &mut self,
        input: String,
        config: Resource<RunConfig>,
    ) -> wasmtime::Result<Result<String, run::InvokeError>> {
        // The table holds one identity, this attempt's: a handle to anything else is an error here.
        let identity = Arc::clone(self.table.get(&config)?);
        self.count_call()?;
        let Outside::Agent(line) = &self.outside else { return Err(no_line()) };
        if *input != *line.input {
            return Err(Halt::InputMismatch.into());
        }
        let agent = Arc::clone(&line.invoker);
        let answer = self.host_call(async move { agent.invoke(&input, &identity).await }).await;

        let Outside::Agent(line) = &mut self.outside else { return Err(no_line()) };
        line.invocations += 1;
        let answer = match answer {
            None => Err(InvokeError::TimedOut("the time for host calls is over".to_owned())),
            Some(Ok(text)) if text.len() > line.output => {
                Err(InvokeError::Permanent(format!("its text has {} bytes; {} are allowed", text.len(), line.output)))
            }
            Some(answer) => answer,
        };
        line.failed = answer.as_ref().err().cloned();
        Ok(answer.map_err(|error| for_guest(&error)))
    }
}

impl tools::Host for StoreState {
    async fn available(&mut self) -> wasmtime::Result<Vec<types::Tool>> {
        let Outside::Tools(line) = &self.outside else { return Err(no_line()) };
        Ok(line.tools.available().iter().map(types::Tool::from).collect())
    }

    async fn call(
        &mut self,
        name: String,
        arguments: String,
        config: Resource<RunConfig>,
    ) -> wasmtime::Result<Result<tools::ToolResult, tools::ToolError>> {
        self.table.get(&config)?;
        self.count_call()?;
        let Outside::Tools(line) = &self.outside else { return Err(no_line()) };
        let port = Arc::clone(&line.tools);
        let reply =
            self.host_call(async move { port.call(&name, &arguments).await }).await.unwrap_or(Err(ToolError::TimedOut));

        let Outside::Tools(line) = &mut self.outside else { return Err(no_line()) };
        line.saw_failure |= matches!(reply, Err(ToolError::Failed(_) | ToolError::TimedOut));
        line.saw_block |= matches!(reply, Err(ToolError::Blocked(_)));
        Ok(reply.map(Into::into).map_err(Into::into))
    }
}

/// Said to a guest that calls out when nobody is there: while it prepares, or from a world that has no such import.
fn no_line() -> wasmtime::Error {
    wasmtime::Error::msg("there is nobody to call at this time")
}

/// A guest learns the kind of a failure. The words of it, which may name servers or files, are for the log.
fn for_guest(error: &InvokeError) -> run::InvokeError {
    match error {
        InvokeError::TimedOut(_) => run::InvokeError::Transient("the agent did not answer in time".to_owned()),
        InvokeError::Transient(_) => run::InvokeError::Transient("the agent failed for now".to_owned()),
        InvokeError::Blocked(_) => run::InvokeError::Blocked("policy forbade a tool".to_owned()),
        InvokeError::Permanent(_) | InvokeError::RunBudget(_) | InvokeError::Component { .. } => {
            run::InvokeError::Permanent("the agent failed".to_owned())
        }
    }
}
