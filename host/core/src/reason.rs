//! Why an attempt ended as it did: a closed set, so that a reader can look each one up and a new one stops the build.

use serde::{Deserialize, Serialize};

macro_rules! reason_codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal,)+) => {
        /// The reason code of an orchestration event (R-EVENT-02).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum ReasonCode { $($(#[doc = $doc])+ #[serde(rename = $word)] $name,)+ }

        impl ReasonCode {
            /// Each code once, in the order of the baseline.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The word of the wire format.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }

            /// What the code means, for the baseline.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc,)+).trim_ascii(),)+ }
            }
        }
    };
}

reason_codes! {
    /// The attempt did what it was asked.
    Ok = "ok",
    /// The agent's text is no legal document, or breaks a check that the host makes after parsing.
    ContractViolation = "contract_violation",
    /// The agent did not answer in time.
    InvokeTimeout = "invoke_timeout",
    /// The agent failed in a way that may pass by itself: connection reset, rate limit, server error.
    InvokeTransient = "invoke_transient",
    /// The agent failed in a way that is not known to pass by itself.
    InvokePermanent = "invoke_permanent",
    /// The component invoked its agent more often than it may.
    InvokeLimit = "invoke_limit",
    /// Policy forbade a tool that the agent needed.
    ToolBlocked = "tool_blocked",
    /// The component trapped: a panic, a bad memory access, a stack overflow.
    GuestTrapped = "guest_trapped",
    /// The component used up its compute time.
    GuestDeadline = "guest_deadline",
    /// The component asked for more memory, tables or instances than it may have.
    GuestMemory = "guest_memory",
    /// The component returned more bytes than it may.
    GuestOutputLimit = "guest_output_limit",
    /// The component returned a value that is none of its contract's.
    GuestBadValue = "guest_bad_value",
    /// The component refused its input by a typed error.
    GuestRefused = "guest_refused",
    /// The component could not be instantiated.
    GuestUnavailable = "guest_unavailable",
    /// The whole attempt took longer than its wall time.
    AttemptTimeout = "attempt_timeout",
    /// The component handed its agent other bytes than it was given.
    InputMismatch = "input_mismatch",
    /// The run has no identity.
    NoRunIdentity = "no_run_identity",
    /// The budget of the whole run is used up: wall time or invocations.
    RunBudget = "run_budget",
    /// The run was cancelled.
    Cancelled = "cancelled",
    /// The gatekeeper passed every binding.
    GatePass = "gate_pass",
    /// The gatekeeper passed some bindings, none of the others is fabricated, or a source is truncated.
    GateLowConfid = "gate_low_confid",
    /// The gatekeeper passed no binding although claims were made.
    GateUnbacked = "gate_unbacked",
    /// The gatekeeper found fabricated provenance, or could not judge.
    GateReject = "gate_reject",
    /// Verified material could not be matched to the executor's claims.
    NothingVerified = "nothing_verified",
    /// The verifier's effective verdict is PASS.
    VerdictPass = "verdict_pass",
    /// The verifier's effective verdict is `LOW_CONFID`.
    VerdictLowConfid = "verdict_low_confid",
    /// The verifier's effective verdict is REJECT.
    VerdictReject = "verdict_reject",
    /// The run visited more nodes than any legal path does.
    RecursionLimit = "recursion_limit",
}
