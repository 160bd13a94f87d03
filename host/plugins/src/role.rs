//! What a component may serve as, and what that lets it import. The table of `wit/worlds.wit`, in Rust.

use std::fmt;

/// The WIT package that host and guests share.
pub(crate) const PACKAGE: &str = "portcullis:node";
/// Its version. Records, variants and enums are closed, so another version is another contract.
pub(crate) const VERSION: &str = "0.1.0";

/// What a component serves as: one world each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Planner,
    Executor,
    Verifier,
    Composer,
    PlanParser,
    EvidenceParser,
    VerificationParser,
    AnswerParser,
    /// An agent without tools.
    Thinker,
    /// An agent with tools.
    Investigator,
}

/// How far a component's calls reach, and so which others it can be waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    /// Waits for an agent, which may be a component too.
    Adapter,
    /// Waits for tools, which are never components.
    Agent,
    /// Waits for nothing.
    Parser,
}

impl Role {
    pub const ALL: [Self; 10] = [
        Self::Planner,
        Self::Executor,
        Self::Verifier,
        Self::Composer,
        Self::PlanParser,
        Self::EvidenceParser,
        Self::VerificationParser,
        Self::AnswerParser,
        Self::Thinker,
        Self::Investigator,
    ];

    /// The name of its world, which is also its word in files and on the command line.
    pub const fn world(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Executor => "executor",
            Self::Verifier => "verifier",
            Self::Composer => "composer",
            Self::PlanParser => "plan-parser",
            Self::EvidenceParser => "evidence-parser",
            Self::VerificationParser => "verification-parser",
            Self::AnswerParser => "answer-parser",
            Self::Thinker => "thinker",
            Self::Investigator => "investigator",
        }
    }

    /// The role whose world has this name.
    pub fn from_world(world: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.world() == world)
    }

    /// The interface that its world exports.
    pub const fn export(self) -> &'static str {
        match self {
            Self::Planner => "planner-adapter",
            Self::Executor => "executor-adapter",
            Self::Verifier => "verifier-adapter",
            Self::Composer => "composer-adapter",
            Self::PlanParser => "plan-protocol",
            Self::EvidenceParser => "evidence-protocol",
            Self::VerificationParser => "verification-protocol",
            Self::AnswerParser => "answer-protocol",
            Self::Thinker | Self::Investigator => "agent",
        }
    }

    /// The interfaces that its world imports. `types` holds no function.
    pub const fn imports(self) -> &'static [&'static str] {
        match self {
            Self::Planner | Self::Executor | Self::Verifier | Self::Composer => &["types", "run", "log", "invoker"],
            Self::PlanParser | Self::EvidenceParser | Self::VerificationParser | Self::AnswerParser => &["types"],
            Self::Thinker => &["run", "log"],
            Self::Investigator => &["types", "run", "log", "tools"],
        }
    }

    pub(crate) const fn tier(self) -> Tier {
        match self {
            Self::Planner | Self::Executor | Self::Verifier | Self::Composer => Tier::Adapter,
            Self::Thinker | Self::Investigator => Tier::Agent,
            Self::PlanParser | Self::EvidenceParser | Self::VerificationParser | Self::AnswerParser => Tier::Parser,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.world())
    }
}

/// An interface of the shared package as components name it: `portcullis:node/log@0.1.0`.
pub(crate) fn qualified(interface: &str) -> String {
    format!("{PACKAGE}/{interface}@{VERSION}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_names_one_role() {
        for role in Role::ALL {
            assert_eq!(Role::from_world(role.world()), Some(role));
        }
        assert_eq!(Role::from_world("Planner"), None);
    }
}
