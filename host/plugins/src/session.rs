//! One guest: a store and an instance that nothing used before, and the calls into it (R-HOST-05).
//!
//! Each call has full budgets and three clocks: the compute time, read at each tick; the wall time, around the whole
//! call; and the time for host calls, inside it. None of them alone stops every guest: a parked one does not compute,
//! and a spinning one is not awaited.

use crate::failure::{AttemptFailure, Halt};
use crate::guest_log::Speaker;
use crate::limits::{Limits, store};
use crate::plugin::{Export, Plugin};
use crate::slots::Slot;
use crate::state::{Outside, StoreState};
use std::sync::Arc;
use wasmtime::component::{ComponentNamedList, Instance, Lift, Lower};
use wasmtime::{Store, StoreContextMut, UpdateDeadline};

pub(crate) struct Session {
    store: Store<StoreState>,
    instance: Instance,
    limits: Limits,
    /// Given back after the store is gone.
    _slot: Slot,
}

impl Session {
    /// Waits for a slot, then makes the guest. Waiting is not part of any budget of the guest.
    pub(crate) async fn open(plugin: &Plugin, run_id: &str, outside: Outside) -> Result<Self, AttemptFailure> {
        let slot = plugin.engine.slots.take(plugin.info.role.tier()).await;
        let limits = plugin.settings.limits.clone();
        let speaker =
            Speaker { role: plugin.info.role, component: plugin.info.name.as_str().into(), run_id: run_id.to_owned() };
        let mut store = new_store(plugin, &limits, speaker, outside);
        let made = guarded(&mut store, &limits, async |store| plugin.pre.instantiate_async(store).await).await;
        match made {
            Some(Ok(instance)) => Ok(Self { store, instance, limits, _slot: slot }),
            Some(Err(error)) => Err(AttemptFailure::at_start(&error, store.data())),
            None => Err(AttemptFailure::attempt_timeout()),
        }
    }

    pub(crate) async fn call<Params, Results>(
        &mut self,
        export: &Export<Params, Results>,
        params: Params,
    ) -> Result<Results, AttemptFailure>
    where
        Params: ComponentNamedList + Lower + Send + Sync,
        Results: ComponentNamedList + Lift + Send + Sync + 'static,
    {
        let instance = self.instance;
        let called = guarded(&mut self.store, &self.limits, async |store| {
            let function = instance.get_typed_func::<Params, Results>(&mut *store, &export.index)?;
            function.call_async(store, params).await
        })
        .await;
        match called {
            Some(Ok(results)) => Ok(results),
            Some(Err(error)) => Err(AttemptFailure::in_call(&error, self.store.data())),
            None => Err(AttemptFailure::attempt_timeout()),
        }
    }

    pub(crate) fn state(&mut self) -> &mut StoreState {
        self.store.data_mut()
    }
}

fn new_store(plugin: &Plugin, limits: &Limits, speaker: Speaker, outside: Outside) -> Store<StoreState> {
    let mut store = Store::new(&plugin.engine.wasm, StoreState::new(limits, speaker, outside));
    store.limiter(|state| &mut state.memory);
    store.set_hostcall_fuel(limits.copied());
    store.set_max_component_handles(store::RESOURCES);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(at_tick);
    store
}

#[expect(clippy::needless_pass_by_value, reason = "wasmtime's signature")]
/// At each tick a guest makes room for others, so that it cannot hold the thread that its time-out needs.
fn at_tick(context: StoreContextMut<'_, StoreState>) -> wasmtime::Result<UpdateDeadline> {
    if context.data().meter.exhausted() {
        return Err(Halt::Deadline.into());
    }
    Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())))
}

/// Runs guest code under its clocks. None: the wall time is over, and the store must not be used again.
async fn guarded<T>(
    store: &mut Store<StoreState>,
    limits: &Limits,
    work: impl AsyncFnOnce(&mut Store<StoreState>) -> wasmtime::Result<T>,
) -> Option<wasmtime::Result<T>> {
    store.data_mut().arm(limits);
    let meter = Arc::clone(&store.data().meter);
    tokio::time::timeout(limits.wall, meter.guest(limits.compute, work(store))).await.ok()
}
