//! The inputs that the default adapters hand to their agents: exactly the node's projection, named and versioned.
//!
//! An adapter serializes them, an agent written in Rust reads them back. Field order is the order of declaration, so
//! the same projection always gives the same bytes.

use crate::document::{PlanStep, Verdict, Verification};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A type for one word: written always, and any other word is refused when read.
macro_rules! word {
    ($(#[doc = $doc:literal])+ $name:ident = $word:literal) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            #[default]
            #[serde(rename = $word)]
            Word,
        }

        impl $name {
            pub const WORD: &str = $word;
        }
    };
}

word! {
    /// The version of [`PlannerInput`].
    PlannerInputVersion = "planner_input_v1"
}
word! {
    /// The version of [`ExecutorInput`].
    ExecutorInputVersion = "executor_input_v1"
}
word! {
    /// The version of [`VerifierInput`].
    VerifierInputVersion = "verifier_input_v1"
}
word! {
    /// The version of [`ComposerInput`].
    ComposerInputVersion = "composer_input_v1"
}
word! {
    /// The document that a planner is to answer with.
    PlanVersion = "diagnosis_plan_v1"
}
word! {
    /// The document that an executor is to answer with.
    EvidenceVersion = "executor_evidence_v2"
}
word! {
    /// The document that a verifier is to answer with.
    VerificationVersion = "verification_v1"
}
word! {
    /// The document that a composer is to answer with.
    AnswerVersion = "composed_answer_v1"
}

/// What a planner's agent is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannerInput {
    pub input_version: PlannerInputVersion,
    pub answer_version: PlanVersion,
    pub query: Query,
    pub mode: PlanMode,
    pub tools: Vec<Tool>,
    /// What round 1 established; absent in round 1.
    pub retry: Option<Retry>,
}

/// What an executor's agent is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutorInput {
    pub input_version: ExecutorInputVersion,
    pub answer_version: EvidenceVersion,
    pub query: Query,
    pub plan: PlanSteps,
    pub tools: Vec<Tool>,
    pub retry: Option<Retry>,
    /// How round 2 is to be worked (R-RETRY-03); absent in round 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
}

/// What a verifier's agent is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifierInput {
    pub input_version: VerifierInputVersion,
    pub answer_version: VerificationVersion,
    pub query: Query,
    pub material: Material,
    pub audit: Audit,
    pub retry: Option<Retry>,
}

/// What a composer's agent is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComposerInput {
    pub input_version: ComposerInputVersion,
    pub answer_version: AnswerVersion,
    pub effective_verdict: Verdict,
    pub claims: Vec<VerifiedClaim>,
    pub missing_information: Vec<String>,
    pub recommendations: Vec<String>,
}

/// What the caller asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    pub question: String,
    /// What the caller knows already: service, time window, alert name.
    pub facts: Vec<Fact>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    pub name: String,
    pub value: String,
}

/// A tool as an agent may know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
}

/// How a planner stage works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PlanMode {
    Initial,
    EvidenceGapOnly,
}

/// The plan as the executor sees it: its version is the planner's business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanSteps {
    pub steps: Vec<PlanStep>,
}

/// What survived the gatekeeper.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    pub claims: Vec<VerifiedClaim>,
    pub evidence: Vec<VerifiedEvidence>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifiedClaim {
    pub claim_id: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifiedEvidence {
    pub claim_id: String,
    pub source_invocation_id: String,
    pub tool_name: String,
    pub raw_path: String,
    pub matched_text: String,
}

/// What the gatekeeper found, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audit {
    /// The effective verdict can not be better.
    pub ceiling: Verdict,
    pub verified_binding_count: u32,
    pub failed_binding_count: u32,
}

/// What round 2 knows of round 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    pub prior: Material,
    pub gaps: Vec<Gap>,
    pub completed_queries: Vec<CompletedQuery>,
    pub constraints: Constraints,
}

/// A critical fact that lacks direct evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// Empty when the fact names no claim.
    pub claim_id: String,
    pub fact: String,
    pub verification: Verification,
    pub reason: String,
}

/// A query that need not be asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompletedQuery {
    pub tool_name: String,
    pub source_invocation_id: String,
    pub raw_path: String,
    /// The arguments that it was called with.
    pub arguments: Value,
}

/// The fixed rules of an evidence retry (R-RETRY-02).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraints {
    pub max_retry: u32,
    pub do_not_repeat_successful_queries: bool,
    pub only_execute_incremental_queries: bool,
    pub preserve_prior_verified_claims: bool,
}

/// An input of any node, for an agent that serves several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Planner(PlannerInput),
    Executor(ExecutorInput),
    Verifier(VerifierInput),
    Composer(ComposerInput),
}

impl Input {
    /// Reads the input that `input_version` names. The error is a sentence for the log.
    pub fn read(text: &str) -> Result<Self, String> {
        /// Serde's tagged enums lose the digits of numbers on the way, so the version is read first.
        #[derive(Deserialize)]
        struct Head {
            input_version: String,
        }

        let head: Head = read(text)?;
        match head.input_version.as_str() {
            PlannerInputVersion::WORD => read(text).map(Self::Planner),
            ExecutorInputVersion::WORD => read(text).map(Self::Executor),
            VerifierInputVersion::WORD => read(text).map(Self::Verifier),
            ComposerInputVersion::WORD => read(text).map(Self::Composer),
            _ => Err("the input has an unknown input_version".to_owned()),
        }
    }
}

/// The bytes that an adapter hands to its agent.
pub fn write<T: Serialize>(input: &T) -> Result<String, String> {
    serde_json::to_string(input).map_err(|error| format!("the input can not be written: {error}"))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("the input can not be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::Input;

    #[test]
    fn an_input_of_another_version_is_refused() {
        for text in [
            "",
            "{}",
            r#"{"input_version":"planner_input_v2"}"#,
            r#"{"input_version":"composer_input_v1"}"#,
            r#"{"input_version":"composer_input_v1","answer_version":"composed_answer_v2","effective_verdict":"PASS",
                "claims":[],"missing_information":[],"recommendations":[]}"#,
            r#"{"input_version":"composer_input_v1","answer_version":"composed_answer_v1","effective_verdict":"PASS",
                "claims":[],"missing_information":[],"recommendations":[],"prompt":""}"#,
        ] {
            assert!(Input::read(text).is_err(), "{text}");
        }
    }
}
