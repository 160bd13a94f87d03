//! Live progress of a run, for people. It changes nothing: a run goes on alike with nobody watching.

use super::shadow::Comparison;
use portcullis_core::trail::Event;
use std::time::Duration;

/// Told of each attempt as it begins and ends. Must not block.
pub trait Observer: Send + Sync {
    fn run_began(&self, run_id: &str);
    /// `round` is 1, or 2 after the evidence retry; `attempt` is 1, or 2 for a technical retry.
    fn attempt_began(&self, node: &str, round: u8, attempt: u8);
    fn attempt_ended(&self, event: &Event, duration: Duration);
    /// Told of each call of a candidate in the shadow, when the run is over and stored.
    fn compared(&self, _comparison: &Comparison) {}
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    fn run_began(&self, _run_id: &str) {}
    fn attempt_began(&self, _node: &str, _round: u8, _attempt: u8) {}
    fn attempt_ended(&self, _event: &Event, _duration: Duration) {}
}
