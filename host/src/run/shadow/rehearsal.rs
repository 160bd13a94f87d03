//! The candidates of one run repeat what the current components did, and it is said how they differ.

use super::comparison::{Comparison, Difference, Outcome, Stage};
use super::watch::{AdapterTake, Attempted, ParserTake, Take};
use super::{CALL_WALL, RUN_WALL};
use crate::run::Observer;
use async_trait::async_trait;
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{AttemptFailure, FailureClass, InvokeError, Invoker, Prepared, Role, RunIdentity};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// What there is to repeat of one run, visit by visit. It is bounded as the run is.
#[derive(Default)]
pub(in crate::run) struct Rehearsal(Vec<(Position, Take)>);

/// Which visit it is.
#[derive(Clone, Copy)]
struct Position {
    round: u8,
    attempt: u8,
}

/// What a candidate prepared for a stage. It holds no guest any more when the attempt is over.
struct Staged {
    prepared: Prepared,
    other_input: bool,
}

impl Rehearsal {
    pub(in crate::run) fn add(&mut self, round: u8, attempt: u8, take: Take) {
        if !take.is_empty() {
            self.0.push((Position { round, attempt }, take));
        }
    }

    /// Has the candidates repeat the run. Nothing comes back of what they say but words about it.
    pub(in crate::run) async fn play(self, run_id: &str, observer: &dyn Observer) {
        let until = Instant::now() + RUN_WALL;
        let mut staged = None;
        for (at, take) in self.0 {
            let lost = at.lost(&take);
            // A task of its own: a defect of the host that a candidate brings to light must not reach the answer.
            let played = tokio::spawn(play(at, take, staged.take(), until)).await;
            let (found, kept) = played.unwrap_or_else(|_| (lost, None));
            staged = kept;
            for comparison in &found {
                log(run_id, comparison);
                observer.compared(comparison);
            }
        }
    }
}

/// One visit. What an adapter prepared is kept for a technical retry.
async fn play(at: Position, take: Take, staged: Option<Staged>, until: Instant) -> (Vec<Comparison>, Option<Staged>) {
    let mut found = Vec::new();
    let mut kept = None;
    if let Some(adapter) = take.adapter {
        kept = play_adapter(at, adapter, staged, until, &mut found).await;
    }
    if let Some(parser) = take.parser {
        found.push(play_parser(at, parser, until).await);
    }
    (found, kept)
}

async fn play_adapter(
    at: Position,
    take: AdapterTake,
    staged: Option<Staged>,
    until: Instant,
    found: &mut Vec<Comparison>,
) -> Option<Staged> {
    let role = take.role;
    let mut staged = match take.preparing {
        None => staged?,
        Some(preparing) => {
            let Some(ours) = take.prepared else {
                found.push(at.nothing(role, Stage::Prepare));
                return None;
            };
            let (theirs, time) = timed(until, preparing).await;
            let outcome = Outcome::of(&ours.result, theirs.as_ref().map(Prepared::input));
            let other_input = !outcome.is_same();
            found.push(at.comparison(role, Stage::Prepare, outcome, ours.time, time));
            // Without an input of the current component there was no attempt to repeat.
            ours.result.ok()?;
            Staged { prepared: theirs.ok()?, other_input }
        }
    };
    let Some(Attempted { did: ours, replies }) = take.attempted else {
        found.push(at.nothing(role, Stage::Attempt));
        return None;
    };
    let replay = Arc::new(Replay::of(replies));
    let (theirs, time) = timed(until, staged.prepared.attempt(Arc::clone(&replay) as Arc<dyn Invoker>)).await;
    let outcome = Outcome::of(&ours.result, theirs.as_ref().map(|output| output.text.as_str()));
    let outcome = match replay.asked() {
        (ours, theirs) if outcome.is_same() && ours != theirs => {
            Outcome::Differs(Difference::Invocations { ours, theirs })
        }
        _ => outcome,
    };
    let comparison = at.comparison(role, Stage::Attempt, outcome, ours.time, time);
    found.push(Comparison { other_input: staged.other_input, ..comparison });
    Some(staged)
}

async fn play_parser(at: Position, take: ParserTake, until: Instant) -> Comparison {
    let Some(ours) = take.parsed else { return at.nothing(take.role, Stage::Parse) };
    let (theirs, time) = timed(until, take.reading).await;
    let outcome = Outcome::of(&ours.result, theirs.as_deref());
    at.comparison(take.role, Stage::Parse, outcome, ours.time, time)
}

/// A call of a candidate, which ends in time.
async fn timed<T>(
    until: Instant,
    call: impl Future<Output = Result<T, AttemptFailure>>,
) -> (Result<T, AttemptFailure>, Duration) {
    let begun = Instant::now();
    let done = tokio::time::timeout_at(until.min(begun + CALL_WALL), call).await;
    let result = done.unwrap_or_else(|_| {
        Err(AttemptFailure {
            class: FailureClass::NonRetryable,
            reason: ReasonCode::AttemptTimeout,
            detail: format!("a candidate has {CALL_WALL:?} for a call, and all of a run have {RUN_WALL:?}"),
        })
    });
    (result, begun.elapsed())
}

impl Position {
    fn comparison(self, role: Role, stage: Stage, outcome: Outcome, ours: Duration, theirs: Duration) -> Comparison {
        let Self { round, attempt } = self;
        Comparison { role, round, attempt, stage, outcome, other_input: false, ours, theirs }
    }

    /// The run's time was over before the current component was done.
    fn nothing(self, role: Role, stage: Stage) -> Comparison {
        self.comparison(role, stage, Outcome::nothing_to_compare_with(), Duration::ZERO, Duration::ZERO)
    }

    /// What is said of a visit when nobody comes back to say it.
    fn lost(self, take: &Take) -> Vec<Comparison> {
        let adapter = take.adapter.as_ref().map(|take| (take.role, Stage::Prepare));
        let parser = take.parser.as_ref().map(|take| (take.role, Stage::Parse));
        let lost = |(role, stage)| {
            let detail = "the comparison was lost by a defect of the host".to_owned();
            let outcome = Outcome::Failed { reason: ReasonCode::GuestUnavailable, detail };
            self.comparison(role, stage, outcome, Duration::ZERO, Duration::ZERO)
        };
        adapter.into_iter().chain(parser).map(lost).collect()
    }
}

/// Says again what the agent said, and never asks it.
struct Replay {
    replies: Vec<Result<String, InvokeError>>,
    asked: AtomicUsize,
}

impl Replay {
    fn of(replies: Vec<Result<String, InvokeError>>) -> Self {
        Self { replies, asked: AtomicUsize::new(0) }
    }

    /// How often the current component asked, and how often the candidate did.
    fn asked(&self) -> (usize, usize) {
        (self.replies.len(), self.asked.load(Ordering::Relaxed))
    }
}

#[async_trait]
impl Invoker for Replay {
    async fn invoke(&self, _input: &str, _run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        let at = self.asked.fetch_add(1, Ordering::Relaxed);
        self.replies.get(at).cloned().unwrap_or_else(|| {
            let times = self.replies.len();
            let words = format!("the current component asked {times} times, so there is no reply to more");
            Err(InvokeError::Permanent(words))
        })
    }
}

/// No line holds what a component gave, but for the words of a failure, as everywhere.
fn log(run_id: &str, comparison: &Comparison) {
    let Comparison { role, round, attempt, stage, outcome, other_input, ours, theirs } = comparison;
    let (role, stage) = (role.world(), stage.as_str());
    match outcome {
        Outcome::Same { .. } | Outcome::SameFailure { .. } => {
            tracing::debug!(run_id, role, round, attempt, stage, ?ours, ?theirs, "the candidate does the same");
        }
        Outcome::Differs(difference) => {
            let place = difference.place();
            tracing::warn!(run_id, role, round, attempt, stage, other_input, place, "the candidate differs");
        }
        Outcome::Failed { reason, detail } => {
            let reason = reason.as_str();
            tracing::warn!(run_id, role, round, attempt, stage, reason, detail, "the candidate failed");
        }
    }
}
