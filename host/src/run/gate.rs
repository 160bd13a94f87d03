//! The gatekeeper's visit: hands it the ledger of this run, and tells the router what it found.

use super::journal::Journal;
use crate::store::StoreError;
use crate::tools::Gateway;
use portcullis_core::document::Evidence;
use portcullis_core::gate::{self, GateInput, GateReport};
use portcullis_core::ledger::{Invocation, InvocationStatus};
use portcullis_core::reason::ReasonCode;
use portcullis_core::route::Gate;
use portcullis_plugins::RunIdentity;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Runs the gatekeeper once over what this run recorded (R-GATE-01). Missing evidence and a defect of the gatekeeper
/// itself are REJECT.
pub(super) async fn check(
    evidence: Option<&Evidence>,
    gateway: &Gateway,
    journal: &Journal,
    run: &RunIdentity,
) -> Result<GateReport, StoreError> {
    let mut invocations = gateway.invocations();
    let tools = gateway.tool_names();
    let empty = Evidence { claims: Vec::new(), hypotheses: Vec::new(), limitations: Vec::new() };
    // A legal route brings evidence here. Without it there is no run to judge for: no identity, so REJECT.
    let (evidence, run_id) = evidence.map_or((&empty, ""), |evidence| (evidence, run.run_id.as_str()));
    invocations.extend(foreign(evidence, &invocations, journal).await?);
    let input = GateInput { run_id, evidence, invocations: &invocations, tools: &tools };
    Ok(catch_unwind(AssertUnwindSafe(|| gate::check(&input))).unwrap_or_else(|_| {
        tracing::error!(run_id = run.run_id, "the gatekeeper panicked; the claims are rejected");
        gate::check(&GateInput { run_id: "", evidence: &empty, invocations: &[], tools: &[] })
    }))
}

/// Cited ids that another run recorded, as entries without output: they tell a borrowed reference from an invented
/// one, and nothing of the other run is read.
async fn foreign(evidence: &Evidence, own: &[Invocation], journal: &Journal) -> Result<Vec<Invocation>, StoreError> {
    let own: BTreeSet<&str> = own.iter().map(|invocation| invocation.invocation_id.as_str()).collect();
    let cited = evidence.claims.iter().flat_map(|claim| &claim.bindings);
    let unknown: BTreeSet<String> = cited
        .filter_map(|binding| binding.source_invocation_id.clone())
        .filter(|id| !own.contains(id.as_str()))
        .collect();
    if unknown.is_empty() {
        return Ok(Vec::new());
    }
    let foreign = journal.foreign(unknown).await?;
    Ok(foreign
        .into_iter()
        .map(|invocation_id| Invocation {
            invocation_id,
            run_id: "another run".into(),
            tool_name: String::new(),
            arguments: String::new(),
            status: InvocationStatus::Cancelled,
            output: Arc::from([]),
            truncated: false,
        })
        .collect())
}

/// The reason code of the finding.
pub(super) fn reason(report: &GateReport) -> ReasonCode {
    match report.outcome() {
        Gate::Pass => ReasonCode::GatePass,
        Gate::LowConfid => ReasonCode::GateLowConfid,
        Gate::LowConfidUnbacked => ReasonCode::GateUnbacked,
        Gate::Reject => ReasonCode::GateReject,
    }
}
