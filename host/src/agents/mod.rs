//! Who answers for a node: the backends of the invoker port.
//!
//! A backend never retries by itself: one call is one try. It knows no store and no graph, and reaches tools only
//! through the gateway's port.

mod component;
mod script;

pub use component::{InvestigatorAgent, ThinkerAgent};
pub use script::{Reply, Script, ScriptError, ScriptedAgent};

use portcullis_plugins::{Investigator, Invoker, Thinker, ToolPort};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whose agent it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentRole {
    Planner,
    Executor,
    Verifier,
    Composer,
}

impl AgentRole {
    pub const ALL: [Self; 4] = [Self::Planner, Self::Executor, Self::Verifier, Self::Composer];

    /// The word of configuration and records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Executor => "executor",
            Self::Verifier => "verifier",
            Self::Composer => "composer",
        }
    }
}

/// Gives each run its own agents: nothing of one run reaches another.
pub trait AgentFactory: Send + Sync {
    /// The agent of one node for one run. Only the executor's gets tools.
    fn agent(&self, role: AgentRole, tools: Option<Arc<dyn ToolPort>>) -> Arc<dyn Invoker>;
    /// What stands behind each agent, for the record of a run.
    fn descriptions(&self) -> Vec<AgentDescription>;
}

/// What stands behind an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDescription {
    pub role: AgentRole,
    /// A component's name or a script's path.
    pub name: String,
    pub version: Option<String>,
    /// Lower-case hex, of the component or the script.
    pub sha256: String,
}

/// What the configuration chose for one node.
#[derive(Clone)]
pub enum Backend {
    Thinker(Arc<Thinker>),
    Investigator(Arc<Investigator>),
    Script { name: String, sha256: String, replies: Vec<Reply> },
}

/// The agents of a host, one backend a node.
pub struct Agents {
    backends: [(AgentRole, Backend); 4],
    unused_replies: Arc<AtomicUsize>,
}

impl Agents {
    /// Asks for the backend of each role once.
    ///
    /// # Errors
    /// The first error of `backend`.
    pub fn load<E>(mut backend: impl FnMut(AgentRole) -> Result<Backend, E>) -> Result<Self, E> {
        let mut load = |role| backend(role).map(|backend| (role, backend));
        let [planner, executor, verifier, composer] = AgentRole::ALL;
        let backends = [load(planner)?, load(executor)?, load(verifier)?, load(composer)?];
        Ok(Self { backends, unused_replies: Arc::default() })
    }

    /// Scripted replies that runs which have ended left over.
    pub fn unused_replies(&self) -> usize {
        self.unused_replies.load(Ordering::Relaxed)
    }

    /// What answers for a role.
    pub fn backend(&self, role: AgentRole) -> &Backend {
        let [(_, planner), (_, executor), (_, verifier), (_, composer)] = &self.backends;
        match role {
            AgentRole::Planner => planner,
            AgentRole::Executor => executor,
            AgentRole::Verifier => verifier,
            AgentRole::Composer => composer,
        }
    }
}

impl AgentFactory for Agents {
    fn agent(&self, role: AgentRole, tools: Option<Arc<dyn ToolPort>>) -> Arc<dyn Invoker> {
        match self.backend(role) {
            Backend::Thinker(thinker) => Arc::new(ThinkerAgent(Arc::clone(thinker))),
            Backend::Investigator(investigator) => {
                Arc::new(InvestigatorAgent { component: Arc::clone(investigator), tools })
            }
            Backend::Script { replies, .. } => {
                Arc::new(ScriptedAgent::new(replies.clone(), tools, Arc::clone(&self.unused_replies)))
            }
        }
    }

    fn descriptions(&self) -> Vec<AgentDescription> {
        let describe = |(role, backend): &(AgentRole, Backend)| {
            let (name, version, sha256) = match backend {
                Backend::Thinker(thinker) => {
                    let info = thinker.info();
                    (&info.name, info.version.clone(), &info.sha256)
                }
                Backend::Investigator(investigator) => {
                    let info = investigator.info();
                    (&info.name, info.version.clone(), &info.sha256)
                }
                Backend::Script { name, sha256, .. } => (name, None, sha256),
            };
            AgentDescription { role: *role, name: name.clone(), version, sha256: sha256.clone() }
        };
        self.backends.iter().map(describe).collect()
    }
}
