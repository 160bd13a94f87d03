//! What one guest call may use. Every figure has a default; a node's settings may replace those of [`Limits`].

use crate::role::{Right, Role};
use std::time::Duration;

/// What a guest may use in one call: to prepare, for one attempt, to parse, to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all its memories together, the initial ones included.
    pub memory: u64,
    /// Time in which the guest itself computes. Waiting for its agent or a tool does not count.
    pub compute: Duration,
    /// Time from call to result, waiting included.
    pub wall: Duration,
    /// Bytes of text that it may hand to the host.
    pub output: usize,
    /// How often it may call its agent, or its tools.
    pub invocations: u32,
}

impl Limits {
    /// The defaults of a role.
    pub const fn of(role: Role) -> Self {
        let wall = match role {
            // These two wait for many tool calls.
            Role::Executor | Role::Investigator => Duration::from_mins(10),
            Role::Planner
            | Role::Verifier
            | Role::Composer
            | Role::PlanParser
            | Role::EvidenceParser
            | Role::VerificationParser
            | Role::AnswerParser
            | Role::Thinker => Duration::from_mins(2),
        };
        let invocations = match role {
            // Tool calls. The gateway's policy is stricter; this bound holds without it too.
            Role::Investigator => 64,
            Role::Planner
            | Role::Executor
            | Role::Verifier
            | Role::Composer
            | Role::PlanParser
            | Role::EvidenceParser
            | Role::VerificationParser
            | Role::AnswerParser
            | Role::Thinker => 4,
        };
        Self { memory: 64 << 20, compute: Duration::from_secs(2), wall, output: 1 << 20, invocations }
    }

    /// How long a call of the host may go on, counted from the start of the guest call: a little less than
    /// [`wall`](Self::wall), so that the guest can still hear that its agent did not answer, and say so.
    pub(crate) fn host_calls(&self) -> Duration {
        /// Far enough, and near enough to be added to any moment.
        const LONGEST: Duration = Duration::from_hours(24 * 365);
        self.wall.saturating_sub(self.compute.min(self.wall / 10)).min(LONGEST)
    }

    /// Bytes that the host copies out of the guest in one call. A typed document takes more room in the host than its
    /// text; texts are measured exactly after the copy.
    pub(crate) const fn copied(&self) -> usize {
        self.output.saturating_mul(4)
    }
}

/// Whether a component may import WASI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WasiGrant {
    #[default]
    None,
    /// Clocks and random numbers; no file, no environment, no argument, no network. What it prints goes to the log.
    Sandboxed,
}

impl WasiGrant {
    /// The word of the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Sandboxed => "sandboxed",
        }
    }
}

/// How one component is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub limits: Limits,
    pub wasi: WasiGrant,
    /// The rights that it may have; absent, all that its world offers.
    pub rights: Option<Vec<Right>>,
    /// The digest that the file must have, in hex.
    pub sha256: Option<String>,
}

impl Settings {
    /// The defaults of a role: its limits, all rights of its world, no WASI, no pinned digest.
    pub const fn of(role: Role) -> Self {
        Self { limits: Limits::of(role), wasi: WasiGrant::None, rights: None, sha256: None }
    }
}

/// What a store may hold, whatever the settings: generous enough for the several core instances of a Python or
/// JavaScript component.
pub(crate) mod store {
    pub(crate) const CORE_INSTANCES: u32 = 64;
    pub(crate) const MEMORIES: u32 = 16;
    pub(crate) const TABLES: u32 = 64;
    pub(crate) const TABLE_ELEMENTS: usize = 100_000;
    /// Host objects that a guest may hold handles to.
    pub(crate) const RESOURCES: usize = 1_024;
}

/// What a guest with WASI may ask for at once.
pub(crate) mod wasi {
    pub(crate) const RANDOM_BYTES: u64 = 64 << 10;
}

/// What a guest may say to the operator in the life of one store.
pub(crate) mod log {
    pub(crate) const MESSAGES: u32 = 64;
    pub(crate) const MESSAGE_BYTES: usize = 2_048;
    /// What is kept of the last errors, for the detail of a failure.
    pub(crate) const TAIL_BYTES: usize = 1_024;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_calls_end_before_the_attempt_does() {
        let with = |wall, compute| Limits {
            wall: Duration::from_millis(wall),
            compute: Duration::from_millis(compute),
            ..Limits::of(Role::Planner)
        };
        assert_eq!(with(120_000, 2_000).host_calls(), Duration::from_secs(118));
        assert_eq!(with(100, 2_000).host_calls(), Duration::from_millis(90));
        assert_eq!(with(0, 2_000).host_calls(), Duration::ZERO);
    }
}
