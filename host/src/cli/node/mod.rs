//! `portcullis node …`: the components that serve the nodes.

mod list;
mod swap;

use super::Context;
use super::error::{CliError, Exit};
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum NodeCommand {
    /// List the components that serve the nodes, with version, digest and rights
    List,
    /// Have a component serve a node: try it, then name it in the configuration
    Use(swap::UseArgs),
}

pub(crate) async fn node(command: NodeCommand, context: &Context) -> Result<Exit, CliError> {
    match command {
        NodeCommand::List => list::list(context),
        NodeCommand::Use(args) => swap::swap(args, context).await,
    }
}
