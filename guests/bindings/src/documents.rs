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
