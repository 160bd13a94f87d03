//! `portcullis node …`: the components that serve the nodes, and files that could.

mod test;

use super::Context;
use super::error::{CliError, Exit};
use crate::setup;
use clap::Subcommand;
use serde_json::json;

#[derive(Debug, Subcommand)]
pub(crate) enum NodeCommand {
    /// List the components that serve the nodes, with version and digest
    List,
    /// Examine a component with the conformance suite of its role
    Test(test::TestArgs),
}

pub(crate) async fn node(command: NodeCommand, context: &Context) -> Result<Exit, CliError> {
    match command {
        NodeCommand::List => list(context),
        NodeCommand::Test(args) => test::test(args, context).await,
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
