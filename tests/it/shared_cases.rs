//! The cases from the field in `../shared/cases` that need neither HTTP nor MCP, each with the value that its
//! description calls right. They are read in place: nothing of them is copied.
//!
//! Case 037 needs a process that is killed: see `cli/runs.rs`.

use crate::support::{self, Bench, Reply, claim, composed, evidence, id, nodes, plan, verification};
use async_trait::async_trait;
use portcullis::agents::AgentRole;
use portcullis::offline::check;
use portcullis::run::{Answered, Diagnosis, Host, Request, Unwatched};
use portcullis::tools::{CallError, ToolAnswer, ToolProvider};
use portcullis_core::document::{Evidence, Tool, Violation};
use portcullis_core::gate::{self, BindingStatus, GateInput, GateReason, GateReport, GateStatus};
use portcullis_core::ledger::{Invocation, InvocationStatus};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The bytes of an input; none when the cases are absent.
fn input(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(support::shared(&format!("cases/inputs/{name}"))?).unwrap())
}

fn script(name: &str) -> Option<Value> {
    Some(serde_json::from_slice(&input(name)?).unwrap())
}

/// What the evidence parser says of a text.
async fn parsed(text: &str) -> Result<Evidence, Violation> {
    nodes().parsers.evidence.parse(text).await.unwrap()
}

/// One claim with one binding, whose quote is `quote`.
async fn is_one_claim(name: &str, quote: &str) {
    let Some(bytes) = input(name) else { return };
    let evidence =
        parsed(str::from_utf8(&bytes).unwrap()).await.unwrap_or_else(|violation| panic!("{name}: {violation:?}"));
    let quotes: Vec<_> = evidence.claims.iter().flat_map(|claim| &claim.bindings).map(|it| &it.matched_text).collect();
    assert_eq!(quotes, [quote], "{name}");
}

async fn is_refused(name: &str, words: &str) {
    let Some(bytes) = input(name) else { return };
    let violation = parsed(str::from_utf8(&bytes).unwrap()).await.unwrap_err();
    assert!(violation.message.contains(words), "{name}: {violation:?}");
}

#[tokio::test]
async fn wrapping_is_removed_and_nothing_else() {
    // R-PARSE-01 case-001 case-002 case-004 case-017a
    is_one_claim("case-001a.txt", "OOMKilled").await;
    is_one_claim("case-001b.txt", "OOMKilled").await;
    let runbook = "Run this:\n```bash\nkubectl rollout restart deploy/cart\n```\nand wait.";
    assert_eq!(runbook.chars().count(), 67);
    is_one_claim("case-002.txt", runbook).await;
    is_one_claim("case-004.txt", "OOMKilled").await;
    is_one_claim("case-017a.txt", "OOMKilled").await;
}

#[tokio::test]
async fn nothing_is_repaired() {
    // R-PARSE-01 R-NODE-04 case-005 case-007 case-008 case-009 case-011 case-015 case-017b
    is_refused("case-005a.txt", "trailing comma").await;
    is_refused("case-005b.txt", "key must be a string").await;
    is_refused("case-007.txt", "duplicate key").await;
    is_refused("case-008.txt", "control character").await;
    is_refused("case-009.txt", "EOF").await;
    is_refused("case-011.txt", "expected `,` or `}`").await;
    is_refused("case-015.txt", "an object without answer_version").await;
    is_refused("case-017b.txt", "key must be a string").await;
}

/// What the gatekeeper says of a check file.
async fn checked(name: &str) -> Option<GateReport> {
    Some(check::check(&input(name)?, &nodes().parsers.evidence).await.unwrap())
}

/// Claim, status and reason code of each binding.
fn findings(report: &GateReport) -> Vec<(&str, BindingStatus, &str)> {
    report.checked.iter().map(|it| (it.claim_id.as_str(), it.status, it.reason_code.as_str())).collect()
}

const PASS: BindingStatus = BindingStatus::Pass;
const FAIL: BindingStatus = BindingStatus::Fail;

#[tokio::test]
async fn digits_of_any_number_are_kept() {
    // R-GATE-07 case-013
    let Some(report) = checked("case-013.json").await else { return };
    // The quote of claim-3 is kept to its last digit, but its text says "20 digits", and no quote holds a 20. The
    // contract asks that of every number of a claim, so the design has it fail where the case would let it pass.
    assert_eq!(
        findings(&report),
        [("claim-1", PASS, "ok"), ("claim-2", FAIL, "text_not_found"), ("claim-3", FAIL, "claim_number_unsupported")]
    );
    assert_eq!(report.checked[2].matched_text, "73019482551300000012");
    let Some(mut file) = script("case-013.json") else { return };
    file["executor_output"]["claims"][2]["text"] = json!("Another order is stuck.");
    let report = check::check(file.to_string().as_bytes(), &nodes().parsers.evidence).await.unwrap();
    assert_eq!(findings(&report)[2], ("claim-3", PASS, "ok"));
}

#[tokio::test]
async fn bytes_that_are_not_utf8_are_kept_and_cannot_be_quoted() {
    // R-GATE-07 case-018
    let (Some(bytes), Some(file)) = (input("case-018.txt"), script("case-018b.json")) else { return };
    let text = |name: &str| file[name].as_str().unwrap().to_owned();
    let invocation = Invocation {
        invocation_id: text("invocation_id"),
        run_id: text("run_id"),
        tool_name: text("tool_name"),
        arguments: "{}".into(),
        status: InvocationStatus::Ok,
        output: bytes.clone().into(),
        truncated: false,
    };
    let evidence = parsed(&file["executor_output"].to_string()).await.unwrap();
    let invocations = [invocation];
    let report =
        gate::check(&GateInput { run_id: "run-18", evidence: &evidence, invocations: &invocations, tools: &[] });
    assert_eq!(findings(&report), [("claim-1", FAIL, "text_not_found"), ("claim-2", PASS, "ok")]);
    assert_eq!(*invocations[0].output, *bytes);
}

#[tokio::test]
async fn paths_reach_keys_with_dots_and_slashes() {
    // R-GATE-07 case-021
    let Some(report) = checked("case-021.json").await else { return };
    assert_eq!(
        findings(&report),
        [("claim-1", PASS, "ok"), ("claim-2", PASS, "ok"), ("claim-3", FAIL, "path_syntax"), ("claim-4", PASS, "ok")]
    );
}

#[tokio::test]
async fn a_cut_output_caps_and_an_absence_is_not_proved() {
    // R-GATE-08 R-VERIFY-02 case-023
    let Some(report) = checked("case-023.json").await else { return };
    assert_eq!(findings(&report), [("claim-1", PASS, "truncated_source")]);
    assert_eq!((report.status, report.unbound_claims.as_slice()), (GateStatus::LowConfid, &["claim-2".to_owned()][..]));
}

#[tokio::test]
async fn a_run_without_a_call_proves_nothing() {
    // R-GATE-05 R-GATE-04 case-025
    let Some(report) = checked("case-025.json").await else { return };
    let unknown = GateReason::UnknownInvocation.as_str();
    assert_eq!(findings(&report), [("claim-1", FAIL, unknown), ("claim-2", FAIL, unknown)]);
    assert_eq!((report.status, report.verified_binding_count), (GateStatus::Reject, 0));
}

#[tokio::test]
async fn a_quote_that_no_tool_returned_fails() {
    // R-GATE-05 R-GATE-07 case-026
    let Some(report) = checked("case-026.json").await else { return };
    assert_eq!(findings(&report), [("claim-1", FAIL, "text_not_found"), ("claim-2", FAIL, "text_not_found")]);
    assert_eq!((report.status, report.verified_binding_count), (GateStatus::LowConfid, 0));
}

#[tokio::test]
async fn numbers_are_compared_as_numbers_and_never_in_part() {
    // R-GATE-07 case-028
    let Some(report) = checked("case-028.json").await else { return };
    assert_eq!(
        findings(&report),
        [
            ("claim-1", FAIL, "claim_number_unsupported"),
            ("claim-2", FAIL, "text_not_found"),
            ("claim-3", FAIL, "text_not_found"),
            ("claim-4", PASS, "ok")
        ]
    );
}

#[tokio::test]
async fn evidence_of_another_run_is_none() {
    // R-GATE-05 R-RUN-07 case-029
    let Some(report) = checked("case-029.json").await else { return };
    assert_eq!(findings(&report), [("claim-1", FAIL, "foreign_run")]);
    assert_eq!(report.status, GateStatus::Reject);
}

#[tokio::test]
async fn an_empty_answer_of_a_tool_backs_no_story() {
    // R-GATE-02 R-GATE-07 case-032
    let Some(report) = checked("case-032.json").await else { return };
    assert_eq!(findings(&report), [("claim-1", FAIL, "invocation_failed"), ("claim-2", FAIL, "invocation_failed")]);
    assert_eq!(report.verified_binding_count, 0);
}

/// Tools that a case names. They count their calls.
struct Counting {
    names: Vec<String>,
    calls: AtomicU32,
}

#[async_trait]
impl ToolProvider for Counting {
    fn tools(&self) -> Vec<Tool> {
        let tool = |name: &String| Tool { name: name.clone(), description: String::new(), input_schema: "{}".into() };
        self.names.iter().map(tool).collect()
    }

    async fn call(&self, _name: &str, _arguments: &str) -> Result<ToolAnswer, CallError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let output = support::LOOKED.into();
        Ok(ToolAnswer { status: InvocationStatus::Ok, output, truncated: false })
    }
}

/// A bench whose host has these tools, all of them allowed.
fn bench(names: &[&str]) -> (Bench, Arc<Counting>) {
    let mut bench = Bench::new();
    let tools =
        Arc::new(Counting { names: names.iter().map(|&name| name.into()).collect(), calls: AtomicU32::default() });
    let host: &mut Host = Arc::get_mut(&mut bench.host).unwrap();
    host.tools = Arc::clone(&tools) as Arc<dyn ToolProvider>;
    host.policy.allow = vec![glob::Pattern::new("*").unwrap()];
    (bench, tools)
}

async fn answered(bench: &Bench) -> Answered {
    match bench.run().await {
        Diagnosis::Answered(answered) => answered,
        Diagnosis::Failed { reason, .. } => panic!("the run failed: {reason}"),
    }
}

#[tokio::test]
async fn a_retry_repeats_no_side_effect() {
    // R-ROUTE-03 R-GATE-01 R-HOST-08 case-033
    let Some(case) = script("case-033.json") else { return };
    let (bench, tools) = bench(&["look", "k8s_restart"]);
    bench
        .reply(AgentRole::Planner, Reply::json(&plan()))
        .reply(
            AgentRole::Executor,
            Reply::Calls(vec![("look", json!({})), ("k8s_restart", json!({"deploy": "cart"}))], |ids| {
                evidence(ids).to_string()
            }),
        )
        .reply(AgentRole::Verifier, Reply::transient())
        .reply(AgentRole::Verifier, Reply::json(&verification("PASS", &["c1"])))
        .reply(AgentRole::Composer, Reply::Text("not a document".into()))
        .reply(AgentRole::Composer, Reply::json(&composed()));
    let answered = answered(&bench).await;

    let expect = &case["expect"];
    let ledger = bench.store.invocations(&answered.run_id).unwrap();
    assert_eq!(json!(ledger.len()), expect["tool_calls_total"]);
    assert_eq!(json!(tools.calls.load(Ordering::Relaxed)), expect["tool_calls_total"]);
    assert_eq!(json!(bench.agents.inputs(AgentRole::Executor).len()), expect["executor_calls"]);
    let visits = |node: &str| answered.trace.events.iter().filter(|event| event.node == node).count();
    assert_eq!(json!(visits("gatekeeper")), expect["gatekeeper_calls"]);
    for (role, key) in
        [(AgentRole::Verifier, "verifier_input_sha_equal"), (AgentRole::Composer, "composer_input_sha_equal")]
    {
        let inputs = bench.agents.inputs(role);
        assert_eq!(inputs.len(), 2);
        assert_eq!(json!(inputs[0] == inputs[1]), expect[key]);
        let steps = bench.store.steps(&answered.run_id).unwrap();
        let digests: Vec<_> =
            steps.iter().filter(|step| step.event.node == role.as_str()).map(|step| &step.input_sha256).collect();
        assert!(digests.len() == 2 && digests[0].is_some() && digests[0] == digests[1], "{digests:?}");
    }
    let run = bench.store.run(&answered.run_id).unwrap().unwrap();
    assert_eq!(json!(run.status), expect["run_status"]);
}

#[tokio::test]
async fn identical_calls_end_at_their_budget() {
    // R-HOST-04 R-NODE-06 R-ROUTE-05 case-034
    let Some(case) = script("case-034.json") else { return };
    let limits = &case["limits"];
    let (mut bench, tools) = bench(&["k8s_list_pods"]);
    let limit = |name: &str| u32::try_from(limits[name].as_u64().unwrap()).unwrap();
    let host = Arc::get_mut(&mut bench.host).unwrap();
    (host.policy.calls, host.policy.identical_calls) = (limit("max_tool_calls"), limit("max_identical_calls"));

    let calls = case["executor_tool_calls"].as_array().unwrap();
    assert!(calls.len() > 12 && calls.iter().all(|call| call["tool"] == "k8s_list_pods"));
    let calls = calls.iter().map(|call| ("k8s_list_pods", call["args"].clone())).collect();
    let gives_up = |results: &[Result<String, portcullis_plugins::ToolError>]| {
        format!("{} calls were refused; I have nothing to say.", results.iter().filter(|it| it.is_err()).count())
    };
    bench.reply(AgentRole::Planner, Reply::json(&plan())).reply(AgentRole::Executor, Reply::Calls(calls, gives_up));
    let answered = answered(&bench).await;

    assert_eq!(tools.calls.load(Ordering::Relaxed), limit("max_identical_calls"));
    let ledger = bench.store.invocations(&answered.run_id).unwrap();
    let made = ledger.iter().filter(|call| call.status != InvocationStatus::Blocked).count();
    assert_eq!(made, 3, "what was refused is recorded as such: {ledger:?}");
    assert_eq!(answered.trace.path, "planner > executor > fallback_pre_verification");
    let executor = &answered.trace.events[1];
    assert!(case["expect"]["executor_status"].as_str().unwrap().contains(&executor.outcome), "{executor:?}");
    assert_eq!(json!(answered.trace.degraded), case["expect"]["degraded"]);
    let run = bench.store.run(&answered.run_id).unwrap().unwrap();
    assert_eq!(json!(run.status), case["expect"]["run_status"]);
}

#[tokio::test]
async fn a_legal_nothing_found_goes_on_to_the_gatekeeper() {
    // R-ROUTE-06 case-036
    let Some(case) = script("case-036.json") else { return };
    let bench = Bench::new();
    bench
        .reply(AgentRole::Planner, Reply::json(&plan()))
        .reply(AgentRole::Executor, Reply::json(&case["executor_output"]))
        .reply(AgentRole::Verifier, Reply::json(&verification("PASS", &[])))
        .reply(
            AgentRole::Composer,
            Reply::json(&json!({"answer_version": "composed_answer_v1",
            "headline": "Nothing was found", "claim_order": [], "next_steps": []})),
        );
    let answered = answered(&bench).await;
    let events = &answered.trace.events;
    assert_eq!(
        (&events[1].node[..], json!(events[1].outcome)),
        ("executor", case["expect"]["executor_status"].clone())
    );
    assert_eq!(json!(events[2].node), case["expect"]["next"]);
}

#[tokio::test]
async fn a_run_begins_with_nothing_of_the_one_before() {
    // R-STATE-05 R-RUN-07 case-039
    let Some(case) = script("case-039.json") else { return };
    let session = case["session_id"].as_str().unwrap();
    let bench = Bench::new();
    let mut ids = Vec::new();
    for (run, cause) in case["runs"].as_array().unwrap().iter().zip(["db lock", "disk full"]) {
        let says =
            json!({"answer_version": "composed_answer_v1", "headline": cause, "claim_order": ["c1"], "next_steps": []});
        let retried = run["final_state"]["evidence_retry_count"] == 1;
        if retried {
            let mut report = verification("LOW_CONFID", &["c1"]);
            report["facts"] = json!([{"fact": "c1: it is a lock", "is_critical": true,
                "verification": "no_evidence", "reason": "not asked"}]);
            bench.reply(AgentRole::Planner, Reply::json(&plan())).reply(AgentRole::Verifier, Reply::json(&report));
            bench.reply(
                AgentRole::Executor,
                Reply::Calls(vec![("look", json!({"first": true}))], |ids| {
                    json!({"answer_version": "executor_evidence_v2",
                        "claims": [claim("c1", "checkout is slow", &id(ids, 0), "$.status", "checkout is slow")]})
                    .to_string()
                }),
            );
        }
        bench
            .reply(AgentRole::Planner, Reply::json(&plan()))
            .reply(AgentRole::Executor, Reply::Calls(vec![("look", json!({}))], |ids| evidence(ids).to_string()))
            .reply(AgentRole::Verifier, Reply::json(&verification("PASS", &["c1"])))
            .reply(AgentRole::Composer, Reply::json(&says));
        let request = Request {
            question: run["question"].as_str().unwrap().into(),
            facts: vec![],
            session_id: Some(session.into()),
        };
        let Diagnosis::Answered(answered) = bench.host.diagnose(request, Arc::new(Unwatched)).await.unwrap() else {
            panic!("no answer")
        };
        assert_eq!(answered.trace.evidence_retries, u32::from(retried));
        ids.push(answered.run_id);
    }
    // The second run saw neither the first one's answer nor its counters nor its events.
    let second = &ids[1];
    assert_ne!(&ids[0], second);
    let question = case["runs"][1]["question"].as_str().unwrap();
    let asked = bench.agents.asked().into_iter().filter(|asked| asked.run.run_id == *second);
    let inputs: Vec<_> = asked.map(|asked| asked.input).collect();
    assert_eq!(inputs.len(), 4, "no evidence retry is left over");
    assert!(inputs.iter().all(|input| !input.contains("db lock") && !input.contains("why is cart slow")), "{inputs:?}");
    assert!(inputs[0].contains(question) && inputs[0].contains(r#""mode":"INITIAL""#), "{}", inputs[0]);
    let events = bench.store.events(second).unwrap();
    assert_eq!(events.len(), 6);
    assert!(events.iter().all(|event| event.round == 1 && event.attempt == 1), "{events:?}");
    let answer = bench.store.run(second).unwrap().unwrap().answer.unwrap();
    assert!(answer.starts_with("disk full") && !answer.contains("db lock"), "{answer}");
}
