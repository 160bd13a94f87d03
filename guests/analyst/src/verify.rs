//! The verifier's agent: judges what the verified claims prove. It sees neither tools nor the executor's words.

use crate::claims::{ASSUMED, NO_FAULT, ROOT_CAUSE, TOOLS_MISSING};
use crate::finding::Source;
use crate::knowledge::{Kind, signs};
use crate::sources::source_of;
use portcullis_contract::document::{CheckedFact, Verdict, Verification, VerificationReport};
use portcullis_contract::input::{VerifiedClaim, VerifierInput};
use portcullis_contract::limits::SENTENCE_CHARS_MAX;
use std::collections::BTreeSet;

/// Answers a verifier's input.
pub fn verify(input: &VerifierInput) -> VerificationReport {
    let claims = &input.material.claims;
    let mut report = VerificationReport {
        verdict: input.audit.ceiling,
        facts: Vec::new(),
        allowed_claims: Vec::new(),
        missing_information: Vec::new(),
        recommendations: Vec::new(),
    };
    let critical = critical(claims);
    let Some(critical) = critical else {
        report.facts.push(CheckedFact {
            fact: "What is wrong, or that nothing is".into(),
            is_critical: true,
            verification: Verification::NoEvidence,
            reason: "no claim was verified".into(),
        });
        report.verdict = least(report.verdict, Verdict::LowConfid);
        report.missing_information.push("No tool gave data that shows what is wrong.".into());
        report
            .recommendations
            .push("Give access to the metrics, logs and events of the affected system, and ask again.".into());
        return report;
    };
    for claim in claims {
        let (verification, reason) = judge(input, claim, claim.claim_id == critical.claim_id);
        let is_critical = claim.claim_id == critical.claim_id;
        if is_critical && verification != Verification::Supported {
            report.verdict = least(report.verdict, Verdict::LowConfid);
        }
        if matches!(verification, Verification::Supported | Verification::IndirectSupport)
            || role(claim) == TOOLS_MISSING
        {
            report.allowed_claims.push(claim.claim_id.clone());
        }
        report.facts.push(CheckedFact { fact: fact(claim), is_critical, verification, reason: reason.into() });
    }
    if contradicts_itself(claims) {
        report.verdict = Verdict::Reject;
        report.missing_information.push("The claims say both that something is wrong and that nothing is.".into());
    }
    report.missing_information.extend(missing(input, critical));
    report.recommendations = recommendations(claims, critical);
    report
}

/// The claim that the answer stands or falls with: the one that names the cause, or the first.
fn critical(claims: &[VerifiedClaim]) -> Option<&VerifiedClaim> {
    let named = claims.iter().find(|claim| [ROOT_CAUSE, NO_FAULT, TOOLS_MISSING].contains(&role(claim)));
    named.or(claims.first())
}

/// The claim as a fact, which names it. A claim may be as long as a fact, so the end may have to give way.
fn fact(claim: &VerifiedClaim) -> String {
    format!("{}: {}", claim.claim_id, claim.text).chars().take(SENTENCE_CHARS_MAX).collect()
}

/// What a claim is for: its id without the kind.
fn role(claim: &VerifiedClaim) -> &str {
    claim.claim_id.split_once('.').map_or(claim.claim_id.as_str(), |(role, _)| role)
}

fn judge(input: &VerifierInput, claim: &VerifiedClaim, is_critical: bool) -> (Verification, &'static str) {
    let sources: BTreeSet<Source> = input
        .material
        .evidence
        .iter()
        .filter(|quote| quote.claim_id == claim.claim_id)
        .map(|quote| source_of(&quote.tool_name))
        .collect();
    if sources.is_empty() {
        return (Verification::NoEvidence, "no quote backs it");
    }
    if role(claim) == TOOLS_MISSING {
        return (Verification::NoEvidence, "it says what is missing, not what is wrong");
    }
    if !is_critical {
        return (Verification::Supported, "it repeats what the tool output says");
    }
    if role(claim) == NO_FAULT {
        return (Verification::Supported, "recorded states and measurements are those of a healthy system");
    }
    if claim.claim_id.ends_with(ASSUMED) {
        return (Verification::IndirectSupport, "the output that says so does not say whose doing it is");
    }
    if sources.iter().any(|source| source.is_direct()) {
        return (Verification::Supported, "a log line, an event or a status says it directly");
    }
    match sources.iter().filter(|source| source.counts()).count() {
        0 => (Verification::IndirectSupport, "only an alert or a document says so"),
        1 => (Verification::IndirectSupport, "one sort of evidence only: it shows where, not why"),
        _ => (Verification::Supported, "two sorts of evidence agree that do not depend on each other"),
    }
}

fn contradicts_itself(claims: &[VerifiedClaim]) -> bool {
    [ROOT_CAUSE, NO_FAULT].iter().all(|wanted| claims.iter().any(|claim| role(claim) == *wanted))
}

/// What would make a weak answer a strong one.
fn missing(input: &VerifierInput, critical: &VerifiedClaim) -> Vec<String> {
    let (verification, _) = judge(input, critical, true);
    match (role(critical), verification) {
        (TOOLS_MISSING, _) => vec!["Data of the affected system: the tools that read it are disabled.".into()],
        (_, Verification::Supported) => Vec::new(),
        (_, Verification::IndirectSupport | Verification::NoEvidence | Verification::Contradicted) => {
            let mut missing = vec!["A log line, an event or a change that shows why, not only where.".to_owned()];
            if input.retry.is_some() {
                missing.push("A second look at the cause found no direct evidence either.".into());
            }
            missing
        }
    }
}

/// What is to be done about the cause, then about what else is wrong.
fn recommendations(claims: &[VerifiedClaim], critical: &VerifiedClaim) -> Vec<String> {
    if role(critical) == NO_FAULT && kind_of(critical).is_none() {
        return vec![
            "Nothing has to be repaired; check whether the alert's threshold fits, so that it does not fire for this."
                .into(),
        ];
    }
    let mut advice: Vec<String> = Vec::new();
    let others = claims.iter().filter(|claim| role(claim).starts_with("symptom"));
    for kind in std::iter::once(critical).chain(others).filter_map(kind_of) {
        let words = kind.info().advice.to_owned();
        if advice.len() < 3 && !advice.contains(&words) {
            advice.push(words);
        }
    }
    if advice.is_empty() {
        advice.push("Look at what the cited outputs show, and at what was changed there.".into());
    }
    advice
}

/// Ids of this analyst end with the kind; the text of any other claim may give it away.
pub(crate) fn kind_of(claim: &VerifiedClaim) -> Option<Kind> {
    Kind::of_claim_id(&claim.claim_id).or_else(|| {
        let is_own = [ROOT_CAUSE, NO_FAULT, TOOLS_MISSING].contains(&role(claim));
        if is_own { None } else { signs::classify(&claim.text) }
    })
}

const fn least(a: Verdict, b: Verdict) -> Verdict {
    match (a, b) {
        (Verdict::Reject, _) | (_, Verdict::Reject) => Verdict::Reject,
        (Verdict::LowConfid, _) | (_, Verdict::LowConfid) => Verdict::LowConfid,
        (Verdict::Pass, Verdict::Pass) => Verdict::Pass,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_contract::input::{
        Audit, Material, Query, VerificationVersion, VerifiedEvidence, VerifierInputVersion,
    };

    fn report(claims: &[(&str, &[&str])], ceiling: Verdict) -> VerificationReport {
        let evidence = claims.iter().flat_map(|(claim_id, tools)| {
            tools.iter().map(|tool| VerifiedEvidence {
                claim_id: (*claim_id).into(),
                source_invocation_id: "inv-1".into(),
                tool_name: (*tool).into(),
                raw_path: String::new(),
                matched_text: "x".into(),
            })
        });
        let claim =
            |(claim_id, _): &(&str, &[&str])| VerifiedClaim { claim_id: (*claim_id).into(), text: "db: slow".into() };
        verify(&VerifierInput {
            input_version: VerifierInputVersion::Word,
            answer_version: VerificationVersion::Word,
            query: Query { question: "Why?".into(), facts: Vec::new() },
            material: Material { claims: claims.iter().map(claim).collect(), evidence: evidence.collect() },
            audit: Audit { ceiling, verified_binding_count: 1, failed_binding_count: 0 },
            retry: None,
        })
    }

    #[test]
    fn a_cause_needs_direct_evidence_or_two_sorts() {
        let root = "root-cause.latency";
        for (tools, verdict) in [
            (&["query_logs"][..], Verdict::Pass),
            (&["get_events"], Verdict::Pass),
            (&["query_metrics"], Verdict::LowConfid),
            (&["query_metrics", "get_topology"], Verdict::LowConfid),
            (&["query_metrics", "list_changes"], Verdict::Pass),
            (&["query_metrics", "query_traces"], Verdict::Pass),
            (&["search_documents"], Verdict::LowConfid),
        ] {
            let report = report(&[(root, tools)], Verdict::Pass);
            assert_eq!(report.verdict, verdict, "{tools:?}");
            assert_eq!(report.allowed_claims, [root]);
            assert!(report.facts[0].is_critical && report.facts[0].fact.starts_with("root-cause.latency: "));
        }
    }

    #[test]
    fn a_claim_as_long_as_may_be_is_a_legal_fact() {
        // R-NODE-04
        let claim = |text: String| VerifiedClaim { claim_id: "c1".into(), text };
        assert_eq!(fact(&claim("db: slow".into())), "c1: db: slow");
        assert_eq!(fact(&claim("é".repeat(SENTENCE_CHARS_MAX))).chars().count(), SENTENCE_CHARS_MAX);
    }

    #[test]
    fn a_gap_is_a_critical_fact_that_is_not_supported() {
        // R-RETRY-01
        let report = report(
            &[("root-cause.latency", &["query_metrics"]), ("evidence-1.latency", &["query_metrics"])],
            Verdict::Pass,
        );
        let facts: Vec<_> = report.facts.iter().map(|fact| (fact.is_critical, fact.verification)).collect();
        assert_eq!(facts, [(true, Verification::IndirectSupport), (false, Verification::Supported)]);
        assert!(!report.missing_information.is_empty() && !report.recommendations.is_empty());
    }

    #[test]
    fn verdicts_of_other_answers() {
        let assumed = report(&[("root-cause.dns.assumed", &["query_logs"])], Verdict::Pass);
        assert_eq!(
            (assumed.verdict, assumed.facts[0].verification),
            (Verdict::LowConfid, Verification::IndirectSupport)
        );
        assert_eq!(report(&[], Verdict::Pass).verdict, Verdict::LowConfid);
        assert_eq!(report(&[("no-fault", &["list_pods"])], Verdict::Pass).verdict, Verdict::Pass);
        assert_eq!(report(&[("root-cause.dns", &["query_logs"])], Verdict::LowConfid).verdict, Verdict::LowConfid);
        let both: [(&str, &[&str]); 2] = [("root-cause.dns", &["query_logs"]), ("no-fault", &["list_pods"])];
        assert_eq!(report(&both, Verdict::Pass).verdict, Verdict::Reject);
        let missing = report(&[("tools-missing.tools_missing", &["search_documents"])], Verdict::Pass);
        assert_eq!((missing.verdict, missing.allowed_claims.len()), (Verdict::LowConfid, 1));
    }

    #[test]
    fn claims_of_another_executor_are_judged_by_their_first() {
        let report = report(&[("claim-1", &["query_logs"]), ("claim-2", &["query_metrics"])], Verdict::Pass);
        assert_eq!(report.verdict, Verdict::Pass);
        assert!(report.facts[0].is_critical && !report.facts[1].is_critical);
    }
}
