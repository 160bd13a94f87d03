//! What fills the places of a host now.

use super::Slot;
use crate::agents::{AgentRole, Agents, Backend};
use crate::run::NodeSet;
use crate::store::NodeComponent;
use portcullis_plugins::{
    AnswerParser, Composer, EvidenceParser, Executor, Investigator, PlanParser, Planner, PluginInfo, Thinker,
    VerificationParser, Verifier,
};
use std::sync::Arc;

/// A component as what it was loaded for, or the script in place of an agent.
#[derive(Clone)]
pub enum Serving {
    Planner(Arc<Planner>),
    PlanParser(Arc<PlanParser>),
    Executor(Arc<Executor>),
    EvidenceParser(Arc<EvidenceParser>),
    Verifier(Arc<Verifier>),
    VerificationParser(Arc<VerificationParser>),
    Composer(Arc<Composer>),
    AnswerParser(Arc<AnswerParser>),
    Thinker(Arc<Thinker>),
    Investigator(Arc<Investigator>),
    Script { name: String, sha256: String },
}

impl Serving {
    pub(super) fn at(slot: Slot, nodes: &NodeSet, agents: &Agents) -> Self {
        let NodeSet { adapters, parsers } = nodes;
        match slot {
            Slot::Planner => Self::Planner(Arc::clone(&adapters.planner)),
            Slot::PlanParser => Self::PlanParser(Arc::clone(&parsers.plan)),
            Slot::Executor => Self::Executor(Arc::clone(&adapters.executor)),
            Slot::EvidenceParser => Self::EvidenceParser(Arc::clone(&parsers.evidence)),
            Slot::Verifier => Self::Verifier(Arc::clone(&adapters.verifier)),
            Slot::VerificationParser => Self::VerificationParser(Arc::clone(&parsers.verification)),
            Slot::Composer => Self::Composer(Arc::clone(&adapters.composer)),
            Slot::AnswerParser => Self::AnswerParser(Arc::clone(&parsers.answer)),
            Slot::Agent(role) => Self::agent(agents, role),
        }
    }

    fn agent(agents: &Agents, role: AgentRole) -> Self {
        match agents.backend(role) {
            Backend::Thinker(thinker) => Self::Thinker(Arc::clone(thinker)),
            Backend::Investigator(investigator) => Self::Investigator(Arc::clone(investigator)),
            Backend::Script { name, sha256, replies: _ } => Self::Script { name: name.clone(), sha256: sha256.clone() },
        }
    }

    /// What is known of the component; of a script there is nothing.
    pub fn info(&self) -> Option<&PluginInfo> {
        match self.about() {
            About::Component(info) => Some(info),
            About::Script { .. } => None,
        }
    }

    /// Its line in the record of a run (R-HOST-06).
    pub fn record(&self, slot: Slot) -> NodeComponent {
        let (component, version, sha256) = match self.about() {
            About::Component(info) => (&info.name, info.version.clone(), &info.sha256),
            About::Script { name, sha256 } => (name, None, sha256),
        };
        NodeComponent {
            node: slot.as_str().to_owned(),
            component: component.clone(),
            version: version.unwrap_or_default(),
            sha256: sha256.clone(),
        }
    }

    /// Whether it is the very same: kept from one generation to the next, not loaded again.
    pub(super) fn is_kept_from(&self, other: &Self) -> bool {
        match (self.about(), other.about()) {
            // What is known of a component lies inside it.
            (About::Component(own), About::Component(other)) => std::ptr::eq(own, other),
            (About::Script { name, sha256 }, About::Script { name: other_name, sha256: other_sha256 }) => {
                (name, sha256) == (other_name, other_sha256)
            }
            (About::Component(_), About::Script { .. }) | (About::Script { .. }, About::Component(_)) => false,
        }
    }

    fn about(&self) -> About<'_> {
        About::Component(match self {
            Self::Planner(component) => component.info(),
            Self::PlanParser(component) => component.info(),
            Self::Executor(component) => component.info(),
            Self::EvidenceParser(component) => component.info(),
            Self::Verifier(component) => component.info(),
            Self::VerificationParser(component) => component.info(),
            Self::Composer(component) => component.info(),
            Self::AnswerParser(component) => component.info(),
            Self::Thinker(component) => component.info(),
            Self::Investigator(component) => component.info(),
            Self::Script { name, sha256 } => return About::Script { name, sha256 },
        })
    }
}

enum About<'a> {
    Component(&'a PluginInfo),
    Script { name: &'a String, sha256: &'a String },
}
