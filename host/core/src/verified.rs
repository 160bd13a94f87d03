//! Builds verified material: what passed the gatekeeper, and nothing else of what the executor said.
//!
//! It knows neither outputs nor paths: that a quote is true, the gatekeeper said. It ties each checked binding back to
//! the executor's claim once more, by its own reading, and builds nothing when one of them belongs to no claim.

use crate::document::{Binding, Claim, Evidence, VerifiedClaim, VerifiedEvidence, VerifiedMaterial};
use crate::gate::{BindingStatus, CheckedBinding, GateReport, GateStatus};
use std::collections::BTreeMap;

/// Why no verified material exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotBuilt {
    /// The gatekeeper's status is REJECT.
    Rejected,
    /// Claims were made and no binding passed.
    Unbacked,
    /// A binding that passed belongs to no claim, or to more than one.
    Unmatched,
    /// The report's count is not that of its passed bindings.
    Miscounted,
}

/// The claims with at least one passed binding, and those bindings (R-VERIFY-01, R-VERIFY-02).
///
/// # Errors
/// [`NotBuilt`] when the report does not vouch for the evidence. No claims at all are a legal, empty material.
pub fn build(evidence: &Evidence, gate: &GateReport) -> Result<VerifiedMaterial, NotBuilt> {
    match gate.status {
        GateStatus::Reject => return Err(NotBuilt::Rejected),
        GateStatus::Pass | GateStatus::LowConfid => {}
    }
    let passed = || gate.checked.iter().filter(|checked| checked.status == BindingStatus::Pass);
    if usize::try_from(gate.verified_binding_count) != Ok(passed().count()) {
        return Err(NotBuilt::Miscounted);
    }
    if gate.verified_binding_count == 0 && !evidence.claims.is_empty() {
        return Err(NotBuilt::Unbacked);
    }
    let mut claims: BTreeMap<&str, Vec<&Claim>> = BTreeMap::new();
    for claim in &evidence.claims {
        claims.entry(&claim.claim_id).or_default().push(claim);
    }
    let mut backed: BTreeMap<&str, Vec<VerifiedEvidence>> = BTreeMap::new();
    for checked in passed() {
        match claims.get(checked.claim_id.as_str()).map(Vec::as_slice) {
            Some([claim]) if claim.bindings.iter().any(|stated| is_of(checked, stated)) => {
                backed.entry(&claim.claim_id).or_default().push(evidence_of(checked));
            }
            Some(_) | None => return Err(NotBuilt::Unmatched),
        }
    }
    let mut material = VerifiedMaterial::default();
    for claim in &evidence.claims {
        if let Some(evidence) = backed.remove(claim.claim_id.as_str()) {
            material.claims.push(VerifiedClaim { claim_id: claim.claim_id.clone(), text: claim.text.clone() });
            material.evidence.extend(evidence);
        }
    }
    Ok(material)
}

/// Whether `stated` is what `checked` was made from: the same path, and the same source as far as it was stated. The
/// gatekeeper may have completed the id and dropped a namespace prefix from the tool's name (R-PARSE-03).
fn is_of(checked: &CheckedBinding, stated: &Binding) -> bool {
    let same_id = stated.source_invocation_id.as_ref().is_none_or(|id| *id == checked.source_invocation_id);
    let prefix = stated.tool_name.strip_suffix(checked.tool_name.as_str());
    let same_tool = prefix.is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('.'));
    same_id && same_tool && stated.raw_path == checked.raw_path
}

/// The five fields that leave the gatekeeper: neither status nor reason.
fn evidence_of(checked: &CheckedBinding) -> VerifiedEvidence {
    VerifiedEvidence {
        claim_id: checked.claim_id.clone(),
        source_invocation_id: checked.source_invocation_id.clone(),
        tool_name: checked.tool_name.clone(),
        raw_path: checked.raw_path.clone(),
        matched_text: checked.matched_text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{GateInput, check};
    use crate::ledger::{Invocation, InvocationStatus};

    const OUTPUT: &str = r#"{"pool": "exhausted at 100", "secret": "unreferenced"}"#;

    fn invocation() -> Invocation {
        Invocation {
            invocation_id: "inv-1".into(),
            run_id: "run-1".into(),
            tool_name: "query_logs".into(),
            arguments: "{}".into(),
            status: InvocationStatus::Ok,
            output: OUTPUT.as_bytes().into(),
            truncated: false,
        }
    }

    fn binding(id: Option<&str>, tool_name: &str, matched_text: &str) -> Binding {
        Binding {
            source_invocation_id: id.map(str::to_owned),
            tool_name: tool_name.into(),
            raw_path: "$.pool".into(),
            matched_text: matched_text.into(),
        }
    }

    fn claim(claim_id: &str, text: &str, bindings: Vec<Binding>) -> Claim {
        Claim { claim_id: claim_id.into(), text: text.into(), bindings }
    }

    fn evidence(claims: Vec<Claim>) -> Evidence {
        Evidence { claims, hypotheses: vec!["a hypothesis".into()], limitations: vec!["a limitation".into()] }
    }

    fn checked(evidence: &Evidence) -> GateReport {
        check(&GateInput { run_id: "run-1", evidence, invocations: &[invocation()], tools: &[] })
    }

    #[test]
    fn holds_claims_with_a_passed_binding_and_only_passed_bindings() {
        // R-VERIFY-01 R-VERIFY-02 R-VERIFY-03
        let evidence = evidence(vec![
            claim("unbound", "Nothing backs this.", vec![]),
            claim(
                "mixed",
                "The pool is exhausted.",
                vec![
                    binding(Some("inv-1"), "query_logs", "invented"),
                    binding(None, "functions.query_logs", "exhausted"),
                ],
            ),
            claim("failed", "The pool is empty.", vec![binding(Some("inv-1"), "query_logs", "empty")]),
            claim("backed", "It hit 100.", vec![binding(Some("inv-1"), "query_logs", "at 100")]),
        ]);
        let material = build(&evidence, &checked(&evidence)).unwrap();
        let claims: Vec<_> =
            material.claims.iter().map(|claim| (claim.claim_id.as_str(), claim.text.as_str())).collect();
        assert_eq!(claims, [("mixed", "The pool is exhausted."), ("backed", "It hit 100.")]);
        let quotes: Vec<_> = material
            .evidence
            .iter()
            .map(|item| {
                (
                    item.claim_id.as_str(),
                    item.source_invocation_id.as_str(),
                    item.tool_name.as_str(),
                    item.matched_text.as_str(),
                )
            })
            .collect();
        assert_eq!(
            quotes,
            [("mixed", "inv-1", "query_logs", "exhausted"), ("backed", "inv-1", "query_logs", "at 100")]
        );
        let all = serde_json::to_string(&material).unwrap();
        for unverified in
            ["unbound", "invented", "empty", "hypothesis", "limitation", "unreferenced", "status", "reason"]
        {
            assert!(!all.contains(unverified), "{unverified}");
        }
    }

    #[test]
    fn no_claims_are_an_empty_material() {
        // R-VERIFY-02
        let evidence = evidence(vec![]);
        assert_eq!(build(&evidence, &checked(&evidence)), Ok(VerifiedMaterial::default()));
    }

    #[test]
    fn builds_nothing_that_the_report_does_not_vouch_for() {
        // R-VERIFY-01 R-GATE-03
        let backed = || claim("a", "The pool is exhausted.", vec![binding(None, "query_logs", "exhausted")]);
        let sound = evidence(vec![backed()]);
        let report = checked(&sound);
        assert!(build(&sound, &report).is_ok());

        let fabricated =
            evidence(vec![backed(), claim("b", "x", vec![binding(Some("call_0"), "query_logs", "exhausted")])]);
        assert_eq!(build(&fabricated, &checked(&fabricated)), Err(NotBuilt::Rejected));

        let unbacked = evidence(vec![claim("a", "x", vec![binding(None, "query_logs", "invented")])]);
        assert_eq!(build(&unbacked, &checked(&unbacked)), Err(NotBuilt::Unbacked));

        let miscounted = GateReport { verified_binding_count: 2, ..report.clone() };
        assert_eq!(build(&sound, &miscounted), Err(NotBuilt::Miscounted));

        // The report of other evidence: each part of the key must be the same.
        for other in [
            vec![],
            vec![claim("b", "x", backed().bindings)],
            vec![claim("a", "x", vec![])],
            vec![backed(), backed()],
            vec![claim("a", "x", vec![binding(Some("inv-2"), "query_logs", "exhausted")])],
            vec![claim("a", "x", vec![binding(None, "list_logs", "exhausted")])],
            vec![claim("a", "x", vec![binding(None, "myquery_logs", "exhausted")])],
            vec![claim(
                "a",
                "x",
                vec![Binding { raw_path: "/pool".into(), ..binding(None, "query_logs", "exhausted") }],
            )],
        ] {
            assert_eq!(build(&evidence(other.clone()), &report), Err(NotBuilt::Unmatched), "{other:?}");
        }
    }
}
