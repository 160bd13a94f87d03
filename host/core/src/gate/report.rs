//! What the gatekeeper says: its raw result, what that means, and every binding that it checked.

use super::GateReason;
use crate::document::Verdict;
use crate::route::Gate;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The result as it came out of the checks. What it means is another thing: see [`normalise`] (R-GATE-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawGate {
    pub result: RawResult,
    /// How bad a failure is.
    pub severity: Option<Severity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(enum_iterator::Sequence))]
pub enum RawResult {
    Pass,
    Fail,
}

/// Ordered, so that the worst of several is their maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(enum_iterator::Sequence))]
pub enum Severity {
    LowConfid,
    Reject,
}

impl Severity {
    /// The word of the wire format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LowConfid => "low_confid",
            Self::Reject => "reject",
        }
    }
}

/// What a gatekeeper result means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum GateStatus {
    Pass,
    LowConfid,
    Reject,
}

impl GateStatus {
    /// The word of the wire format.
    pub const fn as_str(self) -> &'static str {
        self.ceiling().as_str()
    }

    /// The verdict that a run with this status cannot exceed.
    pub const fn ceiling(self) -> Verdict {
        match self {
            Self::Pass => Verdict::Pass,
            Self::LowConfid => Verdict::LowConfid,
            Self::Reject => Verdict::Reject,
        }
    }
}

/// What a raw result means. Missing or contradicting itself, it means REJECT; one with an unknown word cannot be read
/// and so is missing (R-GATE-03).
pub fn normalise(raw: Option<RawGate>) -> GateStatus {
    match raw {
        Some(RawGate { result: RawResult::Pass, severity: None }) => GateStatus::Pass,
        Some(RawGate { result: RawResult::Fail, severity: Some(Severity::LowConfid) }) => GateStatus::LowConfid,
        Some(
            RawGate { result: RawResult::Fail, severity: Some(Severity::Reject) | None }
            | RawGate { result: RawResult::Pass, severity: Some(_) },
        )
        | None => GateStatus::Reject,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingStatus {
    Pass,
    Fail,
}

impl BindingStatus {
    /// The word of the wire format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
        }
    }
}

/// One binding after its check (R-GATE-02).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedBinding {
    pub claim_id: String,
    /// As completed (R-PARSE-03); empty when no id was stated and none could be completed.
    pub source_invocation_id: String,
    /// As normalised (R-PARSE-03).
    pub tool_name: String,
    pub raw_path: String,
    /// The recorded text that matched; what the agent stated when none did.
    pub matched_text: String,
    pub status: BindingStatus,
    pub reason_code: GateReason,
}

/// Why an input cannot be judged as a whole, whatever its bindings say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inconsistency {
    /// The run has no id, so nothing can belong to it.
    NoRunIdentity,
    /// Two invocations have this id.
    DuplicateInvocation(String),
    /// Two claims have this id.
    DuplicateClaim(String),
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRunIdentity => f.write_str("the run has no id"),
            Self::DuplicateInvocation(id) => write!(f, "two invocations have the id {id}"),
            Self::DuplicateClaim(id) => write!(f, "two claims have the id {id}"),
        }
    }
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateReport {
    pub raw: RawGate,
    /// The raw result, normalised, and no better than `ceiling`.
    pub status: GateStatus,
    /// Checked bindings that passed, and nothing else (R-GATE-04).
    pub verified_binding_count: u32,
    pub failed_binding_count: u32,
    /// In the order of the claims and of their bindings.
    pub checked: Vec<CheckedBinding>,
    /// Claims that state no binding at all; each one makes the result fail.
    pub unbound_claims: Vec<String>,
    /// Empty unless the input contradicts itself, which is a REJECT.
    pub inconsistencies: Vec<Inconsistency>,
    /// The verdict that the run cannot exceed.
    pub ceiling: Verdict,
}

impl GateReport {
    pub(super) fn new(
        checked: Vec<CheckedBinding>,
        unbound_claims: Vec<String>,
        inconsistencies: Vec<Inconsistency>,
    ) -> Self {
        let failures = checked.iter().filter_map(|binding| binding.reason_code.severity());
        let unbound = unbound_claims.iter().map(|_| Severity::LowConfid);
        let inconsistent = inconsistencies.iter().map(|_| Severity::Reject);
        let severity = failures.chain(unbound).chain(inconsistent).max();
        let result = if severity.is_none() { RawResult::Pass } else { RawResult::Fail };
        let raw = RawGate { result, severity };
        // A cut output backs a claim, but what was cut off may say otherwise (R-GATE-08).
        let truncated = checked.iter().any(|binding| binding.reason_code == GateReason::TruncatedSource);
        let status = match normalise(Some(raw)) {
            GateStatus::Pass if truncated => GateStatus::LowConfid,
            status @ (GateStatus::Pass | GateStatus::LowConfid | GateStatus::Reject) => status,
        };
        Self {
            raw,
            status,
            verified_binding_count: count(&checked, BindingStatus::Pass),
            failed_binding_count: count(&checked, BindingStatus::Fail),
            checked,
            unbound_claims,
            inconsistencies,
            ceiling: status.ceiling(),
        }
    }

    /// As far as routing needs it.
    pub fn outcome(&self) -> Gate {
        match self.status {
            GateStatus::Pass => Gate::Pass,
            GateStatus::LowConfid if self.verified_binding_count > 0 => Gate::LowConfid,
            GateStatus::LowConfid => Gate::LowConfidUnbacked,
            GateStatus::Reject => Gate::Reject,
        }
    }
}

fn count(checked: &[CheckedBinding], status: BindingStatus) -> u32 {
    u32::try_from(checked.iter().filter(|binding| binding.status == status).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enum_iterator::all;

    #[test]
    fn only_a_plain_pass_and_a_plain_low_confidence_are_not_a_reject() {
        // R-GATE-03
        for result in all::<RawResult>() {
            for severity in all::<Option<Severity>>() {
                let expected = match (result, severity) {
                    (RawResult::Pass, None) => GateStatus::Pass,
                    (RawResult::Fail, Some(Severity::LowConfid)) => GateStatus::LowConfid,
                    (RawResult::Pass | RawResult::Fail, _) => GateStatus::Reject,
                };
                assert_eq!(normalise(Some(RawGate { result, severity })), expected, "{result:?} {severity:?}");
            }
        }
        assert_eq!(normalise(None), GateStatus::Reject);
    }

    #[test]
    fn an_unknown_word_is_no_result() {
        // R-GATE-03
        for (text, expected) in [
            (r#"{"result":"pass","severity":null}"#, GateStatus::Pass),
            (r#"{"result":"fail","severity":"low_confid"}"#, GateStatus::LowConfid),
            (r#"{"result":"passed","severity":null}"#, GateStatus::Reject),
            (r#"{"result":"fail","severity":"minor"}"#, GateStatus::Reject),
            (r#"{"severity":null}"#, GateStatus::Reject),
        ] {
            assert_eq!(normalise(serde_json::from_str(text).ok()), expected, "{text}");
        }
    }
}
