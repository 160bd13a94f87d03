//! From a configuration to a host that can run: the one place that names concrete engines, agents, tools and stores.

mod components;
mod grants;
mod owner;
mod reload;
mod serving;
mod slot;
mod smoke;

pub use grants::{Grant, Granted, Trial, Trials, granted, grants, try_component};
pub use reload::{Change, Prepared, Refused};
pub use serving::Serving;
pub use slot::Slot;

use crate::agents::{Agents, ScriptError};
use crate::bounded::ReadError;
use crate::config::{Config, ConfigError};
use crate::run::Clock;
use crate::run::shadow::Shadows;
use crate::run::{Catalog, GateFigures, Generation, Host, NodeSet, Parsers, RunLimits, SystemClock};
use crate::store::{MemoryStore, NodeComponent, OpenError, RunStore, SqliteStore, StoreError, fail_orphans};
use crate::tools::incident::{Bundle, BundleError};
use crate::tools::{NoTools, Policy, ToolProvider};
use components::Loader;
use glob::Pattern;
use portcullis_plugins::{
    Allocation, CodeCache, CodeTally, Engine, EngineError, EngineSettings, LoadError, PluginInfo, Role,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long one tool call may take.
const TOOL_WALL: Duration = Duration::from_mins(1);

/// What stands in the way of a run before it begins.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("cannot read the component {} of {role}: {source}; `component` in portcullis.toml names it", path.display())]
    Unreadable { role: Role, path: PathBuf, source: ReadError },
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error("tools.allow: `{0}` is not a glob pattern")]
    Pattern(String),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no run store at {}: it is made by the first `portcullis run`, or name one with --store FILE", .0.display())]
    NoStore(PathBuf),
    #[error("store.path is `memory`, which keeps nothing: name a file with --store FILE")]
    MemoryKeepsNothing,
}

/// What runs share whatever they ask: the compiled components and the agents behind them.
#[derive(Clone)]
pub struct Shared {
    engine: Engine,
    /// What it was made from.
    config: Arc<Config>,
    nodes: Arc<NodeSet>,
    agents: Arc<Agents>,
    shadows: Arc<Shadows>,
    left_out: Option<Arc<SetupError>>,
}

impl Shared {
    /// Loads every component that the configuration names.
    ///
    /// # Errors
    /// [`SetupError`] that names the component and the way out.
    pub fn load(config: &Config) -> Result<Self, SetupError> {
        Self::with(engine()?, config.clone(), None)
    }

    fn with(engine: Engine, config: Config, serving: Option<&Self>) -> Result<Self, SetupError> {
        let loader = Loader { engine: &engine, serving };
        let nodes = Arc::new(loader.nodes(&config)?);
        let agents = Arc::new(loader.agents(&config)?);
        let (shadows, left_out) = match components::shadows(&config.shadow) {
            Ok(shadows) => (shadows, None),
            Err(error) => (Shadows::default(), Some(error)),
        };
        // What is only tried decides nothing about what serves: it is told, and the rest goes on.
        let (shadows, left_out) = (Arc::new(shadows), left_out.map(Arc::new));
        Ok(Self { engine, config: Arc::new(config), nodes, agents, shadows, left_out })
    }

    /// What fills each place, in the order of the graph.
    pub fn serving(&self) -> [(Slot, Serving); 12] {
        Slot::ALL.map(|slot| (slot, self.at(slot)))
    }

    /// What fills one place.
    pub fn at(&self, slot: Slot) -> Serving {
        Serving::at(slot, &self.nodes, &self.agents)
    }

    pub fn served_by(&self) -> Vec<NodeComponent> {
        self.generation().served_by()
    }

    fn generation(&self) -> Generation {
        Generation {
            nodes: Arc::clone(&self.nodes),
            agents: Arc::clone(&self.agents) as _,
            shadows: Arc::clone(&self.shadows),
        }
    }

    /// Why there is no candidate, if one is configured that cannot be loaded.
    pub fn left_out(&self) -> Option<&SetupError> {
        self.left_out.as_deref()
    }

    /// The candidates in the shadow of the components that serve.
    pub fn candidates(&self) -> impl Iterator<Item = &PluginInfo> {
        self.shadows.infos()
    }

    pub fn allocation(&self) -> &Allocation {
        self.engine.allocation()
    }

    pub fn code_cache(&self) -> &CodeCache {
        self.engine.code_cache()
    }

    pub fn code_tally(&self) -> CodeTally {
        self.engine.code_tally()
    }

    /// Scripted replies that runs which have ended left over.
    pub fn unused_replies(&self) -> usize {
        self.agents.unused_replies()
    }
}

/// A host over shared components, with the tools of one incident and a store.
///
/// # Errors
/// [`SetupError`] when the tool policy cannot be read.
pub fn host(
    config: &Config,
    shared: &Shared,
    incident: Option<Arc<Bundle>>,
    store: Arc<dyn RunStore>,
) -> Result<Arc<Host>, SetupError> {
    Ok(Arc::new(Host {
        catalog: Arc::new(Catalog::new(shared.generation())),
        tools: provider(incident),
        policy: policy(config)?,
        limits: RunLimits { wall: config.run.wall, invocations: config.run.invocations },
        store,
        clock: Arc::new(SystemClock),
        evaluator: Arc::new(GateFigures),
        owner: owner::this_process(),
    }))
}

/// The adapters and parsers alone, for a host with agents of its own.
///
/// # Errors
/// [`SetupError`] that names the component and the way out.
pub fn nodes(config: &Config) -> Result<NodeSet, SetupError> {
    Loader { engine: &engine()?, serving: None }.nodes(config)
}

/// The parsers alone.
///
/// # Errors
/// [`SetupError`] that names the component and the way out.
pub fn parsers(config: &Config) -> Result<Parsers, SetupError> {
    Loader { engine: &engine()?, serving: None }.parsers(config)
}

/// The engine of this process, with compiled code kept in the user's cache folder.
///
/// # Errors
/// [`SetupError::Engine`] when no guest can run on this machine.
pub fn engine() -> Result<Engine, SetupError> {
    engine_for(EngineSettings::default().instances)
}

fn engine_for(instances: u32) -> Result<Engine, SetupError> {
    // Never beside a configuration file: whoever ships one could ship compiled code with it.
    Ok(Engine::new(EngineSettings { instances, cache_dir: user_cache(), ..EngineSettings::default() })?)
}

/// `$XDG_CACHE_HOME/portcullis`, or `~/.cache/portcullis` (XDG Base Directory Specification 0.8).
fn user_cache() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("portcullis"))
}

/// The incident that is named on the command line, or else by the configuration.
///
/// # Errors
/// [`SetupError`] that names the file and the line.
pub fn incident(config: &Config, named: Option<&Path>) -> Result<Option<Arc<Bundle>>, SetupError> {
    let Some(path) = named.or(config.tools.incident.as_deref()) else { return Ok(None) };
    Ok(Some(Arc::new(Bundle::open(path)?)))
}

/// The tools of an incident, or none.
pub fn provider(incident: Option<Arc<Bundle>>) -> Arc<dyn ToolProvider> {
    match incident {
        Some(bundle) => bundle,
        None => Arc::new(NoTools),
    }
}

/// What agents may do with tools.
///
/// # Errors
/// [`SetupError::Pattern`].
pub fn policy(config: &Config) -> Result<Policy, SetupError> {
    let pattern = |text: &String| Pattern::new(text).map_err(|_| SetupError::Pattern(text.clone()));
    let limits = &config.tools.limits;
    Ok(Policy {
        allow: config.tools.allow.iter().map(pattern).collect::<Result<_, _>>()?,
        calls: limits.calls,
        identical_calls: limits.identical_calls,
        output: usize::try_from(limits.output).unwrap_or(usize::MAX),
        wall: TOOL_WALL,
    })
}

/// Opens the configured store, and ends the runs that a dead process left RUNNING.
///
/// # Errors
/// [`SetupError`] that names the file.
pub fn open_store(config: &Config) -> Result<Arc<dyn RunStore>, SetupError> {
    if config.store.is_memory() {
        return Ok(Arc::new(MemoryStore::default()));
    }
    let store = SqliteStore::open(&config.store.path)?;
    let ended = fail_orphans(&store, &owner::is_alive, SystemClock.now_ms())?;
    if ended > 0 {
        tracing::warn!(runs = ended, "runs of a process that is gone were ended as interrupted");
    }
    Ok(Arc::new(store))
}

/// The configured store, for reading: it is not made.
///
/// # Errors
/// [`SetupError`] that names the file.
pub fn existing_store(config: &Config) -> Result<Arc<dyn RunStore>, SetupError> {
    if config.store.is_memory() {
        return Err(SetupError::MemoryKeepsNothing);
    }
    // Opening an empty file would make a store of it, and so write into what may be meant for something else.
    let is_store = config.store.path.metadata().is_ok_and(|metadata| !metadata.is_file() || metadata.len() > 0);
    if !is_store {
        return Err(SetupError::NoStore(config.store.path.clone()));
    }
    open_store(config)
}

/// Unix milliseconds as RFC 3339 in UTC, to the second.
pub fn time_in_words(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| ms.to_string(), |time| format!("{time:.0}"))
}
