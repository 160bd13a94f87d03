//! One run from a question to a stored result.
//!
//! This room drives the graph: it asks nodes, records what they did and follows [`route`](portcullis_core::route). It
//! knows components, agents, tools and the store only through their traits and runners.

mod budget;
mod catalog;
mod clock;
mod driver;
mod evaluation;
mod gate;
mod journal;
pub(crate) mod miss;
mod nodes;
mod observer;
pub mod shadow;
mod stage;

pub use budget::RunLimits;
pub use catalog::{Catalog, Generation};
pub use clock::{Clock, SystemClock};
pub use evaluation::{Evaluated, Evaluator, GateFigures};
pub use nodes::{Adapters, NodeSet, Parsers};
pub use observer::{Observer, Unwatched};

use crate::store::{Ending, FinishedRun, NewRun, RunStore, StoreError};
use crate::tools::{Gateway, Policy, ToolProvider};
use budget::RunBudget;
use driver::{Driver, Stop};
use journal::{Journal, millis};
use portcullis_core::answer::FinalAnswer;
use portcullis_core::document::{Fact, Query, Verdict};
use portcullis_core::trail::{Ending as TrailEnding, OrchestrationTrace};
use portcullis_plugins::RunIdentity;
use serde_json::{Map, Value, json};
use shadow::Rehearsal;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// A question longer than this is a document; it belongs into a tool's output.
pub const QUESTION_BYTES_MAX: usize = 16 * 1024;
/// Bytes of all facts together.
pub const FACTS_BYTES_MAX: usize = 64 * 1024;

/// Everything that runs share. Of all this only the catalog can change, and never for a run on its way (R-STATE-05).
pub struct Host {
    pub catalog: Arc<Catalog>,
    pub tools: Arc<dyn ToolProvider>,
    pub policy: Policy,
    pub limits: RunLimits,
    pub store: Arc<dyn RunStore>,
    pub clock: Arc<dyn Clock>,
    pub evaluator: Arc<dyn Evaluator>,
    /// This process, in words that tell it from any other.
    pub owner: String,
}

/// What a caller asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub question: String,
    pub facts: Vec<Fact>,
    /// Absent: a session of its own.
    pub session_id: Option<String>,
}

/// How a run ended. Either way it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Diagnosis {
    /// There is a safe answer; `trace` says how good it is (R-RUN-03).
    Answered(Answered),
    /// There is none (R-RUN-05).
    Failed { run_id: String, reason: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub run_id: String,
    pub session_id: String,
    pub answer: FinalAnswer,
    pub verdict: Option<Verdict>,
    pub trace: OrchestrationTrace,
}

/// Why a run did not start, or could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("the question is blank")]
    BlankQuestion,
    #[error("the {what} have {size} bytes; at most {max} are taken")]
    TooLarge { what: &'static str, size: usize, max: usize },
    #[error("a session id is not blank and has at most 256 bytes")]
    BadSession,
    #[error("run {run_id} cannot be stored: {source}")]
    Store { run_id: String, source: StoreError },
}

impl Host {
    /// Runs one diagnosis as a task of its own: a caller that goes away does not end it.
    ///
    /// # Errors
    /// [`RunError`] when the run did not start or its end could not be stored. A run that fails after its start is no
    /// error but a [`Diagnosis::Failed`].
    pub async fn diagnose(
        self: &Arc<Self>,
        request: Request,
        observer: Arc<dyn Observer>,
    ) -> Result<Diagnosis, RunError> {
        request.check()?;
        let run = Arc::new(RunIdentity {
            run_id: Uuid::now_v7().to_string(),
            session_id: request.session_id.clone().unwrap_or_else(|| Uuid::now_v7().to_string()),
            metadata: BTreeMap::new(),
        });
        let run_id = run.run_id.clone();
        let generation = self.catalog.current();
        let task = tokio::spawn(Arc::clone(self).supervise(request, run, generation, observer));
        let ended = task.await.unwrap_or_else(|lost| Err(StoreError::Backend(Box::new(lost))));
        ended.map_err(|source| RunError::Store { run_id, source })
    }

    /// From the first record to the last. Whatever happens to the run's own task, its end is stored here.
    async fn supervise(
        self: Arc<Self>,
        request: Request,
        run: Arc<RunIdentity>,
        generation: Arc<Generation>,
        observer: Arc<dyn Observer>,
    ) -> Result<Diagnosis, StoreError> {
        let journal = Journal::new(Arc::clone(&self.store), Arc::clone(&self.clock), &run.run_id);
        let begin = NewRun {
            run_id: run.run_id.clone(),
            session_id: run.session_id.clone(),
            owner: self.owner.clone(),
            question: request.question.clone(),
            nodes: generation.served_by(),
            created_ms: journal.now_ms(),
        };
        journal.begin(begin).await?;
        observer.run_began(&run.run_id);
        let query = Query { question: request.question, facts: request.facts };
        let watching = Arc::clone(&observer);
        let task = tokio::spawn(self.conduct(query, Arc::clone(&run), generation, journal.clone(), watching));
        match task.await {
            Ok(ended) => {
                let (diagnosis, rehearsal) = ended?;
                // The run is over and stored: whatever a candidate does now comes too late to change it.
                rehearsal.play(&run.run_id, &*observer).await;
                Ok(diagnosis)
            }
            Err(lost) => {
                // The task panicked: a defect of the host. What was stored of the trail is the real partial trace.
                tracing::error!(run_id = run.run_id, error = %lost, "the run's task was lost");
                let reason = "internal".to_owned();
                let trail = journal.trail().await.unwrap_or_default();
                let trace =
                    (!trail.events().is_empty()).then(|| OrchestrationTrace::of(&trail, TrailEnding::default()));
                let ending = Ending::Failed { reason: reason.clone(), trace };
                journal.finish(FinishedRun { ending, metrics: Map::new(), finished_ms: journal.now_ms() }).await?;
                Ok(Diagnosis::Failed { run_id: run.run_id.clone(), reason })
            }
        }
    }

    async fn conduct(
        self: Arc<Self>,
        query: Query,
        run: Arc<RunIdentity>,
        generation: Arc<Generation>,
        journal: Journal,
        observer: Arc<dyn Observer>,
    ) -> Result<(Diagnosis, Rehearsal), StoreError> {
        let budget = Arc::new(RunBudget::start(self.limits));
        let gateway = Arc::new(Gateway::new(
            run.run_id.clone(),
            Arc::clone(&self.tools),
            self.policy.clone(),
            Arc::new(journal.clone()),
        ));
        let mut driver = Driver::new(&generation, query, &run, &gateway, &budget, &journal, &*observer);
        let stop = driver.drive().await;
        let (state, rehearsal) = driver.into_parts();
        let trace = OrchestrationTrace::of(state.trail(), state.ending());
        let mut metrics = Map::new();
        let tool_calls = gateway.invocations().len();
        metrics.insert("duration_ms".into(), json!(millis(budget.elapsed())));
        metrics.insert("agent_invocations".into(), json!(budget.invocations()));
        metrics.insert("tool_calls".into(), json!(tool_calls));
        metrics.insert("statuses".into(), serde_json::to_value(state.statuses()).unwrap_or(Value::Null));

        let failure = match (&stop, state.final_answer()) {
            (Ok(()), Some(answer)) if !answer.text.trim().is_empty() => None,
            (Ok(()), Some(_)) => Some("blank_answer"),
            (Ok(()), None) => Some("no_final_state"),
            (Err(Stop::RecursionLimit), _) => Some("recursion_limit"),
            (Err(Stop::Store(error)), _) => {
                tracing::error!(run_id = run.run_id, %error, "the run cannot be recorded");
                Some("store_failed")
            }
        };
        let finished_ms = journal.now_ms();
        if let Some(reason) = failure {
            // Only a real partial trace is kept (R-RUN-05).
            let trace = (!trace.events.is_empty()).then_some(trace);
            let ending = Ending::Failed { reason: reason.into(), trace };
            journal.finish(FinishedRun { ending, metrics, finished_ms }).await?;
            return Ok((Diagnosis::Failed { run_id: run.run_id.clone(), reason: reason.into() }, rehearsal));
        }
        let answer = state.final_answer().cloned().unwrap_or_default();
        let ending = Ending::Success { answer: answer.text.clone(), verdict: trace.verdict, trace: trace.clone() };
        // Stored first, announced after.
        journal.finish(FinishedRun { ending, metrics, finished_ms }).await?;
        let evaluated = Evaluated { answer: &answer.text, trace: &trace, tool_calls };
        let evaluation = evaluation::evaluation_of(&*self.evaluator, &evaluated);
        if let Err(error) = journal.evaluation(evaluation).await {
            tracing::warn!(run_id = run.run_id, %error, "the evaluation cannot be stored");
        }
        let answered = Answered {
            run_id: run.run_id.clone(),
            session_id: run.session_id.clone(),
            verdict: trace.verdict,
            answer,
            trace,
        };
        Ok((Diagnosis::Answered(answered), rehearsal))
    }
}

impl Request {
    /// Whether this is a question at all, before anything is made for it.
    ///
    /// # Errors
    /// [`RunError`], but never one of the store.
    pub fn check(&self) -> Result<(), RunError> {
        if self.question.trim().is_empty() {
            return Err(RunError::BlankQuestion);
        }
        let question = self.question.len();
        if question > QUESTION_BYTES_MAX {
            return Err(RunError::TooLarge { what: "words of the question", size: question, max: QUESTION_BYTES_MAX });
        }
        let facts = self.facts.iter().map(|fact| fact.name.len() + fact.value.len()).sum();
        if facts > FACTS_BYTES_MAX {
            return Err(RunError::TooLarge { what: "facts", size: facts, max: FACTS_BYTES_MAX });
        }
        match &self.session_id {
            Some(id) if id.trim().is_empty() || id.len() > 256 => Err(RunError::BadSession),
            Some(_) | None => Ok(()),
        }
    }
}
