//! What every run store must do, as functions over a fresh store. [`conformance_tests`] makes them tests of one store.

use super::*;
use portcullis_core::document::Verdict;
use portcullis_core::ledger::{Invocation, InvocationStatus};
use portcullis_core::reason::ReasonCode;
use portcullis_core::trail::{self, OrchestrationTrace, Trail};
use serde_json::{Map, Value, json};

/// `$make` is an expression that gives a value with a method `store() -> &dyn RunStore`.
macro_rules! conformance_tests {
    ($make:expr) => {
        $crate::store::conformance::conformance_tests! { $make =>
            a_completed_run_is_kept_whole
            figures_keep_their_digits_and_their_order
            both_attempts_keep_the_same_digest
            a_success_has_an_answer_and_a_trace
            a_finished_run_is_never_changed
            an_unknown_run_takes_nothing_and_has_nothing
            a_run_without_identity_is_refused
            nothing_is_recorded_twice
            events_are_gapless_and_bounded
            tool_invocations_are_bounded
            only_words_get_into_the_trail
            claims_follow_the_gatekeeper
            only_a_success_is_evaluated
            two_runs_of_one_session_stay_apart
            an_invocation_of_another_run_cannot_be_read
            the_ledger_keeps_every_byte
            the_audit_is_shown_at_one_place
            no_text_of_a_tool_or_a_claim_is_in_the_audit
            lists_are_cut_into_pages
            orphans_fail_with_what_they_left
        }
    };
    ($make:expr => $($name:ident)+) => {
        $(#[test] fn $name() { $crate::store::conformance::$name($make.store()); })+
    };
}
pub(super) use conformance_tests;

pub(super) fn new_run(run_id: &str, session_id: &str) -> NewRun {
    NewRun {
        run_id: run_id.into(),
        session_id: session_id.into(),
        owner: "host-a:41".into(),
        question: format!("why is {run_id} slow?"),
        nodes: vec![NodeComponent {
            node: "planner".into(),
            component: "planner.wasm".into(),
            version: "0.1.0".into(),
            sha256: "aa".repeat(32),
        }],
        created_ms: 1_000,
    }
}

pub(super) fn event(node: &str) -> Event {
    Event { node: node.into(), round: 1, attempt: 1, outcome: "COMPLETED".into(), reason_code: ReasonCode::Ok }
}

pub(super) fn step(seq: u32, node: &str) -> Step {
    Step {
        seq,
        event: event(node),
        input_sha256: Some("bb".repeat(32)),
        input_bytes: 1_234,
        output_bytes: 567,
        started_ms: 1_010,
        duration_ms: 20,
    }
}

pub(super) fn invocation(run_id: &str, invocation_id: &str, output: &[u8]) -> ToolInvocation {
    ToolInvocation {
        invocation: Invocation {
            invocation_id: invocation_id.into(),
            run_id: run_id.into(),
            tool_name: "query_logs".into(),
            arguments: r#"{"service":"cart"}"#.into(),
            status: InvocationStatus::Ok,
            output: output.into(),
            truncated: false,
        },
        original_bytes: output.len() as u64,
        started_ms: 1_015,
        duration_ms: 3,
    }
}

pub(super) fn binding(claim_id: &str, invocation_id: &str, status: BindingStatus) -> CheckedBinding {
    CheckedBinding {
        claim_id: claim_id.into(),
        source_invocation_id: Some(invocation_id.into()),
        tool_name: "query_logs".into(),
        raw_path: "/0/message".into(),
        matched_text: "OOMKilled".into(),
        status,
        reason_code: match status {
            BindingStatus::Pass => None,
            BindingStatus::Fail => Some("text_not_found".into()),
        },
    }
}

pub(super) fn claim(claim_id: &str, allowed: Option<bool>) -> ClaimRecord {
    ClaimRecord { claim_id: claim_id.into(), text: format!("{claim_id}: the pod was OOMKilled"), allowed }
}

/// The audit of the events that are stored.
fn trace(store: &dyn RunStore, run_id: &str) -> OrchestrationTrace {
    let mut trail = Trail::default();
    for event in store.events(run_id).unwrap() {
        trail.record(event).unwrap();
    }
    OrchestrationTrace::of(&trail, trail::Ending { verdict: Some(Verdict::Pass), ..trail::Ending::default() })
}

fn success(store: &dyn RunStore, run_id: &str) -> FinishedRun {
    let trace = trace(store, run_id);
    FinishedRun {
        ending: Ending::Success { answer: format!("{run_id} ran out of memory"), verdict: Some(Verdict::Pass), trace },
        metrics: object(json!({"wall_ms": 120, "tool_calls": 1})),
        finished_ms: 1_120,
    }
}

fn failure(reason: &str) -> FinishedRun {
    let ending = Ending::Failed { reason: reason.into(), trace: None };
    FinishedRun { ending, metrics: Map::new(), finished_ms: 1_120 }
}

fn evaluation(name: &str) -> Evaluation {
    Evaluation { name: name.into(), status: "ok".into(), figures: object(json!({"bindings_passed": 1})) }
}

fn object(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

/// A run of one round up to, and without, its end.
pub(super) fn run_up_to_the_end(store: &dyn RunStore, run_id: &str, session_id: &str) {
    store.begin(&new_run(run_id, session_id)).unwrap();
    store.append_step(run_id, &step(1, "planner")).unwrap();
    store.append_invocation(&invocation(run_id, &format!("{run_id}-inv"), b"[{\"message\":\"OOMKilled\"}]")).unwrap();
    store.append_step(run_id, &step(2, "executor")).unwrap();
    let bindings =
        [binding("c1", &format!("{run_id}-inv"), BindingStatus::Pass), binding("c2", "elsewhere", BindingStatus::Fail)];
    store.put_checked_bindings(run_id, 1, &bindings).unwrap();
    store.append_event(run_id, 3, &event("gatekeeper")).unwrap();
    store.put_claims(run_id, 1, &[claim("c1", None)]).unwrap();
    store.append_event(run_id, 4, &event("verified_input")).unwrap();
    store.put_claims(run_id, 1, &[claim("c1", Some(true))]).unwrap();
    store.append_step(run_id, &step(5, "verifier")).unwrap();
    store.append_step(run_id, &step(6, "composer")).unwrap();
}

pub(super) fn whole_run(store: &dyn RunStore, run_id: &str, session_id: &str) {
    run_up_to_the_end(store, run_id, session_id);
    store.finish(run_id, &success(store, run_id)).unwrap();
    store.put_evaluation(run_id, &evaluation("gate_figures")).unwrap();
}

/// Each way to write to a run, with the error that it met.
fn write_everything(store: &dyn RunStore, run_id: &str) -> Vec<(&'static str, Result<(), StoreError>)> {
    vec![
        ("event", store.append_event(run_id, 7, &event("fallback"))),
        ("step", store.append_step(run_id, &step(7, "composer"))),
        ("invocation", store.append_invocation(&invocation(run_id, "late", b"{}"))),
        ("bindings", store.put_checked_bindings(run_id, 2, &[])),
        ("claims", store.put_claims(run_id, 1, &[])),
        ("finish", store.finish(run_id, &failure("late"))),
    ]
}

pub(super) fn a_completed_run_is_kept_whole(store: &dyn RunStore) {
    // R-RUN-01 R-RUN-06 R-HOST-06 R-EVENT-03
    whole_run(store, "run-a", "session");
    let begun = new_run("run-a", "session");
    let flow = ["planner", "executor", "gatekeeper", "verified_input", "verifier", "composer"];
    let expected = Run {
        run_id: "run-a".into(),
        session_id: "session".into(),
        status: RunStatus::Success,
        question: begun.question,
        answer: Some("run-a ran out of memory".into()),
        verdict: Some(Verdict::Pass),
        agent_flow: flow.map(Into::into).into(),
        metrics: object(json!({"wall_ms": 120, "tool_calls": 1})),
        nodes: begun.nodes,
        failure_reason: None,
        owner: begun.owner,
        created_ms: 1_000,
        finished_ms: Some(1_120),
    };
    assert_eq!(store.run("run-a").unwrap(), Some(expected));
    assert_eq!(store.events("run-a").unwrap(), flow.map(event));
    let steps = [(1, "planner"), (2, "executor"), (5, "verifier"), (6, "composer")];
    assert_eq!(store.steps("run-a").unwrap(), steps.map(|(seq, node)| step(seq, node)));
    let round = Round {
        round: 1,
        checked_bindings: vec![
            binding("c1", "run-a-inv", BindingStatus::Pass),
            binding("c2", "elsewhere", BindingStatus::Fail),
        ],
        claims: vec![claim("c1", Some(true))],
    };
    assert_eq!(store.rounds("run-a").unwrap(), [round]);
    assert_eq!(store.evaluations("run-a").unwrap(), [evaluation("gate_figures")]);
    let trace = serde_json::to_value(trace(store, "run-a")).unwrap();
    assert_eq!(trace["events"].as_array().unwrap().len(), flow.len());
    assert_eq!(store.orchestration_trace("run-a").unwrap(), Some(trace));
}

pub(super) fn figures_keep_their_digits_and_their_order(store: &dyn RunStore) {
    // R-STATE-06
    let text = r#"{"z":0.30000000000000004,"a":12345678901234567890123,"m":1.0}"#;
    run_up_to_the_end(store, "run-a", "session");
    let metrics = serde_json::from_str(text).unwrap();
    store.finish("run-a", &FinishedRun { metrics, ..success(store, "run-a") }).unwrap();
    let run = store.run("run-a").unwrap().unwrap();
    assert_eq!(serde_json::to_string(&run.metrics).unwrap(), text);
}

pub(super) fn both_attempts_keep_the_same_digest(store: &dyn RunStore) {
    // R-HOST-08
    store.begin(&new_run("run-a", "session")).unwrap();
    let first =
        Event { outcome: "INVALID_OUTPUT".into(), reason_code: ReasonCode::ContractViolation, ..event("planner") };
    let second = Event { attempt: 2, ..event("planner") };
    let no_input = Step { input_sha256: None, input_bytes: 0, ..step(3, "executor") };
    let steps = [Step { event: first, ..step(1, "planner") }, Step { event: second, ..step(2, "planner") }, no_input];
    for step in &steps {
        store.append_step("run-a", step).unwrap();
    }
    let kept = store.steps("run-a").unwrap();
    assert_eq!(kept, steps);
    assert!(kept[0].input_sha256.is_some());
    assert_eq!(kept[0].input_sha256, kept[1].input_sha256);
}

pub(super) fn a_success_has_an_answer_and_a_trace(store: &dyn RunStore) {
    // R-RUN-05 R-RUN-06
    store.begin(&new_run("run-a", "session")).unwrap();
    let no_events = success(store, "run-a");
    assert!(matches!(store.finish("run-a", &no_events), Err(StoreError::Invalid(_))));
    store.append_event("run-a", 1, &event("fallback_pre_verification")).unwrap();
    for blank in ["", " \n\t"] {
        let ending = Ending::Success { answer: blank.into(), verdict: None, trace: trace(store, "run-a") };
        let finished = FinishedRun { ending, ..success(store, "run-a") };
        assert!(matches!(store.finish("run-a", &finished), Err(StoreError::Invalid(_))), "{blank:?}");
    }
    let run = store.run("run-a").unwrap().unwrap();
    assert_eq!((run.status, run.answer, run.finished_ms), (RunStatus::Running, None, None));

    store.finish("run-a", &failure("blank_answer")).unwrap();
    let run = store.run("run-a").unwrap().unwrap();
    assert_eq!((run.status, run.answer), (RunStatus::Failed, None));
    assert_eq!(run.failure_reason.as_deref(), Some("blank_answer"));
    assert_eq!(store.orchestration_trace("run-a").unwrap(), None);
}

pub(super) fn a_finished_run_is_never_changed(store: &dyn RunStore) {
    // R-RUN-06
    whole_run(store, "run-a", "session");
    run_up_to_the_end(store, "run-b", "session");
    store.finish("run-b", &failure("cancelled")).unwrap();
    for run_id in ["run-a", "run-b"] {
        let before = RunView::of(store, run_id).unwrap();
        for (write, met) in write_everything(store, run_id) {
            assert!(matches!(met, Err(StoreError::Finished(id)) if id == run_id), "{write}");
        }
        assert!(matches!(store.finish(run_id, &success(store, run_id)), Err(StoreError::Finished(_))));
        assert_eq!(RunView::of(store, run_id).unwrap(), before);
    }
}

pub(super) fn an_unknown_run_takes_nothing_and_has_nothing(store: &dyn RunStore) {
    // R-RUN-07
    for (write, met) in write_everything(store, "nobody") {
        assert!(matches!(met, Err(StoreError::UnknownRun(id)) if id == "nobody"), "{write}");
    }
    assert!(matches!(store.put_evaluation("nobody", &evaluation("x")), Err(StoreError::UnknownRun(_))));
    let after_nobody = RunFilter { after: Some("nobody".into()), ..RunFilter::default() };
    assert!(matches!(store.list_runs(&after_nobody), Err(StoreError::UnknownRun(_))));
    assert_eq!(RunView::of(store, "nobody").unwrap(), None);
    assert_eq!(SessionView::of(store, "nobody", None).unwrap(), None);
    assert_eq!(store.orchestration_trace("nobody").unwrap(), None);
    assert!(store.events("nobody").unwrap().is_empty());
    assert!(store.invocations("nobody").unwrap().is_empty());
    assert_eq!(store.invocation("nobody", "late").unwrap(), None);
    assert!(store.list_runs(&RunFilter::default()).unwrap().runs.is_empty());
}

pub(super) fn a_run_without_identity_is_refused(store: &dyn RunStore) {
    // R-NODE-03
    let run = || new_run("run-a", "session");
    let refused = [
        NewRun { run_id: String::new(), ..run() },
        NewRun { run_id: " ".into(), ..run() },
        NewRun { session_id: String::new(), ..run() },
        NewRun { session_id: "s".repeat(257), ..run() },
        NewRun { owner: String::new(), ..run() },
    ];
    for run in refused {
        assert!(matches!(store.begin(&run), Err(StoreError::Invalid(_))), "{run:?}");
    }
    assert!(store.running().unwrap().is_empty());
}

pub(super) fn nothing_is_recorded_twice(store: &dyn RunStore) {
    // R-GATE-01 R-EVENT-01
    run_up_to_the_end(store, "run-a", "session");
    let before = RunView::of(store, "run-a").unwrap();
    let check = |what: &str, met: Result<(), StoreError>| {
        assert!(matches!(&met, Err(StoreError::Duplicate { run_id, .. }) if run_id == "run-a"), "{what}: {met:?}");
    };
    check("beginning", store.begin(&new_run("run-a", "another session")));
    check("invocation", store.append_invocation(&invocation("run-a", "run-a-inv", b"something else")));
    check("bindings", store.put_checked_bindings("run-a", 1, &[]));
    assert_eq!(RunView::of(store, "run-a").unwrap(), before);

    store.finish("run-a", &success(store, "run-a")).unwrap();
    store.put_evaluation("run-a", &evaluation("gate_figures")).unwrap();
    check("evaluation", store.put_evaluation("run-a", &evaluation("gate_figures")));
}

pub(super) fn events_are_gapless_and_bounded(store: &dyn RunStore) {
    // R-EVENT-01 R-STATE-02
    store.begin(&new_run("run-a", "session")).unwrap();
    let last = u32::try_from(EVENTS_MAX).unwrap();
    for expected in 1..=last {
        for wrong in [0, expected - 1, expected + 1] {
            let met = store.append_event("run-a", wrong, &event("planner"));
            assert!(
                matches!(met, Err(StoreError::OutOfSequence { seq, next, .. }) if (seq, next) == (wrong, expected))
                    || (wrong > last && matches!(met, Err(StoreError::Full { .. }))),
                "{wrong} in place of {expected}: {met:?}"
            );
        }
        // Steps and the events of native nodes are counted together.
        if expected % 2 == 0 {
            store.append_event("run-a", expected, &event("gatekeeper")).unwrap();
        } else {
            store.append_step("run-a", &step(expected, "executor")).unwrap();
        }
    }
    let met = store.append_event("run-a", last + 1, &event("planner"));
    assert!(matches!(met, Err(StoreError::Full { what: "events", max: EVENTS_MAX, .. })));
    assert_eq!(store.events("run-a").unwrap().len(), EVENTS_MAX);
}

pub(super) fn tool_invocations_are_bounded(store: &dyn RunStore) {
    store.begin(&new_run("run-a", "session")).unwrap();
    for number in 0..INVOCATIONS_MAX {
        store.append_invocation(&invocation("run-a", &format!("inv-{number}"), b"{}")).unwrap();
    }
    let met = store.append_invocation(&invocation("run-a", "one-more", b"{}"));
    assert!(matches!(met, Err(StoreError::Full { what: "tool invocations", max: INVOCATIONS_MAX, .. })));
    assert_eq!(store.invocations("run-a").unwrap().len(), INVOCATIONS_MAX);
}

pub(super) fn only_words_get_into_the_trail(store: &dyn RunStore) {
    // R-RUN-02 R-EVENT-02
    store.begin(&new_run("run-a", "session")).unwrap();
    for text in ["", "you are a helpful planner", "COMPLETED\n", &"x".repeat(65)] {
        let events =
            [Event { node: text.into(), ..event("planner") }, Event { outcome: text.into(), ..event("planner") }];
        for event in events {
            assert!(matches!(store.append_event("run-a", 1, &event), Err(StoreError::Invalid(_))), "{event:?}");
            let step = Step { event, ..step(1, "planner") };
            assert!(matches!(store.append_step("run-a", &step), Err(StoreError::Invalid(_))), "{step:?}");
        }
    }
    assert!(store.events("run-a").unwrap().is_empty());
}

pub(super) fn claims_follow_the_gatekeeper(store: &dyn RunStore) {
    // R-GATE-01 R-VERIFY-06
    store.begin(&new_run("run-a", "session")).unwrap();
    let met = store.put_claims("run-a", 1, &[claim("c1", None)]);
    assert!(matches!(met, Err(StoreError::NotJudged { round: 1, .. })));

    store.put_checked_bindings("run-a", 1, &[binding("c1", "inv", BindingStatus::Pass)]).unwrap();
    store.put_claims("run-a", 1, &[claim("c1", None)]).unwrap();
    // The verifier failed, or the run was killed: nothing says that the claim is allowed.
    assert_eq!(store.rounds("run-a").unwrap()[0].claims, [claim("c1", None)]);
    store.put_claims("run-a", 1, &[claim("c1", Some(false))]).unwrap();

    let met = store.put_claims("run-a", 2, &[claim("c1", Some(true))]);
    assert!(matches!(met, Err(StoreError::NotJudged { round: 2, .. })));
    store.put_checked_bindings("run-a", 2, &[]).unwrap();
    let rounds = store.rounds("run-a").unwrap();
    assert_eq!(rounds.iter().map(|round| round.round).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(rounds[0].claims, [claim("c1", Some(false))]);
    assert!(rounds[1].claims.is_empty());
}

pub(super) fn only_a_success_is_evaluated(store: &dyn RunStore) {
    // R-RUN-05 R-RUN-06
    run_up_to_the_end(store, "run-a", "session");
    assert!(matches!(store.put_evaluation("run-a", &evaluation("x")), Err(StoreError::NotSuccessful(_))));
    store.finish("run-a", &failure("cancelled")).unwrap();
    assert!(matches!(store.put_evaluation("run-a", &evaluation("x")), Err(StoreError::NotSuccessful(_))));
    assert!(store.evaluations("run-a").unwrap().is_empty());

    whole_run(store, "run-b", "session");
    let before = store.run("run-b").unwrap();
    store.put_evaluation("run-b", &evaluation("another")).unwrap();
    let names: Vec<String> = store.evaluations("run-b").unwrap().into_iter().map(|found| found.name).collect();
    assert_eq!(names, ["another", "gate_figures"]);
    assert_eq!(store.run("run-b").unwrap(), before);
}

pub(super) fn two_runs_of_one_session_stay_apart(store: &dyn RunStore) {
    // R-RUN-07 R-STATE-05
    whole_run(store, "run-a", "session");
    let before = RunView::of(store, "run-a").unwrap();
    store.begin(&new_run("run-b", "session")).unwrap();
    let fresh = RunView::of(store, "run-b").unwrap().unwrap();
    assert!(fresh.run.run.agent_flow.is_empty() && fresh.run.run.metrics.is_empty());
    assert_eq!((fresh.run.run.answer, fresh.run.orchestration_trace), (None, None));
    assert!(fresh.steps.is_empty() && fresh.claims.is_empty() && fresh.checked_bindings.is_empty());
    assert!(fresh.tool_invocations.is_empty() && fresh.evaluations.is_empty());

    store.append_event("run-b", 1, &event("fallback_pre_verification")).unwrap();
    store.finish("run-b", &success(store, "run-b")).unwrap();
    assert_eq!(RunView::of(store, "run-a").unwrap(), before);
    let trace = store.orchestration_trace("run-b").unwrap().unwrap();
    assert_eq!(trace["path"], "fallback_pre_verification");
}

pub(super) fn an_invocation_of_another_run_cannot_be_read(store: &dyn RunStore) {
    // R-RUN-07 R-GATE-05
    for run_id in ["run-a", "run-b"] {
        store.begin(&new_run(run_id, "session")).unwrap();
    }
    store.append_invocation(&invocation("run-a", "inv-a", b"secret of a")).unwrap();
    assert_eq!(store.invocation("run-b", "inv-a").unwrap(), None);
    assert!(store.invocations("run-b").unwrap().is_empty());
    let foreign = |run_id: &str, id: &str| store.is_foreign_invocation(run_id, id).unwrap();
    assert!(foreign("run-b", "inv-a"));
    assert!(!foreign("run-a", "inv-a"));
    assert!(!foreign("run-b", "invented"));

    // Ids are unique in their run, not beyond it: each run reads its own.
    store.append_invocation(&invocation("run-b", "inv-a", b"secret of b")).unwrap();
    for (run_id, body) in [("run-a", b"secret of a"), ("run-b", b"secret of b")] {
        assert_eq!(store.invocation(run_id, "inv-a").unwrap(), Some(invocation(run_id, "inv-a", body)));
    }
}

pub(super) fn the_ledger_keeps_every_byte(store: &dyn RunStore) {
    // R-GATE-02 R-GATE-08
    store.begin(&new_run("run-a", "session")).unwrap();
    let mut recorded = vec![
        invocation("run-a", "z-first", b"{\"message\": \"caf\xe9\0\"}"),
        invocation("run-a", "empty", b""),
        invocation("run-a", "large", &b"0123456789".repeat(30_000)),
    ];
    recorded[2].invocation.truncated = true;
    recorded[2].original_bytes = 9_000_000;
    recorded[1].invocation.status = InvocationStatus::TimedOut;
    for one in &recorded {
        store.append_invocation(one).unwrap();
    }
    for one in &recorded {
        assert_eq!(store.invocation("run-a", &one.invocation.invocation_id).unwrap().as_ref(), Some(one));
    }
    let records: Vec<InvocationRecord> = recorded.iter().map(Into::into).collect();
    assert_eq!(store.invocations("run-a").unwrap(), records);
    // sha256 of nothing, from FIPS 180-4's test vectors.
    assert_eq!(records[1].output_sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_eq!((records[2].output_bytes, records[2].original_bytes), (300_000, 9_000_000));
}

pub(super) fn the_audit_is_shown_at_one_place(store: &dyn RunStore) {
    // R-RUN-04 R-RUN-01
    whole_run(store, "run-a", "session");
    let audit = store.orchestration_trace("run-a").unwrap().unwrap();
    let view = serde_json::to_value(RunView::of(store, "run-a").unwrap().unwrap()).unwrap();
    assert_eq!(view["run"]["orchestrationTrace"], audit);
    assert_eq!(places_of(&view, &audit), ["/run/orchestrationTrace"]);
    let keys: Vec<&str> = view.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["run", "steps", "claims", "checkedBindings", "toolInvocations", "evaluations"]);
    assert_eq!(view["claims"][0]["round"], 1);
    assert_eq!(view["steps"][0]["node"], "planner");

    let session = serde_json::to_value(SessionView::of(store, "session", None).unwrap().unwrap()).unwrap();
    assert_eq!(session["runs"][0]["run_id"], "run-a");
    assert!(places_of(&session, &audit).is_empty());

    // A run that still runs has no audit yet.
    run_up_to_the_end(store, "run-b", "session");
    let view = serde_json::to_value(RunView::of(store, "run-b").unwrap().unwrap()).unwrap();
    assert_eq!(view["run"]["orchestrationTrace"], Value::Null);
}

/// Where `audit`, or its events, or its name is in a document.
fn places_of(document: &Value, audit: &Value) -> Vec<String> {
    fn walk(value: &Value, place: &str, audit: &Value, found: &mut Vec<String>) {
        let is_named = place.ends_with("/orchestrationTrace") || place.ends_with("/orchestration_trace");
        if is_named || value == audit || *value == audit["events"] {
            found.push(place.to_owned());
            return;
        }
        match value {
            Value::Object(object) => {
                object.iter().for_each(|(key, value)| walk(value, &format!("{place}/{key}"), audit, found));
            }
            Value::Array(array) => {
                array.iter().enumerate().for_each(|(at, value)| walk(value, &format!("{place}/{at}"), audit, found));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    walk(document, "", audit, &mut found);
    found
}

pub(super) fn no_text_of_a_tool_or_a_claim_is_in_the_audit(store: &dyn RunStore) {
    // R-RUN-02
    store.begin(&new_run("run-a", "session")).unwrap();
    store.append_step("run-a", &step(1, "executor")).unwrap();
    store.append_invocation(&invocation("run-a", "inv", b"\"CANARY-OUTPUT\"")).unwrap();
    let failed = CheckedBinding { matched_text: "CANARY-QUOTE".into(), ..binding("c1", "inv", BindingStatus::Fail) };
    store.put_checked_bindings("run-a", 1, &[failed]).unwrap();
    store.put_claims("run-a", 1, &[ClaimRecord { text: "CANARY-CLAIM".into(), ..claim("c1", Some(true)) }]).unwrap();
    store.finish("run-a", &success(store, "run-a")).unwrap();
    let audit = store.orchestration_trace("run-a").unwrap().unwrap().to_string();
    assert!(audit.contains("executor") && !audit.contains("CANARY"), "{audit}");
    let view = serde_json::to_string(&RunView::of(store, "run-a").unwrap().unwrap()).unwrap();
    assert!(view.contains("CANARY-CLAIM") && !view.contains("CANARY-OUTPUT"), "{view}");
    let session = serde_json::to_string(&SessionView::of(store, "session", None).unwrap().unwrap()).unwrap();
    assert!(!session.contains("CANARY"), "{session}");
}

pub(super) fn lists_are_cut_into_pages(store: &dyn RunStore) {
    for (run_id, session_id, created_ms) in
        [("run-1", "s1", 10), ("run-2", "s2", 20), ("run-3", "s1", 20), ("run-4", "s1", 5), ("run-5", "s2", 30)]
    {
        store.begin(&NewRun { created_ms, ..new_run(run_id, session_id) }).unwrap();
    }
    store.finish("run-3", &failure("cancelled")).unwrap();

    let list = |filter: RunFilter| {
        let page = store.list_runs(&filter).unwrap();
        let ids = page.runs.into_iter().map(|run| run.run_id).collect::<Vec<_>>().join(" ");
        (ids, page.next)
    };
    let check = |filter: RunFilter, expected: &str| assert_eq!(list(filter), (expected.to_owned(), None));
    let all = RunFilter::default;
    check(all(), "run-5 run-3 run-2 run-1 run-4");
    check(RunFilter { session_id: Some("s1".into()), ..all() }, "run-3 run-1 run-4");
    check(RunFilter { status: Some(RunStatus::Failed), ..all() }, "run-3");
    check(RunFilter { session_id: Some("s2".into()), status: Some(RunStatus::Running), ..all() }, "run-5 run-2");
    check(RunFilter { status: Some(RunStatus::Success), ..all() }, "");
    check(RunFilter { limit: usize::MAX, after: Some("run-3".into()), ..all() }, "run-2 run-1 run-4");
    check(RunFilter { limit: 5, ..all() }, "run-5 run-3 run-2 run-1 run-4");

    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let (ids, next) = list(RunFilter { limit: 2, after, ..all() });
        seen.push(ids);
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["run-5 run-3", "run-2 run-1", "run-4"]);

    let session = SessionView::of(store, "s1", None).unwrap().unwrap();
    assert_eq!(session.page.runs.len(), 3);
    assert!(session.page.runs.iter().all(|run| run.session_id == "s1"));
}

pub(super) fn orphans_fail_with_what_they_left(store: &dyn RunStore) {
    // R-RUN-05 R-RUN-02
    let begin = |run_id: &str, owner: &str| store.begin(&NewRun { owner: owner.into(), ..new_run(run_id, "session") });
    whole_run(store, "finished", "session");
    let finished = RunView::of(store, "finished").unwrap();
    begin("alive", "host-a:1").unwrap();
    begin("orphan", "host-a:2").unwrap();
    begin("newborn", "host-a:2").unwrap();
    store.append_step("orphan", &step(1, "planner")).unwrap();
    store.append_step("orphan", &step(2, "executor")).unwrap();
    let owners = store.running().unwrap().into_iter().map(|run| format!("{} {}", run.run_id, run.owner));
    assert_eq!(owners.collect::<Vec<_>>(), ["alive host-a:1", "newborn host-a:2", "orphan host-a:2"]);

    let is_alive = |owner: &str| owner == "host-a:1";
    assert_eq!(fail_orphans(store, &is_alive, 9_000).unwrap(), 2);
    assert_eq!(fail_orphans(store, &is_alive, 9_999).unwrap(), 0);

    let orphan = store.run("orphan").unwrap().unwrap();
    assert_eq!((orphan.status, orphan.finished_ms), (RunStatus::Failed, Some(9_000)));
    assert_eq!(orphan.failure_reason.as_deref(), Some(INTERRUPTED));
    assert_eq!(orphan.agent_flow, ["planner", "executor"]);
    assert_eq!(store.steps("orphan").unwrap().len(), 2);
    let trace = store.orchestration_trace("orphan").unwrap().unwrap();
    assert_eq!(trace["path"], "planner > executor");

    assert_eq!(store.run("newborn").unwrap().unwrap().status, RunStatus::Failed);
    assert_eq!(store.orchestration_trace("newborn").unwrap(), None);
    assert_eq!(store.run("alive").unwrap().unwrap().status, RunStatus::Running);
    assert_eq!(RunView::of(store, "finished").unwrap(), finished);
}
