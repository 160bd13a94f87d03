//! The values that nodes exchange. They mirror `wit/types.wit`; what a guest sees is converted in the plug-in host.
//!
//! Nothing here says whether a value can be trusted: that is the business of [`crate::gate`] and [`crate::verified`].

use serde::{Deserialize, Serialize};

/// What the caller asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    pub question: String,
    /// What the caller knows already: service, time window, alert name.
    pub facts: Vec<Fact>,
}

/// One thing that the caller knows, in its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub name: String,
    pub value: String,
}

/// A tool as an agent may know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments, as JSON text.
    pub input_schema: String,
}

/// Why a text is no legal document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The place: a JSON Pointer (RFC 6901), empty for the whole text.
    pub path: String,
    pub message: String,
}

/// How a planner stage works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PlanMode {
    Initial,
    EvidenceGapOnly,
}

/// `diagnosis_plan_v1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub steps: Vec<PlanStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    pub step_id: String,
    pub goal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// JSON text of an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
}

/// `executor_evidence_v2`, as the executor's agent stated it. Nothing here is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub claims: Vec<Claim>,
    pub hypotheses: Vec<String>,
    pub limitations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    pub claim_id: String,
    pub text: String,
    #[serde(rename = "evidence_bindings")]
    pub bindings: Vec<Binding>,
}

/// Ties a claim to one place in one recorded tool output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Absent when the agent did not say; completed only when one invocation of the tool exists (R-PARSE-03).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_invocation_id: Option<String>,
    pub tool_name: String,
    /// Empty or `$`, a JSON Pointer (RFC 6901), or a singular JSONPath (RFC 9535).
    pub raw_path: String,
    /// What the agent says it read there.
    pub matched_text: String,
}

/// A claim that at least one passed binding backs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifiedClaim {
    pub claim_id: String,
    pub text: String,
}

/// A binding that passed the gatekeeper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifiedEvidence {
    pub claim_id: String,
    pub source_invocation_id: String,
    pub tool_name: String,
    pub raw_path: String,
    /// The recorded text that matched.
    pub matched_text: String,
}

/// What survived the gatekeeper.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifiedMaterial {
    pub claims: Vec<VerifiedClaim>,
    pub evidence: Vec<VerifiedEvidence>,
}

/// How far material can be trusted; ordered, so that the lesser of two is their minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[cfg_attr(test, derive(enum_iterator::Sequence))]
pub enum Verdict {
    Reject,
    LowConfid,
    Pass,
}

impl Verdict {
    /// The word of the wire format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reject => "REJECT",
            Self::LowConfid => "LOW_CONFID",
            Self::Pass => "PASS",
        }
    }
}

/// How a fact stands after the verifier looked at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    Supported,
    IndirectSupport,
    NoEvidence,
    Contradicted,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedFact {
    /// May begin with `claim-id: `.
    pub fact: String,
    pub is_critical: bool,
    pub verification: Verification,
    pub reason: String,
}

/// `verification_v1`, the verifier's contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerificationReport {
    pub verdict: Verdict,
    pub facts: Vec<CheckedFact>,
    /// Ids of verified claims that the answer may use.
    pub allowed_claims: Vec<String>,
    pub missing_information: Vec<String>,
    pub recommendations: Vec<String>,
}

/// A critical fact that lacks direct evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Empty when the fact names no claim.
    pub claim_id: String,
    pub fact: String,
    pub verification: Verification,
    pub reason: String,
}

/// A query that need not be asked again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QueryRef {
    pub tool_name: String,
    pub source_invocation_id: String,
    pub raw_path: String,
    /// The arguments that it was called with, JSON text.
    pub arguments: String,
}

/// What round 2 knows of round 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryContext {
    pub prior: VerifiedMaterial,
    pub gaps: Vec<Gap>,
    pub completed_queries: Vec<QueryRef>,
    pub constraints: RetryConstraints,
}

/// The fixed rules of an evidence retry (R-RETRY-02).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryConstraints {
    pub max_retry: u32,
    pub do_not_repeat_successful_queries: bool,
    pub only_execute_incremental_queries: bool,
    pub preserve_prior_verified_claims: bool,
}

/// `composed_answer_v1`: the composer arranges allowed claims, it does not write new ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComposedAnswer {
    pub headline: String,
    pub claim_order: Vec<String>,
    pub next_steps: Vec<String>,
}
