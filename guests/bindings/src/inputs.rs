//! From a projection's parts to the contract's inputs. What WIT carries as JSON text becomes JSON, or an error.

use crate::types;
use portcullis_contract::document::{PlanStep, Verdict, Verification};
use portcullis_contract::input::{
    CompletedQuery, Constraints, Fact, Gap, Material, PlanMode, PlanSteps, Query, Retry, Tool, VerifiedClaim,
    VerifiedEvidence,
};
use serde_json::{Map, Value};

/// Converts each item, and stops at the first that can not be converted.
pub fn convert_all<T, U: TryFrom<T>>(items: Vec<T>) -> Result<Vec<U>, U::Error> {
    items.into_iter().map(U::try_from).collect()
}

impl From<types::Query> for Query {
    fn from(types::Query { question, facts }: types::Query) -> Self {
        Self { question, facts: facts.into_iter().map(Into::into).collect() }
    }
}

impl From<types::Fact> for Fact {
    fn from(types::Fact { name, value }: types::Fact) -> Self {
        Self { name, value }
    }
}

impl TryFrom<types::Tool> for Tool {
    type Error = String;

    fn try_from(types::Tool { name, description, input_schema }: types::Tool) -> Result<Self, String> {
        let input_schema = value(&input_schema).map_err(|error| format!("input schema of tool {name}: {error}"))?;
        Ok(Self { name, description, input_schema })
    }
}

impl From<types::PlanMode> for PlanMode {
    fn from(mode: types::PlanMode) -> Self {
        match mode {
            types::PlanMode::Initial => Self::Initial,
            types::PlanMode::EvidenceGapOnly => Self::EvidenceGapOnly,
        }
    }
}

impl TryFrom<types::Plan> for PlanSteps {
    type Error = String;

    fn try_from(types::Plan { steps }: types::Plan) -> Result<Self, String> {
        let steps = steps.into_iter().map(plan_step).collect::<Result<_, _>>()?;
        Ok(Self { steps })
    }
}

fn plan_step(step: types::PlanStep) -> Result<PlanStep, String> {
    let types::PlanStep { step_id, goal, tool_name, arguments } = step;
    let arguments = arguments.map(|text| object(&text)).transpose();
    let arguments = arguments.map_err(|error| format!("arguments of step {step_id}: {error}"))?;
    Ok(PlanStep { step_id, goal, tool_name, arguments })
}

impl From<types::VerifiedMaterial> for Material {
    fn from(types::VerifiedMaterial { claims, evidence }: types::VerifiedMaterial) -> Self {
        Self {
            claims: claims.into_iter().map(Into::into).collect(),
            evidence: evidence.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<types::VerifiedClaim> for VerifiedClaim {
    fn from(types::VerifiedClaim { claim_id, text }: types::VerifiedClaim) -> Self {
        Self { claim_id, text }
    }
}

impl From<types::VerifiedEvidence> for VerifiedEvidence {
    fn from(evidence: types::VerifiedEvidence) -> Self {
        let types::VerifiedEvidence { claim_id, source_invocation_id, tool_name, raw_path, matched_text } = evidence;
        Self { claim_id, source_invocation_id, tool_name, raw_path, matched_text }
    }
}

impl From<types::Verdict> for Verdict {
    fn from(verdict: types::Verdict) -> Self {
        match verdict {
            types::Verdict::Pass => Self::Pass,
            types::Verdict::LowConfid => Self::LowConfid,
            types::Verdict::Reject => Self::Reject,
        }
    }
}

impl From<types::Verification> for Verification {
    fn from(verification: types::Verification) -> Self {
        match verification {
            types::Verification::Supported => Self::Supported,
            types::Verification::IndirectSupport => Self::IndirectSupport,
            types::Verification::NoEvidence => Self::NoEvidence,
            types::Verification::Contradicted => Self::Contradicted,
        }
    }
}

impl TryFrom<types::RetryContext> for Retry {
    type Error = String;

    fn try_from(retry: types::RetryContext) -> Result<Self, String> {
        let types::RetryContext { prior, gaps, completed_queries, constraints } = retry;
        Ok(Self {
            prior: prior.into(),
            gaps: gaps.into_iter().map(Into::into).collect(),
            completed_queries: convert_all(completed_queries)?,
            constraints: constraints.into(),
        })
    }
}

impl From<types::Gap> for Gap {
    fn from(types::Gap { claim_id, fact, verification, reason }: types::Gap) -> Self {
        Self { claim_id, fact, verification: verification.into(), reason }
    }
}

impl TryFrom<types::QueryRef> for CompletedQuery {
    type Error = String;

    fn try_from(query: types::QueryRef) -> Result<Self, String> {
        let types::QueryRef { tool_name, source_invocation_id, raw_path, arguments } = query;
        let arguments = value(&arguments).map_err(|error| format!("arguments of {source_invocation_id}: {error}"))?;
        Ok(Self { tool_name, source_invocation_id, raw_path, arguments })
    }
}

impl From<types::RetryConstraints> for Constraints {
    fn from(constraints: types::RetryConstraints) -> Self {
        let types::RetryConstraints {
            max_retry,
            do_not_repeat_successful_queries,
            only_execute_incremental_queries,
            preserve_prior_verified_claims,
        } = constraints;
        Self {
            max_retry,
            do_not_repeat_successful_queries,
            only_execute_incremental_queries,
            preserve_prior_verified_claims,
        }
    }
}

fn value(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

fn object(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_str(text)
}
