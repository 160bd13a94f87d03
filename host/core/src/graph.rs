//! Every way that a run can take, found by walking [`route`](crate::route::route): nothing is written down twice.

use crate::document::Verdict;
use crate::route::{Attempt, Budget, Counters, Node, Outcome, Route, route};
use std::collections::BTreeSet;
use std::fmt;

/// The nodes of one run in order, each with whether it was a technical retry of the one before.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    visits: Vec<Visit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    node: Node,
    retry: bool,
}

impl Path {
    /// How many nodes the run visits.
    pub fn len(&self) -> usize {
        self.visits.len()
    }

    /// A path holds at least the planner.
    pub fn is_empty(&self) -> bool {
        self.visits.is_empty()
    }
}

impl fmt::Display for Path {
    /// `planner ~ planner > executor`: `>` enters a node, `~` tries the same node once more.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, visit) in self.visits.iter().enumerate() {
            if position > 0 {
                f.write_str(if visit.retry { " ~ " } else { " > " })?;
            }
            f.write_str(visit.node.as_str())?;
        }
        Ok(())
    }
}

/// Each distinct node path once, shortest first. It ends because each run ends (R-ROUTE-12).
pub fn paths() -> Vec<Path> {
    let mut found = BTreeSet::new();
    walk(Visit { node: Node::Planner, retry: false }, Counters::default(), &mut Vec::new(), &mut found);
    let mut paths: Vec<_> = found.into_iter().map(|visits| Path { visits }).collect();
    paths.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    paths
}

fn walk(visit: Visit, left: Counters, way: &mut Vec<Visit>, found: &mut BTreeSet<Vec<Visit>>) {
    way.push(visit);
    // Outcomes that lead to the same place with the same budgets continue alike: one of them is enough.
    let mut seen = Vec::new();
    for outcome in visit.node.outcomes() {
        let step = route(left, outcome);
        if seen.contains(&step) {
            continue;
        }
        seen.push(step);
        match step {
            (left, Route::Enter(node)) => walk(Visit { node, retry: false }, left, way, found),
            (left, Route::Retry(node)) => walk(Visit { node, retry: true }, left, way, found),
            (_, Route::Finish) => {
                found.insert(way.clone());
            }
        }
    }
    way.pop();
}

/// One arrow of the graph: the node, the words of the outcomes that take it, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrow {
    pub from: Node,
    /// Outcome words with the condition on budgets, verdict or gaps where it matters.
    pub outcomes: Vec<String>,
    pub to: Route,
}

/// The routing table, by node, in the order of the graph.
pub fn arrows() -> Vec<Arrow> {
    let mut arrows: Vec<(Node, Route, Vec<Conditions>)> = Vec::new();
    for &from in Node::ALL {
        for outcome in from.outcomes() {
            for budget in [Budget::Fresh, Budget::Spent] {
                // Which of its budgets an outcome looks at is the router's business.
                let left = Counters { planner: budget, verifier: budget, composer: budget, evidence: budget };
                let (_, to) = route(left, outcome);
                let conditions = conditions(outcome, budget);
                match arrows.iter_mut().find(|(node, route, _)| (*node, *route) == (from, to)) {
                    Some((_, _, all)) => all.push(conditions),
                    None => arrows.push((from, to, vec![conditions])),
                }
            }
        }
    }
    let words = |all: Vec<Conditions>| merge(all).into_iter().map(|conditions| conditions.join(", ")).collect();
    arrows.into_iter().map(|(from, to, all)| Arrow { from, outcomes: words(all), to }).collect()
}

/// The outcome's word, then what else holds.
type Conditions = Vec<&'static str>;

/// Conditions that exclude each other and leave no third case.
const OPPOSITES: [(&str, &str); 3] =
    [("no critical gap", "critical gap"), ("ceiling PASS", "ceiling below PASS"), ("budget fresh", "budget spent")];

fn conditions(outcome: Outcome, budget: Budget) -> Conditions {
    let mut conditions = match outcome {
        Outcome::Verifier(Attempt::Completed(judgement)) => vec![
            match judgement.effective {
                Verdict::Pass => "effective PASS",
                Verdict::LowConfid => "effective LOW_CONFID",
                Verdict::Reject => "effective REJECT",
            },
            if judgement.critical_gap { "critical gap" } else { "no critical gap" },
            if judgement.capped { "ceiling below PASS" } else { "ceiling PASS" },
        ],
        Outcome::Planner(_)
        | Outcome::Executor(_)
        | Outcome::Gatekeeper(_)
        | Outcome::VerifiedInput { .. }
        | Outcome::Verifier(_)
        | Outcome::RetryPrepare
        | Outcome::Composer(_)
        | Outcome::Fallback => vec![outcome.as_str()],
    };
    conditions.push(match budget {
        Budget::Fresh => "budget fresh",
        Budget::Spent => "budget spent",
    });
    conditions
}

/// Two cases that differ in one condition and its opposite are one case without it.
fn merge(mut all: Vec<Conditions>) -> Vec<Conditions> {
    while let Some((kept, dropped, merged)) = mergeable(&all) {
        all.remove(dropped);
        if let Some(slot) = all.get_mut(kept) {
            *slot = merged;
        }
    }
    all
}

fn mergeable(all: &[Conditions]) -> Option<(usize, usize, Conditions)> {
    for (first, a) in all.iter().enumerate() {
        for (second, b) in all.iter().enumerate().skip(first + 1) {
            for (one, other) in OPPOSITES {
                let without = |conditions: &Conditions, word| {
                    conditions.contains(&word).then(|| {
                        conditions.iter().copied().filter(|condition| *condition != word).collect::<Conditions>()
                    })
                };
                let sides = [(without(a, one), without(b, other)), (without(a, other), without(b, one))];
                if let Some(merged) = sides.into_iter().find_map(|(a, b)| a.filter(|a| Some(a) == b.as_ref())) {
                    return Some((first, second, merged));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::LONGEST_RUN;

    #[test]
    fn each_path_starts_at_the_planner_and_ends_with_an_answer() {
        // R-ROUTE-01 R-ROUTE-12
        let paths = paths();
        assert_eq!(paths.len(), 140);
        assert_eq!(paths.iter().map(Path::len).max(), Some(LONGEST_RUN));
        for path in &paths {
            let words = path.to_string();
            assert!(words.starts_with("planner"), "{words}");
            assert!(
                words.ends_with("composer")
                    || words.ends_with("fallback_pre_verification")
                    || words.ends_with("fallback_post_verification"),
                "{words}"
            );
            assert!(words.matches("retry_prepare").count() <= 1, "{words}");
            assert!(words.matches("executor ~").count() == 0, "{words}");
        }
    }

    #[test]
    fn the_composer_fails_only_into_the_answer_that_may_use_allowed_material() {
        // R-ROUTE-04
        let composer: Vec<_> = arrows().into_iter().filter(|arrow| arrow.from == Node::Composer).collect();
        let words: Vec<_> = composer.iter().map(|arrow| (arrow.outcomes.join("; "), arrow.to)).collect();
        assert_eq!(
            words,
            [
                ("COMPLETED".into(), Route::Finish),
                ("INVALID_OUTPUT, budget fresh; RETRYABLE_FAILED, budget fresh".into(), Route::Retry(Node::Composer)),
                (
                    "INVALID_OUTPUT, budget spent; RETRYABLE_FAILED, budget spent; NON_RETRYABLE_FAILED".into(),
                    Route::Enter(Node::Fallback(crate::route::Material::Allowed))
                ),
            ]
        );
    }
}
