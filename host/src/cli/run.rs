//! `portcullis run`: one question, one cited answer.

use super::error::{CliError, Exit};
use super::{Context, Output, kept};
use crate::run::shadow::{Comparison, Outcome};
use crate::run::{Answered, Diagnosis, Observer, Request, RunError, Unwatched};
use crate::setup;
use crate::tools::incident::Bundle;
use clap::Args;
use portcullis_core::document::{Fact, Verdict};
use portcullis_core::trail::Event;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What to diagnose [default: the incident's own question]
    question: Option<String>,
    /// Incident bundle whose tools and facts the agents get
    #[arg(long, value_name = "DIR")]
    incident: Option<PathBuf>,
    /// What is known already; may be given more than once
    #[arg(long = "fact", value_name = "NAME=VALUE", value_parser = parse_fact)]
    facts: Vec<Fact>,
    /// Session that the run belongs to [default: one of its own]
    #[arg(long, value_name = "ID", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    session: Option<String>,
    /// Show progress on stderr even when it is no terminal
    #[arg(long)]
    watch: bool,
}

pub(crate) fn parse_fact(text: &str) -> Result<Fact, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok(Fact { name: name.trim().into(), value: value.into() }),
        Some(_) | None => Err("a fact is NAME=VALUE, such as service=checkout".into()),
    }
}

/// What the caller and the incident together ask.
pub(crate) fn request(
    incident: Option<&Bundle>,
    question: Option<String>,
    own_facts: Vec<Fact>,
    session_id: Option<String>,
) -> Result<Request, CliError> {
    let of_incident = incident.map(|incident| incident.question().to_owned());
    let question = question.or(of_incident).filter(|question| !question.trim().is_empty()).ok_or_else(|| {
        CliError::usage("there is no question").hint("give one, or name an incident that has one with --incident DIR")
    })?;
    let known = incident.map(|incident| incident.facts().to_vec()).unwrap_or_default();
    let request = Request { question, facts: with_own(known, own_facts), session_id };
    request.check().map_err(CliError::usage)?;
    Ok(request)
}

pub(crate) async fn run(args: RunArgs, context: &Context) -> Result<Exit, CliError> {
    let incident = setup::incident(&context.config, args.incident.as_deref()).map_err(CliError::usage)?;
    let request = request(incident.as_deref(), args.question, args.facts, args.session)?;
    let shared = setup::Shared::load(&context.config).map_err(CliError::usage)?;
    super::tell_left_out(&shared);
    // The store comes last: it may be made here, and a start that fails leaves nothing behind.
    let store = kept::open(&context.config)?;
    let host = setup::host(&context.config, &shared, incident, store).map_err(CliError::usage)?;
    let observer: Arc<dyn Observer> =
        if args.watch || Output::is_watched() { Arc::new(Progress) } else { Arc::new(Unwatched) };
    let diagnosis = host.diagnose(request, observer).await.map_err(|error| match error {
        RunError::BlankQuestion | RunError::TooLarge { .. } | RunError::BadSession => CliError::usage(error),
        RunError::Store { .. } => CliError::failed(error),
    })?;
    let exit = match &diagnosis {
        Diagnosis::Answered(answered) => answered_exit(answered),
        Diagnosis::Failed { .. } => Exit::Failed,
    };
    let is_kept = !context.config.store.is_memory();
    context.output.result(&in_json(&diagnosis), || in_words(&diagnosis, is_kept))?;
    match shared.unused_replies() {
        0 => Ok(exit),
        unused => Err(CliError::failed(format!("{unused} replies of the script were not used"))),
    }
}

/// What the caller says overrules what the bundle says.
pub(super) fn with_own(mut facts: Vec<Fact>, own: Vec<Fact>) -> Vec<Fact> {
    facts.retain(|fact| !own.iter().any(|own| own.name == fact.name));
    facts.extend(own);
    facts
}

/// PASS from the composer is the only unreserved answer (R-RUN-03).
pub(super) fn answered_exit(answered: &Answered) -> Exit {
    match answered.verdict {
        Some(Verdict::Pass) if !answered.trace.degraded => Exit::Success,
        Some(Verdict::Pass | Verdict::LowConfid | Verdict::Reject) | None => Exit::Degraded,
    }
}

fn in_words(diagnosis: &Diagnosis, is_kept: bool) -> String {
    let (words, run_id) = match diagnosis {
        Diagnosis::Answered(answered) => (answered.answer.text.clone(), &answered.run_id),
        Diagnosis::Failed { run_id, reason } => (format!("The run failed ({reason}); there is no answer.\n"), run_id),
    };
    if is_kept { format!("{words}\nRun {run_id}: `portcullis runs show {run_id}`") } else { words }
}

fn in_json(diagnosis: &Diagnosis) -> Value {
    match diagnosis {
        Diagnosis::Answered(answered) => json!({
            "run_id": answered.run_id,
            "session_id": answered.session_id,
            "status": "SUCCESS",
            "verdict": answered.verdict,
            "degraded": answered.trace.degraded,
            "headline": answered.answer.headline,
            "answer": answered.answer.text,
            "claims": answered.answer.claims,
            "citations": answered.answer.citations,
        }),
        Diagnosis::Failed { run_id, reason } => {
            json!({ "run_id": run_id, "status": "FAILED", "failure_reason": reason, "answer": null })
        }
    }
}

/// Live progress on stderr: node, attempt, outcome.
struct Progress;

impl Observer for Progress {
    fn run_began(&self, run_id: &str) {
        Output::person(&format!("run {run_id}"));
    }

    fn attempt_began(&self, node: &str, round: u8, attempt: u8) {
        if round > 1 || attempt > 1 {
            Output::person(&format!("  {node} (round {round}, attempt {attempt}) ..."));
        } else {
            Output::person(&format!("  {node} ..."));
        }
    }

    fn attempt_ended(&self, event: &Event, duration: Duration) {
        let reason = event.reason_code.as_str();
        Output::person(&format!("  {} {} {reason} ({} ms)", event.node, event.outcome, duration.as_millis()));
    }

    fn compared(&self, comparison: &Comparison) {
        let Comparison { role, round, attempt, stage, .. } = comparison;
        let stage = stage.as_str();
        let found = match &comparison.outcome {
            Outcome::Same { .. } | Outcome::SameFailure { .. } => "same".to_owned(),
            Outcome::Differs(difference) => format!("differs at {}", difference.place()),
            Outcome::Failed { reason, .. } => format!("failed: {}", reason.as_str()),
        };
        Output::person(&format!("  shadow of {role} (round {round}, attempt {attempt}), {stage}: {found}"));
    }
}
