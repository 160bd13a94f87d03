//! The places of a host that a component fills: eight nodes and four agents.

use crate::agents::AgentRole;
use crate::config::{Agent, Component, Config};
use portcullis_plugins::Role;
use std::fmt;

/// One place, in the order of the graph, the agents after the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    Planner,
    PlanParser,
    Executor,
    EvidenceParser,
    Verifier,
    VerificationParser,
    Composer,
    AnswerParser,
    Agent(AgentRole),
}

impl Slot {
    pub const ALL: [Self; 12] = [
        Self::Planner,
        Self::PlanParser,
        Self::Executor,
        Self::EvidenceParser,
        Self::Verifier,
        Self::VerificationParser,
        Self::Composer,
        Self::AnswerParser,
        Self::Agent(AgentRole::Planner),
        Self::Agent(AgentRole::Executor),
        Self::Agent(AgentRole::Verifier),
        Self::Agent(AgentRole::Composer),
    ];

    /// The word of the command line and of a run's record.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::PlanParser => "plan-parser",
            Self::Executor => "executor",
            Self::EvidenceParser => "evidence-parser",
            Self::Verifier => "verifier",
            Self::VerificationParser => "verification-parser",
            Self::Composer => "composer",
            Self::AnswerParser => "answer-parser",
            Self::Agent(AgentRole::Planner) => "planner-agent",
            Self::Agent(AgentRole::Executor) => "executor-agent",
            Self::Agent(AgentRole::Verifier) => "verifier-agent",
            Self::Agent(AgentRole::Composer) => "composer-agent",
        }
    }

    /// What a component in this place serves as.
    pub const fn role(self) -> Role {
        match self {
            Self::Planner => Role::Planner,
            Self::PlanParser => Role::PlanParser,
            Self::Executor => Role::Executor,
            Self::EvidenceParser => Role::EvidenceParser,
            Self::Verifier => Role::Verifier,
            Self::VerificationParser => Role::VerificationParser,
            Self::Composer => Role::Composer,
            Self::AnswerParser => Role::AnswerParser,
            Self::Agent(AgentRole::Executor) => Role::Investigator,
            Self::Agent(AgentRole::Planner | AgentRole::Verifier | AgentRole::Composer) => Role::Thinker,
        }
    }

    /// Its table in `portcullis.toml`.
    pub const fn table(self) -> [&'static str; 2] {
        match self {
            Self::Planner
            | Self::PlanParser
            | Self::Executor
            | Self::EvidenceParser
            | Self::Verifier
            | Self::VerificationParser
            | Self::Composer
            | Self::AnswerParser => ["nodes", self.as_str()],
            Self::Agent(role) => ["agents", role.as_str()],
        }
    }

    /// What a configuration says of it; nothing where a script answers.
    pub fn component_mut(self, config: &mut Config) -> Option<&mut Component> {
        let Config { nodes, agents, .. } = config;
        let agent = match self {
            Self::Planner => return Some(&mut nodes.planner),
            Self::PlanParser => return Some(&mut nodes.plan_parser),
            Self::Executor => return Some(&mut nodes.executor),
            Self::EvidenceParser => return Some(&mut nodes.evidence_parser),
            Self::Verifier => return Some(&mut nodes.verifier),
            Self::VerificationParser => return Some(&mut nodes.verification_parser),
            Self::Composer => return Some(&mut nodes.composer),
            Self::AnswerParser => return Some(&mut nodes.answer_parser),
            Self::Agent(AgentRole::Planner) => &mut agents.planner,
            Self::Agent(AgentRole::Executor) => &mut agents.executor,
            Self::Agent(AgentRole::Verifier) => &mut agents.verifier,
            Self::Agent(AgentRole::Composer) => &mut agents.composer,
        };
        match agent {
            Agent::Component(component) => Some(component),
            Agent::Script { .. } => None,
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
