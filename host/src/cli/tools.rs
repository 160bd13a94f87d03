//! `portcullis tools list|call`: the tools that agents may call, by hand and under the same policy.

use super::Context;
use super::error::{CliError, Exit};
use crate::setup;
use crate::tools::{Gateway, Recorder, Recording};
use async_trait::async_trait;
use clap::Subcommand;
use portcullis_core::document::Tool;
use portcullis_plugins::{ToolError, ToolPort};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// List the tools that policy allows
    List {
        /// Incident bundle that has them
        #[arg(long, value_name = "DIR")]
        incident: Option<PathBuf>,
    },
    /// Call one tool and print what it returns
    Call {
        name: String,
        /// JSON object
        #[arg(default_value = "{}")]
        arguments: String,
        #[arg(long, value_name = "DIR")]
        incident: Option<PathBuf>,
    },
}

pub(crate) async fn tools(command: ToolsCommand, context: &Context) -> Result<Exit, CliError> {
    match command {
        ToolsCommand::List { incident } => {
            let gateway = gateway(context, incident.as_deref())?;
            let tools = gateway.available();
            let listed: Vec<_> = tools.iter().map(listed).collect();
            context.output.result(&json!({ "tools": listed }), || {
                if tools.is_empty() {
                    return "no tools: name an incident with --incident DIR".to_owned();
                }
                let lines: Vec<_> =
                    tools.iter().map(|tool| format!("{}\n    {}", tool.name, tool.description)).collect();
                lines.join("\n")
            })?;
            Ok(Exit::Success)
        }
        ToolsCommand::Call { name, arguments, incident } => {
            let gateway = gateway(context, incident.as_deref())?;
            let reply = gateway.call(&name, &arguments).await.map_err(|error| match error {
                ToolError::UnknownTool(_) => CliError::usage(error).hint("`portcullis tools list` shows them"),
                ToolError::InvalidArguments(_) => CliError::usage(error),
                ToolError::Blocked(_) | ToolError::Failed(_) | ToolError::TimedOut => CliError::failed(error),
            })?;
            let document = json!({ "tool_name": name, "output": json_or_text(&reply.output) });
            context.output.result(&document, || reply.output.clone())?;
            Ok(Exit::Success)
        }
    }
}

/// One tool as `--json` shows it: its schema is JSON, not a text that holds JSON.
fn listed(tool: &Tool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": json_or_text(&tool.input_schema) })
}

fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn gateway(context: &Context, incident: Option<&Path>) -> Result<Gateway, CliError> {
    let incident = setup::incident(&context.config, incident).map_err(CliError::usage)?;
    let provider = setup::provider(incident);
    let policy = setup::policy(&context.config).map_err(CliError::usage)?;
    Ok(Gateway::new("by-hand".into(), provider, policy, Arc::new(Unrecorded)))
}

/// A call by hand belongs to no run.
struct Unrecorded;

#[async_trait]
impl Recorder for Unrecorded {
    async fn record(&self, _recording: Recording) -> Result<(), String> {
        Ok(())
    }
}
