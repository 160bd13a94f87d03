//! `portcullis graph`: the baseline, generated from the code.

use super::Context;
use super::error::{CliError, Exit};
use crate::{baseline, failures};
use clap::{Args, ValueEnum};
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// List every node path that a run can take
    #[arg(long)]
    paths: bool,
    /// What can fail, and what becomes of it, as docs/failures.md has it
    #[arg(long, conflicts_with_all = ["paths", "format"])]
    failures: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    /// The whole baseline, as docs/baseline.md has it
    Markdown,
    Mermaid,
    Json,
}

pub(crate) fn graph(args: &GraphArgs, context: &Context) -> Result<Exit, CliError> {
    if args.failures {
        context.output.result(&failures::document(), failures::markdown)?;
        return Ok(Exit::Success);
    }
    let format = if context.output.is_json() { Format::Json } else { args.format };
    if args.paths && format == Format::Mermaid {
        return Err(CliError::usage("--paths cannot be drawn with --format mermaid")
            .hint("`portcullis graph --paths` lists the paths, `--format json` has both"));
    }
    let document =
        json!({ "arrows": baseline::arrows(), "paths": baseline::paths(), "longest_run": baseline::longest_run() });
    let words = match (format, args.paths) {
        (Format::Text, true) => baseline::paths().join("\n"),
        (Format::Text, false) => baseline::text(),
        (Format::Markdown, _) => baseline::markdown(),
        (Format::Mermaid, _) => baseline::mermaid(),
        (Format::Json, _) => serde_json::to_string_pretty(&document).map_err(CliError::failed)?,
    };
    context.output.result(&document, || words)?;
    Ok(Exit::Success)
}
