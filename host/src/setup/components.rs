//! Loads the components that the configuration names, or the embedded defaults.

use super::{SetupError, Shared};
use crate::agents::{AgentRole, Agents, Backend, Script};
use crate::bounded;
use crate::config::{self, Agent, Candidate, Component, Config, Shadow, Wasi};
use crate::defaults;
use crate::digest::sha256_hex;
use crate::run::shadow::Shadows;
use crate::run::{Adapters, NodeSet, Parsers};
use portcullis_plugins::{
    AnswerParser, Composer, Engine, EngineSettings, EvidenceParser, Executor, Investigator, Limits, LoadError,
    PlanParser, Planner, PluginInfo, Right, Role, Settings, Source, Thinker, VerificationParser, Verifier, WasiGrant,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The analyst reads whole logs and metric tables, so its defaults are wider than those of a node.
const ANALYST_COMPUTE: std::time::Duration = std::time::Duration::from_secs(20);

/// Loads what a configuration names, and keeps what serves already and stays the same.
pub(super) struct Loader<'a> {
    pub(super) engine: &'a Engine,
    /// What serves now, if anything does.
    pub(super) serving: Option<&'a Shared>,
}

impl Loader<'_> {
    pub(super) fn nodes(&self, config: &Config) -> Result<NodeSet, SetupError> {
        let nodes = &config.nodes;
        Ok(NodeSet {
            adapters: Adapters {
                planner: self.load(&nodes.planner, |now| (&now.config.nodes.planner, &now.nodes.adapters.planner))?,
                executor: self
                    .load(&nodes.executor, |now| (&now.config.nodes.executor, &now.nodes.adapters.executor))?,
                verifier: self
                    .load(&nodes.verifier, |now| (&now.config.nodes.verifier, &now.nodes.adapters.verifier))?,
                composer: self
                    .load(&nodes.composer, |now| (&now.config.nodes.composer, &now.nodes.adapters.composer))?,
            },
            parsers: self.parsers(config)?,
        })
    }

    pub(super) fn parsers(&self, config: &Config) -> Result<Parsers, SetupError> {
        let nodes = &config.nodes;
        Ok(Parsers {
            plan: self.load(&nodes.plan_parser, |now| (&now.config.nodes.plan_parser, &now.nodes.parsers.plan))?,
            evidence: self
                .load(&nodes.evidence_parser, |now| (&now.config.nodes.evidence_parser, &now.nodes.parsers.evidence))?,
            verification: self.load(&nodes.verification_parser, |now| {
                (&now.config.nodes.verification_parser, &now.nodes.parsers.verification)
            })?,
            answer: self
                .load(&nodes.answer_parser, |now| (&now.config.nodes.answer_parser, &now.nodes.parsers.answer))?,
        })
    }

    pub(super) fn agents(&self, config: &Config) -> Result<Agents, SetupError> {
        // The default thinker serves three nodes: it is loaded once.
        let mut default_thinker = self.serving.and_then(default_thinker);
        let mut scripts: BTreeMap<&Path, (Script, String)> = BTreeMap::new();
        Agents::load(|role| match agent(config, role) {
            Agent::Component(component) => match role {
                AgentRole::Executor => {
                    let now = self.serving.and_then(investigator);
                    Ok(Backend::Investigator(self.load_unless_kept(component, now)?))
                }
                AgentRole::Planner | AgentRole::Verifier | AgentRole::Composer => {
                    let is_default = *agent(config, role) == Agent::default();
                    if let (true, Some(thinker)) = (is_default, &default_thinker) {
                        return Ok(Backend::Thinker(Arc::clone(thinker)));
                    }
                    let now = self.serving.and_then(|now| thinker(now, role));
                    let thinker = self.load_unless_kept(component, now)?;
                    if is_default {
                        default_thinker = Some(Arc::clone(&thinker));
                    }
                    Ok(Backend::Thinker(thinker))
                }
            },
            Agent::Script { script: path } => {
                if !scripts.contains_key(path.as_path()) {
                    scripts.insert(path, Script::read(path)?);
                }
                let (script, sha256) = scripts.get(path.as_path()).cloned().unwrap_or_default();
                let replies = match role {
                    AgentRole::Planner => script.planner,
                    AgentRole::Executor => script.executor,
                    AgentRole::Verifier => script.verifier,
                    AgentRole::Composer => script.composer,
                };
                Ok(Backend::Script { name: path.display().to_string(), sha256, replies })
            }
        })
    }

    fn load<T: Loadable>(
        &self,
        wanted: &Component,
        now: impl Fn(&Shared) -> (&Component, &Arc<T>),
    ) -> Result<Arc<T>, SetupError> {
        self.load_unless_kept(wanted, self.serving.map(now))
    }

    fn candidate<T: Loadable>(&self, candidate: Option<&Candidate>) -> Result<Option<T>, SetupError> {
        candidate.map(|Candidate(component)| self.load_file(component, &File::of(T::ROLE, component)?)).transpose()
    }

    /// `now` is what serves in its place, and what the configuration says of it.
    fn load_unless_kept<T: Loadable>(
        &self,
        wanted: &Component,
        now: Option<(&Component, &Arc<T>)>,
    ) -> Result<Arc<T>, SetupError> {
        let file = File::of(T::ROLE, wanted)?;
        // The same words may name another file by now: only its digest says.
        if let Some((configured, serving)) = now
            && configured == wanted
            && serving.info().sha256 == sha256_hex(&file.bytes)
        {
            return Ok(Arc::clone(serving));
        }
        Ok(Arc::new(self.load_file(wanted, &file)?))
    }

    fn load_file<T: Loadable>(&self, wanted: &Component, file: &File) -> Result<T, SetupError> {
        let source = Source { name: &file.name, bytes: &file.bytes, origin: &file.origin };
        Ok(T::load(self.engine, source, settings(T::ROLE, wanted))?)
    }
}

/// What the configuration names, read; or the embedded default.
struct File {
    name: String,
    bytes: Cow<'static, [u8]>,
    origin: String,
}

impl File {
    fn of(role: Role, wanted: &Component) -> Result<Self, SetupError> {
        Ok(match &wanted.component {
            Some(path) => Self {
                name: path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
                bytes: read(role, path)?.into(),
                origin: path.display().to_string(),
            },
            None => Self {
                name: format!("default-{}", role.world()),
                bytes: defaults::component(role).into(),
                origin: "built in".into(),
            },
        })
    }
}

/// How many candidates of one tier may live at once; each run has one at a time.
const CANDIDATE_INSTANCES: u32 = 4;

/// Candidates live in an engine of their own: they take no slot and no memory of the pool from those that serve.
/// Without a candidate there is none.
pub(super) fn shadows(shadow: &Shadow) -> Result<Shadows, SetupError> {
    let Shadow {
        planner,
        executor,
        verifier,
        composer,
        plan_parser,
        evidence_parser,
        verification_parser,
        answer_parser,
    } = shadow;
    if *shadow == Shadow::default() {
        return Ok(Shadows::default());
    }
    let loader = Loader { engine: &super::engine_for(CANDIDATE_INSTANCES)?, serving: None };
    Ok(Shadows {
        planner: loader.candidate(planner.as_ref())?,
        executor: loader.candidate(executor.as_ref())?,
        verifier: loader.candidate(verifier.as_ref())?,
        composer: loader.candidate(composer.as_ref())?,
        plan_parser: loader.candidate(plan_parser.as_ref())?,
        evidence_parser: loader.candidate(evidence_parser.as_ref())?,
        verification_parser: loader.candidate(verification_parser.as_ref())?,
        answer_parser: loader.candidate(answer_parser.as_ref())?,
    })
}

/// A component of one role, whichever it is.
trait Loadable: Sized {
    const ROLE: Role;
    fn load(engine: &Engine, source: Source<'_>, settings: Settings) -> Result<Self, LoadError>;
    fn info(&self) -> &PluginInfo;
}

macro_rules! loadable {
    ($($name:ident),+) => {$(
        impl Loadable for $name {
            const ROLE: Role = Role::$name;

            fn load(engine: &Engine, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
                $name::load(engine, source, settings)
            }

            fn info(&self) -> &PluginInfo {
                $name::info(self)
            }
        }
    )+};
}

loadable!(
    Planner,
    Executor,
    Verifier,
    Composer,
    PlanParser,
    EvidenceParser,
    VerificationParser,
    AnswerParser,
    Thinker,
    Investigator
);

const fn agent(config: &Config, role: AgentRole) -> &Agent {
    match role {
        AgentRole::Planner => &config.agents.planner,
        AgentRole::Executor => &config.agents.executor,
        AgentRole::Verifier => &config.agents.verifier,
        AgentRole::Composer => &config.agents.composer,
    }
}

fn thinker(now: &Shared, role: AgentRole) -> Option<(&Component, &Arc<Thinker>)> {
    match (agent(&now.config, role), now.agents.backend(role)) {
        (Agent::Component(component), Backend::Thinker(thinker)) => Some((component, thinker)),
        (Agent::Component(_), Backend::Investigator(_) | Backend::Script { .. }) | (Agent::Script { .. }, _) => None,
    }
}

fn default_thinker(now: &Shared) -> Option<Arc<Thinker>> {
    let of = |role| thinker(now, role).filter(|_| *agent(&now.config, role) == Agent::default());
    AgentRole::ALL.into_iter().find_map(of).map(|(_, thinker)| Arc::clone(thinker))
}

fn investigator(now: &Shared) -> Option<(&Component, &Arc<Investigator>)> {
    match (&now.config.agents.executor, now.agents.backend(AgentRole::Executor)) {
        (Agent::Component(component), Backend::Investigator(investigator)) => Some((component, investigator)),
        (Agent::Component(_), Backend::Thinker(_) | Backend::Script { .. }) | (Agent::Script { .. }, _) => None,
    }
}

fn read(role: Role, path: &Path) -> Result<Vec<u8>, SetupError> {
    let max = EngineSettings::default().component_bytes as u64;
    bounded::file(path, max).map_err(|source| SetupError::Unreadable { role, path: path.to_owned(), source })
}

fn settings(role: Role, component: &Component) -> Settings {
    settings_over(&defaults(role, component), component)
}

/// How a file runs in a place that is configured like this, whatever stands there now.
pub(super) fn settings_of_file(role: Role, place: &Component) -> Settings {
    Settings { sha256: None, ..settings_over(&Limits::of(role), place) }
}

fn settings_over(defaults: &Limits, component: &Component) -> Settings {
    let own = &component.limits;
    let output = own.output.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    Settings {
        limits: Limits {
            memory: own.memory.unwrap_or(defaults.memory),
            compute: own.compute.unwrap_or(defaults.compute),
            wall: own.wall.unwrap_or(defaults.wall),
            output: output.unwrap_or(defaults.output),
            invocations: own.invocations.unwrap_or(defaults.invocations),
        },
        wasi: match component.wasi {
            Wasi::None => WasiGrant::None,
            Wasi::Sandboxed => WasiGrant::Sandboxed,
        },
        rights: component.rights.as_deref().map(|rights| rights.iter().copied().map(right).collect()),
        sha256: component.sha256.clone(),
    }
}

fn defaults(role: Role, component: &Component) -> Limits {
    let is_agent = matches!(role, Role::Thinker | Role::Investigator);
    if is_agent && component.component.is_none() {
        Limits { compute: ANALYST_COMPUTE, ..Limits::of(role) }
    } else {
        Limits::of(role)
    }
}

const fn right(right: config::Right) -> Right {
    match right {
        config::Right::Log => Right::Log,
        config::Right::Invoker => Right::Invoker,
        config::Right::Tools => Right::Tools,
    }
}
