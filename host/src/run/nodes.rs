//! The components that serve the nodes of a host.

use crate::agents::AgentDescription;
use crate::store::NodeComponent;
use portcullis_plugins::{
    AnswerParser, Composer, EvidenceParser, Executor, PlanParser, Planner, PluginInfo, VerificationParser, Verifier,
};
use std::sync::Arc;

/// The eight replaceable components, each of which the next generation may keep.
pub struct NodeSet {
    pub adapters: Adapters,
    pub parsers: Parsers,
}

pub struct Adapters {
    pub planner: Arc<Planner>,
    pub executor: Arc<Executor>,
    pub verifier: Arc<Verifier>,
    pub composer: Arc<Composer>,
}

pub struct Parsers {
    pub plan: Arc<PlanParser>,
    pub evidence: Arc<EvidenceParser>,
    pub verification: Arc<VerificationParser>,
    pub answer: Arc<AnswerParser>,
}

impl NodeSet {
    /// Each component with what is known of it, in the order of the graph.
    pub fn infos(&self) -> [&PluginInfo; 8] {
        let Self { adapters, parsers } = self;
        [
            adapters.planner.info(),
            parsers.plan.info(),
            adapters.executor.info(),
            parsers.evidence.info(),
            adapters.verifier.info(),
            parsers.verification.info(),
            adapters.composer.info(),
            parsers.answer.info(),
        ]
    }

    /// The records of which component serves which node (R-HOST-06), the agents' after the components'.
    pub fn served_by(&self, agents: &[AgentDescription]) -> Vec<NodeComponent> {
        let components = self.infos().into_iter().map(|info| NodeComponent {
            node: info.role.world().to_owned(),
            component: info.name.clone(),
            version: info.version.clone().unwrap_or_default(),
            sha256: info.sha256.clone(),
        });
        let agents = agents.iter().map(|agent| NodeComponent {
            node: format!("{}-agent", agent.role.as_str()),
            component: agent.name.clone(),
            version: agent.version.clone().unwrap_or_default(),
            sha256: agent.sha256.clone(),
        });
        components.chain(agents).collect()
    }
}
