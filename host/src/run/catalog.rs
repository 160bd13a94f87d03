//! What serves the nodes now, and how that is replaced while runs are on their way.

use super::NodeSet;
use super::shadow::Shadows;
use crate::agents::AgentFactory;
use crate::store::NodeComponent;
use std::sync::{Arc, PoisonError, RwLock};

/// The components and agents that serve together. It never changes: another choice is another generation.
#[derive(Clone)]
pub struct Generation {
    pub nodes: Arc<NodeSet>,
    pub agents: Arc<dyn AgentFactory>,
    /// Candidates that serve no node: they are compared with those that do.
    pub shadows: Arc<Shadows>,
}

impl Generation {
    /// The records of what serves each node (R-HOST-06).
    pub fn served_by(&self) -> Vec<NodeComponent> {
        self.nodes.served_by(&self.agents.descriptions())
    }
}

/// The current generation. A run takes it once, at its start, and keeps it to its end.
pub struct Catalog(RwLock<Arc<Generation>>);

impl Catalog {
    pub fn new(generation: Generation) -> Self {
        Self(RwLock::new(Arc::new(generation)))
    }

    pub fn current(&self) -> Arc<Generation> {
        // Replacing is one assignment: a panic elsewhere cannot leave half of it behind.
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on new runs are served by `generation`, which gives back the one that it replaces.
    pub fn publish(&self, generation: Generation) -> Arc<Generation> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *current, Arc::new(generation))
    }
}
