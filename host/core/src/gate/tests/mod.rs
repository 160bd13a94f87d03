//! The gatekeeper as a whole.

mod cases;
mod contract;
mod properties;
mod provenance;

use crate::document::{Binding, Claim, Evidence};
use crate::gate::{GateInput, GateReport, check};
use crate::ledger::{Invocation, InvocationStatus};

const RUN: &str = "run-1";

/// A successful call of `query_logs` by [`RUN`].
fn invocation(id: &str, output: &[u8]) -> Invocation {
    Invocation {
        invocation_id: id.into(),
        run_id: RUN.into(),
        tool_name: "query_logs".into(),
        arguments: "{}".into(),
        status: InvocationStatus::Ok,
        output: output.into(),
        truncated: false,
    }
}

/// A binding to `query_logs`.
fn binding(id: &str, raw_path: &str, matched_text: &str) -> Binding {
    Binding {
        source_invocation_id: Some(id.into()),
        tool_name: "query_logs".into(),
        raw_path: raw_path.into(),
        matched_text: matched_text.into(),
    }
}

fn claim(claim_id: &str, text: &str, bindings: Vec<Binding>) -> Claim {
    Claim { claim_id: claim_id.into(), text: text.into(), bindings }
}

fn report(invocations: &[Invocation], claims: Vec<Claim>) -> GateReport {
    let evidence = Evidence { claims, hypotheses: vec![], limitations: vec![] };
    check(&GateInput { run_id: RUN, evidence: &evidence, invocations, tools: &[] })
}

/// The reason codes of the checked bindings, in their order.
fn reasons(report: &GateReport) -> Vec<&'static str> {
    report.checked.iter().map(|checked| checked.reason_code.as_str()).collect()
}
