//! `portcullis node`: the components that serve the nodes, and new ones.

mod new;

use super::Context;
use super::error::{CliError, Exit};
use crate::setup;
use clap::Subcommand;
use serde_json::json;

#[derive(Debug, Subcommand)]
pub(crate) enum NodeCommand {
    /// List the components that serve the nodes, with version and digest
    List,
    /// Write a new project for a component
    New(new::NewArgs),
}

pub(crate) fn node(command: &NodeCommand, context: &Context) -> Result<Exit, CliError> {
    match command {
        NodeCommand::List => list(context),
        NodeCommand::New(args) => new::new(args, context),
    }
}

fn list(context: &Context) -> Result<Exit, CliError> {
    let shared = setup::Shared::load(&context.config).map_err(CliError::usage)?;
    let served = shared.served_by();
    context.output.result(&json!({ "nodes": served }), || {
        let lines: Vec<_> = served
            .iter()
            .map(|node| {
                let version = if node.version.is_empty() { "-" } else { &node.version };
                format!("{:<20} {:<40} {version:<8} {}", node.node, node.component, node.sha256)
            })
            .collect();
        lines.join("\n")
    })?;
    Ok(Exit::Success)
}
