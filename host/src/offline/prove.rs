//! Proves a stored run: runs the gatekeeper again over the stored ledger, and says of each citation whether it holds.

use crate::store::{BindingStatus, CheckedBinding, RoundBinding, RunStore, RunView, StoreError};
use portcullis_core::answer::one_line;
use portcullis_core::document::{Binding, Claim, Evidence};
use portcullis_core::gate::{self, GateInput};
use serde::Serialize;
use std::collections::BTreeSet;

/// Why a citation does not hold: what the ledger has now is not what the run recorded.
const RECORD_CHANGED: &str = "record_changed";

/// The citations of an answer, each with whether the ledger bears it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proof {
    pub citations: Vec<Citation>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Citation {
    pub claim_id: String,
    pub source_invocation_id: String,
    pub tool_name: String,
    pub raw_path: String,
    pub matched_text: String,
    pub proven: bool,
    pub reason_code: String,
}

/// A run with its proof, as `runs show --json` prints it.
#[derive(Debug, Serialize)]
pub struct Shown<'a> {
    #[serde(flatten)]
    pub view: &'a RunView,
    pub proof: &'a Proof,
}

/// Checks each citation of the stored answer anew.
///
/// # Errors
/// [`StoreError`] when the store cannot be read at all; a record that was changed is a citation that does not hold.
pub fn citations(store: &dyn RunStore, view: &RunView) -> Result<Proof, StoreError> {
    let run_id = &view.run.run.run_id;
    let claims = cited_claims(view);
    let cited: BTreeSet<&str> =
        claims.iter().flat_map(|claim| &claim.bindings).filter_map(|it| it.source_invocation_id.as_deref()).collect();
    let (mut invocations, mut changed) = (Vec::new(), BTreeSet::new());
    for id in cited {
        match store.invocation(run_id, id) {
            Ok(recorded) => invocations.extend(recorded.map(|recorded| recorded.invocation)),
            Err(StoreError::Corrupt(_)) => {
                changed.insert(id.to_owned());
            }
            Err(error) => return Err(error),
        }
    }
    let evidence = Evidence { claims, hypotheses: Vec::new(), limitations: Vec::new() };
    let report = gate::check(&GateInput { run_id, evidence: &evidence, invocations: &invocations, tools: &[] });
    let citations = report
        .checked
        .into_iter()
        .map(|checked| Citation {
            proven: checked.status == gate::BindingStatus::Pass,
            reason_code: if changed.contains(&checked.source_invocation_id) {
                RECORD_CHANGED.to_owned()
            } else {
                checked.reason_code.as_str().to_owned()
            },
            claim_id: checked.claim_id,
            source_invocation_id: checked.source_invocation_id,
            tool_name: checked.tool_name,
            raw_path: checked.raw_path,
            matched_text: checked.matched_text,
        })
        .collect();
    Ok(Proof { citations })
}

/// What the answer says, with the bindings that passed: the verifier allowed these claims in the last round. An answer
/// without verdict is a fallback before verification, and cites nothing.
fn cited_claims(view: &RunView) -> Vec<Claim> {
    if view.run.run.verdict.is_none() {
        return Vec::new();
    }
    // The last round of the run, which may have no claim at all.
    let round = view.steps.iter().map(|step| step.event.round).max();
    let allowed = view.claims.iter().filter(|it| Some(it.round) == round && it.claim.allowed == Some(true));
    let passed = |claim_id: &str| {
        let of_claim = view.checked_bindings.iter().filter(|it| {
            Some(it.round) == round && it.binding.status == BindingStatus::Pass && it.binding.claim_id == claim_id
        });
        of_claim.map(|it| binding(&it.binding)).collect()
    };
    allowed
        .map(|it| Claim {
            claim_id: it.claim.claim_id.clone(),
            text: it.claim.text.clone(),
            bindings: passed(&it.claim.claim_id),
        })
        .collect()
}

fn binding(checked: &CheckedBinding) -> Binding {
    Binding {
        source_invocation_id: checked.source_invocation_id.clone(),
        tool_name: checked.tool_name.clone(),
        raw_path: checked.raw_path.clone(),
        matched_text: checked.matched_text.clone(),
    }
}

/// The run for a person.
pub fn in_words(view: &RunView, proof: &Proof) -> String {
    let run = &view.run.run;
    let mut lines = vec![
        format!("run      {}", run.run_id),
        format!("session  {}", run.session_id),
        format!("status   {}", run.status.as_str()),
        format!("question {}", one_line(&run.question)),
    ];
    if let Some(verdict) = run.verdict {
        lines.push(format!("verdict  {}", verdict.as_str()));
    }
    if let Some(reason) = &run.failure_reason {
        lines.push(format!("failed   {reason}"));
    }
    lines.push(String::new());
    lines.extend(run.answer.iter().flat_map(|answer| answer.lines().map(str::to_owned)));
    lines.push("\nSteps:".into());
    for step in &view.steps {
        let event = &step.event;
        let digest = step.input_sha256.as_deref().and_then(|digest| digest.get(..12)).unwrap_or("-");
        lines.push(format!(
            "  round {} {:<9} attempt {}  {:<20} {:<20} in {} B (sha256 {digest}), out {} B, {} ms",
            event.round,
            event.node,
            event.attempt,
            event.outcome,
            event.reason_code.as_str(),
            step.input_bytes,
            step.output_bytes,
            step.duration_ms,
        ));
    }
    lines.push("\nTool calls:".into());
    for call in &view.tool_invocations {
        lines.push(format!(
            "  {} {} {} {} B  {}",
            call.invocation_id,
            one_line(&call.tool_name),
            call.status.as_str(),
            call.output_bytes,
            one_line(&call.arguments)
        ));
    }
    lines.push("\nChecked bindings:".into());
    for RoundBinding { round, binding } in &view.checked_bindings {
        let status = match binding.status {
            BindingStatus::Pass => "pass",
            BindingStatus::Fail => "fail",
        };
        lines.push(format!(
            "  round {round} {status} {} {} at {} ({})",
            binding.claim_id,
            binding.source_invocation_id.as_deref().unwrap_or("-"),
            place(&binding.raw_path),
            binding.reason_code.as_deref().unwrap_or("-"),
        ));
    }
    let proven = proof.citations.iter().filter(|citation| citation.proven).count();
    lines.push(format!("\nProof: {proven} of {} citations hold against the stored ledger.", proof.citations.len()));
    for citation in proof.citations.iter().filter(|citation| !citation.proven) {
        lines.push(format!(
            "  BROKEN {} {} at {}: {}",
            citation.claim_id,
            citation.source_invocation_id,
            place(&citation.raw_path),
            citation.reason_code
        ));
    }
    lines.join("\n")
}

/// A path as an agent wrote it, on one line.
fn place(raw_path: &str) -> String {
    if raw_path.is_empty() { "$".to_owned() } else { one_line(raw_path) }
}
