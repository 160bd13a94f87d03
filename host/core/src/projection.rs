//! What each node may see, as borrowed views. They mirror the `projection` records of `wit/adapters.wit`.
//!
//! [`crate::state::State`] gives them out; there is no other way to its fields.

use crate::document::{Plan, PlanMode, Query, RetryContext, Tool, Verdict, VerifiedClaim, VerifiedMaterial};

/// All that a planner may see.
#[derive(Debug, Clone, Copy)]
pub struct PlannerProjection<'a> {
    pub query: &'a Query,
    pub mode: PlanMode,
    pub tools: &'a [Tool],
    pub retry: Option<&'a RetryContext>,
}

/// All that an executor may see.
#[derive(Debug, Clone, Copy)]
pub struct ExecutorProjection<'a> {
    pub query: &'a Query,
    pub plan: &'a Plan,
    pub tools: &'a [Tool],
    pub retry: Option<&'a RetryContext>,
}

/// All that a verifier may see (R-VERIFY-04).
#[derive(Debug, Clone, Copy)]
pub struct VerifierProjection<'a> {
    pub query: &'a Query,
    pub material: &'a VerifiedMaterial,
    pub audit: GatekeeperAudit,
    pub retry: Option<&'a RetryContext>,
}

/// The gatekeeper's figures, as the verifier sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatekeeperAudit {
    /// The effective verdict cannot be better.
    pub ceiling: Verdict,
    pub verified_binding_count: u32,
    pub failed_binding_count: u32,
}

/// All that a composer may see (R-ANSWER-01).
#[derive(Debug, Clone, Copy)]
pub struct ComposerProjection<'a> {
    pub effective_verdict: Verdict,
    pub claims: &'a [VerifiedClaim],
    pub missing_information: &'a [String],
    pub recommendations: &'a [String],
}
