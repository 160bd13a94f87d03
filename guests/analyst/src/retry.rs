//! Round 2 of the executor: prior claims stay as they are, and get what new evidence there is.

use crate::claims::{NO_FAULT, ROOT_CAUSE, TOOLS_MISSING};
use crate::evidence::Observation;
use crate::knowledge::Kind;
use crate::prove::BINDINGS;
use crate::sources::source_of;
use portcullis_contract::document::{Binding, Claim, Evidence};
use portcullis_contract::input::Retry;

/// Claims that a document may have.
const CLAIMS: usize = 40;
/// New bindings that one claim gets at most.
const ADDED: usize = 2;

/// Makes a complete snapshot of round 2: the prior claims with their evidence, then what is new.
pub(crate) fn merge(evidence: &mut Evidence, retry: &Retry, observations: &[Observation]) {
    let found = std::mem::take(&mut evidence.claims);
    // What round 2 alone would conclude is drawn from a part of the data.
    let new: Vec<Claim> = found
        .into_iter()
        .filter(|claim| {
            [ROOT_CAUSE, NO_FAULT, TOOLS_MISSING, "healthy", "recover"].iter().all(|id| !claim.claim_id.starts_with(id))
        })
        .filter(|claim| retry.prior.claims.iter().all(|prior| prior.text != claim.text))
        .collect();
    for prior in &retry.prior.claims {
        let bindings =
            retry.prior.evidence.iter().filter(|quote| quote.claim_id == prior.claim_id).map(|quote| Binding {
                source_invocation_id: Some(quote.source_invocation_id.clone()),
                tool_name: quote.tool_name.clone(),
                raw_path: quote.raw_path.clone(),
                matched_text: quote.matched_text.clone(),
            });
        let mut claim =
            Claim { claim_id: prior.claim_id.clone(), text: prior.text.clone(), bindings: bindings.collect() };
        if retry.gaps.iter().any(|gap| gap.claim_id == claim.claim_id) {
            support(&mut claim, &new);
        }
        evidence.claims.push(claim);
    }
    for claim in new {
        let claim_id = format!("more-{}", claim.claim_id);
        evidence.claims.push(Claim { claim_id, ..claim });
    }
    evidence.claims.truncate(CLAIMS);
    if observations.is_empty() {
        evidence.limitations.push("the second look found no further data about the cause".into());
    }
}

/// Adds quotes of new claims that speak of the same thing.
fn support(claim: &mut Claim, new: &[Claim]) {
    let kind = Kind::of_claim_id(&claim.claim_id);
    let fits = |other: &&Claim| {
        let other_kind = Kind::of_claim_id(&other.claim_id);
        let same = kind.is_some() && kind == other_kind;
        let explains = kind.zip(other_kind).is_some_and(|(own, other)| other.explains(own) || own.explains(other));
        let is_about = other.text.split([':', ' ']).any(|word| word.len() >= 2 && claim.text.starts_with(word));
        (same || explains) && is_about
    };
    let mut quotes: Vec<&Binding> = new.iter().filter(fits).flat_map(|other| other.bindings.iter().take(1)).collect();
    quotes.sort_by_key(|binding| !source_of(&binding.tool_name).is_direct());
    for binding in quotes.into_iter().take(ADDED) {
        if claim.bindings.len() < BINDINGS && !claim.bindings.contains(binding) {
            claim.bindings.push(binding.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_contract::document::Verification;
    use portcullis_contract::input::{Constraints, Gap, Material, VerifiedClaim, VerifiedEvidence};

    fn claim(claim_id: &str, text: &str, tool: &str) -> Claim {
        let binding = Binding {
            source_invocation_id: Some(format!("inv-{tool}")),
            tool_name: tool.into(),
            raw_path: String::new(),
            matched_text: "x".into(),
        };
        Claim { claim_id: claim_id.into(), text: text.into(), bindings: vec![binding] }
    }

    #[test]
    fn prior_claims_stay_and_get_new_evidence() {
        // R-RETRY-03
        let root = "root-cause.latency";
        let retry = Retry {
            prior: Material {
                claims: vec![VerifiedClaim { claim_id: root.into(), text: "db: its latency rose".into() }],
                evidence: vec![VerifiedEvidence {
                    claim_id: root.into(),
                    source_invocation_id: "inv-1".into(),
                    tool_name: "query_metrics".into(),
                    raw_path: "/a".into(),
                    matched_text: "5".into(),
                }],
            },
            gaps: vec![Gap {
                claim_id: root.into(),
                fact: String::new(),
                verification: Verification::IndirectSupport,
                reason: String::new(),
            }],
            completed_queries: Vec::new(),
            constraints: Constraints {
                max_retry: 1,
                do_not_repeat_successful_queries: true,
                only_execute_incremental_queries: true,
                preserve_prior_verified_claims: true,
            },
        };
        let mut evidence = Evidence {
            claims: vec![
                claim("root-cause.pool_exhausted", "db: other", "query_logs"),
                claim("evidence-1.slow_operation", "Log of db: query took 9 s", "query_logs"),
                claim("evidence-2.image_pull", "Event on web: no image", "get_events"),
            ],
            ..Evidence::default()
        };
        merge(&mut evidence, &retry, &[]);
        let ids: Vec<(&str, usize)> = evidence.claims.iter().map(|c| (c.claim_id.as_str(), c.bindings.len())).collect();
        assert_eq!(ids, [(root, 2), ("more-evidence-1.slow_operation", 1), ("more-evidence-2.image_pull", 1)]);
        assert_eq!(evidence.claims[0].text, "db: its latency rose");
    }
}
