//! Ends the runs of processes that are gone. Whether a process lives is the caller's to say.

use super::{Ending, FinishedRun, RunStore, StoreError};
use portcullis_core::trail::{self, OrchestrationTrace, Trail};
use serde_json::Map;

/// The failure reason of a run whose process went away.
pub const INTERRUPTED: &str = "interrupted";

/// Ends each RUNNING run without a live owner as FAILED, with the trace that its stored events give, and says how many
/// these were. Safe to call from several processes at once: a run is ended by one of them.
pub fn fail_orphans(
    store: &dyn RunStore,
    owner_is_alive: &dyn Fn(&str) -> bool,
    now_ms: i64,
) -> Result<usize, StoreError> {
    let mut failed = 0;
    for run in store.running()? {
        if owner_is_alive(&run.owner) {
            continue;
        }
        let ending = Ending::Failed { reason: INTERRUPTED.to_owned(), trace: partial_trace(store, &run.run_id)? };
        match store.finish(&run.run_id, &FinishedRun { ending, metrics: Map::new(), finished_ms: now_ms }) {
            Ok(()) => failed += 1,
            // Its owner, or another sweep, was faster.
            Err(StoreError::Finished(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(failed)
}

/// None when no attempt had ended: a trace is real or it is absent (R-RUN-05).
fn partial_trace(store: &dyn RunStore, run_id: &str) -> Result<Option<OrchestrationTrace>, StoreError> {
    let events = match store.events(run_id) {
        // Better a run without a trace than one that is RUNNING for ever.
        Err(StoreError::Corrupt(_)) => return Ok(None),
        events => events?,
    };
    let mut trail = Trail::default();
    for event in events {
        // No store takes more events than a trail does.
        trail.record(event).map_err(|_| StoreError::Corrupt(format!("run {run_id} has too many events")))?;
    }
    let is_empty = trail.events().is_empty();
    Ok((!is_empty).then(|| OrchestrationTrace::of(&trail, trail::Ending::default())))
}
