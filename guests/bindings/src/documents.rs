//! From the contract's documents to what a parser returns.

use crate::types;
use portcullis_contract::document::{
    Binding, CheckedFact, Claim, ComposedAnswer, Evidence, Plan, PlanStep, Verdict, Verification, VerificationReport,
    Violation,
};
use serde_json::Value;

impl From<Violation> for types::Violation {
    fn from(Violation { path, message }: Violation) -> Self {
        Self { path, message }
    }
}

impl From<Plan> for types::Plan {
    fn from(Plan { steps }: Plan) -> Self {
        Self { steps: steps.into_iter().map(Into::into).collect() }
    }
}

impl From<PlanStep> for types::PlanStep {
    fn from(PlanStep { step_id, goal, tool_name, arguments }: PlanStep) -> Self {
        Self { step_id, goal, tool_name, arguments: arguments.map(|arguments| Value::Object(arguments).to_string()) }
    }
}

impl From<Evidence> for types::Evidence {
    fn from(Evidence { claims, hypotheses, limitations }: Evidence) -> Self {
        Self { claims: claims.into_iter().map(Into::into).collect(), hypotheses, limitations }
    }
}

impl From<Claim> for types::Claim {
    fn from(Claim { claim_id, text, bindings }: Claim) -> Self {
        Self { claim_id, text, bindings: bindings.into_iter().map(Into::into).collect() }
    }
}

impl From<Binding> for types::Binding {
    fn from(Binding { source_invocation_id, tool_name, raw_path, matched_text }: Binding) -> Self {
        Self { source_invocation_id, tool_name, raw_path, matched_text }
    }
}

impl From<VerificationReport> for types::VerificationReport {
    fn from(report: VerificationReport) -> Self {
        let VerificationReport { verdict, facts, allowed_claims, missing_information, recommendations } = report;
        Self {
            verdict: verdict.into(),
            facts: facts.into_iter().map(Into::into).collect(),
            allowed_claims,
            missing_information,
            recommendations,
        }
    }
}

impl From<CheckedFact> for types::CheckedFact {
    fn from(CheckedFact { fact, is_critical, verification, reason }: CheckedFact) -> Self {
        Self { fact, is_critical, verification: verification.into(), reason }
    }
}

impl From<Verdict> for types::Verdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Pass,
            Verdict::LowConfid => Self::LowConfid,
            Verdict::Reject => Self::Reject,
        }
    }
}

impl From<Verification> for types::Verification {
    fn from(verification: Verification) -> Self {
        match verification {
            Verification::Supported => Self::Supported,
            Verification::IndirectSupport => Self::IndirectSupport,
            Verification::NoEvidence => Self::NoEvidence,
            Verification::Contradicted => Self::Contradicted,
        }
    }
}

impl From<ComposedAnswer> for types::Answer {
    fn from(ComposedAnswer { headline, claim_order, next_steps }: ComposedAnswer) -> Self {
        Self { headline, claim_order, next_steps }
    }
}

#[cfg(test)]
mod tests {
    use crate::types;
    use portcullis_contract as contract;

    #[test]
    fn a_plan_keeps_its_arguments_as_text() {
        // R-NODE-04
        let text = r#"{"answer_version": "diagnosis_plan_v1", "steps": [
            {"step_id": "s1", "goal": "look", "tool_name": "query_logs", "arguments": {"z": 73019482551300006013, "a": [0.10]}},
            {"step_id": "s2", "goal": "think"}]}"#;
        let step = |step_id: &str, goal: &str, tool: Option<&str>, arguments: Option<&str>| types::PlanStep {
            step_id: step_id.into(),
            goal: goal.into(),
            tool_name: tool.map(Into::into),
            arguments: arguments.map(Into::into),
        };
        let arguments = r#"{"z":73019482551300006013,"a":[0.10]}"#;
        let expected = types::Plan {
            steps: vec![step("s1", "look", Some("query_logs"), Some(arguments)), step("s2", "think", None, None)],
        };
        assert_eq!(types::Plan::from(contract::plan(text).unwrap()), expected);
    }

    #[test]
    fn evidence_comes_across_unchanged() {
        // R-NODE-04
        let text = r#"{"answer_version": "executor_evidence_v2", "claims": [{"claim_id": "c1", "text": "it broke",
            "evidence_bindings": [{"tool_name": "t", "raw_path": "$", "matched_text": ""}]}], "hypotheses": ["h"],
            "limitations": ["l"]}"#;
        let binding = types::Binding {
            source_invocation_id: None,
            tool_name: "t".into(),
            raw_path: "$".into(),
            matched_text: String::new(),
        };
        let claim = types::Claim { claim_id: "c1".into(), text: "it broke".into(), bindings: vec![binding] };
        let expected =
            types::Evidence { claims: vec![claim], hypotheses: vec!["h".into()], limitations: vec!["l".into()] };
        assert_eq!(types::Evidence::from(contract::evidence(text).unwrap()), expected);
    }

    #[test]
    fn verdicts_and_verifications_keep_their_meaning() {
        // R-NODE-04
        for (word, verdict) in [
            ("PASS", types::Verdict::Pass),
            ("LOW_CONFID", types::Verdict::LowConfid),
            ("REJECT", types::Verdict::Reject),
        ] {
            let text = format!(
                r#"{{"answer_version":"verification_v1","verdict":"{word}","facts":[],"allowed_claims":["c1"],
                "missing_information":["m"],"recommendations":["r"]}}"#
            );
            let report = types::VerificationReport::from(contract::verification(&text).unwrap());
            assert_eq!((report.verdict, report.allowed_claims), (verdict, vec!["c1".to_owned()]));
            assert_eq!((report.missing_information, report.recommendations), (vec!["m".into()], vec!["r".into()]));
        }
        for (word, verification) in [
            ("supported", types::Verification::Supported),
            ("indirect_support", types::Verification::IndirectSupport),
            ("no_evidence", types::Verification::NoEvidence),
            ("contradicted", types::Verification::Contradicted),
        ] {
            let text = format!(
                r#"{{"answer_version":"verification_v1","verdict":"PASS","facts":[{{"fact":"f","is_critical":true,
                "verification":"{word}","reason":"r"}}],"allowed_claims":[],"missing_information":[],"recommendations":[]}}"#
            );
            let report = types::VerificationReport::from(contract::verification(&text).unwrap());
            let fact = types::CheckedFact { fact: "f".into(), is_critical: true, verification, reason: "r".into() };
            assert_eq!(report.facts, [fact]);
        }
    }

    #[test]
    fn an_answer_and_a_violation_come_across_unchanged() {
        // R-NODE-04
        let text =
            r#"{"answer_version":"composed_answer_v1","headline":"h","claim_order":["c2","c1"],"next_steps":["n"]}"#;
        let expected = types::Answer {
            headline: "h".into(),
            claim_order: vec!["c2".into(), "c1".into()],
            next_steps: vec!["n".into()],
        };
        assert_eq!(types::Answer::from(contract::answer(text).unwrap()), expected);
        let text = r#"{"answer_version":"composed_answer_v1","headline":"","claim_order":[],"next_steps":[]}"#;
        let expected = types::Violation { path: "/headline".into(), message: "must not be blank".into() };
        assert_eq!(types::Violation::from(contract::answer(text).unwrap_err()), expected);
    }
}
