//! Adapters: they turn a projection into the agent's input, and hand exactly that to the agent.

use crate::bindings::{RunConfig, composer_adapter, executor_adapter, planner_adapter, run as wit, verifier_adapter};
use crate::cause::Cause;
use crate::digest::sha256;
use crate::engine::Engine;
use crate::error::LoadError;
use crate::failure::AttemptFailure;
use crate::limits::Settings;
use crate::plugin::{Export, Plugin, PluginInfo, Source};
use crate::port::{Invoker, RunIdentity};
use crate::role::Role;
use crate::session::Session;
use crate::state::{AgentLine, Outside, within};
use crate::version::WitVersion;
use portcullis_core::projection::{ComposerProjection, ExecutorProjection, PlannerProjection, VerifierProjection};
use std::pin::Pin;
use std::sync::Arc;
use wasmtime::component::{ComponentType, Lower, Resource};

type Prepare<Projection> = Export<(Projection,), (Result<String, String>,)>;
type Attempt = Export<(Arc<str>, Resource<RunConfig>), (Result<String, wit::InvokeError>,)>;

/// What the four adapters have in common. They differ in their projection alone.
struct Adapter<Projection> {
    plugin: Arc<Plugin>,
    prepare: Prepare<Projection>,
    attempt: Attempt,
}

impl<Projection: ComponentType + Lower + Send + Sync> Adapter<Projection> {
    fn load(engine: &Engine, role: Role, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
        let plugin = Plugin::load(engine, role, source, settings)?;
        // The types of these exports, and the conversions into them, are those of one version.
        let (prepare, attempt) = match plugin.info.wit {
            WitVersion::V0_1_0 => (plugin.export("prepare")?, plugin.export("attempt")?),
        };
        Ok(Self { plugin: Arc::new(plugin), prepare, attempt })
    }

    fn prepare(&self, projection: Projection, run: &Arc<RunIdentity>) -> Preparing
    where
        Projection: 'static,
    {
        let (plugin, run) = (Arc::clone(&self.plugin), Arc::clone(run));
        let (prepare, attempt) = (self.prepare.clone(), self.attempt.clone());
        Box::pin(async move {
            if !run.is_complete() {
                return Err(AttemptFailure::no_run_identity());
            }
            let mut session = Session::open(&plugin, &run.run_id, Outside::Nothing).await?;
            let (input,) = session.call(&prepare, (projection,)).await?;
            let input = input.map_err(|said| AttemptFailure::new(Cause::Refused, &said))?;
            let input = within(plugin.settings.limits.output, input)?;
            let sha256 = sha256(input.as_bytes());
            Ok(Prepared { input: input.into(), sha256, run, plugin, attempt, unused: Some(session) })
        })
    }
}

macro_rules! adapters {
    ($($(#[doc = $doc:literal])+ $name:ident($projection:ident => $wit:ident);)+) => {$(
        $(#[doc = $doc])+
        pub struct $name(Adapter<$wit::Projection>);

        impl $name {
            /// Checks, compiles and links. Compiling takes from milliseconds to half a minute: not on a thread that
            /// runs futures.
            pub fn load(engine: &Engine, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
                Adapter::load(engine, Role::$name, source, settings).map(Self)
            }

            pub fn info(&self) -> &PluginInfo {
                &self.0.plugin.info
            }

            /// Has the projection turned into the agent's input, once for a stage. The projection is taken now; the
            /// guest is made when somebody waits for it.
            pub fn prepare(&self, projection: &$projection<'_>, run: &Arc<RunIdentity>) -> Preparing {
                self.0.prepare(projection.into(), run)
            }
        }
    )+};
}

adapters! {
    /// Turns a question into the input of the planning agent.
    Planner(PlannerProjection => planner_adapter);
    /// Turns a plan into the input of the agent that calls tools.
    Executor(ExecutorProjection => executor_adapter);
    /// Turns verified material into the input of the judging agent.
    Verifier(VerifierProjection => verifier_adapter);
    /// Turns what may be said into the input of the composing agent.
    Composer(ComposerProjection => composer_adapter);
}

/// An input on its way. It borrows nothing, so it may outlive the run whose projection it holds.
pub type Preparing = Pin<Box<dyn Future<Output = Result<Prepared, AttemptFailure>> + Send>>;

/// The agent's input of one stage, and the right to hand it over. All attempts get the same bytes and the same run.
///
/// It may hold a living guest, and with it a slot: who keeps one while waiting for another adapter may wait for ever.
pub struct Prepared {
    input: Arc<str>,
    sha256: String,
    run: Arc<RunIdentity>,
    plugin: Arc<Plugin>,
    attempt: Attempt,
    /// The guest that prepared; the first attempt goes on with it.
    unused: Option<Session>,
}

/// What an attempt gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptOutput {
    /// The agent's text, as the adapter handed it on. Nothing about it is checked.
    pub text: String,
    /// How often the agent was invoked.
    pub invocations: u32,
}

impl Prepared {
    /// The agent's input.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// The digest of the input, in hex. It is that of every attempt.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Has the agent invoked. A later attempt runs in a new guest, with the kept bytes.
    pub async fn attempt(&mut self, invoker: Arc<dyn Invoker>) -> Result<AttemptOutput, AttemptFailure> {
        let output = self.plugin.settings.limits.output;
        let line =
            Outside::Agent(AgentLine { invoker, input: Arc::clone(&self.input), output, invocations: 0, failed: None });
        let mut session = match self.unused.take() {
            Some(session) => session,
            None => Session::open(&self.plugin, &self.run.run_id, Outside::Nothing).await?,
        };
        session.state().outside = line;
        let config = session
            .state()
            .lend(Arc::clone(&self.run))
            .map_err(|error| AttemptFailure::new(Cause::Unavailable, &error))?;
        let (said,) = session.call(&self.attempt, (Arc::clone(&self.input), config)).await?;

        // What the host saw comes before what the guest says: it can neither hide a failed invocation nor make one up.
        let line = session.state().agent();
        if let Some(failed) = line.and_then(|line| line.failed.as_ref()) {
            return Err(AttemptFailure::of_agent(failed));
        }
        let invocations = line.map_or(0, |line| line.invocations);
        let text = said.map_err(|said| AttemptFailure::new(Cause::Refused, &said))?;
        Ok(AttemptOutput { text: within(output, text)?, invocations })
    }
}
