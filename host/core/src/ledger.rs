//! What a run recorded of its tool calls, as the gatekeeper reads it. Who writes it is the tool gateway's business.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One recorded tool call. The host mints the id; the output is kept byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    pub invocation_id: String,
    pub run_id: String,
    pub tool_name: String,
    /// JSON text of the arguments.
    pub arguments: String,
    pub status: InvocationStatus,
    /// JSON text, or plain text when it does not parse as JSON. Not always UTF-8.
    pub output: Arc<[u8]>,
    /// The provider cut the output: it can back a claim, but caps the run at `LOW_CONFID` (R-GATE-08).
    pub truncated: bool,
}

/// How a tool call ended. Only [`Ok`](Self::Ok) is success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(enum_iterator::Sequence))]
pub enum InvocationStatus {
    Ok,
    /// The tool worked and found nothing: an empty answer proves nothing.
    NoData,
    Error,
    Blocked,
    TimedOut,
    Cancelled,
}

impl InvocationStatus {
    pub const fn succeeded(self) -> bool {
        match self {
            Self::Ok => true,
            Self::NoData | Self::Error | Self::Blocked | Self::TimedOut | Self::Cancelled => false,
        }
    }

    /// The word of the wire format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::NoData => "no_data",
            Self::Error => "error",
            Self::Blocked => "blocked",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }
}
