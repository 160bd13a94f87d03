//! Where a run goes next. [`route`] is total, and small enough to be tested by visiting all of it.
//!
//! The router sees outcomes, never documents: it knows neither what was claimed nor what a tool said.

use crate::document::Verdict;

#[cfg(test)]
use enum_iterator::Sequence;

/// A step of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(test, derive(Sequence))]
pub enum Node {
    Planner,
    Executor,
    Gatekeeper,
    VerifiedInput,
    Verifier,
    RetryPrepare,
    Composer,
    Fallback(Material),
}

/// What a fallback answer may draw on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(test, derive(Sequence))]
pub enum Material {
    /// Pre-verification: no executor claim, no tool output.
    Nothing,
    /// Post-verification: what the verifier allowed.
    Allowed,
}

/// How an attempt of the planner, the verifier or the composer ended.
///
/// Whatever is not known to pass by itself is [`NonRetryableFailed`](Self::NonRetryableFailed).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Sequence))]
pub enum Attempt<T> {
    Completed(T),
    InvalidOutput,
    RetryableFailed,
    NonRetryableFailed,
}

/// How the executor ended. It is never retried technically, so it has no use for [`Attempt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Sequence))]
pub enum Execution {
    Completed,
    InvalidOutput,
    ToolBlocked,
    Failed,
}

/// What the gatekeeper found, as far as routing needs it. A missing, unknown or inconsistent result is `Reject`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Sequence))]
pub enum Gate {
    Pass,
    LowConfid,
    /// `LOW_CONFID` without one verified binding.
    LowConfidUnbacked,
    Reject,
}

/// What a completed verification means for the route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Sequence))]
pub struct Judgement {
    /// The verdict that counts: the lesser of the model's and the gatekeeper's ceiling.
    pub effective: Verdict,
    /// A critical fact lacks direct evidence.
    pub critical_gap: bool,
    /// The gatekeeper's ceiling is below PASS: more evidence of the same kind would not help.
    pub capped: bool,
}

/// How one visit of a node ended, with just enough in it to route on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Sequence))]
pub enum Outcome {
    Planner(Attempt<()>),
    Executor(Execution),
    Gatekeeper(Gate),
    VerifiedInput { built: bool },
    Verifier(Attempt<Judgement>),
    RetryPrepare,
    Composer(Attempt<()>),
    Fallback,
}

/// A retry that can be taken once: a third attempt cannot be written down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(test, derive(Sequence))]
pub enum Budget {
    #[default]
    Fresh,
    Spent,
}

/// What is left of each retry. Only [`route`] changes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(test, derive(Sequence))]
pub struct Counters {
    pub planner: Budget,
    pub verifier: Budget,
    pub composer: Budget,
    pub evidence: Budget,
}

/// Where a run goes. Not an `Option`: `?` must not be able to swallow it.
#[must_use = "a route that is dropped leaves the run without a next node"]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The node's first attempt of this round.
    Enter(Node),
    /// The same node again, with the same bytes.
    Retry(Node),
    /// The run has its answer.
    Finish,
}

/// No run visits more nodes than this. The test `every_run_ends` finds the longest one.
pub const LONGEST_RUN: usize = 18;

/// Decides where a run goes after `outcome`, and what is left of the retries.
pub fn route(mut left: Counters, outcome: Outcome) -> (Counters, Route) {
    let next = match outcome {
        Outcome::Planner(attempt) => match left.planner.rule(attempt) {
            Ruling::Proceed(()) => Route::Enter(Node::Executor),
            Ruling::Again => Route::Retry(Node::Planner),
            Ruling::GiveUp => Route::Enter(Node::Fallback(Material::Nothing)),
        },
        Outcome::Executor(Execution::Completed) => Route::Enter(Node::Gatekeeper),
        Outcome::Gatekeeper(Gate::Pass | Gate::LowConfid) => Route::Enter(Node::VerifiedInput),
        Outcome::VerifiedInput { built: true } => Route::Enter(Node::Verifier),
        Outcome::Executor(Execution::InvalidOutput | Execution::ToolBlocked | Execution::Failed)
        | Outcome::Gatekeeper(Gate::LowConfidUnbacked | Gate::Reject)
        | Outcome::VerifiedInput { built: false } => Route::Enter(Node::Fallback(Material::Nothing)),
        Outcome::Verifier(attempt) => match left.verifier.rule(attempt) {
            Ruling::Proceed(judgement) => judgement.route(&mut left.evidence),
            Ruling::Again => Route::Retry(Node::Verifier),
            Ruling::GiveUp => Route::Enter(Node::Fallback(Material::Nothing)),
        },
        Outcome::RetryPrepare => {
            // New inputs, so each agent may be tried once more. The evidence retry stays spent.
            left = Counters { evidence: left.evidence, ..Counters::default() };
            Route::Enter(Node::Planner)
        }
        Outcome::Composer(attempt) => match left.composer.rule(attempt) {
            Ruling::Proceed(()) => Route::Finish,
            Ruling::Again => Route::Retry(Node::Composer),
            Ruling::GiveUp => Route::Enter(Node::Fallback(Material::Allowed)),
        },
        Outcome::Fallback => Route::Finish,
    };
    (left, next)
}

/// What a budget says of an attempt.
enum Ruling<T> {
    Proceed(T),
    Again,
    GiveUp,
}

impl Budget {
    /// Spends the budget when it says [`Ruling::Again`].
    fn rule<T>(&mut self, attempt: Attempt<T>) -> Ruling<T> {
        match (attempt, *self) {
            (Attempt::Completed(value), _) => Ruling::Proceed(value),
            (Attempt::InvalidOutput | Attempt::RetryableFailed, Self::Fresh) => {
                *self = Self::Spent;
                Ruling::Again
            }
            (Attempt::InvalidOutput | Attempt::RetryableFailed, Self::Spent) | (Attempt::NonRetryableFailed, _) => {
                Ruling::GiveUp
            }
        }
    }
}

impl Judgement {
    /// Spends the evidence retry when it leads to [`Node::RetryPrepare`].
    fn route(self, evidence: &mut Budget) -> Route {
        match self.effective {
            Verdict::Reject => Route::Enter(Node::Fallback(Material::Nothing)),
            Verdict::LowConfid if self.critical_gap && !self.capped && *evidence == Budget::Fresh => {
                *evidence = Budget::Spent;
                Route::Enter(Node::RetryPrepare)
            }
            Verdict::LowConfid | Verdict::Pass => Route::Enter(Node::Composer),
        }
    }
}

impl Node {
    /// Each node once, in the order of the graph.
    pub const ALL: &'static [Self] = &[
        Self::Planner,
        Self::Executor,
        Self::Gatekeeper,
        Self::VerifiedInput,
        Self::Verifier,
        Self::RetryPrepare,
        Self::Composer,
        Self::Fallback(Material::Nothing),
        Self::Fallback(Material::Allowed),
    ];

    /// The word of the wire format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Executor => "executor",
            Self::Gatekeeper => "gatekeeper",
            Self::VerifiedInput => "verified_input",
            Self::Verifier => "verifier",
            Self::RetryPrepare => "retry_prepare",
            Self::Composer => "composer",
            Self::Fallback(Material::Nothing) => "fallback_pre_verification",
            Self::Fallback(Material::Allowed) => "fallback_post_verification",
        }
    }

    /// Each outcome that a visit of this node can have.
    pub fn outcomes(self) -> Vec<Outcome> {
        match self {
            Self::Planner => Attempt::all([()]).into_iter().map(Outcome::Planner).collect(),
            Self::Executor => Execution::ALL.iter().copied().map(Outcome::Executor).collect(),
            Self::Gatekeeper => Gate::ALL.iter().copied().map(Outcome::Gatekeeper).collect(),
            Self::VerifiedInput => [true, false].map(|built| Outcome::VerifiedInput { built }).into(),
            Self::Verifier => Attempt::all(Judgement::all()).into_iter().map(Outcome::Verifier).collect(),
            Self::RetryPrepare => vec![Outcome::RetryPrepare],
            Self::Composer => Attempt::all([()]).into_iter().map(Outcome::Composer).collect(),
            Self::Fallback(Material::Nothing | Material::Allowed) => vec![Outcome::Fallback],
        }
    }
}

impl<T> Attempt<T> {
    fn all(completed: impl IntoIterator<Item = T>) -> Vec<Self> {
        let failures = [Self::InvalidOutput, Self::RetryableFailed, Self::NonRetryableFailed];
        completed.into_iter().map(Self::Completed).chain(failures).collect()
    }

    /// The stable word of a trail.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Completed(_) => "COMPLETED",
            Self::InvalidOutput => "INVALID_OUTPUT",
            Self::RetryableFailed => "RETRYABLE_FAILED",
            Self::NonRetryableFailed => "NON_RETRYABLE_FAILED",
        }
    }
}

impl Execution {
    const ALL: &'static [Self] = &[Self::Completed, Self::InvalidOutput, Self::ToolBlocked, Self::Failed];

    /// The stable word of a trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "COMPLETED",
            Self::InvalidOutput => "INVALID_OUTPUT",
            Self::ToolBlocked => "TOOL_BLOCKED",
            Self::Failed => "FAILED",
        }
    }
}

impl Gate {
    const ALL: &'static [Self] = &[Self::Pass, Self::LowConfid, Self::LowConfidUnbacked, Self::Reject];

    /// The stable word of a trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::LowConfid => "LOW_CONFID",
            Self::LowConfidUnbacked => "LOW_CONFID_UNBACKED",
            Self::Reject => "REJECT",
        }
    }
}

impl Judgement {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for effective in [Verdict::Pass, Verdict::LowConfid, Verdict::Reject] {
            for critical_gap in [false, true] {
                for capped in [false, true] {
                    all.push(Self { effective, critical_gap, capped });
                }
            }
        }
        all
    }
}

impl Outcome {
    /// The stable word of a trail.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planner(attempt) | Self::Composer(attempt) => attempt.as_str(),
            Self::Executor(execution) => execution.as_str(),
            Self::Gatekeeper(gate) => gate.as_str(),
            Self::VerifiedInput { built: true } => "BUILT",
            Self::VerifiedInput { built: false } => "NOT_BUILT",
            Self::Verifier(attempt) => attempt.as_str(),
            Self::RetryPrepare => "PREPARED",
            Self::Fallback => "DONE",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enum_iterator::all;
    use std::collections::{BTreeMap, BTreeSet};

    fn cells() -> impl Iterator<Item = (Counters, Outcome)> {
        all::<Counters>().flat_map(|left| all::<Outcome>().map(move |outcome| (left, outcome)))
    }

    #[test]
    fn the_lists_hold_each_case() {
        // R-ROUTE-01
        assert_eq!(Node::ALL.to_vec(), all::<Node>().collect::<Vec<_>>());
        let mut listed: Vec<_> = [Node::Planner, Node::Executor, Node::Gatekeeper, Node::VerifiedInput, Node::Verifier]
            .into_iter()
            .chain([Node::RetryPrepare, Node::Composer, Node::Fallback(Material::Nothing)])
            .flat_map(Node::outcomes)
            .map(|outcome| format!("{outcome:?}"))
            .collect();
        let mut complete: Vec<_> = all::<Outcome>().map(|outcome| format!("{outcome:?}")).collect();
        listed.sort();
        complete.sort();
        assert_eq!(listed, complete);
        assert_eq!(cells().count(), 16 * 35);
    }

    #[test]
    fn each_rule_holds_in_each_cell() {
        // R-ROUTE-01 R-ROUTE-03 R-ROUTE-04 R-ROUTE-05 R-ROUTE-08 R-ROUTE-10 R-ROUTE-11
        for (before, outcome) in cells() {
            let (after, next) = route(before, outcome);
            let cell = format!("{before:?} {outcome:?} -> {after:?} {next:?}");
            // Only a built verified input reaches the verifier, only an evidence retry goes back to the planner.
            assert_eq!(
                next == Route::Enter(Node::Verifier),
                outcome == (Outcome::VerifiedInput { built: true }),
                "{cell}"
            );
            assert_eq!(next == Route::Enter(Node::Planner), outcome == Outcome::RetryPrepare, "{cell}");
            // The evidence retry is never refilled, and is spent by going to retry prepare alone.
            let spends = before.evidence != after.evidence;
            assert!(!spends || before.evidence == Budget::Fresh, "{cell}");
            assert_eq!(spends, next == Route::Enter(Node::RetryPrepare), "{cell}");
            // Only the composer's failure may draw on allowed material.
            if next == Route::Enter(Node::Fallback(Material::Allowed)) {
                assert!(matches!(outcome, Outcome::Composer(_)), "{cell}");
            }
            // A technical retry names the node that failed, spends its budget alone, and never the executor's.
            if let Route::Retry(node) = next {
                let expected = match outcome {
                    Outcome::Planner(_) => (Node::Planner, Counters { planner: Budget::Spent, ..before }),
                    Outcome::Verifier(_) => (Node::Verifier, Counters { verifier: Budget::Spent, ..before }),
                    Outcome::Composer(_) => (Node::Composer, Counters { composer: Budget::Spent, ..before }),
                    Outcome::Executor(_)
                    | Outcome::Gatekeeper(_)
                    | Outcome::VerifiedInput { .. }
                    | Outcome::RetryPrepare
                    | Outcome::Fallback => panic!("{cell}"),
                };
                assert_eq!((node, after), expected, "{cell}");
                assert_ne!(before, after, "{cell}");
            }
        }
    }

    #[test]
    fn judgements_route_by_the_table() {
        // R-ROUTE-08 R-ROUTE-09 R-ROUTE-10
        for judgement in all::<Judgement>() {
            for evidence in all::<Budget>() {
                let (_, next) = route(
                    Counters { evidence, ..Counters::default() },
                    Outcome::Verifier(Attempt::Completed(judgement)),
                );
                let expected = match (judgement.effective, judgement.critical_gap, judgement.capped, evidence) {
                    (Verdict::LowConfid, true, false, Budget::Fresh) => Node::RetryPrepare,
                    (Verdict::Reject, ..) => Node::Fallback(Material::Nothing),
                    (Verdict::Pass | Verdict::LowConfid, ..) => Node::Composer,
                };
                assert_eq!(next, Route::Enter(expected), "{judgement:?} {evidence:?}");
            }
        }
    }

    #[test]
    fn native_outcomes_route_by_the_table() {
        // R-ROUTE-04 R-ROUTE-05 R-ROUTE-06 R-ROUTE-07
        let nothing = Node::Fallback(Material::Nothing);
        let table = [
            (Outcome::Planner(Attempt::NonRetryableFailed), nothing),
            (Outcome::Verifier(Attempt::NonRetryableFailed), nothing),
            (Outcome::Composer(Attempt::NonRetryableFailed), Node::Fallback(Material::Allowed)),
            (Outcome::Executor(Execution::Completed), Node::Gatekeeper),
            (Outcome::Executor(Execution::InvalidOutput), nothing),
            (Outcome::Executor(Execution::ToolBlocked), nothing),
            (Outcome::Executor(Execution::Failed), nothing),
            (Outcome::Gatekeeper(Gate::Pass), Node::VerifiedInput),
            (Outcome::Gatekeeper(Gate::LowConfid), Node::VerifiedInput),
            (Outcome::Gatekeeper(Gate::LowConfidUnbacked), nothing),
            (Outcome::Gatekeeper(Gate::Reject), nothing),
            (Outcome::VerifiedInput { built: false }, nothing),
        ];
        for left in all::<Counters>() {
            for (outcome, node) in table {
                assert_eq!(route(left, outcome).1, Route::Enter(node), "{left:?} {outcome:?}");
            }
        }
    }

    /// Visits left until the end from one position; a position that is met again on its own way has no end.
    fn visits(
        at: (Node, Counters),
        on_the_way: &mut BTreeSet<(Node, Counters)>,
        known: &mut BTreeMap<(Node, Counters), usize>,
    ) -> usize {
        if let Some(&visits) = known.get(&at) {
            return visits;
        }
        assert!(on_the_way.insert(at), "a run can come back to {at:?}");
        let longest =
            at.0.outcomes()
                .into_iter()
                .map(|outcome| match route(at.1, outcome) {
                    (left, Route::Enter(next) | Route::Retry(next)) => visits((next, left), on_the_way, known),
                    (_, Route::Finish) => 0,
                })
                .max()
                .unwrap();
        on_the_way.remove(&at);
        known.insert(at, longest + 1);
        longest + 1
    }

    #[test]
    fn every_run_ends() {
        // R-ROUTE-02 R-ROUTE-12
        let mut known = BTreeMap::new();
        let longest = visits((Node::Planner, Counters::default()), &mut BTreeSet::new(), &mut known);
        assert_eq!(longest, LONGEST_RUN);
        assert_eq!(known.len(), 68, "positions that a run can reach");
    }
}
