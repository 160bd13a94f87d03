//! What the configuration grants a component of each role, and how a file would fare there. It replaces nothing.

use super::{SetupError, components, engine};
use crate::config::{Agent, Component, ComponentLimits, Config, Right, Wasi};
use crate::conformance::Loaded;
use portcullis_plugins::{CodeCache, CodeTally, LoadError, PluginInfo, Role, Settings, Source};
use std::path::Path;

/// A place of the configuration where components of a role serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Its table: `nodes.composer`, `agents.planner`.
    pub place: &'static str,
    /// What a file that is put there runs with. The digest that is pinned there is that of another file, so it is left
    /// out.
    pub settings: Settings,
}

/// What one table of the configuration grants, in its own words: what is not set is absent.
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
        components::settings_of_file(role, &Component { component: None, sha256: None, wasi, rights, limits })
    }
}

/// Every place of the configuration that is of this role. An agent that is no component has the defaults of its role.
pub fn grants(config: &Config, role: Role) -> Vec<Grant> {
    let grant = |(place, component)| Grant { place, settings: components::settings_of_file(role, &component) };
    places(config, role).into_iter().map(grant).collect()
}

/// What `file` would be granted as `role`. Three agents are thinkers: the table that names the file counts, and else the
/// first.
pub fn granted(config: &Config, role: Role, file: &Path) -> Granted {
    let mut places = places(config, role);
    let named = places.iter().position(|(_, component)| names(component, file)).unwrap_or_default();
    let (table, Component { component: _, sha256: _, wasi, rights, limits }) = places.swap_remove(named);
    Granted { table, wasi, rights, limits }
}

fn names(component: &Component, file: &Path) -> bool {
    let Some(path) = &component.component else { return false };
    let same = path.canonicalize().ok().zip(file.canonicalize().ok());
    same.is_some_and(|(configured, given)| configured == given)
}

/// At least one for each role.
fn places(config: &Config, role: Role) -> Vec<(&'static str, Component)> {
    let (nodes, agents) = (&config.nodes, &config.agents);
    let node = |place, component: &Component| vec![(place, component.clone())];
    let agent = |place, agent: &Agent| match agent {
        Agent::Component(component) => (place, component.clone()),
        Agent::Script { .. } => (place, Component::default()),
    };
    match role {
        Role::Planner => node("nodes.planner", &nodes.planner),
        Role::Executor => node("nodes.executor", &nodes.executor),
        Role::Verifier => node("nodes.verifier", &nodes.verifier),
        Role::Composer => node("nodes.composer", &nodes.composer),
        Role::PlanParser => node("nodes.plan-parser", &nodes.plan_parser),
        Role::EvidenceParser => node("nodes.evidence-parser", &nodes.evidence_parser),
        Role::VerificationParser => node("nodes.verification-parser", &nodes.verification_parser),
        Role::AnswerParser => node("nodes.answer-parser", &nodes.answer_parser),
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
    use portcullis_plugins::Limits;

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

    #[test]
    fn a_file_is_judged_by_what_it_would_get() {
        // R-HOST-04
        let config = Config::default();
        for role in Role::ALL {
            // The analyst's wider limits are those of the built-in agents alone.
            assert!(grants(&config, role).iter().all(|grant| grant.settings.limits == Limits::of(role)), "{role}");
            assert_eq!(granted(&config, role, Path::new("x")).settings(role).limits, Limits::of(role));
        }
    }

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
