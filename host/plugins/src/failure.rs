//! How an attempt fails, and how the host knows it. What a guest says about its own failure is never believed where
//! the host saw for itself.

use crate::cause::Cause;
use crate::guest_log::clean;
use crate::port::InvokeError;
use crate::state::StoreState;
use portcullis_core::reason::ReasonCode;
use std::fmt;
use wasmtime::Trap;
use wasmtime::component::ResourceTableError;

/// An attempt that gave no text. Malformed text is none of these: that is for the parser to say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", reason.as_str())]
pub struct AttemptFailure {
    pub class: FailureClass,
    pub reason: ReasonCode,
    /// For the log alone: it may hold text of the guest, bounded.
    pub detail: String,
}

/// What the router may do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureClass {
    /// The host itself saw a failure that is known to pass: the same input may succeed.
    Retryable,
    /// Everything else, the unknown included.
    NonRetryable,
    /// Policy forbade a tool that the agent needed.
    Blocked,
}

/// Why the host stopped a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Halt {
    #[error("the component used up its compute time")]
    Deadline,
    #[error("the component called out more often than it may")]
    InvokeLimit,
    #[error("the component handed its agent other bytes than it was given")]
    InputMismatch,
}

/// Longest detail of a failure, the guest's own words apart.
const DETAIL_BYTES: usize = 1_024;

impl FailureClass {
    /// Its word in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retryable => "retryable",
            Self::NonRetryable => "not retryable",
            Self::Blocked => "blocked",
        }
    }
}

impl AttemptFailure {
    pub(crate) fn new(cause: Cause, detail: &impl fmt::Display) -> Self {
        let (class, reason) = cause.classify();
        Self { class, reason, detail: clean(&detail.to_string(), DETAIL_BYTES) }
    }

    /// A run without an identity gets no agent and no tool (R-NODE-03).
    pub(crate) fn no_run_identity() -> Self {
        Self::new(Cause::NoRunIdentity, &Cause::NoRunIdentity)
    }

    pub(crate) fn attempt_timeout() -> Self {
        Self::new(Cause::WallTime, &Cause::WallTime)
    }

    pub(crate) fn output_limit(bytes: usize, limit: usize) -> Self {
        Self::new(Cause::TextTooLong, &format_args!("{bytes} bytes of text; {limit} are allowed"))
    }

    /// A guest could not be made.
    pub(crate) fn at_start(error: &wasmtime::Error, state: &StoreState) -> Self {
        Self::ended(error, state, Cause::Unavailable)
    }

    /// A guest did not come back from a call.
    pub(crate) fn in_call(error: &wasmtime::Error, state: &StoreState) -> Self {
        // What is no trap is a value that breaks the contract: bad UTF-8, an unknown case, a handle that it was never
        // lent, a loan not given back.
        Self::ended(error, state, Cause::BadValue)
    }

    fn ended(error: &wasmtime::Error, state: &StoreState, otherwise: Cause) -> Self {
        let cause = recognised(error, state.memory.refused()).unwrap_or(otherwise);
        let mut failure = Self::new(cause, &innermost_first(error));
        let mut log = state.log();
        log.flush();
        if !log.last_errors().is_empty() {
            failure.detail.push_str("; the component said: ");
            failure.detail.push_str(log.last_errors());
        }
        failure
    }

    /// What an agent's failure means for the adapter that called it (R-NODE-05, R-NODE-06).
    pub(crate) fn of_agent(error: &InvokeError) -> Self {
        Self::new(error.into(), error)
    }
}

/// An error's words, what went wrong before where it did: a deep stack fills the detail.
fn innermost_first(error: &wasmtime::Error) -> String {
    let mut words: Vec<_> = error.chain().map(ToString::to_string).collect();
    words.reverse();
    words.join("; ")
}

/// What an error of wasmtime's says of its cause. A guest that is refused memory may end in any way, so that is asked
/// before the way is.
fn recognised(error: &wasmtime::Error, memory_refused: bool) -> Option<Cause> {
    if let Some(halt) = error.downcast_ref::<Halt>() {
        Some(Cause::Halted(*halt))
    } else if memory_refused || too_many_parts(error) {
        Some(Cause::MemoryRefused)
    } else if too_many_handles(error) {
        Some(Cause::TooManyHandles)
    } else if let Some(trap) = error.downcast_ref::<Trap>() {
        Some(Cause::Trapped(*trap))
    } else if error.is::<wasmtime_wasi::I32Exit>() {
        Some(Cause::Exited)
    } else if copied_too_much(error) {
        Some(Cause::CopiedTooMuch)
    } else {
        None
    }
}

/// More resources than the host keeps for one guest.
fn too_many_handles(error: &wasmtime::Error) -> bool {
    matches!(error.downcast_ref(), Some(ResourceTableError::Full))
        || error.root_cause().to_string().contains("store handle limit exceeded")
}

/// More instances, memories or tables than a store may hold. Seen here only without a pool, which looks earlier.
fn too_many_parts(error: &wasmtime::Error) -> bool {
    error.root_cause().to_string().contains("resource limit exceeded")
}

/// wasmtime gives no type for this error, nor for the two above, so their words are compared; `guests/hostile` has one
/// for each.
fn copied_too_much(error: &wasmtime::Error) -> bool {
    error.root_cause().to_string().contains("fuel allocated for hostcalls has been exhausted")
}
