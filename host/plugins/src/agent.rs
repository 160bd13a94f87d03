//! Agents that are components: what an invoker calls when no model is configured.

use crate::bindings::{RunConfig, run as wit};
use crate::cause::Cause;
use crate::engine::Engine;
use crate::error::LoadError;
use crate::failure::AttemptFailure;
use crate::guest_log::clean;
use crate::limits::Settings;
use crate::plugin::{Export, Plugin, PluginInfo, Source};
use crate::port::{InvokeError, RunIdentity, ToolPort};
use crate::role::Role;
use crate::session::Session;
use crate::state::{Outside, ToolLine, within};
use crate::version::WitVersion;
use std::sync::Arc;
use wasmtime::component::Resource;

/// Longest text of an agent about its own failure.
const SAID_BYTES: usize = 1_024;

type Respond = Export<(String, Resource<RunConfig>), (Result<String, wit::InvokeError>,)>;

struct Agent {
    plugin: Plugin,
    respond: Respond,
}

/// An agent without tools: for planner, verifier and composer.
pub struct Thinker(Agent);

/// An agent with tools: for the executor.
pub struct Investigator(Agent);

impl Agent {
    fn load(engine: &Engine, role: Role, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
        let plugin = Plugin::load(engine, role, source, settings)?;
        // The types of this export are those of one version.
        let respond = match plugin.info.wit {
            WitVersion::V0_1_0 => plugin.export("respond")?,
        };
        Ok(Self { plugin, respond })
    }

    async fn respond(&self, input: &str, run: &Arc<RunIdentity>, outside: Outside) -> Result<String, InvokeError> {
        if !run.is_complete() {
            return Err(AttemptFailure::no_run_identity().into());
        }
        let mut session = Session::open(&self.plugin, &run.run_id, outside).await?;
        let config =
            session.state().lend(Arc::clone(run)).map_err(|error| AttemptFailure::new(Cause::Unavailable, &error))?;
        let (said,) = session.call(&self.respond, (input.to_owned(), config)).await?;
        match said {
            Ok(text) => Ok(within(self.plugin.settings.limits.output, text)?),
            Err(error) => Err(believed(&error, &session.state().outside)),
        }
    }
}

impl Thinker {
    /// Checks, compiles and links. Compiling takes from milliseconds to half a minute: not on a thread that runs
    /// futures.
    pub fn load(engine: &Engine, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
        Agent::load(engine, Role::Thinker, source, settings).map(Self)
    }

    pub fn info(&self) -> &PluginInfo {
        &self.0.plugin.info
    }

    pub async fn respond(&self, input: &str, run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        self.0.respond(input, run, Outside::Nothing).await
    }
}

impl Investigator {
    /// Checks, compiles and links. Compiling takes from milliseconds to half a minute: not on a thread that runs
    /// futures.
    pub fn load(engine: &Engine, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
        Agent::load(engine, Role::Investigator, source, settings).map(Self)
    }

    pub fn info(&self) -> &PluginInfo {
        &self.0.plugin.info
    }

    pub async fn respond(
        &self,
        input: &str,
        run: &Arc<RunIdentity>,
        tools: Arc<dyn ToolPort>,
    ) -> Result<String, InvokeError> {
        let line = ToolLine { tools, saw_failure: false, saw_block: false };
        self.0.respond(input, run, Outside::Tools(line)).await
    }
}

/// A component's own word for its failure counts only as far as the host saw the cause: the same input gives the same
/// result again, unless something outside failed.
fn believed(error: &wit::InvokeError, outside: &Outside) -> InvokeError {
    let (saw_failure, saw_block) = match outside {
        Outside::Tools(line) => (line.saw_failure, line.saw_block),
        Outside::Nothing | Outside::Agent(_) => (false, false),
    };
    match error {
        wit::InvokeError::Transient(said) if saw_failure => InvokeError::Transient(clean(said, SAID_BYTES)),
        wit::InvokeError::Blocked(said) if saw_block => InvokeError::Blocked(clean(said, SAID_BYTES)),
        wit::InvokeError::Transient(said) | wit::InvokeError::Blocked(said) | wit::InvokeError::Permanent(said) => {
            InvokeError::Permanent(clean(said, SAID_BYTES))
        }
    }
}

impl From<AttemptFailure> for InvokeError {
    fn from(AttemptFailure { class: _, reason, detail }: AttemptFailure) -> Self {
        Self::Component { reason, detail }
    }
}
