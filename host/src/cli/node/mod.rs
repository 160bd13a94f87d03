//! `portcullis node …`: the components that serve the nodes, files that could, and projects for new ones.

mod check;
mod inspect;
mod list;
mod new;
mod shadow;
mod swap;
mod test;

use super::Context;
use super::error::{CliError, Exit};
use super::input;
use clap::Subcommand;
use portcullis_plugins::{EngineSettings, Role};
use std::path::Path;

#[derive(Debug, Subcommand)]
pub(crate) enum NodeCommand {
    /// List the components that serve the nodes, with version, digest and rights
    List,
    /// Tell what a component is, imports and needs, without running it
    Inspect(inspect::InspectArgs),
    /// Check, compile and link a component for a role, with what the configuration grants there
    Check(check::CheckArgs),
    /// Have a component serve a node: try it, then name it in the configuration
    Use(swap::UseArgs),
    /// Write a new project for a component
    New(new::NewArgs),
    /// Compare a component with the one that serves: it sees the same and is never used
    Shadow(shadow::ShadowArgs),
    /// Examine a component with the conformance suite of its role
    Test(test::TestArgs),
}

pub(crate) async fn node(command: NodeCommand, context: &Context) -> Result<Exit, CliError> {
    match command {
        NodeCommand::List => list::list(context),
        NodeCommand::Inspect(args) => inspect::inspect(&args, context),
        NodeCommand::Check(args) => check::check(&args, context),
        NodeCommand::Use(args) => Box::pin(swap::swap(args, context)).await,
        NodeCommand::New(args) => new::new(&args, context),
        NodeCommand::Shadow(args) => shadow::shadow(args, context).await,
        NodeCommand::Test(args) => test::test(args, context).await,
    }
}

/// The role that a word of the command line means: the name of a world, or the common word for an agent without tools.
fn role(word: &str) -> Result<Role, String> {
    const AGENT: &str = "agent";
    if word == AGENT {
        return Ok(Role::Thinker);
    }
    Role::from_world(word).ok_or_else(|| format!("use one of {}, {AGENT}", Role::ALL.map(Role::world).join(", ")))
}

/// A component file, or why there is none to speak of.
fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    input::read(Some(path), EngineSettings::default().component_bytes as u64)
}
