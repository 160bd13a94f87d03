//! Self-evaluation of a finished run, stored apart from it. It is called once, after SUCCESS only, and its failure
//! changes nothing in the run (R-RUN-05, R-RUN-06).

use crate::store::Evaluation;
use portcullis_core::trail::OrchestrationTrace;
use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Says something of a finished run.
pub trait Evaluator: Send + Sync {
    /// # Errors
    /// Words for the record: a failed evaluation is stored as such.
    fn evaluate(&self, finished: &Evaluated<'_>) -> Result<Map<String, Value>, String>;

    /// The name of the record.
    fn name(&self) -> &'static str;
}

/// What an evaluator sees: the answer and the audit, no tool output.
#[derive(Debug, Clone, Copy)]
pub struct Evaluated<'a> {
    pub answer: &'a str,
    pub trace: &'a OrchestrationTrace,
    pub tool_calls: usize,
}

/// The built-in evaluator: what the gatekeeper let through.
#[derive(Debug, Clone, Copy, Default)]
pub struct GateFigures;

impl Evaluator for GateFigures {
    fn evaluate(&self, finished: &Evaluated<'_>) -> Result<Map<String, Value>, String> {
        let trace = finished.trace;
        let (verified, failed) = trace.gatekeeper.as_ref().map_or((0, 0), |gate| (gate.verified, gate.failed));
        let mut figures = Map::new();
        figures.insert("bindings_checked".into(), json!(verified.saturating_add(failed)));
        figures.insert("bindings_verified".into(), json!(verified));
        figures.insert("degraded".into(), json!(trace.degraded));
        figures.insert("evidence_retries".into(), json!(trace.evidence_retries));
        figures.insert("technical_retries".into(), json!(trace.technical_retries));
        figures.insert("tool_calls".into(), json!(finished.tool_calls));
        figures.insert("verdict".into(), json!(trace.verdict));
        Ok(figures)
    }

    fn name(&self) -> &'static str {
        "gate_figures"
    }
}

/// Runs one evaluator and makes its record, whatever comes of it.
pub(super) fn evaluation_of(evaluator: &dyn Evaluator, finished: &Evaluated<'_>) -> Evaluation {
    // The run is stored as a success by now: a defect of an evaluator must not take that from the caller.
    let evaluated = catch_unwind(AssertUnwindSafe(|| evaluator.evaluate(finished)))
        .unwrap_or_else(|_| Err("the evaluator panicked".to_owned()));
    let (status, figures) = match evaluated {
        Ok(figures) => ("ok", figures),
        Err(words) => ("failed", Map::from_iter([("error".to_owned(), Value::String(words))])),
    };
    Evaluation { name: evaluator.name().to_owned(), status: status.to_owned(), figures }
}
