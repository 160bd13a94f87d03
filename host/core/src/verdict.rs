//! From the verifier's report to the verdict that counts, and to the material that an answer may use.

use crate::document::{
    CheckedFact, Gap, Verdict, Verification, VerificationReport, VerifiedClaim, VerifiedEvidence, VerifiedMaterial,
    Violation,
};
use std::collections::BTreeSet;

/// What the verifier allowed: all that a composer or a fallback can draw on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedMaterial {
    pub claims: Vec<VerifiedClaim>,
    /// The quotes that back the claims, for the citations.
    pub evidence: Vec<VerifiedEvidence>,
    pub missing_information: Vec<String>,
    pub recommendations: Vec<String>,
}

/// A report that kept its contract, beside what the host made of it (R-VERIFY-05).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// What the model said.
    pub model_verdict: Verdict,
    /// What counts.
    pub effective_verdict: Verdict,
    pub allowed: AllowedMaterial,
    /// Critical facts without direct evidence (R-RETRY-01).
    pub gaps: Vec<Gap>,
}

/// Checks a parsed report against the material that the verifier was shown, and clamps its verdict.
///
/// # Errors
/// A [`Violation`] when the report allows a claim that it was not shown: it cannot be believed as a whole.
pub fn judge(report: VerificationReport, material: &VerifiedMaterial, ceiling: Verdict) -> Result<Judged, Violation> {
    let shown: BTreeSet<&str> = material.claims.iter().map(|claim| claim.claim_id.as_str()).collect();
    for (position, id) in report.allowed_claims.iter().enumerate() {
        if !shown.contains(id.as_str()) {
            return Err(Violation {
                path: format!("/allowed_claims/{position}"),
                message: "names a claim that is not verified".into(),
            });
        }
    }
    let allowed: BTreeSet<&str> = report.allowed_claims.iter().map(String::as_str).collect();
    let claims: Vec<_> =
        material.claims.iter().filter(|claim| allowed.contains(claim.claim_id.as_str())).cloned().collect();
    let evidence = material.evidence.iter().filter(|item| allowed.contains(item.claim_id.as_str())).cloned().collect();
    let gaps = gaps(&report.facts, &shown);
    let effective_verdict = clamp(report.verdict, ceiling, claims.is_empty(), &report.facts);
    Ok(Judged {
        model_verdict: report.verdict,
        effective_verdict,
        allowed: AllowedMaterial {
            claims,
            evidence,
            missing_information: report.missing_information,
            recommendations: report.recommendations,
        },
        gaps,
    })
}

/// The lesser of model and ceiling; a PASS that nothing or not everything critical backs is `LOW_CONFID`.
fn clamp(model: Verdict, ceiling: Verdict, nothing_allowed: bool, facts: &[CheckedFact]) -> Verdict {
    let unsupported = |fact: &CheckedFact| fact.is_critical && fact.verification != Verification::Supported;
    let own = match model {
        Verdict::Pass if nothing_allowed || facts.iter().any(unsupported) => Verdict::LowConfid,
        Verdict::Pass | Verdict::LowConfid | Verdict::Reject => model,
    };
    own.min(ceiling)
}

/// Critical facts with no or only indirect support; what is contradicted cannot be repaired by asking more.
fn gaps(facts: &[CheckedFact], shown: &BTreeSet<&str>) -> Vec<Gap> {
    facts
        .iter()
        .filter(|fact| fact.is_critical)
        .filter(|fact| match fact.verification {
            Verification::NoEvidence | Verification::IndirectSupport => true,
            Verification::Supported | Verification::Contradicted => false,
        })
        .map(|fact| {
            // A prefix that names no claim that was shown is part of the fact.
            let (claim_id, text) = match fact.fact.split_once(": ") {
                Some((id, text)) if shown.contains(id) => (id, text),
                Some(_) | None => ("", fact.fact.as_str()),
            };
            Gap {
                claim_id: claim_id.to_owned(),
                fact: text.to_owned(),
                verification: fact.verification,
                reason: fact.reason.clone(),
            }
        })
        .filter(|gap| !gap.fact.trim().is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use enum_iterator::all;

    fn material() -> VerifiedMaterial {
        let claim = |id: &str| VerifiedClaim { claim_id: id.into(), text: format!("{id} is slow") };
        let evidence = |id: &str| VerifiedEvidence {
            claim_id: id.into(),
            source_invocation_id: "inv-1".into(),
            tool_name: "query_logs".into(),
            raw_path: "$".into(),
            matched_text: "slow".into(),
        };
        VerifiedMaterial { claims: vec![claim("a"), claim("b")], evidence: vec![evidence("a"), evidence("b")] }
    }

    fn fact(fact: &str, is_critical: bool, verification: Verification) -> CheckedFact {
        CheckedFact { fact: fact.into(), is_critical, verification, reason: "why".into() }
    }

    fn report(verdict: Verdict, allowed: &[&str], facts: Vec<CheckedFact>) -> VerificationReport {
        VerificationReport {
            verdict,
            facts,
            allowed_claims: allowed.iter().map(|&id| id.into()).collect(),
            missing_information: vec![],
            recommendations: vec![],
        }
    }

    #[test]
    fn no_model_verdict_rises_above_the_ceiling_or_above_itself() {
        // R-VERIFY-05 R-GATE-06
        for model in all::<Verdict>() {
            for ceiling in all::<Verdict>() {
                let judged = judge(report(model, &["a"], vec![]), &material(), ceiling).unwrap();
                assert_eq!(judged.effective_verdict, model.min(ceiling), "{model:?} {ceiling:?}");
                assert_eq!(judged.model_verdict, model);
            }
        }
    }

    #[test]
    fn a_pass_that_is_not_backed_counts_as_low_confidence() {
        // R-VERIFY-05
        for verification in [
            Verification::IndirectSupport,
            Verification::NoEvidence,
            Verification::Contradicted,
            Verification::Supported,
        ] {
            let facts = vec![fact("a: x", true, verification)];
            let judged = judge(report(Verdict::Pass, &["a"], facts), &material(), Verdict::Pass).unwrap();
            let expected = if verification == Verification::Supported { Verdict::Pass } else { Verdict::LowConfid };
            assert_eq!(judged.effective_verdict, expected, "{verification:?}");
        }
        let judged = judge(report(Verdict::Pass, &[], vec![]), &material(), Verdict::Pass).unwrap();
        assert_eq!(judged.effective_verdict, Verdict::LowConfid);
    }

    #[test]
    fn only_shown_claims_can_be_allowed() {
        // R-VERIFY-03 R-NODE-04
        let violation = judge(report(Verdict::Pass, &["a", "c"], vec![]), &material(), Verdict::Pass).unwrap_err();
        assert_eq!(violation.path, "/allowed_claims/1");
    }

    #[test]
    fn what_is_not_allowed_is_gone_with_its_quotes() {
        // R-ANSWER-04
        let judged = judge(report(Verdict::Pass, &["b"], vec![]), &material(), Verdict::Pass).unwrap();
        assert_eq!(judged.allowed.claims.len(), 1);
        assert!(judged.allowed.evidence.iter().all(|item| item.claim_id == "b"));
    }

    #[test]
    fn gaps_come_from_critical_facts_without_direct_evidence_only() {
        // R-RETRY-01
        let facts = vec![
            fact("a: the pool is exhausted", true, Verification::IndirectSupport),
            fact("the disk is full", true, Verification::NoEvidence),
            fact("zz: no such claim", true, Verification::NoEvidence),
            fact("a: not critical", false, Verification::NoEvidence),
            fact("a: known", true, Verification::Supported),
            fact("a: refuted", true, Verification::Contradicted),
            fact("a:  ", true, Verification::NoEvidence),
        ];
        let judged = judge(report(Verdict::LowConfid, &["a"], facts), &material(), Verdict::Pass).unwrap();
        let found: Vec<_> = judged.gaps.iter().map(|gap| (gap.claim_id.as_str(), gap.fact.as_str())).collect();
        assert_eq!(found, [("a", "the pool is exhausted"), ("", "the disk is full"), ("", "zz: no such claim")]);
    }
}
