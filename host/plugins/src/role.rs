//! What a component may serve as, and what that lets it import. The table of `wit/worlds.wit`, in Rust.

use std::fmt;

/// The WIT package that host and guests share.
pub(crate) const PACKAGE: &str = "portcullis:node";

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

/// An interface that some world imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interface {
    /// Holds no function.
    Types,
    Run,
    Log,
    Invoker,
    Tools,
}

/// What a component can do beyond computing: the imports that carry authority. The others hold types, and what can be
/// read off the run that a call was lent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// To tell the operator something.
    Log,
    /// To have its agent invoked.
    Invoker,
    /// To call tools.
    Tools,
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
    pub(crate) const fn export(self) -> &'static str {
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

    /// The interfaces that its world imports.
    pub(crate) const fn imports(self) -> &'static [Interface] {
        use Interface::{Invoker, Log, Run, Tools, Types};
        match self {
            Self::Planner | Self::Executor | Self::Verifier | Self::Composer => &[Types, Run, Log, Invoker],
            Self::PlanParser | Self::EvidenceParser | Self::VerificationParser | Self::AnswerParser => &[Types],
            Self::Thinker => &[Run, Log],
            Self::Investigator => &[Types, Run, Log, Tools],
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

impl Right {
    pub const ALL: [Self; 3] = [Self::Log, Self::Invoker, Self::Tools];

    /// The word of the configuration, which is the name of the interface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Invoker => "invoker",
            Self::Tools => "tools",
        }
    }
}

impl Interface {
    pub(crate) const ALL: [Self; 5] = [Self::Types, Self::Run, Self::Log, Self::Invoker, Self::Tools];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Types => "types",
            Self::Run => "run",
            Self::Log => "log",
            Self::Invoker => "invoker",
            Self::Tools => "tools",
        }
    }

    /// The right that importing it takes, if any.
    pub(crate) const fn right(self) -> Option<Right> {
        match self {
            Self::Types | Self::Run => None,
            Self::Log => Some(Right::Log),
            Self::Invoker => Some(Right::Invoker),
            Self::Tools => Some(Right::Tools),
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.world())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::WitVersion;
    use std::path::Path;
    use wit_parser::{Resolve, WorldItem, WorldKey};

    #[test]
    fn the_table_is_that_of_the_wit_folder() {
        // R-HOST-02
        let mut resolve = Resolve::default();
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
        let (package, _) = resolve.push_dir(wit).unwrap();
        assert_eq!(resolve.packages[package].name.to_string(), format!("{PACKAGE}@{}", WitVersion::CURRENT));
        let qualified = |interface: &str| WitVersion::CURRENT.qualified(interface);

        let worlds = &resolve.packages[package].worlds;
        let mut names: Vec<&str> = worlds.keys().map(String::as_str).collect();
        for role in Role::ALL {
            let world = &resolve.worlds[worlds[role.world()]];
            names.retain(|name| *name != role.world());
            let interfaces = |items: Vec<(&WorldKey, &WorldItem)>| -> Vec<String> {
                let mut found: Vec<_> = items.into_iter().map(|(key, _)| resolve.name_world_key(key)).collect();
                found.sort();
                found
            };
            let mut imports: Vec<_> = role.imports().iter().map(|interface| qualified(interface.name())).collect();
            imports.sort();
            assert_eq!(interfaces(world.imports.iter().collect()), imports, "imports of {role}");
            assert_eq!(interfaces(world.exports.iter().collect()), [qualified(role.export())], "exports of {role}");
        }
        assert_eq!(names, [""; 0], "a world without a role");
    }

    #[test]
    fn a_world_names_one_role() {
        for role in Role::ALL {
            assert_eq!(Role::from_world(role.world()), Some(role));
        }
        assert_eq!(Role::from_world("Planner"), None);
    }
}
