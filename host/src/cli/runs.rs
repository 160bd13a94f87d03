//! `portcullis runs list|show`: what the store kept, and whether each citation still proves what it says.

use super::Context;
use super::error::{CliError, Exit};
use super::kept;
use crate::offline::prove;
use crate::setup;
use crate::store::{RunFilter, RunPage, RunStatus, RunStore, RunView, StoreError};
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
    #[arg(long, default_value_t = RunFilter::LIMIT_DEFAULT, value_parser = parse_limit)]
    limit: usize,
    /// Go on after this run, as the last list said
    #[arg(long, value_name = "RUN_ID")]
    after: Option<String>,
}

fn parse_limit(text: &str) -> Result<usize, String> {
    let limits = 1..=RunFilter::LIMIT_MAX;
    text.parse().ok().filter(|limit| limits.contains(limit)).ok_or_else(|| format!("a limit is 1 to {}", limits.end()))
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
    let store = kept::existing(&context.config)?;
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
    let page = store.list_runs(&filter).map_err(|error| unreadable(context, &error))?;
    context.output.result(&page, || list_in_words(&page))?;
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
    let failed = |error| unreadable(context, &error);
    let unknown = || unreadable(context, &StoreError::UnknownRun(args.run_id.clone()));
    let run_id = if args.run_id == "last" {
        let newest = store.list_runs(&RunFilter { limit: 1, ..RunFilter::default() }).map_err(failed)?;
        newest.runs.into_iter().next().map(|run| run.run_id).ok_or_else(unknown)?
    } else {
        args.run_id.clone()
    };
    let view = RunView::of(store, &run_id).map_err(failed)?.ok_or_else(unknown)?;
    let proof = prove::citations(store, &view).map_err(failed)?;
    let unproven = proof.citations.iter().filter(|citation| !citation.proven).count();
    context.output.result(&prove::Shown { view: &view, proof: &proof }, || prove::in_words(&view, &proof))?;
    // A citation that the ledger does not bear out means that the store was changed since.
    Ok(if unproven == 0 { Exit::Success } else { Exit::Failed })
}

/// A run that is not there was named wrongly; anything else is the file's fault.
fn unreadable(context: &Context, error: &StoreError) -> CliError {
    if let StoreError::UnknownRun(_) = error {
        CliError::usage(error).hint("`portcullis runs list` shows them")
    } else {
        kept::broken(&context.config, error)
    }
}
