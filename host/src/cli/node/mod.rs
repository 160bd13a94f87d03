//! `portcullis node …`: the components that serve the nodes, files that could, and projects for new ones.

mod check;
mod inspect;
mod new;

use super::Context;
use super::error::{CliError, Exit};
use super::input;
use crate::setup;
use clap::Subcommand;
use portcullis_plugins::EngineSettings;
use serde_json::json;
use std::path::Path;

#[derive(Debug, Subcommand)]
pub(crate) enum NodeCommand {
    /// List the components that serve the nodes, with version and digest
    List,
    /// Tell what a component is, imports and needs, without running it
    Inspect(inspect::InspectArgs),
    /// Check, compile and link a component for a role, with what the configuration grants there
    Check(check::CheckArgs),
    /// Write a new project for a component
    New(new::NewArgs),
}

pub(crate) fn node(command: &NodeCommand, context: &Context) -> Result<Exit, CliError> {
    match command {
        NodeCommand::List => list(context),
        NodeCommand::Inspect(args) => inspect::inspect(args, context),
        NodeCommand::Check(args) => check::check(args, context),
        NodeCommand::New(args) => new::new(args, context),
    }
}

/// A component file, or why there is none to speak of.
fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    input::read(Some(path), EngineSettings::default().component_bytes as u64)
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
