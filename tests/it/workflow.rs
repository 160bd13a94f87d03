//! Layer 1: the real topology with scripted agents. Every sequence of outcomes that can occur is run, and on every
//! route the bytes that were not verified stay where they are.

use crate::support::{Bench, Reply, claim, composed, id, plan, verification};
use portcullis::agents::AgentRole;
use portcullis::run::Diagnosis;
use portcullis_core::document::Verdict;
use portcullis_core::graph;
use portcullis_core::reason::ReasonCode;
use portcullis_core::route::{
    Attempt, Counters, Execution, Gate, Judgement, LONGEST_RUN, Material, Node, Outcome, Route, route,
};
use portcullis_plugins::{InvokeError, ToolError};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Mutex};

/// What an agent does on one visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Good,
    Invalid,
    Transient,
    Permanent,
    /// The executor's four kinds of evidence, by what the gatekeeper must say.
    Evidence(Gate),
    Blocked,
    Verdict(Verdict, bool),
}

/// One visit of a run: what the agent does, if the node has one, and what must come of it.
#[derive(Debug, Clone, Copy)]
struct Visit {
    node: Node,
    act: Option<Act>,
    outcome: Outcome,
}

/// Every run that can occur, as the router sees it. What the gatekeeper finds follows from the evidence, and what the
/// ceiling is from the gatekeeper.
fn runs() -> Vec<Vec<Visit>> {
    let mut found = Vec::new();
    walk(Node::Planner, Counters::default(), Gate::Pass, &mut Vec::new(), &mut found);
    found
}

fn walk(node: Node, left: Counters, gate: Gate, way: &mut Vec<Visit>, found: &mut Vec<Vec<Visit>>) {
    for (act, outcome) in acts(node, gate) {
        way.push(Visit { node, act, outcome });
        let gate = if let Some(Act::Evidence(gate)) = act { gate } else { gate };
        match route(left, outcome) {
            (left, Route::Enter(next) | Route::Retry(next)) => walk(next, left, gate, way, found),
            (_, Route::Finish) => found.push(way.clone()),
        }
        way.pop();
    }
}

fn acts(node: Node, gate: Gate) -> Vec<(Option<Act>, Outcome)> {
    let technical = |outcome: fn(Attempt<()>) -> Outcome| {
        vec![
            (Some(Act::Good), outcome(Attempt::Completed(()))),
            (Some(Act::Invalid), outcome(Attempt::InvalidOutput)),
            (Some(Act::Transient), outcome(Attempt::RetryableFailed)),
            (Some(Act::Permanent), outcome(Attempt::NonRetryableFailed)),
        ]
    };
    match node {
        Node::Planner => technical(Outcome::Planner),
        Node::Composer => technical(Outcome::Composer),
        Node::Executor => [Gate::Pass, Gate::LowConfid, Gate::LowConfidUnbacked, Gate::Reject]
            .map(|gate| (Some(Act::Evidence(gate)), Outcome::Executor(Execution::Completed)))
            .into_iter()
            .chain([
                (Some(Act::Invalid), Outcome::Executor(Execution::InvalidOutput)),
                (Some(Act::Blocked), Outcome::Executor(Execution::ToolBlocked)),
                (Some(Act::Transient), Outcome::Executor(Execution::Failed)),
                (Some(Act::Permanent), Outcome::Executor(Execution::Failed)),
            ])
            .collect(),
        Node::Gatekeeper => vec![(None, Outcome::Gatekeeper(gate))],
        Node::VerifiedInput => vec![(None, Outcome::VerifiedInput { built: true })],
        Node::Verifier => {
            let capped = gate != Gate::Pass;
            let ceiling = if capped { Verdict::LowConfid } else { Verdict::Pass };
            let verdicts = [
                (Verdict::Pass, false),
                (Verdict::LowConfid, false),
                (Verdict::LowConfid, true),
                (Verdict::Reject, false),
            ];
            let judged = verdicts.map(|(model, critical_gap)| {
                let judgement = Judgement { effective: model.min(ceiling), critical_gap, capped };
                (Some(Act::Verdict(model, critical_gap)), Outcome::Verifier(Attempt::Completed(judgement)))
            });
            let failed = [
                (Some(Act::Invalid), Outcome::Verifier(Attempt::InvalidOutput)),
                (Some(Act::Transient), Outcome::Verifier(Attempt::RetryableFailed)),
                (Some(Act::Permanent), Outcome::Verifier(Attempt::NonRetryableFailed)),
            ];
            judged.into_iter().chain(failed).collect()
        }
        Node::RetryPrepare => vec![(None, Outcome::RetryPrepare)],
        Node::Fallback(Material::Nothing | Material::Allowed) => vec![(None, Outcome::Fallback)],
    }
}

fn script(bench: &Bench, run: &[Visit]) {
    for visit in run {
        let Some(act) = visit.act else { continue };
        let role = match visit.node {
            Node::Planner => AgentRole::Planner,
            Node::Executor => AgentRole::Executor,
            Node::Verifier => AgentRole::Verifier,
            Node::Composer => AgentRole::Composer,
            Node::Gatekeeper | Node::VerifiedInput | Node::RetryPrepare | Node::Fallback(_) => continue,
        };
        bench.reply(role, reply(role, act));
    }
}

fn reply(role: AgentRole, act: Act) -> Reply {
    match (act, role) {
        (Act::Good, AgentRole::Planner) => Reply::json(&plan()),
        (Act::Good, _) => Reply::json(&composed()),
        (Act::Invalid, _) => Reply::Text("I am not sure.".into()),
        (Act::Transient, _) => Reply::transient(),
        (Act::Permanent, _) => Reply::permanent(),
        (Act::Blocked, _) => Reply::Fails(InvokeError::Blocked("restart is not allowed".into())),
        (Act::Evidence(gate), _) => {
            let say = match gate {
                Gate::Pass => |ids: &[Result<String, ToolError>]| evidence(&[proven(ids)]),
                Gate::LowConfid => |ids: &[Result<String, ToolError>]| evidence(&[proven(ids), misquoted(ids)]),
                Gate::LowConfidUnbacked => |ids: &[Result<String, ToolError>]| evidence(&[misquoted(ids)]),
                Gate::Reject => |ids: &[Result<String, ToolError>]| evidence(&[proven(ids), invented()]),
            };
            Reply::Calls(vec![("look", json!({})), ("peek", json!({}))], say)
        }
        (Act::Verdict(verdict, critical_gap), _) => {
            let mut report = verification(verdict.as_str(), &["c1"]);
            if critical_gap {
                report["facts"] = json!([{
                    "fact": "c1: checkout is slow", "is_critical": true,
                    "verification": "indirect_support", "reason": "one source only"
                }]);
            }
            Reply::json(&report)
        }
    }
}

fn proven(ids: &[Result<String, ToolError>]) -> Value {
    claim("c1", "checkout is slow", &id(ids, 0), "$.status", "checkout is slow")
}

fn misquoted(ids: &[Result<String, ToolError>]) -> Value {
    claim("c2", "CANARY-claim", &id(ids, 0), "$.status", "CANARY-misquoted")
}

fn invented() -> Value {
    claim("c3", "CANARY-claim", "inv-CANARY", "$.status", "checkout is slow")
}

fn evidence(claims: &[Value]) -> String {
    json!({
        "answer_version": "executor_evidence_v2",
        "claims": claims,
        "hypotheses": ["CANARY-hypothesis"],
        "limitations": ["CANARY-limitation"],
    })
    .to_string()
}

/// All that was logged, at every level.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn every_run_that_can_occur_takes_its_route_and_keeps_unverified_bytes_out() {
    // R-ROUTE-01 R-ROUTE-02 R-ROUTE-03 R-ROUTE-04 R-ROUTE-05 R-ROUTE-07 R-ROUTE-08 R-ROUTE-09 R-ROUTE-10
    // R-ROUTE-12 R-EVENT-01 R-EVENT-02 R-EVENT-03 R-GATE-01 R-VERIFY-03 R-ANSWER-02 R-ANSWER-03 R-RETRY-04 R-TEST-01
    let logged = Logged::default();
    let writer = logged.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    let runs = runs();
    assert!(runs.len() > 5_000, "{}", runs.len());
    let mut paths = BTreeSet::new();
    let mut longest = 0;
    for run in &runs {
        paths.insert(check(run).await);
        longest = longest.max(run.len());
        let mut log = logged.0.lock().unwrap();
        let text = String::from_utf8_lossy(&log).into_owned();
        assert!(!text.contains("CANARY"), "{text}");
        log.clear();
    }
    assert_eq!(longest, LONGEST_RUN);
    let reviewed: BTreeSet<_> = graph::paths().iter().map(ToString::to_string).collect();
    let by_input: BTreeSet<_> =
        reviewed.iter().filter(|path| !path.contains("verified_input > fallback")).cloned().collect();
    assert_eq!(paths, by_input, "each path but those of a failed builder is taken by a run");
}

/// Runs one sequence and gives back its path.
async fn check(run: &[Visit]) -> String {
    let bench = Bench::new();
    script(&bench, run);
    let Diagnosis::Answered(answered) = bench.run().await else { panic!("no answer: {run:?}") };
    let trace = &answered.trace;

    // One event an attempt, in the order of the visits.
    let mut round = 1;
    let mut expected = Vec::new();
    for (position, visit) in run.iter().enumerate() {
        let is_retry = position > 0 && run[position - 1].node == visit.node;
        expected.push((visit.node.as_str(), round, if is_retry { 2 } else { 1 }, visit.outcome.as_str()));
        round += u8::from(visit.node == Node::RetryPrepare);
    }
    let events: Vec<_> = trace
        .events
        .iter()
        .map(|event| (event.node.as_str(), event.round, event.attempt, event.outcome.as_str()))
        .collect();
    assert_eq!(events, expected);
    assert_eq!(bench.store.events(&answered.run_id).unwrap(), trace.events);
    assert_eq!(bench.agents.unused(), 0, "{run:?}");

    // Retries get the same bytes, and nothing before them runs again.
    let steps = bench.store.steps(&answered.run_id).unwrap();
    for pair in steps.windows(2).filter(|pair| pair[1].event.attempt == 2) {
        assert_eq!(pair[0].input_sha256, pair[1].input_sha256, "{run:?}");
        assert!(pair[0].input_sha256.is_some());
    }
    let completed = run.iter().filter(|visit| matches!(visit.act, Some(Act::Evidence(_)))).count();
    assert_eq!(bench.store.invocations(&answered.run_id).unwrap().len(), 2 * completed, "{run:?}");
    assert_eq!(bench.store.rounds(&answered.run_id).unwrap().len(), completed, "{run:?}");

    // Unverified bytes reach neither the judges nor the answer nor the audit.
    for role in [AgentRole::Verifier, AgentRole::Composer, AgentRole::Planner] {
        for input in bench.agents.inputs(role) {
            assert!(!input.contains("CANARY"), "{role:?}: {input}");
        }
    }
    assert!(!answered.answer.text.contains("CANARY"), "{}", answered.answer.text);
    assert!(!serde_json::to_string(trace).unwrap().contains("CANARY"));

    // A fallback before verification holds no claim; every other answer does.
    let last = run.last().unwrap().node;
    let holds_claim = answered.answer.text.contains("checkout is slow");
    assert_eq!(holds_claim, last != Node::Fallback(Material::Nothing), "{}", answered.answer.text);
    assert_eq!(trace.degraded, last != Node::Composer);
    assert_eq!(trace.verdict.is_some(), last != Node::Fallback(Material::Nothing));
    trace.path.clone()
}

#[tokio::test]
async fn a_run_that_goes_well_is_verified_and_says_so() {
    // R-RUN-03 R-RUN-06 R-VERIFY-05
    let bench = Bench::new();
    let Diagnosis::Answered(answered) = bench.good().run().await else { panic!("no answer") };
    assert_eq!(answered.verdict, Some(Verdict::Pass));
    assert_eq!(answered.trace.terminal_reason, Some(ReasonCode::Ok));
    assert!(answered.answer.text.starts_with("Checkout is slow\n"), "{}", answered.answer.text);
}

#[tokio::test]
async fn no_evidence_is_a_legal_result_and_not_a_broken_contract() {
    // R-ROUTE-06 R-VERIFY-02 R-GATE-04
    let bench = Bench::new();
    bench.reply(AgentRole::Planner, Reply::json(&plan()));
    bench.reply(
        AgentRole::Executor,
        Reply::Calls(vec![("nothing", json!({}))], |_| {
            json!({"answer_version": "executor_evidence_v2", "claims": [], "limitations": ["no rows"], "no_evidence": true})
                .to_string()
        }),
    );
    bench.reply(AgentRole::Verifier, Reply::json(&verification("PASS", &[])));
    let nothing = json!({"answer_version": "composed_answer_v1", "headline": "Nothing was found", "claim_order": [], "next_steps": []});
    bench.reply(AgentRole::Composer, Reply::json(&nothing));
    let Diagnosis::Answered(answered) = bench.run().await else { panic!("no answer") };
    assert_eq!(answered.trace.path, "planner > executor > gatekeeper > verified_input > verifier > composer");
    assert_eq!(answered.verdict, Some(Verdict::LowConfid), "a PASS that nothing backs is none");
    assert!(answered.answer.text.starts_with("Low confidence: "), "{}", answered.answer.text);
}
