//! `portcullis runs list|show`: what the store kept, and whether each citation still proves what it says.

use super::Context;
use super::error::{CliError, Exit};
use crate::offline::prove;
use crate::setup;
use crate::store::{RunFilter, RunPage, RunStatus, RunStore, RunView};
use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, the newest first
    List(ListArgs),
    /// Show one run with its audit, and prove its citations against the ledger
    Show(ShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only this session's
    #[arg(long)]
    session: Option<String>,
    /// Only runs with this status
    #[arg(long, value_enum)]
    status: Option<Status>,
    #[arg(long, default_value_t = RunFilter::LIMIT_DEFAULT)]
    limit: usize,
    /// Go on after this run, as the last list said
    #[arg(long, value_name = "RUN_ID")]
    after: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Status {
    Running,
    Success,
    Failed,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run's id, or `last` for the newest
    run_id: String,
}

pub(crate) fn runs(command: RunsCommand, context: &Context) -> Result<Exit, CliError> {
    let store = setup::existing_store(&context.config).map_err(CliError::usage)?;
    match command {
        RunsCommand::List(args) => list(args, &*store, context),
        RunsCommand::Show(args) => show(&args, &*store, context),
    }
}

fn list(args: ListArgs, store: &dyn RunStore, context: &Context) -> Result<Exit, CliError> {
    let filter = RunFilter {
        session_id: args.session,
        status: args.status.map(|status| match status {
            Status::Running => RunStatus::Running,
            Status::Success => RunStatus::Success,
            Status::Failed => RunStatus::Failed,
        }),
        after: args.after,
        limit: args.limit,
    };
    let page = store.list_runs(&filter).map_err(CliError::failed)?;
    context.output.result(&page, || list_in_words(&page));
    Ok(Exit::Success)
}

fn list_in_words(page: &RunPage) -> String {
    if page.runs.is_empty() {
        return "no runs".to_owned();
    }
    let mut lines: Vec<_> = page
        .runs
        .iter()
        .map(|run| {
            let verdict = run.verdict.map_or("-", |verdict| verdict.as_str());
            let created = setup::time_in_words(run.created_ms);
            format!("{}  {created}  {:<7}  {verdict:<10}  {}", run.run_id, run.status.as_str(), run.question)
        })
        .collect();
    if let Some(next) = &page.next {
        lines.push(format!("more: portcullis runs list --after {next}"));
    }
    lines.join("\n")
}

fn show(args: &ShowArgs, store: &dyn RunStore, context: &Context) -> Result<Exit, CliError> {
    let unknown = || CliError::usage(format!("unknown run: {}", args.run_id)).hint("`portcullis runs list` shows them");
    let run_id = if args.run_id == "last" {
        let newest = store.list_runs(&RunFilter { limit: 1, ..RunFilter::default() }).map_err(CliError::failed)?;
        newest.runs.into_iter().next().map(|run| run.run_id).ok_or_else(unknown)?
    } else {
        args.run_id.clone()
    };
    let view = RunView::of(store, &run_id).map_err(CliError::failed)?.ok_or_else(unknown)?;
    let proof = prove::citations(store, &view).map_err(CliError::failed)?;
    let unproven = proof.citations.iter().filter(|citation| !citation.proven).count();
    context.output.result(&prove::Shown { view: &view, proof: &proof }, || prove::in_words(&view, &proof));
    // A citation that the ledger does not bear out means that the store was changed since.
    Ok(if unproven == 0 { Exit::Success } else { Exit::Failed })
}
