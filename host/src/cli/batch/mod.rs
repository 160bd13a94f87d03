//! `portcullis batch`: a host that goes on. Questions come in line by line, answers go out as JSON Lines.
//!
//! It takes over a changed configuration at SIGHUP, and stops taking questions at SIGINT or SIGTERM. It decides nothing
//! about a run.

mod answer;
mod lines;
mod question;
mod signals;

use super::error::{CliError, Exit};
use super::output::printable;
use super::{Context, Output, input, kept, load_config, run};
use crate::run::{Host, Observer, Request};
use crate::setup::{self, Prepared, Refused, Shared};
use answer::{Answer, Tally};
use clap::Args;
use lines::{Line, Lines};
use portcullis_core::document::Fact;
use portcullis_core::trail::Event;
use question::Question;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};

/// More runs at once only wait for each other.
const JOBS_MAX: usize = 64;

#[derive(Debug, Args)]
pub(crate) struct BatchArgs {
    /// One question a line: words, or an object with question, facts, session and id [default: stdin]
    file: Option<PathBuf>,
    /// Incident bundle whose tools and facts the agents get
    #[arg(long, value_name = "DIR")]
    incident: Option<PathBuf>,
    /// Questions that are answered at the same time
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_jobs)]
    jobs: NonZeroUsize,
}

fn parse_jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= JOBS_MAX).ok_or_else(|| format!("1 to {JOBS_MAX}"))
}

pub(crate) async fn batch(args: BatchArgs, context: &Context) -> Result<Exit, CliError> {
    // Before anything else: a signal during the start must not end the process as if nobody listened.
    let (mut hangup, mut stop) =
        signals::listen().map_err(|error| CliError::failed(format!("cannot listen to signals: {error}")))?;
    let incident = setup::incident(&context.config, args.incident.as_deref()).map_err(CliError::usage)?;
    let facts = incident.as_ref().map(|incident| incident.facts().to_vec()).unwrap_or_default();
    let shared = Shared::load(&context.config).map_err(CliError::usage)?;
    super::tell_left_out(&shared);
    let source = input::name(args.file.as_deref());
    let unreadable =
        |error| CliError::usage(format!("cannot read {source}: {error}")).hint("name a file, or leave it out");
    let named = input::named(args.file.as_deref()).map(Path::to_owned);
    // A pipe without a writer can be waited for in vain.
    let mut lines = tokio::select! {
        opened = tokio::task::spawn_blocking(move || Lines::of(named.as_deref())) => {
            opened.map_err(lost)?.map_err(unreadable)?
        }
        () = stop.next() => return Err(CliError::failed("stopped before there was a question")),
    };
    // The store comes last: it may be made here, and a start that fails leaves nothing behind.
    let store = kept::open(&context.config)?;
    let host = setup::host(&context.config, &shared, incident, store).map_err(CliError::usage)?;
    tell(&format!("ready: questions from {source}, {} at a time", args.jobs));

    let mut batch = Batch {
        host,
        shared,
        facts,
        runs: JoinSet::new(),
        takes: Takes::Lines,
        output: Ok(true),
        tally: Tally::default(),
    };
    let mut reloads: JoinSet<Result<Prepared, Refused>> = JoinSet::new();
    while batch.takes == Takes::Lines || !batch.runs.is_empty() || !reloads.is_empty() {
        tokio::select! {
            line = lines.next(), if batch.takes == Takes::Lines && batch.runs.len() < args.jobs.get() => match line {
                Some(line) => batch.take(line),
                None => batch.takes = Takes::NothingMore,
            },
            Some(answered) = batch.runs.join_next() => batch.give(answered.map_err(lost)?),
            () = hangup.next(), if reloads.is_empty() => match load_config(&context.global) {
                Ok(config) => {
                    let serving = batch.shared.clone();
                    reloads.spawn(async move { serving.prepare(config).await });
                }
                Err(error) => stays(&error),
            },
            Some(prepared) = reloads.join_next() => batch.publish(prepared.map_err(lost)?),
            () = stop.next() => batch.stop()?,
        }
    }
    if let Some(Line { number, .. }) = lines.left().await {
        batch.give(Answer::error(number, None, format!("line {number}: not begun: stopped")));
    }
    batch.end()
}

/// What is still taken from the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Lines,
    /// It has ended, or nobody reads the answers.
    NothingMore,
    /// The operator said stop.
    Stopped,
}

struct Batch {
    host: Arc<Host>,
    /// What serves new runs, for the next reload to start from.
    shared: Shared,
    /// What the incident says.
    facts: Vec<Fact>,
    runs: JoinSet<(Exit, Answer)>,
    takes: Takes,
    /// Whether answers can still be written, or why not.
    output: Result<bool, CliError>,
    tally: Tally,
}

impl Batch {
    /// Begins a run, or tells what is wrong with the line.
    fn take(&mut self, Line { number: line, bytes }: Line) {
        let read = match bytes {
            Ok(bytes) => question::read(&bytes).map_err(|error| format!("line {line}, {error}")),
            Err(error) => Err(format!("line {line}: {error}")),
        };
        match read {
            Ok(None) => {}
            Ok(Some(Question { id, request })) => {
                let request = Request { facts: run::with_own(self.facts.clone(), request.facts), ..request };
                let host = Arc::clone(&self.host);
                let run = async move { Answer::of(line, id, host.diagnose(request, Arc::new(Began(line))).await) };
                self.runs.spawn(run);
            }
            Err(error) => self.give(Answer::error(line, None, error)),
        }
    }

    fn give(&mut self, (exit, answer): (Exit, Answer)) {
        self.tally.count(exit);
        tell(&answer.in_words());
        if let Ok(true) = self.output {
            self.output = Output::json_line(&answer);
        }
        // Answers that reach nobody are not asked for.
        if !matches!(self.output, Ok(true)) && self.takes == Takes::Lines {
            self.takes = Takes::NothingMore;
        }
    }

    fn publish(&mut self, prepared: Result<Prepared, Refused>) {
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return stays(&CliError::failed(error)),
        };
        let mut told: Vec<_> = prepared.changes.iter().map(|change| format!("reloaded: {change}")).collect();
        if prepared.other_candidates {
            told.push("reloaded: the candidates in the shadow".to_owned());
        }
        let after_restart = prepared.after_restart.clone();
        self.shared = prepared.publish(&self.host.catalog);
        super::tell_left_out(&self.shared);
        match told.as_slice() {
            [] => tell("reloaded: nothing that serves has changed"),
            told => told.iter().for_each(|words| tell(words)),
        }
        for section in after_restart {
            tell(&format!("not applied: [{section}] has changed and needs a restart"));
        }
    }

    fn stop(&mut self) -> Result<(), CliError> {
        let runs = self.runs.len();
        if self.takes == Takes::Stopped {
            return Err(CliError::failed(format!("ended at once: {runs} runs are lost"))
                .hint("the next start ends them as interrupted"));
        }
        self.takes = Takes::Stopped;
        tell(&format!("stopping: {runs} runs are on their way; a second signal ends at once"));
        Ok(())
    }

    fn end(self) -> Result<Exit, CliError> {
        tell(&self.tally.in_words());
        self.output.map(|_| self.tally.exit())
    }
}

/// Says which run a line began.
struct Began(u64);

impl Observer for Began {
    fn run_began(&self, run_id: &str) {
        tell(&format!("line {}: run {run_id}", self.0));
    }

    fn attempt_began(&self, _node: &str, _round: u8, _attempt: u8) {}

    fn attempt_ended(&self, _event: &Event, _duration: Duration) {}
}

fn tell(words: &str) {
    Output::person(&printable(words));
}

fn stays(error: &CliError) {
    tell(&format!("{error}\nnot reloaded: what served before stays"));
}

/// A task that panicked: a defect of the host.
#[expect(clippy::needless_pass_by_value, reason = "as map_err hands it over")]
fn lost(error: JoinError) -> CliError {
    CliError::failed(format!("a task was lost: {error}"))
}
