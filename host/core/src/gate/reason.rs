//! Why a binding passed or failed: a closed set, in the order of the checks.

use super::Severity;
use serde::{Deserialize, Serialize};

macro_rules! gate_reasons {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal, $severity:expr;)+) => {
        /// The reason code of a checked binding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum GateReason { $($(#[doc = $doc])+ #[serde(rename = $word)] $name,)+ }

        impl GateReason {
            /// Each code once, in the order of the checks.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The word of the wire format.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }

            /// What the code means, for the baseline.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc,)+).trim_ascii(),)+ }
            }

            /// How much a failed binding weighs; `None` when the binding passes.
            pub const fn severity(self) -> Option<Severity> {
                match self { $(Self::$name => $severity,)+ }
            }
        }
    };
}

gate_reasons! {
    /// No invocation of this run has the id, or none can be told apart.
    UnknownInvocation = "unknown_invocation", Some(Severity::Reject);
    /// The invocation belongs to another run.
    ForeignRun = "foreign_run", Some(Severity::Reject);
    /// The invocation is of another tool.
    ToolMismatch = "tool_mismatch", Some(Severity::Reject);
    /// The invocation did not succeed.
    InvocationFailed = "invocation_failed", Some(Severity::LowConfid);
    /// The path is not well formed.
    PathSyntax = "path_syntax", Some(Severity::LowConfid);
    /// The path can name more than one value.
    PathNotSingular = "path_not_singular", Some(Severity::LowConfid);
    /// The path goes into an output that is not JSON.
    OutputNotJson = "output_not_json", Some(Severity::LowConfid);
    /// The path leads nowhere in the output.
    PathNotFound = "path_not_found", Some(Severity::LowConfid);
    /// The quote is blank.
    EmptyQuote = "empty_quote", Some(Severity::LowConfid);
    /// The quote does not match the value, nor any other of the output.
    TextNotFound = "text_not_found", Some(Severity::LowConfid);
    /// The quote matches another value of the output.
    TextElsewhere = "text_elsewhere", Some(Severity::LowConfid);
    /// The quote matches, but the claim states a number or name that none of its quotes holds.
    ClaimNumberUnsupported = "claim_number_unsupported", Some(Severity::LowConfid);
    /// The quote matches, in an output that the provider cut: the run is capped at `LOW_CONFID`.
    TruncatedSource = "truncated_source", None;
    /// The quote matches.
    Ok = "ok", None;
}
