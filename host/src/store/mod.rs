//! What is left of a run: trait [`RunStore`], its records and views, and two stores, a SQLite file and memory.
//!
//! A store keeps words and figures; it does not judge them, and it knows neither agents, tools, wasm nor a clock: times
//! are handed in as Unix milliseconds. Prompts, reasoning and whole-state snapshots have no record here.
//! Both stores pass the same tests, `conformance.rs`.

mod memory;
mod records;
mod sqlite;
mod sweep;
mod views;

#[cfg(test)]
mod conformance;

pub use memory::MemoryStore;
pub use records::{
    BindingStatus, CheckedBinding, ClaimRecord, Ending, Evaluation, FinishedRun, InvocationRecord, NewRun,
    NodeComponent, Round, Run, RunOwner, RunStatus, Step, ToolInvocation,
};
pub use sqlite::{OpenError, SqliteStore};
pub use sweep::{INTERRUPTED, fail_orphans};
pub use views::{AuditedRun, RoundBinding, RoundClaim, RunFilter, RunPage, RunSummary, RunView, SessionView};

use portcullis_core::route::LONGEST_RUN;
use portcullis_core::trail::Event;
use serde_json::Value;

/// A run has at most as many events as the longest legal run has visits.
pub const EVENTS_MAX: usize = LONGEST_RUN;

/// More tool calls than this in one run are a runaway agent that policy failed to stop.
pub const INVOCATIONS_MAX: usize = 1_024;

/// Where runs are kept. Everything is keyed by the run id: what belongs to another run is not found (R-RUN-07).
///
/// A record is stored when the call returns: a process that is killed leaves what it had stored until then. Records
/// are added, not changed, and a finished run takes no more of them, its evaluations apart.
///
/// The calls are synchronous. The memory store takes microseconds; a call of the SQLite store may wait for another
/// process's write, so asynchronous code makes it through `tokio::task::spawn_blocking`.
pub trait RunStore: Send + Sync {
    /// Stores a run as RUNNING.
    fn begin(&self, run: &NewRun) -> Result<(), StoreError>;

    /// Appends the event of a native node. `seq` counts the events of the run from 1: a number that is not the next
    /// one is refused, so no attempt is recorded twice and none is left out.
    fn append_event(&self, run_id: &str, seq: u32, event: &Event) -> Result<(), StoreError>;

    /// Appends an agent node's step and, with it, the event that it holds.
    fn append_step(&self, run_id: &str, step: &Step) -> Result<(), StoreError>;

    /// Appends a tool call to the ledger of the run that it names.
    fn append_invocation(&self, invocation: &ToolInvocation) -> Result<(), StoreError>;

    /// Stores what the gatekeeper found in a round; once a round (R-GATE-01).
    fn put_checked_bindings(&self, run_id: &str, round: u8, bindings: &[CheckedBinding]) -> Result<(), StoreError>;

    /// Stores the verified claims of a round that the gatekeeper has judged; again when the verifier has.
    fn put_claims(&self, run_id: &str, round: u8, claims: &[ClaimRecord]) -> Result<(), StoreError>;

    /// Ends a run, once. Answer, verdict, metrics and trace become visible together or not at all.
    fn finish(&self, run_id: &str, finished: &FinishedRun) -> Result<(), StoreError>;

    /// Stores an evaluation of a run that ended as SUCCESS; it changes nothing in the run.
    fn put_evaluation(&self, run_id: &str, evaluation: &Evaluation) -> Result<(), StoreError>;

    /// The run, without its trace.
    fn run(&self, run_id: &str) -> Result<Option<Run>, StoreError>;

    /// The audit of a finished run, as it was written.
    fn orchestration_trace(&self, run_id: &str) -> Result<Option<Value>, StoreError>;

    /// Runs, the newest first.
    fn list_runs(&self, filter: &RunFilter) -> Result<RunPage, StoreError>;

    /// The runs that have not finished, and who said that it runs them.
    fn running(&self) -> Result<Vec<RunOwner>, StoreError>;

    /// The events in order; the first has `seq` 1.
    fn events(&self, run_id: &str) -> Result<Vec<Event>, StoreError>;

    /// The agent steps in order.
    fn steps(&self, run_id: &str) -> Result<Vec<Step>, StoreError>;

    /// What the gatekeeper found and what passed, round by round.
    fn rounds(&self, run_id: &str) -> Result<Vec<Round>, StoreError>;

    /// The ledger without the bodies, in the order of recording.
    fn invocations(&self, run_id: &str) -> Result<Vec<InvocationRecord>, StoreError>;

    /// One entry of the ledger with its body; none when the run did not record it, whoever else did.
    fn invocation(&self, run_id: &str, invocation_id: &str) -> Result<Option<ToolInvocation>, StoreError>;

    /// Whether a run other than this one recorded the id. It tells a borrowed reference from an invented one, and
    /// nothing of what was recorded.
    fn is_foreign_invocation(&self, run_id: &str, invocation_id: &str) -> Result<bool, StoreError>;

    /// The evaluations in the order of their names.
    fn evaluations(&self, run_id: &str) -> Result<Vec<Evaluation>, StoreError>;
}

/// Why a store refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("unknown run: {0}")]
    UnknownRun(String),
    #[error("run {0} is finished and takes no more records")]
    Finished(String),
    #[error("run {run_id} has its {what} already")]
    Duplicate { run_id: String, what: String },
    #[error("run {run_id} has as many {what} as it may have: {max}")]
    Full { run_id: String, what: &'static str, max: usize },
    #[error("run {run_id} cannot take event {seq}: the next one is {next}")]
    OutOfSequence { run_id: String, seq: u32, next: u32 },
    #[error("run {run_id} has no gatekeeper result for round {round}, so it can have no verified claim there")]
    NotJudged { run_id: String, round: u8 },
    #[error("run {0} did not end as SUCCESS, so it is not evaluated")]
    NotSuccessful(String),
    /// The caller broke the contract of a record.
    #[error("this cannot be stored: {0}")]
    Invalid(&'static str),
    /// What was read is not what a store writes.
    #[error("a stored record cannot be read: {0}")]
    Corrupt(String),
    /// The medium failed: a full disk, a lock that was held too long.
    #[error("the run store failed: {0}")]
    Backend(#[source] Box<dyn std::error::Error + Send + Sync>),
}
