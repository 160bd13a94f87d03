//! Why an agent node gave no document, and what the router is told of it: pure, and no arm leads to `COMPLETED`.

use portcullis_core::document::Violation;
use portcullis_core::reason::ReasonCode;
use portcullis_core::route::{Attempt, Execution};
use portcullis_plugins::{AttemptFailure, FailureClass};

/// Why an agent node gave no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Miss {
    /// The text is none, or breaks a check that the host makes after parsing.
    Violation(Violation),
    Failure(AttemptFailure),
}

impl Miss {
    pub(crate) fn run_budget() -> Self {
        Self::fatal(ReasonCode::RunBudget, "the run's wall time is over")
    }

    /// A legal route never leads to a node whose view is missing. If it did, the node would fail, not guess.
    pub(crate) fn no_view() -> Self {
        Self::fatal(ReasonCode::GuestUnavailable, "the node has nothing to work on")
    }

    fn fatal(reason: ReasonCode, detail: &str) -> Self {
        Self::Failure(AttemptFailure { class: FailureClass::NonRetryable, reason, detail: detail.to_owned() })
    }

    pub(crate) fn reason(&self) -> ReasonCode {
        match self {
            Self::Violation(_) => ReasonCode::ContractViolation,
            Self::Failure(failure) => failure.reason,
        }
    }

    /// The place in the document, if that is at fault, and the words. They may be an agent's or a guest's: they go to
    /// the log alone.
    pub(crate) fn said(&self) -> (&str, &str) {
        match self {
            Self::Violation(violation) => (&violation.path, &violation.message),
            Self::Failure(failure) => ("", &failure.detail),
        }
    }

    /// Of planner, verifier and composer.
    pub(crate) fn attempt<T>(&self) -> Attempt<T> {
        match self {
            Self::Violation(_) => Attempt::InvalidOutput,
            Self::Failure(failure) => match failure.class {
                FailureClass::Retryable => Attempt::RetryableFailed,
                FailureClass::NonRetryable | FailureClass::Blocked => Attempt::NonRetryableFailed,
            },
        }
    }

    /// Of the executor. A tool that policy denied, so that no legal contract results, is a blocked tool (R-NODE-06).
    /// What a component did wrong stays its own fault.
    pub(crate) fn execution(&self, was_blocked: bool) -> (Execution, ReasonCode) {
        let blocked = (Execution::ToolBlocked, ReasonCode::ToolBlocked);
        match self {
            Self::Violation(_) if was_blocked => blocked,
            Self::Violation(_) => (Execution::InvalidOutput, ReasonCode::ContractViolation),
            Self::Failure(failure) => match failure.class {
                FailureClass::Blocked => blocked,
                FailureClass::NonRetryable if was_blocked && failure.reason == ReasonCode::InvokePermanent => blocked,
                FailureClass::Retryable | FailureClass::NonRetryable => (Execution::Failed, failure.reason),
            },
        }
    }
}

impl From<Violation> for Miss {
    fn from(violation: Violation) -> Self {
        Self::Violation(violation)
    }
}

impl From<AttemptFailure> for Miss {
    fn from(failure: AttemptFailure) -> Self {
        Self::Failure(failure)
    }
}
