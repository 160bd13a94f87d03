//! How long a guest computed. It counts the time in which the guest's future is being polled, less the time that the
//! guest spends in calls of the host. It stops nobody: that is done at the next tick of the [`crate::ticker`].

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The compute clock of one store.
pub(crate) struct Meter(Mutex<Reading>);

struct Reading {
    left: Duration,
    /// Since when the guest has been computing without a break.
    since: Option<Instant>,
    in_host_call: bool,
}

impl Reading {
    fn resume(&mut self) {
        if !self.in_host_call {
            self.since = Some(Instant::now());
        }
    }

    fn pause(&mut self) {
        if let Some(since) = self.since.take() {
            self.left = self.left.saturating_sub(since.elapsed());
        }
    }
}

impl Meter {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Reading { left: Duration::ZERO, since: None, in_host_call: false }))
    }

    /// Runs a guest, with `budget` to compute.
    pub(crate) async fn guest<F: Future>(&self, budget: Duration, guest: F) -> F::Output {
        *self.reading() = Reading { left: budget, since: None, in_host_call: false };
        let mut guest = pin!(guest);
        poll_fn(|context| {
            self.reading().resume();
            let polled = guest.as_mut().poll(context);
            self.reading().pause();
            polled
        })
        .await
    }

    /// Runs a call of the host, which costs the guest nothing. The guest goes on with what it had left.
    pub(crate) async fn host_call<F: Future>(&self, call: F) -> F::Output {
        {
            let mut reading = self.reading();
            reading.pause();
            reading.in_host_call = true;
        }
        let output = call.await;
        let mut reading = self.reading();
        reading.in_host_call = false;
        reading.resume();
        output
    }

    /// Whether the guest has used up what it had.
    pub(crate) fn exhausted(&self) -> bool {
        let reading = self.reading();
        reading.since.is_some_and(|since| since.elapsed() >= reading.left)
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        // A reading is whole at every moment: a panic elsewhere does not spoil it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Duration = Duration::ZERO;
    const PLENTY: Duration = Duration::from_hours(1);

    #[tokio::test]
    async fn counts_while_the_guest_runs_and_only_then() {
        let meter = Meter::new();
        assert!(!meter.exhausted(), "nobody runs");
        meter.guest(PLENTY, async { assert!(!meter.exhausted()) }).await;
        meter.guest(NOTHING, async { assert!(meter.exhausted()) }).await;
        assert!(!meter.exhausted(), "nobody runs any more");
    }

    #[tokio::test]
    async fn a_host_call_costs_the_guest_nothing() {
        let meter = Meter::new();
        meter
            .guest(NOTHING, async {
                meter.host_call(async { assert!(!meter.exhausted()) }).await;
                assert!(meter.exhausted(), "the guest goes on with what it had left");
            })
            .await;
    }

    #[tokio::test]
    async fn a_parked_guest_does_not_compute() {
        let meter = Meter::new();
        let mut polls = 0;
        meter
            .guest(
                NOTHING,
                meter.host_call(poll_fn(|context| {
                    polls += 1;
                    // Polled again from outside: the guest itself is still waiting.
                    assert!(!meter.exhausted());
                    context.waker().wake_by_ref();
                    if polls < 3 { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
                })),
            )
            .await;
        assert_eq!(polls, 3);
    }
}
