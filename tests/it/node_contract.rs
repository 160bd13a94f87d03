//! Layer 2: what each node is shown, whose run it is, and how its call ends. Nothing here depends on a call order.

use crate::support::{Bench, Reply, claim, evidence, id, nodes, plan, verification};
use portcullis::agents::AgentRole;
use portcullis::run::{Answered, Diagnosis};
use portcullis_core::document::{PlanMode, Query};
use portcullis_core::projection::PlannerProjection;
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{FailureClass, InvokeError, RunIdentity};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

async fn answered(bench: &Bench) -> Answered {
    match bench.run().await {
        Diagnosis::Answered(answered) => answered,
        Diagnosis::Failed { reason, .. } => panic!("the run failed: {reason}"),
    }
}

fn only_input(bench: &Bench, role: AgentRole) -> Value {
    let inputs = bench.agents.inputs(role);
    assert_eq!(inputs.len(), 1, "{role:?}");
    serde_json::from_str(&inputs[0]).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn each_input_holds_its_projection_and_nothing_else() {
    // R-NODE-02 R-STATE-03 R-STATE-04 R-VERIFY-04 R-ANSWER-01 R-HOST-03
    let bench = Bench::new();
    answered(bench.good()).await;
    let planner = only_input(&bench, AgentRole::Planner);
    assert_eq!(keys(&planner), ["input_version", "answer_version", "query", "mode", "tools", "retry"]);
    let executor = only_input(&bench, AgentRole::Executor);
    assert_eq!(keys(&executor), ["input_version", "answer_version", "query", "plan", "tools", "retry"]);
    let verifier = only_input(&bench, AgentRole::Verifier);
    assert_eq!(keys(&verifier), ["input_version", "answer_version", "query", "material", "audit", "retry"]);
    assert_eq!(keys(&verifier["material"]), ["claims", "evidence"]);
    assert_eq!(
        keys(&verifier["material"]["evidence"][0]),
        ["claim_id", "source_invocation_id", "tool_name", "raw_path", "matched_text"]
    );
    let composer = only_input(&bench, AgentRole::Composer);
    assert_eq!(
        keys(&composer),
        ["input_version", "answer_version", "effective_verdict", "claims", "missing_information", "recommendations"]
    );
}

#[tokio::test]
async fn every_agent_is_asked_under_the_run_that_it_works_for() {
    // R-NODE-01 R-RUN-07
    let bench = Bench::new();
    let answered = answered(bench.good()).await;
    let asked = bench.agents.asked();
    assert_eq!(asked.len(), 4);
    for asked in asked {
        assert_eq!((asked.run.run_id.as_str(), asked.run.session_id.as_str()), (answered.run_id.as_str(), "session-1"));
    }
    let invocations = bench.store.invocations(&answered.run_id).unwrap();
    assert_eq!(invocations.len(), 1, "the tool call is recorded under the same run");
}

#[tokio::test]
async fn a_missing_identity_fails_before_anything_is_called() {
    // R-NODE-03
    let query = Query { question: "why?".into(), facts: vec![] };
    let projection = PlannerProjection { query: &query, mode: PlanMode::Initial, tools: &[], retry: None };
    for (run_id, session_id) in [("", "session"), ("run", ""), (" ", "session"), ("", "")] {
        let run = RunIdentity { run_id: run_id.into(), session_id: session_id.into(), metadata: BTreeMap::new() };
        let refused = nodes().adapters.planner.prepare(&projection, &Arc::new(run)).await.err().unwrap();
        assert_eq!((refused.reason, refused.class), (ReasonCode::NoRunIdentity, FailureClass::NonRetryable));
    }
}

/// The outcome words and reasons of one node.
fn ends(answered: &Answered, node: &str) -> Vec<(String, ReasonCode)> {
    let of_node = answered.trace.events.iter().filter(|event| event.node == node);
    of_node.map(|event| (event.outcome.clone(), event.reason_code)).collect()
}

#[tokio::test]
async fn only_what_is_known_to_pass_by_itself_is_retryable() {
    // R-NODE-05 R-ROUTE-04
    let words = || "why".to_owned();
    for (error, outcome, reason) in [
        (InvokeError::TimedOut(words()), "RETRYABLE_FAILED", ReasonCode::InvokeTimeout),
        (InvokeError::Transient(words()), "RETRYABLE_FAILED", ReasonCode::InvokeTransient),
        (InvokeError::Permanent(words()), "NON_RETRYABLE_FAILED", ReasonCode::InvokePermanent),
        (InvokeError::Blocked(words()), "NON_RETRYABLE_FAILED", ReasonCode::ToolBlocked),
        (InvokeError::RunBudget(words()), "NON_RETRYABLE_FAILED", ReasonCode::RunBudget),
    ] {
        let bench = Bench::new();
        bench.reply(AgentRole::Planner, Reply::Fails(error)).good();
        let answered = answered(&bench).await;
        let first = ends(&answered, "planner").remove(0);
        assert_eq!(first, (outcome.to_owned(), reason));
        assert_eq!(answered.trace.degraded, outcome == "NON_RETRYABLE_FAILED");
    }
}

#[tokio::test]
async fn the_executor_is_never_tried_again() {
    // R-ROUTE-05 R-NODE-05
    for reply in [Reply::transient(), Reply::permanent(), Reply::Text("no document".into())] {
        let bench = Bench::new();
        bench.reply(AgentRole::Planner, Reply::json(&plan())).reply(AgentRole::Executor, reply);
        let answered = answered(&bench).await;
        assert_eq!(answered.trace.path, "planner > executor > fallback_pre_verification");
        assert_eq!(bench.agents.inputs(AgentRole::Executor).len(), 1);
    }
}

#[tokio::test]
async fn a_broken_contract_makes_up_no_verdict_and_no_evidence() {
    // R-NODE-04 R-VERIFY-06
    let foreign_claim = verification("PASS", &["c1", "c9"]);
    let broken = [
        Reply::Text("PASS".into()),
        Reply::Text(r#"{"answer_version":"verification_v1","verdict":"PASS""#.into()),
        Reply::json(&verification("MAYBE", &["c1"])),
        Reply::json(&foreign_claim),
    ];
    for reply in broken {
        let bench = Bench::new();
        bench.reply(AgentRole::Verifier, reply.clone()).reply(AgentRole::Verifier, reply).good();
        let answered = answered(&bench).await;
        assert_eq!(ends(&answered, "verifier"), vec![("INVALID_OUTPUT".to_owned(), ReasonCode::ContractViolation); 2]);
        assert_eq!(answered.verdict, None);
        let run = bench.store.run(&answered.run_id).unwrap().unwrap();
        let statuses = &run.metrics["statuses"];
        assert_eq!(statuses["verifier_status"], "INVALID_OUTPUT");
        assert_eq!(statuses["verifier_model_verdict"], Value::Null);
        assert_eq!(statuses["effective_verdict"], Value::Null);
    }
}

#[tokio::test]
async fn a_ceiling_lowers_the_verdict_and_leaves_status_and_model_verdict_alone() {
    // R-VERIFY-05 R-GATE-06
    let bench = Bench::new();
    bench.reply(
        AgentRole::Executor,
        Reply::Calls(vec![("look", json!({}))], |ids| {
            let mut document = evidence(ids);
            let wrong = claim("c2", "checkout is fast", &id(ids, 0), "$.status", "checkout is fast");
            document["claims"].as_array_mut().unwrap().push(wrong);
            document.to_string()
        }),
    );
    let answered = answered(bench.good()).await;
    let run = bench.store.run(&answered.run_id).unwrap().unwrap();
    let statuses = &run.metrics["statuses"];
    assert_eq!(statuses["verifier_status"], "COMPLETED");
    assert_eq!(statuses["verifier_model_verdict"], "PASS");
    assert_eq!(statuses["effective_verdict"], "LOW_CONFID");
    assert_eq!(only_input(&bench, AgentRole::Verifier)["audit"]["ceiling"], "LOW_CONFID");
}

#[tokio::test]
async fn a_denied_tool_blocks_the_executor_only_when_no_legal_contract_results() {
    // R-NODE-06 R-ROUTE-06
    let call = || vec![("forbidden", json!({})), ("look", json!({}))];
    let bench = Bench::new();
    bench.reply(AgentRole::Executor, Reply::Calls(call(), |_| "I was not allowed to.".into())).good();
    let blocked = answered(&bench).await;
    assert_eq!(ends(&blocked, "executor"), [("TOOL_BLOCKED".to_owned(), ReasonCode::ToolBlocked)]);

    let bench = Bench::new();
    bench
        .reply(
            AgentRole::Executor,
            Reply::Calls(call(), |ids| {
                json!({
                    "answer_version": "executor_evidence_v2",
                    "claims": [claim("c1", "checkout is slow", &id(ids, 1), "$.status", "checkout is slow")],
                    "limitations": ["forbidden is not allowed"],
                })
                .to_string()
            }),
        )
        .good();
    let limited = answered(&bench).await;
    assert_eq!(ends(&limited, "executor"), [("COMPLETED".to_owned(), ReasonCode::Ok)]);
}

#[tokio::test]
async fn an_evidence_retry_tells_both_agents_what_is_known_and_what_is_missing() {
    // R-RETRY-01 R-RETRY-02 R-RETRY-03 R-RETRY-04 R-ROUTE-08
    let bench = Bench::new();
    let mut report = verification("LOW_CONFID", &["c1"]);
    report["facts"] = json!([
        {"fact": "c1: checkout is slow", "is_critical": true, "verification": "indirect_support", "reason": "one source"},
        {"fact": "the disk is full", "is_critical": false, "verification": "no_evidence", "reason": "not asked"},
    ]);
    bench.reply(AgentRole::Verifier, Reply::json(&report)).good();
    bench.reply(AgentRole::Planner, Reply::json(&plan()));
    // Round 2 answers with a whole snapshot; what it repeats of round 1 is quoted anew and checked anew.
    bench.reply(
        AgentRole::Executor,
        Reply::Calls(vec![("look", json!({"again": true}))], |ids| evidence(ids).to_string()),
    );
    let answered = answered(&bench).await;
    assert_eq!(answered.trace.evidence_retries, 1);
    let rounds = bench.store.rounds(&answered.run_id).unwrap();
    assert_eq!(rounds.len(), 2, "the second snapshot passed the gatekeeper again");

    let planner: Value = serde_json::from_str(&bench.agents.inputs(AgentRole::Planner)[1]).unwrap();
    assert_eq!(planner["mode"], "EVIDENCE_GAP_ONLY");
    let retry = &planner["retry"];
    assert_eq!(
        retry["gaps"],
        json!([{"claim_id": "c1", "fact": "checkout is slow", "verification": "indirect_support", "reason": "one source"}])
    );
    assert_eq!(retry["prior"]["claims"], json!([{"claim_id": "c1", "text": "checkout is slow"}]));
    assert_eq!(
        retry["constraints"],
        json!({"max_retry": 1, "do_not_repeat_successful_queries": true,
               "only_execute_incremental_queries": true, "preserve_prior_verified_claims": true})
    );
    let queries = retry["completed_queries"].as_array().unwrap();
    assert_eq!(
        (queries.len(), &queries[0]["tool_name"], &queries[0]["raw_path"]),
        (1, &json!("look"), &json!("$.status"))
    );

    let executor: Value = serde_json::from_str(&bench.agents.inputs(AgentRole::Executor)[1]).unwrap();
    assert_eq!(executor["retry"], *retry);
    let told = executor["instruction"].as_str().unwrap();
    assert!(told.contains("complete") && told.contains("executor_evidence_v2"), "{told}");
    let first: Value = serde_json::from_str(&bench.agents.inputs(AgentRole::Executor)[0]).unwrap();
    assert_eq!(first.get("instruction"), None);
}

#[tokio::test]
async fn the_same_values_give_the_same_bytes() {
    // R-STATE-06 R-HOST-08
    let digest = |bench: &Bench, run: &str| bench.store.steps(run).unwrap().remove(0).input_sha256.unwrap();
    let (one, other) = (Bench::new(), Bench::new());
    let (first, second) = (answered(one.good()).await, answered(other.good()).await);
    assert_eq!(digest(&one, &first.run_id), digest(&other, &second.run_id));
    assert_eq!(one.agents.inputs(AgentRole::Planner), other.agents.inputs(AgentRole::Planner));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn runs_side_by_side_share_nothing() {
    // R-STATE-05 R-HOST-05 R-RUN-07
    let runs = (0..24).map(|number| async move {
        let bench = Bench::new();
        let mark = format!("mark-{number}-x");
        let mut plan = plan();
        plan["steps"][0]["goal"] = json!(mark);
        bench.reply(AgentRole::Planner, Reply::json(&plan)).good();
        let answered = answered(&bench).await;
        let input = bench.agents.inputs(AgentRole::Executor).remove(0);
        assert!(input.contains(&mark) && input.matches("mark-").count() == 1, "{input}");
        answered.run_id
    });
    let mut ids = Vec::new();
    for task in runs.map(tokio::spawn).collect::<Vec<_>>() {
        ids.push(task.await.unwrap());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 24);
}
