//! `portcullis node shadow ROLE FILE`: diagnoses incidents with a candidate in the shadow of the component that serves,
//! and prints how the two compare. Nothing is kept.

use crate::cli::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::run::{parse_fact, request};
use crate::config::{Candidate, Component, Config, Shadow};
use crate::run::shadow::{Comparison, Difference, Outcome};
use crate::run::{Diagnosis, Observer, Request, Unwatched};
use crate::setup::{self, SetupError};
use crate::store::MemoryStore;
use crate::tools::incident::Bundle;
use clap::{Args, ValueEnum};
use portcullis_core::document::Fact;
use portcullis_core::trail::Event;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct ShadowArgs {
    /// The node whose component the candidate is to replace
    #[arg(value_enum)]
    role: NodeRole,
    /// The candidate
    file: PathBuf,
    /// What to diagnose [default: each incident's own question]
    question: Option<String>,
    /// Incident bundle; may be given more than once [default: the configured one]
    #[arg(long = "incident", value_name = "DIR")]
    incidents: Vec<PathBuf>,
    /// What is known already; may be given more than once
    #[arg(long = "fact", value_name = "NAME=VALUE", value_parser = parse_fact)]
    facts: Vec<Fact>,
}

/// What can be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NodeRole {
    Planner,
    Executor,
    Verifier,
    Composer,
    PlanParser,
    EvidenceParser,
    VerificationParser,
    AnswerParser,
}

/// One diagnosis to be made.
struct Case {
    name: String,
    incident: Option<Arc<Bundle>>,
    request: Request,
}

/// What came of it.
#[derive(Serialize)]
struct Compared {
    incident: String,
    /// Why there is no answer, if there is none.
    failure: Option<String>,
    comparisons: Vec<Comparison>,
}

pub(crate) async fn shadow(args: ShadowArgs, context: &Context) -> Result<Exit, CliError> {
    let config = with_candidate(&context.config, args.role, &args.file);
    let cases = cases(&config, &args)?;
    let shared = setup::Shared::load(&config).map_err(CliError::usage)?;
    if let Some(error) = shared.left_out() {
        return Err(refused(&args.file, error));
    }
    let mut compared = Vec::new();
    for case in cases {
        compared.push(compare(case, &config, &shared).await?);
    }
    let figures = Figures::of(&compared);
    let candidates: Vec<_> = shared
        .candidates()
        .map(|info| json!({ "role": info.role.world(), "component": info.name, "sha256": info.sha256 }))
        .collect();
    let value = json!({
        "candidate": candidates.first(),
        "incidents": compared,
        "same": figures.same,
        "differs": figures.differs,
        "failed": figures.failed,
    });
    context.output.result(&value, || in_words(&compared, &figures))?;
    Ok(if figures.is_same() { Exit::Success } else { Exit::Failed })
}

/// The configuration with this one candidate. It stands under what `[shadow.ROLE]` says, or else under what the node
/// has that it is to replace.
fn with_candidate(config: &Config, role: NodeRole, file: &Path) -> Config {
    let (nodes, shadow) = (&config.nodes, &config.shadow);
    let (node, configured) = match role {
        NodeRole::Planner => (&nodes.planner, &shadow.planner),
        NodeRole::Executor => (&nodes.executor, &shadow.executor),
        NodeRole::Verifier => (&nodes.verifier, &shadow.verifier),
        NodeRole::Composer => (&nodes.composer, &shadow.composer),
        NodeRole::PlanParser => (&nodes.plan_parser, &shadow.plan_parser),
        NodeRole::EvidenceParser => (&nodes.evidence_parser, &shadow.evidence_parser),
        NodeRole::VerificationParser => (&nodes.verification_parser, &shadow.verification_parser),
        NodeRole::AnswerParser => (&nodes.answer_parser, &shadow.answer_parser),
    };
    let settings = configured.as_ref().map_or(node, |Candidate(component)| component).clone();
    let candidate = Some(Candidate(Component { component: Some(file.to_owned()), sha256: None, ..settings }));
    let mut only = Shadow::default();
    let seat = match role {
        NodeRole::Planner => &mut only.planner,
        NodeRole::Executor => &mut only.executor,
        NodeRole::Verifier => &mut only.verifier,
        NodeRole::Composer => &mut only.composer,
        NodeRole::PlanParser => &mut only.plan_parser,
        NodeRole::EvidenceParser => &mut only.evidence_parser,
        NodeRole::VerificationParser => &mut only.verification_parser,
        NodeRole::AnswerParser => &mut only.answer_parser,
    };
    *seat = candidate;
    Config { shadow: only, ..config.clone() }
}

/// All that is to be diagnosed, checked before anything is loaded.
fn cases(config: &Config, args: &ShadowArgs) -> Result<Vec<Case>, CliError> {
    let case = |named: Option<&Path>| {
        let incident = setup::incident(config, named).map_err(CliError::usage)?;
        let request = request(incident.as_deref(), args.question.clone(), args.facts.clone(), None)?;
        let folder = named.or(config.tools.incident.as_deref());
        let name = folder.map_or_else(
            || "-".to_owned(),
            |folder| {
                folder
                    .file_name()
                    .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
            },
        );
        Ok(Case { name, incident, request })
    };
    if args.incidents.is_empty() {
        return Ok(vec![case(None)?]);
    }
    args.incidents.iter().map(|folder| case(Some(folder))).collect()
}

/// The candidate's path is the command's, not the configuration's.
fn refused(file: &Path, error: &SetupError) -> CliError {
    if let SetupError::Unreadable { path, source, .. } = &error
        && path == file
    {
        return CliError::usage(format!("cannot read {}: {source}", file.display())).hint("name the candidate's file");
    }
    CliError::usage(error)
}

async fn compare(case: Case, config: &Config, shared: &setup::Shared) -> Result<Compared, CliError> {
    let Case { name, incident, request } = case;
    let store = Arc::new(MemoryStore::default());
    let host = setup::host(config, shared, incident, store).map_err(CliError::usage)?;
    let collected = Arc::new(Collected::default());
    let diagnosis = host.diagnose(request, Arc::clone(&collected) as Arc<dyn Observer>).await;
    let failure = match diagnosis.map_err(CliError::failed)? {
        Diagnosis::Answered(_) => None,
        Diagnosis::Failed { reason, .. } => Some(reason),
    };
    Ok(Compared { incident: name, failure, comparisons: collected.take() })
}

/// Keeps what it is told of the candidate.
#[derive(Default)]
struct Collected(Mutex<Vec<Comparison>>);

impl Collected {
    fn take(&self) -> Vec<Comparison> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Collected {
    fn run_began(&self, run_id: &str) {
        Unwatched.run_began(run_id);
    }

    fn attempt_began(&self, node: &str, round: u8, attempt: u8) {
        Unwatched.attempt_began(node, round, attempt);
    }

    fn attempt_ended(&self, event: &Event, duration: Duration) {
        Unwatched.attempt_ended(event, duration);
    }

    fn compared(&self, comparison: &Comparison) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(comparison.clone());
    }
}

/// The sum of all comparisons.
struct Figures {
    comparisons: usize,
    same: usize,
    differs: usize,
    failed: usize,
    /// Incidents that say nothing: no answer, or the node was never reached.
    silent: usize,
}

impl Figures {
    fn of(compared: &[Compared]) -> Self {
        let mut figures = Self { comparisons: 0, same: 0, differs: 0, failed: 0, silent: 0 };
        for case in compared {
            figures.silent += usize::from(case.failure.is_some() || case.comparisons.is_empty());
            for comparison in &case.comparisons {
                figures.comparisons += 1;
                match comparison.outcome {
                    Outcome::Same { .. } | Outcome::SameFailure { .. } => figures.same += 1,
                    Outcome::Differs(_) => figures.differs += 1,
                    Outcome::Failed { .. } => figures.failed += 1,
                }
            }
        }
        figures
    }

    /// What was not compared is not known to be the same.
    fn is_same(&self) -> bool {
        self.silent == 0 && self.same == self.comparisons
    }
}

const HEADER: [&str; 9] =
    ["incident", "role", "round/attempt", "stage", "our size", "their size", "our time", "their time", "found"];

fn in_words(compared: &[Compared], figures: &Figures) -> String {
    let line = |cells: [&str; 9]| {
        let [incident, role, at, stage, our_bytes, their_bytes, our_ms, their_ms, found] = cells;
        format!(
            "{incident:<24} {role:<19} {at:<13} {stage:<8} {our_bytes:>10} {their_bytes:>10} {our_ms:>10} {their_ms:>10}  {found}"
        )
    };
    let mut lines = vec![line(HEADER)];
    for case in compared {
        for comparison in &case.comparisons {
            let Comparison { role, round, attempt, stage, outcome, other_input, ours, theirs } = comparison;
            let (our_bytes, their_bytes) = match sizes(outcome) {
                Some((ours, theirs)) => (format!("{ours} B"), format!("{theirs} B")),
                None => ("-".to_owned(), "-".to_owned()),
            };
            let mut found = in_short(outcome);
            if *other_input {
                found.push_str(" (on another input)");
            }
            lines.push(line([
                &case.incident,
                role.world(),
                &format!("{round}/{attempt}"),
                stage.as_str(),
                &our_bytes,
                &their_bytes,
                &in_ms(*ours),
                &in_ms(*theirs),
                &found,
            ]));
            if let Outcome::Differs(Difference::Text { ours, theirs, .. }) = outcome {
                lines.push(format!("  ours:   {}", ours.excerpt));
                lines.push(format!("  theirs: {}", theirs.excerpt));
            }
            if let Outcome::Failed { detail, .. } = outcome {
                lines.push(format!("  {detail}"));
            }
        }
        if let Some(reason) = &case.failure {
            lines.push(format!("{:<24} the run failed ({reason}): there is no answer", case.incident));
        } else if case.comparisons.is_empty() {
            lines.push(format!("{:<24} nothing was compared: the run did not reach this node", case.incident));
        }
    }
    let Figures { comparisons, same, differs, failed, silent: _ } = figures;
    let incidents = compared.len();
    lines.push(format!(
        "compared: {comparisons}, same: {same}, different: {differs}, failed: {failed} (incidents: {incidents})"
    ));
    lines.join("\n")
}

fn in_short(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Same { sha256, .. } => format!("same, sha256 {}", sha256.get(..12).unwrap_or(sha256)),
        Outcome::SameFailure { reason } => format!("same, both failed: {}", reason.as_str()),
        Outcome::Differs(difference) => format!("differs: {}", difference.place()),
        Outcome::Failed { reason, .. } => format!("failed: {}", reason.as_str()),
    }
}

fn sizes(outcome: &Outcome) -> Option<(usize, usize)> {
    match outcome {
        Outcome::Same { bytes, .. } => Some((*bytes, *bytes)),
        Outcome::Differs(Difference::Text { ours, theirs, .. }) => Some((ours.bytes, theirs.bytes)),
        Outcome::Differs(Difference::Invocations { .. } | Difference::OnlyOursFailed { .. })
        | Outcome::SameFailure { .. }
        | Outcome::Failed { .. } => None,
    }
}

fn in_ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
