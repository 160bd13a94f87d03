//! A run store that forgets everything with its process. Same rules as the SQLite store, and the double for tests.
//!
//! It is bounded: of the finished runs it keeps the last [`FINISHED_MAX`], so a long-lived process does not grow.

use super::records::check_event;
use super::{
    CheckedBinding, ClaimRecord, Ending, Evaluation, FinishedRun, INVOCATIONS_MAX, InvocationRecord, NewRun, Round,
    Run, RunFilter, RunOwner, RunPage, RunStatus, RunStore, RunSummary, Step, StoreError, ToolInvocation,
};
use portcullis_core::trail::Event;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many finished runs are kept.
const FINISHED_MAX: usize = 256;

#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    runs: BTreeMap<String, Entry>,
    /// The finished runs, the oldest first.
    finished: VecDeque<String>,
}

#[derive(Debug)]
struct Entry {
    /// Its `agent_flow` stays empty here; a reader gets it from the visits.
    run: Run,
    trace: Option<Value>,
    visits: Vec<Visit>,
    rounds: BTreeMap<u8, Round>,
    invocations: Vec<ToolInvocation>,
    evaluations: BTreeMap<String, Evaluation>,
}

/// A step holds its event, so an attempt is one of the two.
#[derive(Debug)]
enum Visit {
    Native(Event),
    Agent(Step),
}

impl Visit {
    fn event(&self) -> &Event {
        match self {
            Self::Native(event) => event,
            Self::Agent(step) => &step.event,
        }
    }
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Every change is one assignment after all checks, so a thread that panicked left nothing half done.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from a run; what is unknown has nothing.
    fn read<T: Default>(&self, run_id: &str, read: impl FnOnce(&Entry) -> T) -> T {
        self.lock().runs.get(run_id).map(read).unwrap_or_default()
    }

    fn append_visit(&self, run_id: &str, seq: u32, visit: Visit) -> Result<(), StoreError> {
        check_event(run_id, seq, visit.event())?;
        let mut kept = self.lock();
        let entry = kept.running(run_id)?;
        let next = u32::try_from(entry.visits.len()).map_or(u32::MAX, |recorded| recorded + 1);
        if seq != next {
            return Err(StoreError::OutOfSequence { run_id: run_id.to_owned(), seq, next });
        }
        entry.visits.push(visit);
        Ok(())
    }
}

impl Kept {
    /// The run, if it still takes records.
    fn running(&mut self, run_id: &str) -> Result<&mut Entry, StoreError> {
        match self.runs.get_mut(run_id) {
            None => Err(StoreError::UnknownRun(run_id.to_owned())),
            Some(entry) => match entry.run.status {
                RunStatus::Running => Ok(entry),
                RunStatus::Success | RunStatus::Failed => Err(StoreError::Finished(run_id.to_owned())),
            },
        }
    }
}

impl RunStore for MemoryStore {
    fn begin(&self, run: &NewRun) -> Result<(), StoreError> {
        run.check()?;
        let mut kept = self.lock();
        if kept.runs.contains_key(&run.run_id) {
            return Err(StoreError::Duplicate { run_id: run.run_id.clone(), what: "beginning".to_owned() });
        }
        let NewRun { run_id, session_id, owner, question, nodes, created_ms } = run.clone();
        let key = run_id.clone();
        let run = Run {
            run_id,
            session_id,
            status: RunStatus::Running,
            question,
            answer: None,
            verdict: None,
            agent_flow: Vec::new(),
            metrics: serde_json::Map::new(),
            nodes,
            failure_reason: None,
            owner,
            created_ms,
            finished_ms: None,
        };
        let entry = Entry {
            run,
            trace: None,
            visits: Vec::new(),
            rounds: BTreeMap::new(),
            invocations: Vec::new(),
            evaluations: BTreeMap::new(),
        };
        kept.runs.insert(key, entry);
        Ok(())
    }

    fn append_event(&self, run_id: &str, seq: u32, event: &Event) -> Result<(), StoreError> {
        self.append_visit(run_id, seq, Visit::Native(event.clone()))
    }

    fn append_step(&self, run_id: &str, step: &Step) -> Result<(), StoreError> {
        self.append_visit(run_id, step.seq, Visit::Agent(step.clone()))
    }

    fn append_invocation(&self, invocation: &ToolInvocation) -> Result<(), StoreError> {
        let (run_id, id) = (&invocation.invocation.run_id, &invocation.invocation.invocation_id);
        let mut kept = self.lock();
        let entry = kept.running(run_id)?;
        if entry.invocations.len() >= INVOCATIONS_MAX {
            return Err(StoreError::Full { run_id: run_id.clone(), what: "tool invocations", max: INVOCATIONS_MAX });
        }
        if entry.invocations.iter().any(|recorded| recorded.invocation.invocation_id == *id) {
            return Err(StoreError::Duplicate { run_id: run_id.clone(), what: format!("tool invocation {id}") });
        }
        entry.invocations.push(invocation.clone());
        Ok(())
    }

    fn put_checked_bindings(&self, run_id: &str, round: u8, bindings: &[CheckedBinding]) -> Result<(), StoreError> {
        let mut kept = self.lock();
        let entry = kept.running(run_id)?;
        if entry.rounds.contains_key(&round) {
            let what = format!("gatekeeper result of round {round}");
            return Err(StoreError::Duplicate { run_id: run_id.to_owned(), what });
        }
        entry.rounds.insert(round, Round { round, checked_bindings: bindings.to_vec(), claims: Vec::new() });
        Ok(())
    }

    fn put_claims(&self, run_id: &str, round: u8, claims: &[ClaimRecord]) -> Result<(), StoreError> {
        let mut kept = self.lock();
        let judged = kept.running(run_id)?.rounds.get_mut(&round);
        let not_judged = || StoreError::NotJudged { run_id: run_id.to_owned(), round };
        judged.ok_or_else(not_judged)?.claims = claims.to_vec();
        Ok(())
    }

    fn finish(&self, run_id: &str, finished: &FinishedRun) -> Result<(), StoreError> {
        finished.ending.check()?;
        let trace = finished.ending.trace().map(serde_json::to_value).transpose();
        let trace = trace.map_err(|error| StoreError::Backend(error.into()))?;
        let mut kept = self.lock();
        let entry = kept.running(run_id)?;
        match finished.ending.clone() {
            Ending::Success { answer, verdict, trace: _ } => {
                entry.run.answer = Some(answer);
                entry.run.verdict = verdict;
            }
            Ending::Failed { reason, trace: _ } => entry.run.failure_reason = Some(reason),
        }
        entry.trace = trace;
        entry.run.metrics.clone_from(&finished.metrics);
        entry.run.finished_ms = Some(finished.finished_ms);
        entry.run.status = finished.ending.status();
        kept.finished.push_back(run_id.to_owned());
        if kept.finished.len() > FINISHED_MAX
            && let Some(oldest) = kept.finished.pop_front()
        {
            kept.runs.remove(&oldest);
        }
        Ok(())
    }

    fn put_evaluation(&self, run_id: &str, evaluation: &Evaluation) -> Result<(), StoreError> {
        let mut kept = self.lock();
        let entry = kept.runs.get_mut(run_id).ok_or_else(|| StoreError::UnknownRun(run_id.to_owned()))?;
        match entry.run.status {
            RunStatus::Running | RunStatus::Failed => return Err(StoreError::NotSuccessful(run_id.to_owned())),
            RunStatus::Success => {}
        }
        let name = &evaluation.name;
        if entry.evaluations.contains_key(name) {
            return Err(StoreError::Duplicate { run_id: run_id.to_owned(), what: format!("evaluation {name}") });
        }
        entry.evaluations.insert(name.clone(), evaluation.clone());
        Ok(())
    }

    fn run(&self, run_id: &str) -> Result<Option<Run>, StoreError> {
        Ok(self.read(run_id, |entry| {
            let agent_flow = entry.visits.iter().map(|visit| visit.event().node.clone()).collect();
            Some(Run { agent_flow, ..entry.run.clone() })
        }))
    }

    fn orchestration_trace(&self, run_id: &str) -> Result<Option<Value>, StoreError> {
        Ok(self.read(run_id, |entry| entry.trace.clone()))
    }

    fn list_runs(&self, filter: &RunFilter) -> Result<RunPage, StoreError> {
        let kept = self.lock();
        let age = |run: &Run| (run.created_ms, run.run_id.clone());
        let after = match &filter.after {
            Some(run_id) => match kept.runs.get(run_id) {
                Some(entry) => Some(age(&entry.run)),
                None => return Err(StoreError::UnknownRun(run_id.clone())),
            },
            None => None,
        };
        let mut runs: Vec<&Run> = kept
            .runs
            .values()
            .map(|entry| &entry.run)
            .filter(|run| filter.session_id.as_ref().is_none_or(|session_id| run.session_id == *session_id))
            .filter(|run| filter.status.is_none_or(|status| run.status == status))
            .filter(|run| after.as_ref().is_none_or(|after| age(run) < *after))
            .collect();
        runs.sort_by_key(|run| std::cmp::Reverse(age(run)));
        let limit = filter.bounded_limit();
        Ok(RunPage::cut(runs.into_iter().take(limit + 1).map(summary).collect(), limit))
    }

    fn running(&self) -> Result<Vec<RunOwner>, StoreError> {
        let kept = self.lock();
        let runs = kept.runs.values().map(|entry| &entry.run).filter(|run| run.status == RunStatus::Running);
        Ok(runs.map(|run| RunOwner { run_id: run.run_id.clone(), owner: run.owner.clone() }).collect())
    }

    fn events(&self, run_id: &str) -> Result<Vec<Event>, StoreError> {
        Ok(self.read(run_id, |entry| entry.visits.iter().map(|visit| visit.event().clone()).collect()))
    }

    fn steps(&self, run_id: &str) -> Result<Vec<Step>, StoreError> {
        let step = |visit: &Visit| match visit {
            Visit::Agent(step) => Some(step.clone()),
            Visit::Native(_) => None,
        };
        Ok(self.read(run_id, |entry| entry.visits.iter().filter_map(step).collect()))
    }

    fn rounds(&self, run_id: &str) -> Result<Vec<Round>, StoreError> {
        Ok(self.read(run_id, |entry| entry.rounds.values().cloned().collect()))
    }

    fn invocations(&self, run_id: &str) -> Result<Vec<InvocationRecord>, StoreError> {
        Ok(self.read(run_id, |entry| entry.invocations.iter().map(InvocationRecord::from).collect()))
    }

    fn invocation(&self, run_id: &str, invocation_id: &str) -> Result<Option<ToolInvocation>, StoreError> {
        Ok(self.read(run_id, |entry| {
            entry.invocations.iter().find(|recorded| recorded.invocation.invocation_id == invocation_id).cloned()
        }))
    }

    fn is_foreign_invocation(&self, run_id: &str, invocation_id: &str) -> Result<bool, StoreError> {
        let kept = self.lock();
        let others = kept.runs.iter().filter(|(id, _)| id.as_str() != run_id);
        let mut recorded = others.flat_map(|(_, entry)| &entry.invocations);
        Ok(recorded.any(|recorded| recorded.invocation.invocation_id == invocation_id))
    }

    fn evaluations(&self, run_id: &str) -> Result<Vec<Evaluation>, StoreError> {
        Ok(self.read(run_id, |entry| entry.evaluations.values().cloned().collect()))
    }
}

fn summary(run: &Run) -> RunSummary {
    RunSummary {
        run_id: run.run_id.clone(),
        session_id: run.session_id.clone(),
        status: run.status,
        question: run.question.clone(),
        verdict: run.verdict,
        failure_reason: run.failure_reason.clone(),
        created_ms: run.created_ms,
        finished_ms: run.finished_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::conformance::{conformance_tests, new_run, run_up_to_the_end, whole_run};

    impl MemoryStore {
        fn store(&self) -> &dyn RunStore {
            self
        }
    }

    conformance_tests!(MemoryStore::default());

    #[test]
    fn it_keeps_the_last_finished_runs_and_every_unfinished_one() {
        let store = MemoryStore::default();
        run_up_to_the_end(&store, "unfinished", "session");
        for number in 0..FINISHED_MAX + 2 {
            whole_run(&store, &format!("run-{number}"), "session");
        }
        assert_eq!(store.lock().runs.len(), FINISHED_MAX + 1);
        assert_eq!(store.run("run-0").unwrap(), None);
        assert_eq!(store.run("run-1").unwrap(), None);
        assert!(store.run("run-2").unwrap().is_some());
        assert!(store.run("unfinished").unwrap().is_some());
        store.begin(&new_run("run-0", "session")).unwrap();
    }
}
