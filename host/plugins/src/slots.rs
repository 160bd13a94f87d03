//! How many guests may live at once. Who finds no slot waits; nobody fails for want of one.
//!
//! A waiting guest holds its slot, so slots are kept apart by [`Tier`]: adapters wait for agents, agents wait for
//! tools, which are never guests, and parsers wait for nothing. No tier waits for itself, so there is no circle.

use crate::role::Tier;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) struct Slots {
    adapters: Arc<Semaphore>,
    agents: Arc<Semaphore>,
    parsers: Arc<Semaphore>,
}

/// The right of one guest to live.
pub(crate) struct Slot {
    /// None only if the semaphore was closed, which nobody does.
    _permit: Option<OwnedSemaphorePermit>,
}

impl Slots {
    pub(crate) const TIERS: u32 = 3;

    pub(crate) fn new(each_tier: u32) -> Self {
        let tier = || Arc::new(Semaphore::new(each_tier as usize));
        Self { adapters: tier(), agents: tier(), parsers: tier() }
    }

    pub(crate) async fn take(&self, tier: Tier) -> Slot {
        let tier = match tier {
            Tier::Adapter => &self.adapters,
            Tier::Agent => &self.agents,
            Tier::Parser => &self.parsers,
        };
        Slot { _permit: Arc::clone(tier).acquire_owned().await.ok() }
    }
}
