//! Loads the components that the configuration names, or the embedded defaults.

use super::SetupError;
use crate::agents::{AgentRole, Agents, Backend, Script};
use crate::bounded;
use crate::config::{self, Agent, Component, ComponentLimits, Config, Wasi};
use crate::defaults;
use crate::run::{Adapters, NodeSet, Parsers};
use portcullis_plugins::{
    AnswerParser, Composer, Engine, EngineSettings, EvidenceParser, Executor, Investigator, Limits, LoadError,
    PlanParser, Planner, Right, Role, Settings, Source, Thinker, VerificationParser, Verifier, WasiGrant,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The analyst reads whole logs and metric tables, so its defaults are wider than those of a node.
const ANALYST_COMPUTE: std::time::Duration = std::time::Duration::from_secs(20);

pub(super) fn nodes(engine: &Engine, config: &Config) -> Result<NodeSet, SetupError> {
    let nodes = &config.nodes;
    Ok(NodeSet {
        adapters: Adapters {
            planner: load(engine, Role::Planner, &nodes.planner, Planner::load)?,
            executor: load(engine, Role::Executor, &nodes.executor, Executor::load)?,
            verifier: load(engine, Role::Verifier, &nodes.verifier, Verifier::load)?,
            composer: load(engine, Role::Composer, &nodes.composer, Composer::load)?,
        },
        parsers: parsers(engine, config)?,
    })
}

pub(super) fn parsers(engine: &Engine, config: &Config) -> Result<Parsers, SetupError> {
    let nodes = &config.nodes;
    Ok(Parsers {
        plan: load(engine, Role::PlanParser, &nodes.plan_parser, PlanParser::load)?,
        evidence: load(engine, Role::EvidenceParser, &nodes.evidence_parser, EvidenceParser::load)?,
        verification: load(engine, Role::VerificationParser, &nodes.verification_parser, VerificationParser::load)?,
        answer: load(engine, Role::AnswerParser, &nodes.answer_parser, AnswerParser::load)?,
    })
}

pub(super) fn agents(engine: &Engine, config: &Config) -> Result<Agents, SetupError> {
    // The default thinker serves three nodes: it is loaded once.
    let mut default_thinker: Option<Arc<Thinker>> = None;
    let mut scripts: BTreeMap<&Path, (Script, String)> = BTreeMap::new();
    Agents::load(|role| {
        let agent = match role {
            AgentRole::Planner => &config.agents.planner,
            AgentRole::Executor => &config.agents.executor,
            AgentRole::Verifier => &config.agents.verifier,
            AgentRole::Composer => &config.agents.composer,
        };
        match agent {
            Agent::Component(component) => {
                let is_default = *agent == Agent::default();
                let limits = analyst_limits(&component.limits, component.component.is_none());
                let component = Component { limits, ..component.clone() };
                match role {
                    AgentRole::Executor => {
                        let loaded = load(engine, Role::Investigator, &component, Investigator::load)?;
                        Ok(Backend::Investigator(Arc::new(loaded)))
                    }
                    AgentRole::Planner | AgentRole::Verifier | AgentRole::Composer => {
                        if let (true, Some(thinker)) = (is_default, &default_thinker) {
                            return Ok(Backend::Thinker(Arc::clone(thinker)));
                        }
                        let thinker = Arc::new(load(engine, Role::Thinker, &component, Thinker::load)?);
                        if is_default {
                            default_thinker = Some(Arc::clone(&thinker));
                        }
                        Ok(Backend::Thinker(thinker))
                    }
                }
            }
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
        }
    })
}

fn analyst_limits(limits: &ComponentLimits, is_analyst: bool) -> ComponentLimits {
    let compute = limits.compute.or_else(|| is_analyst.then_some(ANALYST_COMPUTE));
    ComponentLimits { compute, ..limits.clone() }
}

/// Reads and loads one component.
fn load<T>(
    engine: &Engine,
    role: Role,
    component: &Component,
    load: impl FnOnce(&Engine, Source<'_>, Settings) -> Result<T, LoadError>,
) -> Result<T, SetupError> {
    let (bytes, origin): (Cow<'_, [u8]>, String) = match &component.component {
        Some(path) => (read(role, path)?.into(), path.display().to_string()),
        None => (defaults::component(role).into(), "built in".into()),
    };
    let name = match &component.component {
        Some(path) => path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        None => format!("default-{}", role.world()),
    };
    let source = Source { name: &name, bytes: &bytes, origin: &origin };
    Ok(load(engine, source, settings(role, component))?)
}

fn read(role: Role, path: &Path) -> Result<Vec<u8>, SetupError> {
    let max = EngineSettings::default().component_bytes as u64;
    bounded::file(path, max).map_err(|source| SetupError::Unreadable { role, path: path.to_owned(), source })
}

pub(super) fn settings(role: Role, component: &Component) -> Settings {
    let defaults = Limits::of(role);
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

const fn right(right: config::Right) -> Right {
    match right {
        config::Right::Log => Right::Log,
        config::Right::Invoker => Right::Invoker,
        config::Right::Tools => Right::Tools,
    }
}
