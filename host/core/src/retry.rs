//! Prepares the one evidence retry of a run: what round 2 knows of round 1.

use crate::document::{Gap, QueryRef, RetryConstraints, RetryContext, VerifiedMaterial};
use crate::ledger::Invocation;
use std::collections::BTreeSet;

/// The rules of every evidence retry (R-RETRY-02).
pub const CONSTRAINTS: RetryConstraints = RetryConstraints {
    max_retry: 1,
    do_not_repeat_successful_queries: true,
    only_execute_incremental_queries: true,
    preserve_prior_verified_claims: true,
};

/// Builds the context. `prior` goes on unchanged; the queries are those that verified evidence came from, each once:
/// an invocation that no passed binding cites is not verified material, and the verifier sees this context too.
pub fn prepare(prior: &VerifiedMaterial, gaps: &[Gap], invocations: &[Invocation]) -> RetryContext {
    let completed: BTreeSet<QueryRef> = prior
        .evidence
        .iter()
        .map(|item| QueryRef {
            tool_name: item.tool_name.clone(),
            source_invocation_id: item.source_invocation_id.clone(),
            raw_path: item.raw_path.clone(),
            arguments: invocations
                .iter()
                .find(|invocation| invocation.invocation_id == item.source_invocation_id)
                .map_or_else(|| "{}".to_owned(), |invocation| invocation.arguments.clone()),
        })
        .collect();
    RetryContext {
        prior: prior.clone(),
        gaps: gaps.to_vec(),
        completed_queries: completed.into_iter().collect(),
        constraints: CONSTRAINTS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Verification, VerifiedClaim, VerifiedEvidence};
    use crate::ledger::InvocationStatus;
    use std::sync::Arc;

    #[test]
    fn the_context_holds_verified_material_and_its_queries_once() {
        // R-RETRY-02 R-VERIFY-03
        let evidence = |claim: &str, invocation: &str| VerifiedEvidence {
            claim_id: claim.into(),
            source_invocation_id: invocation.into(),
            tool_name: "query_logs".into(),
            raw_path: "$.items[0]".into(),
            matched_text: "slow".into(),
        };
        let prior = VerifiedMaterial {
            claims: vec![VerifiedClaim { claim_id: "a".into(), text: "slow".into() }],
            evidence: vec![evidence("a", "inv-1"), evidence("b", "inv-1")],
        };
        let invocation = |id: &str| Invocation {
            invocation_id: id.into(),
            run_id: "run".into(),
            tool_name: "query_logs".into(),
            arguments: format!(r#"{{"of":"{id}"}}"#),
            status: InvocationStatus::Ok,
            output: Arc::from(&b"CANARY"[..]),
            truncated: false,
        };
        let gap = Gap {
            claim_id: "a".into(),
            fact: "why".into(),
            verification: Verification::NoEvidence,
            reason: "none".into(),
        };
        let context = prepare(&prior, std::slice::from_ref(&gap), &[invocation("inv-1"), invocation("inv-2")]);
        assert_eq!(context.prior, prior);
        assert_eq!(context.gaps, [gap]);
        assert_eq!(context.completed_queries.len(), 1);
        assert_eq!(context.completed_queries[0].arguments, r#"{"of":"inv-1"}"#);
        assert_eq!(context.constraints, CONSTRAINTS);
    }
}
