//! The budget of a whole run: wall time and agent invocations. Its end is an ordinary failure of the attempt that met
//! it, so the routing table leads to the safe fallback.

use async_trait::async_trait;
use portcullis_plugins::{InvokeError, Invoker, RunIdentity};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// What one run may use in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    pub wall: Duration,
    /// Agent invocations.
    pub invocations: u32,
}

/// What one run has used so far.
#[derive(Debug)]
pub(super) struct RunBudget {
    limits: RunLimits,
    begun: Instant,
    invocations: AtomicU32,
}

impl RunBudget {
    pub(super) fn start(limits: RunLimits) -> Self {
        Self { limits, begun: Instant::now(), invocations: AtomicU32::new(0) }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    pub(super) fn invocations(&self) -> u32 {
        self.invocations.load(Ordering::Relaxed)
    }

    /// What is left of the run's wall time.
    pub(super) fn remaining(&self) -> Duration {
        self.limits.wall.saturating_sub(self.elapsed())
    }

    pub(super) fn is_over(&self) -> bool {
        self.elapsed() >= self.limits.wall
    }

    fn spend_invocation(&self) -> Result<(), InvokeError> {
        if self.is_over() {
            return Err(InvokeError::RunBudget(format!("the run's {:?} are over", self.limits.wall)));
        }
        // Counted before the limit is looked at: two invocations at once cannot both take the last one.
        let used = self.invocations.fetch_add(1, Ordering::Relaxed);
        if used >= self.limits.invocations {
            self.invocations.store(self.limits.invocations, Ordering::Relaxed);
            return Err(InvokeError::RunBudget(format!("the run has used its {used} invocations")));
        }
        Ok(())
    }
}

/// An agent under the budget of its run.
pub(super) struct Budgeted {
    pub(super) agent: Arc<dyn Invoker>,
    pub(super) budget: Arc<RunBudget>,
}

#[async_trait]
impl Invoker for Budgeted {
    async fn invoke(&self, input: &str, run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        self.budget.spend_invocation()?;
        let within = tokio::time::timeout(self.budget.remaining(), self.agent.invoke(input, run));
        within.await.unwrap_or_else(|_| Err(InvokeError::RunBudget("the run's wall time is over".into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Agent {
        answers: bool,
    }

    #[async_trait]
    impl Invoker for Agent {
        async fn invoke(&self, _input: &str, _run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
            if self.answers { Ok("text".into()) } else { std::future::pending().await }
        }
    }

    fn run() -> Arc<RunIdentity> {
        Arc::new(RunIdentity {
            run_id: "run-1".into(),
            session_id: "session-1".into(),
            metadata: std::collections::BTreeMap::new(),
        })
    }

    fn budgeted(answers: bool, wall: Duration) -> Budgeted {
        let limits = RunLimits { wall, invocations: 3 };
        Budgeted { agent: Arc::new(Agent { answers }), budget: Arc::new(RunBudget::start(limits)) }
    }

    #[tokio::test]
    async fn invocations_end_with_the_budget() {
        // R-HOST-04
        let agent = budgeted(true, Duration::from_mins(10));
        for _ in 0..3 {
            assert!(agent.invoke("", &run()).await.is_ok());
        }
        for _ in 0..3 {
            assert!(matches!(agent.invoke("", &run()).await, Err(InvokeError::RunBudget(_))));
        }
        assert_eq!(agent.budget.invocations(), 3);
    }

    #[tokio::test]
    async fn wall_time_ends_an_invocation_and_allows_no_further_one() {
        // R-HOST-04
        let agent = budgeted(false, Duration::from_millis(5));
        assert!(matches!(agent.invoke("", &run()).await, Err(InvokeError::RunBudget(_))));
        assert!(agent.budget.is_over());
        assert!(matches!(agent.invoke("", &run()).await, Err(InvokeError::RunBudget(_))));
    }
}
