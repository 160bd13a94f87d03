//! What ended an attempt, as the host saw it, and what that means: a closed list and one total function.
//!
//! Pure. It knows no error and no store; how a cause is recognised is for [`crate::failure`].

use crate::failure::{FailureClass, Halt};
use crate::port::InvokeError;
use portcullis_core::reason::ReasonCode;
use wasmtime::Trap;

/// What ended an attempt that gave no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Cause {
    #[error(transparent)]
    Halted(Halt),
    #[error("the component asked for more memory, tables or instances than it may have")]
    MemoryRefused,
    #[error("the component holds more handles than it may")]
    TooManyHandles,
    #[error(transparent)]
    Trapped(Trap),
    #[error("the component called exit")]
    Exited,
    #[error("the component handed over more in one call than the host copies")]
    CopiedTooMuch,
    #[error("the component handed over a longer text than it may")]
    TextTooLong,
    #[error("the component broke the contract: bad text, an unknown case, a handle that it does not have")]
    BadValue,
    #[error("the component refused its input")]
    Refused,
    #[error("the component could not be made")]
    Unavailable,
    #[error("the component did not come back within its wall time")]
    WallTime,
    #[error("the run id or the session id is blank")]
    NoRunIdentity,
    #[error("its agent did not answer in time")]
    AgentTimedOut,
    #[error("its agent failed in a way that is known to pass")]
    AgentTransient,
    #[error("its agent failed in any other way")]
    AgentPermanent,
    #[error("policy forbade a tool that its agent needed")]
    AgentBlocked,
    #[error("the run had no time or no invocation left for its agent")]
    AgentRunBudget,
    #[error("its agent is a component, and was ended by one of the causes above")]
    AgentComponent(ReasonCode),
}

impl Cause {
    /// What the router may do about it, and the code that says why (R-NODE-05, R-NODE-06, R-NODE-07). Only what the
    /// host's own invoker saw is retryable.
    pub(crate) const fn classify(self) -> (FailureClass, ReasonCode) {
        use FailureClass::{Blocked, NonRetryable, Retryable};
        match self {
            Self::Halted(Halt::Deadline) => (NonRetryable, ReasonCode::GuestDeadline),
            Self::Halted(Halt::InvokeLimit) => (NonRetryable, ReasonCode::InvokeLimit),
            Self::Halted(Halt::InputMismatch) => (NonRetryable, ReasonCode::InputMismatch),
            Self::MemoryRefused | Self::TooManyHandles => (NonRetryable, ReasonCode::GuestMemory),
            Self::Trapped(_) | Self::Exited => (NonRetryable, ReasonCode::GuestTrapped),
            Self::CopiedTooMuch | Self::TextTooLong => (NonRetryable, ReasonCode::GuestOutputLimit),
            Self::BadValue => (NonRetryable, ReasonCode::GuestBadValue),
            Self::Refused => (NonRetryable, ReasonCode::GuestRefused),
            Self::Unavailable => (NonRetryable, ReasonCode::GuestUnavailable),
            Self::WallTime => (NonRetryable, ReasonCode::AttemptTimeout),
            Self::NoRunIdentity => (NonRetryable, ReasonCode::NoRunIdentity),
            Self::AgentTimedOut => (Retryable, ReasonCode::InvokeTimeout),
            Self::AgentTransient => (Retryable, ReasonCode::InvokeTransient),
            Self::AgentPermanent => (NonRetryable, ReasonCode::InvokePermanent),
            Self::AgentBlocked => (Blocked, ReasonCode::ToolBlocked),
            Self::AgentRunBudget => (NonRetryable, ReasonCode::RunBudget),
            Self::AgentComponent(reason) => (NonRetryable, reason),
        }
    }

    /// Whether it happened to the agent that the component asked. A component that is an agent has none.
    pub(crate) const fn is_of_an_agent(self) -> bool {
        match self {
            Self::AgentTimedOut
            | Self::AgentTransient
            | Self::AgentPermanent
            | Self::AgentBlocked
            | Self::AgentRunBudget
            | Self::AgentComponent(_) => true,
            Self::Halted(_)
            | Self::MemoryRefused
            | Self::TooManyHandles
            | Self::Trapped(_)
            | Self::Exited
            | Self::CopiedTooMuch
            | Self::TextTooLong
            | Self::BadValue
            | Self::Refused
            | Self::Unavailable
            | Self::WallTime
            | Self::NoRunIdentity => false,
        }
    }
}

impl From<&InvokeError> for Cause {
    fn from(error: &InvokeError) -> Self {
        match error {
            InvokeError::TimedOut(_) => Self::AgentTimedOut,
            InvokeError::Transient(_) => Self::AgentTransient,
            InvokeError::Permanent(_) => Self::AgentPermanent,
            InvokeError::Blocked(_) => Self::AgentBlocked,
            InvokeError::RunBudget(_) => Self::AgentRunBudget,
            InvokeError::Component { reason, detail: _ } => Self::AgentComponent(*reason),
        }
    }
}
