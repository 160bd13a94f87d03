//! The four documents that agents answer with, and why a text is none of them.
//!
//! Serialized, a document is its wire form, `answer_version` included: an agent written in Rust emits these structs.
//! They are read from text by the decoder alone, which is strict where a derived `Deserialize` would be lax.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a planner answers with.
pub const PLAN_VERSION: &str = "diagnosis_plan_v1";
/// What an executor answers with.
pub const EVIDENCE_VERSION: &str = "executor_evidence_v2";
/// What a verifier answers with.
pub const VERIFICATION_VERSION: &str = "verification_v1";
/// What a composer answers with.
pub const ANSWER_VERSION: &str = "composed_answer_v1";

/// `diagnosis_plan_v1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "answer_version", rename = "diagnosis_plan_v1")]
pub struct Plan {
    pub steps: Vec<PlanStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanStep {
    pub step_id: String,
    pub goal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
}

/// `executor_evidence_v2`, as the agent stated it. Nothing here is trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "answer_version", rename = "executor_evidence_v2")]
pub struct Evidence {
    pub claims: Vec<Claim>,
    pub hypotheses: Vec<String>,
    pub limitations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    pub claim_id: String,
    pub text: String,
    #[serde(rename = "evidence_bindings")]
    pub bindings: Vec<Binding>,
}

/// Ties a claim to one place in one recorded tool output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Binding {
    /// Absent when the agent did not say; the host completes it only when it is unambiguous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_invocation_id: Option<String>,
    pub tool_name: String,
    /// Empty or `$` for the whole output, a JSON Pointer (RFC 6901), or a singular JSONPath (RFC 9535).
    pub raw_path: String,
    /// What the agent says it read there. May be empty here: the gatekeeper judges that.
    pub matched_text: String,
}

/// How far material can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    Pass,
    LowConfid,
    Reject,
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

/// `verification_v1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "answer_version", rename = "verification_v1")]
pub struct VerificationReport {
    pub verdict: Verdict,
    pub facts: Vec<CheckedFact>,
    /// Ids of verified claims that the answer may use.
    pub allowed_claims: Vec<String>,
    pub missing_information: Vec<String>,
    pub recommendations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedFact {
    /// May begin with `claim-id: `.
    pub fact: String,
    pub is_critical: bool,
    pub verification: Verification,
    pub reason: String,
}

/// `composed_answer_v1`: it arranges allowed claims and writes none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "answer_version", rename = "composed_answer_v1")]
pub struct ComposedAnswer {
    pub headline: String,
    pub claim_order: Vec<String>,
    pub next_steps: Vec<String>,
}

/// Why a text is no legal document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The place: a JSON Pointer (RFC 6901), empty for the whole text.
    pub path: String,
    pub message: String,
}
