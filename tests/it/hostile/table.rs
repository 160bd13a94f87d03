//! `docs/failures.md`, and that no failure can become a success: every cause is walked through classification, status
//! and route. The check itself is tried on each of its cells with a wrong value.

use portcullis::failures::{End, Failure, failures, markdown};
use portcullis_core::document::Verdict;
use portcullis_core::reason::ReasonCode;
use portcullis_core::route::{Attempt, Budget, Counters, Execution, Judgement, Material, Node, Outcome, Route, route};
use portcullis_plugins::FailureClass;
use std::collections::BTreeSet;

type Router = dyn Fn(Counters, Outcome) -> (Counters, Route);

/// Each state of the retries.
fn counters() -> Vec<Counters> {
    let mut all = vec![Counters::default()];
    for spend in [
        |left: &mut Counters| left.planner = Budget::Spent,
        |left: &mut Counters| left.verifier = Budget::Spent,
        |left: &mut Counters| left.composer = Budget::Spent,
        |left: &mut Counters| left.evidence = Budget::Spent,
    ] {
        let mut spent = all.clone();
        spent.iter_mut().for_each(spend);
        all.extend(spent);
    }
    all
}

/// What is wrong with a way from cause to route, if anything.
fn faults(failure: &Failure, router: &Router) -> Vec<String> {
    let mut faults = Vec::new();
    let mut must = |holds: bool, rule: &str, end: Option<&End>| {
        if !holds {
            faults.push(format!("{rule}: {failure:?} at {end:?}"));
        }
    };
    let passes = [ReasonCode::InvokeTimeout, ReasonCode::InvokeTransient].contains(&failure.reason);
    must((failure.class == Some(FailureClass::Retryable)) == passes, "retryable is what the invoker saw", None);
    let is_blocked = failure.reason == ReasonCode::ToolBlocked;
    must((failure.class == Some(FailureClass::Blocked)) == is_blocked, "blocked is what policy forbade", None);
    must(failure.class.is_some() || failure.reason == ReasonCode::ContractViolation, "a violation says so", None);
    for end in &failure.ends {
        must(!succeeds(end.reason), "the reason is that of a failure", Some(end));
        must(end.outcome.as_str() != "COMPLETED", "a failure is not completed", Some(end));
        must(end.outcome.as_str() == status(failure, *end), "the status is that of the class", Some(end));
        for left in counters() {
            let (_, next) = router(left, end.outcome);
            must(next == expected(*end, left), "it leads to a retry or to the fallback", Some(end));
        }
    }
    faults
}

/// The codes of what went well, or was judged.
fn succeeds(reason: ReasonCode) -> bool {
    use ReasonCode::{GateLowConfid, GatePass, GateReject, GateUnbacked, NothingVerified, Ok};
    use ReasonCode::{VerdictLowConfid, VerdictPass, VerdictReject};
    let judged = [GatePass, GateLowConfid, GateUnbacked, GateReject, NothingVerified];
    let verdicts = [Ok, VerdictPass, VerdictLowConfid, VerdictReject];
    judged.contains(&reason) || verdicts.contains(&reason)
}

fn status(failure: &Failure, end: End) -> &'static str {
    let is_executor = end.node == Node::Executor;
    // Policy explains a text that is no document, and an agent that gave up. It explains nothing that a component did.
    let is_explained = end.was_blocked
        && (failure.class.is_none()
            || failure.class == Some(FailureClass::NonRetryable) && failure.reason == ReasonCode::InvokePermanent);
    match failure.class {
        _ if is_executor && is_explained => "TOOL_BLOCKED",
        None => "INVALID_OUTPUT",
        Some(FailureClass::Blocked) if is_executor => "TOOL_BLOCKED",
        Some(_) if is_executor => "FAILED",
        Some(FailureClass::Retryable) => "RETRYABLE_FAILED",
        Some(FailureClass::NonRetryable | FailureClass::Blocked) => "NON_RETRYABLE_FAILED",
    }
}

fn expected(end: End, left: Counters) -> Route {
    let budget = match end.node {
        Node::Planner => left.planner,
        Node::Verifier => left.verifier,
        Node::Composer => left.composer,
        _ => Budget::Spent,
    };
    let may_pass = ["INVALID_OUTPUT", "RETRYABLE_FAILED"].contains(&end.outcome.as_str());
    let material = if end.node == Node::Composer { Material::Allowed } else { Material::Nothing };
    if may_pass && budget == Budget::Fresh { Route::Retry(end.node) } else { Route::Enter(Node::Fallback(material)) }
}

#[test]
fn the_reviewed_table_is_what_the_code_does() {
    // R-TEST-03 R-NODE-07
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/failures.md");
    let reviewed = std::fs::read_to_string(path).unwrap_or_default();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, markdown()).unwrap();
    } else {
        assert!(
            reviewed == markdown(),
            "docs/failures.md is not what the code does: review the change, then `make bless`"
        );
    }
}

#[test]
fn no_failure_becomes_a_success() {
    // R-NODE-04 R-NODE-05 R-NODE-06 R-NODE-07 R-ROUTE-03 R-ROUTE-04 R-ROUTE-05
    let all = failures();
    assert!(all.len() > 50, "{}", all.len());
    let faults: Vec<_> = all.iter().flat_map(|failure| faults(failure, &route)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_reason_code_of_a_failure_has_a_cause() {
    // R-EVENT-02
    let given: BTreeSet<_> = failures().into_iter().map(|failure| failure.reason).collect();
    // Of a run, and not of an attempt.
    let others = [ReasonCode::Cancelled, ReasonCode::RecursionLimit];
    let of_attempts = |code: &&ReasonCode| !succeeds(**code) && !others.contains(code);
    assert_eq!(given.iter().collect::<Vec<_>>(), ReasonCode::ALL.iter().filter(of_attempts).collect::<Vec<_>>());
}

/// The outcome of a node that did what it was asked.
fn completed(node: Node) -> Outcome {
    match node {
        Node::Executor => Outcome::Executor(Execution::Completed),
        Node::Composer => Outcome::Composer(Attempt::Completed(())),
        Node::Verifier => {
            let judgement = Judgement { effective: Verdict::Pass, critical_gap: false, capped: false };
            Outcome::Verifier(Attempt::Completed(judgement))
        }
        _ => Outcome::Planner(Attempt::Completed(())),
    }
}

/// The failure with one cell of the table changed, in each way.
fn mutations(failure: &Failure) -> Vec<Failure> {
    let mut all = Vec::new();
    let classes = [None, Some(FailureClass::Retryable), Some(FailureClass::NonRetryable), Some(FailureClass::Blocked)];
    for class in classes.into_iter().filter(|class| *class != failure.class) {
        all.push(Failure { class, ..failure.clone() });
    }
    for (position, end) in failure.ends.iter().enumerate() {
        let mut with = |changed: End| {
            let mut mutation = failure.clone();
            mutation.ends[position] = changed;
            all.push(mutation);
        };
        let outcomes = end.node.outcomes().into_iter().filter(|outcome| *outcome != end.outcome);
        outcomes.chain([completed(end.node)]).for_each(|outcome| with(End { outcome, ..*end }));
        for reason in ReasonCode::ALL.iter().copied().filter(|reason| succeeds(*reason)) {
            with(End { reason, ..*end });
        }
    }
    all
}

#[test]
fn the_check_bites_in_each_cell() {
    let mut tried = 0;
    for failure in failures() {
        for mutation in mutations(&failure) {
            assert!(!faults(&mutation, &route).is_empty(), "nobody noticed: {mutation:?}");
            tried += 1;
        }
        for end in &failure.ends {
            let onwards = [Node::Executor, Node::Gatekeeper, Node::VerifiedInput, Node::Verifier, Node::Composer];
            let others = onwards.map(Route::Enter).into_iter().chain([Route::Finish, Route::Retry(end.node)]);
            for next in others {
                let outcome = end.outcome;
                let wrong = move |left, asked| if asked == outcome { (left, next) } else { route(left, asked) };
                assert!(!faults(&failure, &wrong).is_empty(), "nobody noticed {next:?} after {end:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 5_000, "{tried}");
}
