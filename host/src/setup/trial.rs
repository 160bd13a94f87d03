//! What the configuration grants a component that is tried out. It replaces nothing.

use super::components;
use crate::config::{Agent, Component, ComponentLimits, Config, Right, Wasi};
use portcullis_plugins::{Role, Settings};
use std::path::Path;

/// What one table of the configuration grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// Its name: `nodes.composer`, `agents.planner`.
    pub table: &'static str,
    pub wasi: Wasi,
    pub rights: Option<Vec<Right>>,
    pub limits: ComponentLimits,
}

impl Granted {
    /// How a component of this role runs with it. A pinned digest is that of another file, so there is none.
    pub fn settings(&self, role: Role) -> Settings {
        let Self { table: _, wasi, rights, limits } = self.clone();
        components::settings(role, &Component { component: None, sha256: None, wasi, rights, limits })
    }
}

/// What `file` would be granted as `role`. Three agents are thinkers: the table that names the file counts, and else the
/// planner's.
pub fn granted(config: &Config, role: Role, file: &Path) -> Granted {
    let (nodes, agents) = (&config.nodes, &config.agents);
    let thinkers = [
        ("agents.planner", &agents.planner),
        ("agents.verifier", &agents.verifier),
        ("agents.composer", &agents.composer),
    ];
    let (table, component) = match role {
        Role::Planner => ("nodes.planner", &nodes.planner),
        Role::Executor => ("nodes.executor", &nodes.executor),
        Role::Verifier => ("nodes.verifier", &nodes.verifier),
        Role::Composer => ("nodes.composer", &nodes.composer),
        Role::PlanParser => ("nodes.plan-parser", &nodes.plan_parser),
        Role::EvidenceParser => ("nodes.evidence-parser", &nodes.evidence_parser),
        Role::VerificationParser => ("nodes.verification-parser", &nodes.verification_parser),
        Role::AnswerParser => ("nodes.answer-parser", &nodes.answer_parser),
        Role::Investigator => return of_agent("agents.executor", &agents.executor),
        Role::Thinker => {
            let named = thinkers.into_iter().find(|(_, agent)| names(agent, file));
            let (table, agent) = named.unwrap_or(("agents.planner", &agents.planner));
            return of_agent(table, agent);
        }
    };
    of_component(table, component)
}

/// An agent that is no component grants what is granted by default.
fn of_agent(table: &'static str, agent: &Agent) -> Granted {
    match agent {
        Agent::Component(component) => of_component(table, component),
        Agent::Script { .. } => of_component(table, &Component::default()),
    }
}

fn of_component(table: &'static str, component: &Component) -> Granted {
    let Component { component: _, sha256: _, wasi, rights, limits } = component.clone();
    Granted { table, wasi, rights, limits }
}

fn names(agent: &Agent, file: &Path) -> bool {
    let Agent::Component(Component { component: Some(path), .. }) = agent else { return false };
    let same = path.canonicalize().ok().zip(file.canonicalize().ok());
    same.is_some_and(|(configured, given)| configured == given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_its_table() {
        // R-HOST-04
        let config = Config::default();
        let tables: Vec<_> = Role::ALL.iter().map(|role| granted(&config, *role, Path::new("x")).table).collect();
        let expected = [
            "nodes.planner",
            "nodes.executor",
            "nodes.verifier",
            "nodes.composer",
            "nodes.plan-parser",
            "nodes.evidence-parser",
            "nodes.verification-parser",
            "nodes.answer-parser",
            "agents.planner",
            "agents.executor",
        ];
        assert_eq!(tables, expected);
    }

    #[test]
    fn a_thinker_has_the_table_that_names_it() {
        // R-HOST-04
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut config = Config::default();
        let component = Component {
            component: Some(file.path().to_owned()),
            sha256: Some("00".to_owned()),
            wasi: Wasi::Sandboxed,
            ..Component::default()
        };
        config.agents.composer = Agent::Component(component);
        let granted = granted(&config, Role::Thinker, file.path());
        assert_eq!((granted.table, granted.wasi), ("agents.composer", Wasi::Sandboxed));
        assert_eq!(granted.settings(Role::Thinker).sha256, None);
    }
}
