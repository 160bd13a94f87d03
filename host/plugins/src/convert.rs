//! Between the core's types and the generated ones, each direction once. Nothing is checked or changed on the way,
//! except that a guest's words about a violation are cut to a readable length.

use crate::bindings::{composer_adapter, executor_adapter, planner_adapter, tools, types as wit, verifier_adapter};
use crate::guest_log::clip;
use crate::port::{ToolError, ToolReply};
use portcullis_core::document as core;
use portcullis_core::projection::{ComposerProjection, ExecutorProjection, PlannerProjection, VerifierProjection};

/// Longest path and message of a violation.
const VIOLATION_BYTES: usize = 1_024;

fn all<'a, From: 'a, Into: std::convert::From<&'a From>>(items: &'a [From]) -> Vec<Into> {
    items.iter().map(Into::from).collect()
}

fn all_owned<From, Into: std::convert::From<From>>(items: Vec<From>) -> Vec<Into> {
    items.into_iter().map(Into::from).collect()
}

// Core to guest: projections and what they hold.

impl From<&PlannerProjection<'_>> for planner_adapter::Projection {
    fn from(from: &PlannerProjection<'_>) -> Self {
        let PlannerProjection { query, mode, tools, retry } = *from;
        Self { query: query.into(), mode: mode.into(), tools: all(tools), retry: retry.map(Into::into) }
    }
}

impl From<&ExecutorProjection<'_>> for executor_adapter::Projection {
    fn from(from: &ExecutorProjection<'_>) -> Self {
        let ExecutorProjection { query, plan, tools, retry } = *from;
        Self { query: query.into(), plan: plan.into(), tools: all(tools), retry: retry.map(Into::into) }
    }
}

impl From<&VerifierProjection<'_>> for verifier_adapter::Projection {
    fn from(from: &VerifierProjection<'_>) -> Self {
        let VerifierProjection { query, material, audit, retry } = *from;
        Self {
            query: query.into(),
            material: material.into(),
            audit: verifier_adapter::GatekeeperAudit {
                ceiling: audit.ceiling.into(),
                verified_binding_count: audit.verified_binding_count,
                failed_binding_count: audit.failed_binding_count,
            },
            retry: retry.map(Into::into),
        }
    }
}

impl From<&ComposerProjection<'_>> for composer_adapter::Projection {
    fn from(from: &ComposerProjection<'_>) -> Self {
        let ComposerProjection { effective_verdict, claims, missing_information, recommendations } = *from;
        Self {
            effective_verdict: effective_verdict.into(),
            claims: all(claims),
            missing_information: missing_information.to_vec(),
            recommendations: recommendations.to_vec(),
        }
    }
}

impl From<&core::Query> for wit::Query {
    fn from(core::Query { question, facts }: &core::Query) -> Self {
        Self { question: question.clone(), facts: all(facts) }
    }
}

impl From<&core::Fact> for wit::Fact {
    fn from(core::Fact { name, value }: &core::Fact) -> Self {
        Self { name: name.clone(), value: value.clone() }
    }
}

impl From<&core::Tool> for wit::Tool {
    fn from(core::Tool { name, description, input_schema }: &core::Tool) -> Self {
        Self { name: name.clone(), description: description.clone(), input_schema: input_schema.clone() }
    }
}

impl From<core::PlanMode> for wit::PlanMode {
    fn from(from: core::PlanMode) -> Self {
        match from {
            core::PlanMode::Initial => Self::Initial,
            core::PlanMode::EvidenceGapOnly => Self::EvidenceGapOnly,
        }
    }
}

impl From<&core::Plan> for wit::Plan {
    fn from(core::Plan { steps }: &core::Plan) -> Self {
        Self { steps: all(steps) }
    }
}

impl From<&core::PlanStep> for wit::PlanStep {
    fn from(core::PlanStep { step_id, goal, tool_name, arguments }: &core::PlanStep) -> Self {
        Self {
            step_id: step_id.clone(),
            goal: goal.clone(),
            tool_name: tool_name.clone(),
            arguments: arguments.clone(),
        }
    }
}

impl From<&core::VerifiedMaterial> for wit::VerifiedMaterial {
    fn from(core::VerifiedMaterial { claims, evidence }: &core::VerifiedMaterial) -> Self {
        Self { claims: all(claims), evidence: all(evidence) }
    }
}

impl From<&core::VerifiedClaim> for wit::VerifiedClaim {
    fn from(core::VerifiedClaim { claim_id, text }: &core::VerifiedClaim) -> Self {
        Self { claim_id: claim_id.clone(), text: text.clone() }
    }
}

impl From<&core::VerifiedEvidence> for wit::VerifiedEvidence {
    fn from(from: &core::VerifiedEvidence) -> Self {
        let core::VerifiedEvidence { claim_id, source_invocation_id, tool_name, raw_path, matched_text } = from;
        Self {
            claim_id: claim_id.clone(),
            source_invocation_id: source_invocation_id.clone(),
            tool_name: tool_name.clone(),
            raw_path: raw_path.clone(),
            matched_text: matched_text.clone(),
        }
    }
}

impl From<core::Verdict> for wit::Verdict {
    fn from(from: core::Verdict) -> Self {
        match from {
            core::Verdict::Pass => Self::Pass,
            core::Verdict::LowConfid => Self::LowConfid,
            core::Verdict::Reject => Self::Reject,
        }
    }
}

impl From<core::Verification> for wit::Verification {
    fn from(from: core::Verification) -> Self {
        match from {
            core::Verification::Supported => Self::Supported,
            core::Verification::IndirectSupport => Self::IndirectSupport,
            core::Verification::NoEvidence => Self::NoEvidence,
            core::Verification::Contradicted => Self::Contradicted,
        }
    }
}

impl From<&core::RetryContext> for wit::RetryContext {
    fn from(core::RetryContext { prior, gaps, completed_queries, constraints }: &core::RetryContext) -> Self {
        Self {
            prior: prior.into(),
            gaps: all(gaps),
            completed_queries: all(completed_queries),
            constraints: constraints.into(),
        }
    }
}

impl From<&core::Gap> for wit::Gap {
    fn from(core::Gap { claim_id, fact, verification, reason }: &core::Gap) -> Self {
        Self {
            claim_id: claim_id.clone(),
            fact: fact.clone(),
            verification: (*verification).into(),
            reason: reason.clone(),
        }
    }
}

impl From<&core::QueryRef> for wit::QueryRef {
    fn from(core::QueryRef { tool_name, source_invocation_id, raw_path, arguments }: &core::QueryRef) -> Self {
        Self {
            tool_name: tool_name.clone(),
            source_invocation_id: source_invocation_id.clone(),
            raw_path: raw_path.clone(),
            arguments: arguments.clone(),
        }
    }
}

impl From<&core::RetryConstraints> for wit::RetryConstraints {
    fn from(from: &core::RetryConstraints) -> Self {
        let core::RetryConstraints {
            max_retry,
            do_not_repeat_successful_queries,
            only_execute_incremental_queries,
            preserve_prior_verified_claims,
        } = *from;
        Self {
            max_retry,
            do_not_repeat_successful_queries,
            only_execute_incremental_queries,
            preserve_prior_verified_claims,
        }
    }
}

// Guest to core: documents.

impl From<wit::Plan> for core::Plan {
    fn from(wit::Plan { steps }: wit::Plan) -> Self {
        Self { steps: all_owned(steps) }
    }
}

impl From<wit::PlanStep> for core::PlanStep {
    fn from(wit::PlanStep { step_id, goal, tool_name, arguments }: wit::PlanStep) -> Self {
        Self { step_id, goal, tool_name, arguments }
    }
}

impl From<wit::Evidence> for core::Evidence {
    fn from(wit::Evidence { claims, hypotheses, limitations }: wit::Evidence) -> Self {
        Self { claims: all_owned(claims), hypotheses, limitations }
    }
}

impl From<wit::Claim> for core::Claim {
    fn from(wit::Claim { claim_id, text, bindings }: wit::Claim) -> Self {
        Self { claim_id, text, bindings: all_owned(bindings) }
    }
}

impl From<wit::Binding> for core::Binding {
    fn from(wit::Binding { source_invocation_id, tool_name, raw_path, matched_text }: wit::Binding) -> Self {
        Self { source_invocation_id, tool_name, raw_path, matched_text }
    }
}

impl From<wit::VerificationReport> for core::VerificationReport {
    fn from(from: wit::VerificationReport) -> Self {
        let wit::VerificationReport { verdict, facts, allowed_claims, missing_information, recommendations } = from;
        Self { verdict: verdict.into(), facts: all_owned(facts), allowed_claims, missing_information, recommendations }
    }
}

impl From<wit::CheckedFact> for core::CheckedFact {
    fn from(wit::CheckedFact { fact, is_critical, verification, reason }: wit::CheckedFact) -> Self {
        Self { fact, is_critical, verification: verification.into(), reason }
    }
}

impl From<wit::Verdict> for core::Verdict {
    fn from(from: wit::Verdict) -> Self {
        match from {
            wit::Verdict::Pass => Self::Pass,
            wit::Verdict::LowConfid => Self::LowConfid,
            wit::Verdict::Reject => Self::Reject,
        }
    }
}

impl From<wit::Verification> for core::Verification {
    fn from(from: wit::Verification) -> Self {
        match from {
            wit::Verification::Supported => Self::Supported,
            wit::Verification::IndirectSupport => Self::IndirectSupport,
            wit::Verification::NoEvidence => Self::NoEvidence,
            wit::Verification::Contradicted => Self::Contradicted,
        }
    }
}

impl From<wit::Answer> for core::ComposedAnswer {
    fn from(wit::Answer { headline, claim_order, next_steps }: wit::Answer) -> Self {
        Self { headline, claim_order, next_steps }
    }
}

impl From<wit::Violation> for core::Violation {
    fn from(wit::Violation { path, message }: wit::Violation) -> Self {
        let cut = |text: String| clip(&text, VIOLATION_BYTES).to_owned();
        Self { path: cut(path), message: cut(message) }
    }
}

// Tools.

impl From<ToolReply> for tools::ToolResult {
    fn from(ToolReply { invocation_id, output }: ToolReply) -> Self {
        Self { invocation_id, output }
    }
}

impl From<ToolError> for tools::ToolError {
    fn from(from: ToolError) -> Self {
        match from {
            ToolError::UnknownTool(text) => Self::UnknownTool(text),
            ToolError::InvalidArguments(text) => Self::InvalidArguments(text),
            ToolError::Blocked(text) => Self::Blocked(text),
            ToolError::Failed(text) => Self::Failed(text),
            ToolError::TimedOut => Self::TimedOut,
        }
    }
}
