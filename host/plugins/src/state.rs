//! What the host keeps beside one guest: its budgets, its log and its way out. Made for one store and dropped with it.

use crate::bindings::RunConfig;
use crate::failure::{AttemptFailure, Halt};
use crate::guest_log::{GuestLog, Speaker};
use crate::limits::{Limits, store};
use crate::memory::MemoryBudget;
use crate::meter::Meter;
use crate::port::{InvokeError, Invoker, ToolPort};
use crate::wasi;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;
use wasmtime::component::{Resource, ResourceTable, ResourceTableError};
use wasmtime_wasi::WasiCtx;

pub(crate) struct StoreState {
    pub(crate) memory: MemoryBudget,
    pub(crate) meter: Arc<Meter>,
    pub(crate) table: ResourceTable,
    pub(crate) outside: Outside,
    log: Arc<Mutex<GuestLog>>,
    /// Made when a guest first asks for it. One that was not granted WASI cannot ask.
    wasi: Option<WasiCtx>,
    /// When the last host call must have ended.
    host_calls_until: Instant,
    calls_left: u32,
}

/// What a guest can reach beyond itself.
pub(crate) enum Outside {
    Nothing,
    Agent(AgentLine),
    Tools(ToolLine),
}

/// An adapter's line to its agent.
pub(crate) struct AgentLine {
    pub(crate) invoker: Arc<dyn Invoker>,
    /// The bytes that the agent must get (R-HOST-08).
    pub(crate) input: Arc<str>,
    /// Longest text that the agent may give.
    pub(crate) output: usize,
    pub(crate) invocations: u32,
    /// How the last invocation failed, as the host saw it. An adapter cannot hide it.
    pub(crate) failed: Option<InvokeError>,
}

/// An agent's line to its tools.
pub(crate) struct ToolLine {
    pub(crate) tools: Arc<dyn ToolPort>,
    /// A tool failed or did not answer.
    pub(crate) saw_failure: bool,
    /// Policy forbade a tool.
    pub(crate) saw_block: bool,
}

impl StoreState {
    pub(crate) fn new(limits: &Limits, speaker: Speaker, outside: Outside) -> Self {
        Self {
            memory: MemoryBudget::new(limits.memory),
            meter: Arc::new(Meter::new()),
            table: {
                let mut table = ResourceTable::new();
                table.set_max_capacity(store::RESOURCES);
                table
            },
            outside,
            log: Arc::new(Mutex::new(GuestLog::new(speaker))),
            wasi: None,
            host_calls_until: Instant::now(),
            calls_left: 0,
        }
    }

    /// Starts a guest call with full budgets.
    pub(crate) fn arm(&mut self, limits: &Limits) {
        self.host_calls_until = Instant::now() + limits.host_calls();
        self.calls_left = limits.invocations;
    }

    /// Lends the run's identity to the guest. The only handle in the table: a guest cannot name another one.
    pub(crate) fn lend(&mut self, run: RunConfig) -> Result<Resource<RunConfig>, ResourceTableError> {
        let owned = self.table.push(run)?;
        Ok(Resource::new_borrow(owned.rep()))
    }

    /// Counts one call out.
    pub(crate) fn count_call(&mut self) -> Result<(), Halt> {
        self.calls_left = self.calls_left.checked_sub(1).ok_or(Halt::InvokeLimit)?;
        Ok(())
    }

    /// A call of the host on the guest's behalf: within the time for host calls, and off the guest's compute clock.
    pub(crate) fn host_call<F: Future>(&self, call: F) -> impl Future<Output = Option<F::Output>> + use<F> {
        let meter = Arc::clone(&self.meter);
        let until = self.host_calls_until;
        async move { meter.host_call(tokio::time::timeout_at(until, call)).await.ok() }
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, GuestLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agent line, with what the host saw on it.
    pub(crate) const fn agent(&self) -> Option<&AgentLine> {
        match &self.outside {
            Outside::Agent(line) => Some(line),
            Outside::Nothing | Outside::Tools(_) => None,
        }
    }
}

impl wasmtime_wasi::WasiView for StoreState {
    fn ctx(&mut self) -> wasmtime_wasi::WasiCtxView<'_> {
        let ctx = self.wasi.get_or_insert_with(|| wasi::sandbox(&self.log));
        wasmtime_wasi::WasiCtxView { ctx, table: &mut self.table }
    }
}

/// Text that a guest handed over, if it is not too long.
pub(crate) fn within(limit: usize, text: String) -> Result<String, AttemptFailure> {
    if text.len() > limit { Err(AttemptFailure::output_limit(text.len(), limit)) } else { Ok(text) }
}
