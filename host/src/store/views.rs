//! What readers of a store get: the run with its audit, the session without one, and lists.

use super::records::{CheckedBinding, ClaimRecord, Evaluation, InvocationRecord, Round, Run, RunStatus, Step};
use super::{RunStore, StoreError};
use portcullis_core::document::Verdict;
use serde::Serialize;
use serde_json::Value;

/// One run with everything that proves it, as `runs show --json` prints it.
///
/// The audit is at `run.orchestrationTrace` and nowhere else (R-RUN-04): the events are shown there, not beside it.
/// Tool outputs are told by size and digest; who wants a body asks for that one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunView {
    pub run: AuditedRun,
    pub steps: Vec<Step>,
    pub claims: Vec<RoundClaim>,
    #[serde(rename = "checkedBindings")]
    pub checked_bindings: Vec<RoundBinding>,
    #[serde(rename = "toolInvocations")]
    pub tool_invocations: Vec<InvocationRecord>,
    pub evaluations: Vec<Evaluation>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditedRun {
    #[serde(flatten)]
    pub run: Run,
    #[serde(rename = "orchestrationTrace")]
    pub orchestration_trace: Option<Value>,
}

/// A claim and the round that it passed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoundClaim {
    pub round: u8,
    #[serde(flatten)]
    pub claim: ClaimRecord,
}

/// A checked binding and the round that it was checked in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoundBinding {
    pub round: u8,
    #[serde(flatten)]
    pub binding: CheckedBinding,
}

impl RunView {
    /// None for an unknown run.
    pub fn of(store: &dyn RunStore, run_id: &str) -> Result<Option<Self>, StoreError> {
        // The run comes first: records are only ever added, so what is read after it can be newer, but never less.
        let Some(run) = store.run(run_id)? else { return Ok(None) };
        // A run that finishes just now is shown as it was read: running, and so without an audit.
        let orchestration_trace = match run.status {
            RunStatus::Running => None,
            RunStatus::Success | RunStatus::Failed => store.orchestration_trace(run_id)?,
        };
        let (mut claims, mut checked_bindings) = (Vec::new(), Vec::new());
        for Round { round, checked_bindings: bindings, claims: passed } in store.rounds(run_id)? {
            claims.extend(passed.into_iter().map(|claim| RoundClaim { round, claim }));
            checked_bindings.extend(bindings.into_iter().map(|binding| RoundBinding { round, binding }));
        }
        Ok(Some(Self {
            run: AuditedRun { run, orchestration_trace },
            steps: store.steps(run_id)?,
            claims,
            checked_bindings,
            tool_invocations: store.invocations(run_id)?,
            evaluations: store.evaluations(run_id)?,
        }))
    }
}

/// Which runs to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFilter {
    pub session_id: Option<String>,
    pub status: Option<RunStatus>,
    /// The id of the last run that was seen: the list goes on after it.
    pub after: Option<String>,
    /// At most [`LIMIT_MAX`](Self::LIMIT_MAX).
    pub limit: usize,
}

impl RunFilter {
    pub const LIMIT_DEFAULT: usize = 50;
    pub const LIMIT_MAX: usize = 200;

    pub(super) fn bounded_limit(&self) -> usize {
        self.limit.min(Self::LIMIT_MAX)
    }
}

impl Default for RunFilter {
    fn default() -> Self {
        Self { session_id: None, status: None, after: None, limit: Self::LIMIT_DEFAULT }
    }
}

/// A piece of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunPage {
    pub runs: Vec<RunSummary>,
    /// What `after` must be for the next piece; none at the end.
    pub next: Option<String>,
}

impl RunPage {
    /// `runs` holds one run more than `limit` if there are more.
    pub(super) fn cut(mut runs: Vec<RunSummary>, limit: usize) -> Self {
        let has_more = runs.len() > limit;
        runs.truncate(limit);
        let next = runs.last().filter(|_| has_more).map(|run| run.run_id.clone());
        Self { runs, next }
    }
}

/// A run in a list: neither answer nor audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunSummary {
    pub run_id: String,
    pub session_id: String,
    pub status: RunStatus,
    pub question: String,
    pub verdict: Option<Verdict>,
    pub failure_reason: Option<String>,
    pub created_ms: i64,
    pub finished_ms: Option<i64>,
}

/// A session: its runs, the newest first, and no audit of any of them (R-RUN-04).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionView {
    pub session_id: String,
    #[serde(flatten)]
    pub page: RunPage,
}

impl SessionView {
    /// None when the session has no run.
    pub fn of(store: &dyn RunStore, session_id: &str, after: Option<String>) -> Result<Option<Self>, StoreError> {
        let is_first = after.is_none();
        let filter = RunFilter { session_id: Some(session_id.to_owned()), after, ..RunFilter::default() };
        let page = store.list_runs(&filter)?;
        let is_unknown = is_first && page.runs.is_empty();
        Ok((!is_unknown).then(|| Self { session_id: session_id.to_owned(), page }))
    }
}
