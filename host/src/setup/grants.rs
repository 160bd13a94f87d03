//! What the configuration grants a component of each role, and how a file would fare there. It replaces nothing.

use super::{SetupError, components, engine};
use crate::config::{Agent, Component, Config};
use crate::conformance::Loaded;
use portcullis_plugins::{CodeCache, CodeTally, LoadError, PluginInfo, Role, Settings, Source};

/// A place of the configuration where components of a role serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Its table: `nodes.composer`, `agents.planner`.
    pub place: &'static str,
    /// What a file that is put there runs with. The digest that is pinned there is that of another file, so it is left
    /// out.
    pub settings: Settings,
}

/// Every place of the configuration that is of this role. An agent that is no component has the defaults of its role.
pub fn grants(config: &Config, role: Role) -> Vec<Grant> {
    let (nodes, agents) = (&config.nodes, &config.agents);
    let grant = |place, component: &Component| Grant {
        place,
        settings: Settings { sha256: None, ..components::settings(role, component) },
    };
    let agent = |place, agent: &Agent| match agent {
        Agent::Component(component) => grant(place, component),
        Agent::Script { .. } => grant(place, &Component::default()),
    };
    match role {
        Role::Planner => vec![grant("nodes.planner", &nodes.planner)],
        Role::Executor => vec![grant("nodes.executor", &nodes.executor)],
        Role::Verifier => vec![grant("nodes.verifier", &nodes.verifier)],
        Role::Composer => vec![grant("nodes.composer", &nodes.composer)],
        Role::PlanParser => vec![grant("nodes.plan-parser", &nodes.plan_parser)],
        Role::EvidenceParser => vec![grant("nodes.evidence-parser", &nodes.evidence_parser)],
        Role::VerificationParser => vec![grant("nodes.verification-parser", &nodes.verification_parser)],
        Role::AnswerParser => vec![grant("nodes.answer-parser", &nodes.answer_parser)],
        Role::Thinker => vec![
            agent("agents.planner", &agents.planner),
            agent("agents.verifier", &agents.verifier),
            agent("agents.composer", &agents.composer),
        ],
        Role::Investigator => vec![agent("agents.executor", &agents.executor)],
    }
}

/// How a file fared.
#[derive(Debug)]
pub struct Trial {
    /// The places that have the same settings.
    pub places: Vec<&'static str>,
    pub settings: Settings,
    pub outcome: Result<PluginInfo, LoadError>,
}

/// All trials of one file.
#[derive(Debug)]
pub struct Trials {
    pub trials: Vec<Trial>,
    pub code: CodeTally,
    pub code_cache: CodeCache,
}

/// Checks, compiles and links a file as each place of its role would have it.
///
/// # Errors
/// [`SetupError`] when no component can be run on this machine. A file that does not fit is no error.
pub fn try_component(config: &Config, role: Role, source: Source<'_>) -> Result<Trials, SetupError> {
    let engine = engine()?;
    let mut alike: Vec<(Vec<&'static str>, Settings)> = Vec::new();
    for Grant { place, settings } in grants(config, role) {
        match alike.iter_mut().find(|(_, known)| *known == settings) {
            Some((places, _)) => places.push(place),
            None => alike.push((vec![place], settings)),
        }
    }
    let trials = alike
        .into_iter()
        .map(|(places, settings)| {
            let loaded = Loaded::load(&engine, role, source, settings.clone());
            let outcome = loaded.map(|loaded| loaded.subject().info().clone());
            Trial { places, settings, outcome }
        })
        .collect();
    Ok(Trials { trials, code: engine.code_tally(), code_cache: engine.code_cache().clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_of_one_role() {
        // R-HOST-02
        let config = Config::default();
        let mut places: Vec<_> = Role::ALL.iter().flat_map(|role| grants(&config, *role)).map(|it| it.place).collect();
        assert_eq!(places.len(), 12);
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 12);
    }
}
