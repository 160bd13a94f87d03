//! What a run leaves behind of its way: one bounded event an attempt, and the audit that is derived from them.
//!
//! It holds no prompt, no reasoning, no tool output and no claim: those have records of their own or none.

use crate::document::Verdict;
use crate::reason::ReasonCode;
use crate::route::{LONGEST_RUN, Material, Node};
use serde::{Deserialize, Serialize};

/// One attempt that ended in a handled outcome (R-EVENT-01, R-EVENT-02).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// A word of [`Node::as_str`].
    pub node: String,
    /// 1, or 2 after the evidence retry.
    pub round: u8,
    /// 1, or 2 for a technical retry.
    pub attempt: u8,
    /// A word of [`Outcome::as_str`](crate::route::Outcome::as_str).
    pub outcome: String,
    pub reason_code: ReasonCode,
}

/// The events of one run, append-only and bounded by [`LONGEST_RUN`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trail {
    events: Vec<Event>,
}

/// The trail is as long as the longest legal run: whatever wants in is no legal run (R-ROUTE-02).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrailFull;

impl Trail {
    /// # Errors
    /// [`TrailFull`] when the trail has [`LONGEST_RUN`] events; nothing is dropped or overwritten.
    pub fn record(&mut self, event: Event) -> Result<(), TrailFull> {
        if self.events.len() == LONGEST_RUN {
            return Err(TrailFull);
        }
        self.events.push(event);
        Ok(())
    }

    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

/// What kind of answer a fallback gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FallbackClass {
    PreVerification,
    PostVerification,
}

impl From<Material> for FallbackClass {
    fn from(material: Material) -> Self {
        match material {
            Material::Nothing => Self::PreVerification,
            Material::Allowed => Self::PostVerification,
        }
    }
}

/// The gatekeeper's part of the audit: figures, never texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatekeeperSummary {
    /// `PASS`, `LOW_CONFID` or `REJECT`.
    pub status: String,
    pub verified: u32,
    pub failed: u32,
}

/// The orchestration audit of one run, stored with it and shown at `run.orchestrationTrace` alone (R-RUN-02, R-RUN-04).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrchestrationTrace {
    /// The answer is a fallback's. A verdict below PASS shows in `verdict`.
    pub degraded: bool,
    /// The verdict of the material that the answer uses; absent when it uses none.
    pub verdict: Option<Verdict>,
    pub fallback_class: Option<FallbackClass>,
    /// The nodes in order: `planner ~ planner > executor`.
    pub path: String,
    pub technical_retries: u32,
    pub evidence_retries: u32,
    /// The last round's; absent when no gatekeeper ran.
    pub gatekeeper: Option<GatekeeperSummary>,
    /// Why the run ended as it did: the reason code of the attempt that decided it.
    pub terminal_reason: Option<ReasonCode>,
    pub events: Vec<Event>,
}

/// What the audit needs beside the events.
#[derive(Debug, Clone, Default)]
pub struct Ending {
    pub verdict: Option<Verdict>,
    pub fallback_class: Option<FallbackClass>,
    pub gatekeeper: Option<GatekeeperSummary>,
}

impl OrchestrationTrace {
    /// Derives the audit from the events alone, as far as they tell it.
    pub fn of(trail: &Trail, ending: Ending) -> Self {
        let events = trail.events();
        let mut path = String::new();
        for event in events {
            if !path.is_empty() {
                path.push_str(if event.attempt > 1 { " ~ " } else { " > " });
            }
            path.push_str(&event.node);
        }
        // A fallback only answers: what decided the run is the attempt before it.
        let is_fallback = |event: &&Event| event.node.starts_with("fallback");
        let decisive = events.iter().rev().find(|event| !is_fallback(event));
        Self {
            degraded: ending.fallback_class.is_some(),
            verdict: ending.verdict,
            fallback_class: ending.fallback_class,
            path,
            technical_retries: count(events, |event| event.attempt > 1),
            evidence_retries: count(events, |event| event.node == Node::RetryPrepare.as_str()),
            gatekeeper: ending.gatekeeper,
            terminal_reason: decisive.map(|event| event.reason_code),
            events: events.to_vec(),
        }
    }
}

fn count(events: &[Event], is: impl Fn(&Event) -> bool) -> u32 {
    // A trail holds at most LONGEST_RUN events, so the cast cannot lose anything.
    u32::try_from(events.iter().filter(|event| is(event)).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(node: Node, attempt: u8, outcome: &str, reason_code: ReasonCode) -> Event {
        Event { node: node.as_str().into(), round: 1, attempt, outcome: outcome.into(), reason_code }
    }

    #[test]
    fn a_full_trail_refuses_and_keeps_what_it_has() {
        // R-STATE-02 R-ROUTE-02
        let mut trail = Trail::default();
        let one = event(Node::Planner, 1, "COMPLETED", ReasonCode::Ok);
        for _ in 0..LONGEST_RUN {
            assert_eq!(trail.record(one.clone()), Ok(()));
        }
        assert_eq!(trail.record(one.clone()), Err(TrailFull));
        assert_eq!(trail.events().len(), LONGEST_RUN);
    }

    #[test]
    fn the_audit_follows_from_the_events() {
        // R-EVENT-03 R-RUN-02
        let mut trail = Trail::default();
        for event in [
            event(Node::Planner, 1, "INVALID_OUTPUT", ReasonCode::ContractViolation),
            event(Node::Planner, 2, "NON_RETRYABLE_FAILED", ReasonCode::GuestTrapped),
            event(Node::Fallback(Material::Nothing), 1, "DONE", ReasonCode::Ok),
        ] {
            trail.record(event).unwrap();
        }
        let ending = Ending { fallback_class: Some(FallbackClass::PreVerification), ..Ending::default() };
        let trace = OrchestrationTrace::of(&trail, ending);
        assert_eq!(trace.path, "planner ~ planner > fallback_pre_verification");
        assert_eq!((trace.technical_retries, trace.evidence_retries, trace.degraded), (1, 0, true));
        assert_eq!(trace.terminal_reason, Some(ReasonCode::GuestTrapped));
    }
}
