//! Layer 3: the public result of a run and its life in the store. No internal call order is looked at.

use crate::support::{Bench, FakeTools, Reply, nodes, plan};
use async_trait::async_trait;
use portcullis::agents::AgentRole;
use portcullis::run::{Diagnosis, Evaluated, Evaluator, Host, Request, RunError, Unwatched};
use portcullis::store::{
    CheckedBinding, ClaimRecord, Evaluation, FinishedRun, InvocationRecord, MemoryStore, NewRun, Round, Run, RunFilter,
    RunOwner, RunPage, RunStatus, RunStore, RunView, SessionView, SqliteStore, Step, StoreError, ToolInvocation,
};
use portcullis::tools::{CallError, ToolAnswer, ToolProvider};
use portcullis_core::document::{Tool, Verdict};
use portcullis_core::reason::ReasonCode;
use portcullis_core::trail::Event;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Every place where a key occurs, as paths.
fn places(value: &Value, key: &str, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                let place = format!("{at}/{name}");
                if name == key {
                    found.push(place.clone());
                }
                places(inner, key, &place, found);
            }
        }
        Value::Array(items) => {
            for (position, inner) in items.iter().enumerate() {
                places(inner, key, &format!("{at}/{position}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn run_id(diagnosis: &Diagnosis) -> String {
    match diagnosis {
        Diagnosis::Answered(answered) => answered.run_id.clone(),
        Diagnosis::Failed { run_id, .. } => run_id.clone(),
    }
}

#[tokio::test]
async fn a_finished_run_keeps_what_a_reader_needs_and_the_audit_in_one_place() {
    // R-RUN-01 R-RUN-02 R-RUN-04 R-RUN-06 R-HOST-06
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(&folder.path().join("runs.db")).unwrap());
    let bench = Bench::with(nodes(), store);
    let id = run_id(&bench.good().run().await);
    let view = serde_json::to_value(RunView::of(&*bench.store, &id).unwrap().unwrap()).unwrap();
    let mut found = Vec::new();
    places(&view, "orchestrationTrace", "", &mut found);
    assert_eq!(found, ["/run/orchestrationTrace"]);
    let run = &view["run"];
    assert_eq!(
        (&run["status"], &run["verdict"], &run["session_id"]),
        (&json!("SUCCESS"), &json!("PASS"), &json!("session-1"))
    );
    assert!(run["answer"].as_str().unwrap().contains("checkout is slow"));
    assert_eq!(run["agent_flow"].as_array().unwrap().len(), 6);
    assert!(run["metrics"]["duration_ms"].is_u64());
    assert!(!run["orchestrationTrace"]["events"].as_array().unwrap().is_empty());
    let trace = run["orchestrationTrace"].to_string();
    assert!(!trace.contains("CANARY") && !trace.contains("checkout is slow"), "{trace}");
    assert_eq!(view["evaluations"].as_array().unwrap().len(), 1);
    assert_eq!(view["steps"].as_array().unwrap().len(), 4);
    assert_eq!(view["toolInvocations"].as_array().unwrap().len(), 1);
    let served = run["nodes"].as_array().unwrap();
    assert_eq!(served.len(), 12, "eight components and four agents");
    for node in served.iter().filter(|node| !node["node"].as_str().unwrap().ends_with("-agent")) {
        assert_eq!(node["sha256"].as_str().unwrap().len(), 64, "{node}");
        assert_eq!(node["version"], env!("CARGO_PKG_VERSION"), "{node}");
    }
}

#[tokio::test]
async fn two_runs_of_a_session_stay_apart() {
    // R-RUN-07 R-RUN-04 R-STATE-05
    let bench = Bench::new();
    let first = run_id(&bench.good().run().await);
    bench.reply(AgentRole::Planner, Reply::permanent());
    let second = run_id(&bench.run().await);
    assert_ne!(first, second);
    let path = |id: &str| bench.store.orchestration_trace(id).unwrap().unwrap()["path"].clone();
    assert_eq!(path(&first), "planner > executor > gatekeeper > verified_input > verifier > composer");
    assert_eq!(path(&second), "planner > fallback_pre_verification");
    assert_eq!(bench.store.invocations(&second).unwrap().len(), 0, "nothing of the first run is in the second");
    let invocation = bench.store.invocations(&first).unwrap().remove(0).invocation_id;
    assert!(bench.store.invocation(&second, &invocation).unwrap().is_none());
    let session = SessionView::of(&*bench.store, "session-1", None).unwrap().unwrap();
    let mut found = Vec::new();
    let session = serde_json::to_value(session).unwrap();
    places(&session, "orchestrationTrace", "", &mut found);
    assert_eq!(found, Vec::<String>::new());
    assert_eq!(session["runs"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn evidence_of_another_run_is_known_as_such() {
    // R-GATE-05 R-GATE-01
    let bench = Bench::new();
    let first = run_id(&bench.good().run().await);
    let borrowed = bench.store.invocations(&first).unwrap().remove(0).invocation_id;
    bench.reply(AgentRole::Planner, Reply::json(&plan())).reply(
        AgentRole::Executor,
        Reply::json(&json!({
            "answer_version": "executor_evidence_v2",
            "claims": [crate::support::claim("c1", "checkout is slow", &borrowed, "$.status", "checkout is slow")],
        })),
    );
    let second = run_id(&bench.run().await);
    let rounds = bench.store.rounds(&second).unwrap();
    assert_eq!(rounds[0].checked_bindings[0].reason_code.as_deref(), Some("foreign_run"));
    let answer = bench.store.run(&second).unwrap().unwrap().answer.unwrap();
    assert!(!answer.contains("checkout is slow"), "{answer}");
}

struct Counting(AtomicUsize, bool);

impl Evaluator for Counting {
    fn evaluate(&self, finished: &Evaluated<'_>) -> Result<Map<String, Value>, String> {
        assert!(!finished.answer.is_empty());
        self.0.fetch_add(1, Ordering::Relaxed);
        if self.1 { Err("no evaluator today".into()) } else { Ok(Map::new()) }
    }

    fn name(&self) -> &'static str {
        "counting"
    }
}

/// The same host with one part changed.
fn changed(host: &Host, change: impl FnOnce(&mut Host)) -> Arc<Host> {
    let mut host = Host {
        catalog: Arc::clone(&host.catalog),
        tools: Arc::clone(&host.tools),
        policy: host.policy.clone(),
        limits: host.limits,
        store: Arc::clone(&host.store),
        clock: Arc::clone(&host.clock),
        evaluator: Arc::clone(&host.evaluator),
        owner: host.owner.clone(),
    };
    change(&mut host);
    Arc::new(host)
}

fn request() -> Request {
    Request { question: "why is checkout slow?".into(), facts: vec![], session_id: None }
}

#[tokio::test]
async fn evaluation_is_called_once_after_success_and_its_failure_changes_nothing() {
    // R-RUN-05 R-RUN-06
    for fails in [false, true] {
        let bench = Bench::new();
        let evaluator = Arc::new(Counting(AtomicUsize::new(0), fails));
        let host = changed(&bench.host, |host| host.evaluator = Arc::clone(&evaluator) as Arc<dyn Evaluator>);
        let id = run_id(&{
            bench.good();
            host.diagnose(request(), Arc::new(Unwatched)).await.unwrap()
        });
        assert_eq!(evaluator.0.load(Ordering::Relaxed), 1);
        assert_eq!(bench.store.run(&id).unwrap().unwrap().status, RunStatus::Success);
        let status = bench.store.evaluations(&id).unwrap().remove(0).status;
        assert_eq!(status, if fails { "failed" } else { "ok" });
    }
}

/// Fails from the n-th step on; everything else is the memory store's.
struct BreaksAt(u32, MemoryStore);

impl RunStore for BreaksAt {
    fn append_step(&self, run_id: &str, step: &Step) -> Result<(), StoreError> {
        if step.seq >= self.0 {
            Err(StoreError::Backend("the disk is full".into()))
        } else {
            self.1.append_step(run_id, step)
        }
    }
    fn begin(&self, run: &NewRun) -> Result<(), StoreError> {
        self.1.begin(run)
    }
    fn append_event(&self, run_id: &str, seq: u32, event: &Event) -> Result<(), StoreError> {
        self.1.append_event(run_id, seq, event)
    }
    fn append_invocation(&self, invocation: &ToolInvocation) -> Result<(), StoreError> {
        self.1.append_invocation(invocation)
    }
    fn put_checked_bindings(&self, run_id: &str, round: u8, bindings: &[CheckedBinding]) -> Result<(), StoreError> {
        self.1.put_checked_bindings(run_id, round, bindings)
    }
    fn put_claims(&self, run_id: &str, round: u8, claims: &[ClaimRecord]) -> Result<(), StoreError> {
        self.1.put_claims(run_id, round, claims)
    }
    fn finish(&self, run_id: &str, finished: &FinishedRun) -> Result<(), StoreError> {
        self.1.finish(run_id, finished)
    }
    fn put_evaluation(&self, run_id: &str, evaluation: &Evaluation) -> Result<(), StoreError> {
        self.1.put_evaluation(run_id, evaluation)
    }
    fn run(&self, run_id: &str) -> Result<Option<Run>, StoreError> {
        self.1.run(run_id)
    }
    fn orchestration_trace(&self, run_id: &str) -> Result<Option<Value>, StoreError> {
        self.1.orchestration_trace(run_id)
    }
    fn list_runs(&self, filter: &RunFilter) -> Result<RunPage, StoreError> {
        self.1.list_runs(filter)
    }
    fn running(&self) -> Result<Vec<RunOwner>, StoreError> {
        self.1.running()
    }
    fn events(&self, run_id: &str) -> Result<Vec<Event>, StoreError> {
        self.1.events(run_id)
    }
    fn steps(&self, run_id: &str) -> Result<Vec<Step>, StoreError> {
        self.1.steps(run_id)
    }
    fn rounds(&self, run_id: &str) -> Result<Vec<Round>, StoreError> {
        self.1.rounds(run_id)
    }
    fn invocations(&self, run_id: &str) -> Result<Vec<InvocationRecord>, StoreError> {
        self.1.invocations(run_id)
    }
    fn invocation(&self, run_id: &str, invocation_id: &str) -> Result<Option<ToolInvocation>, StoreError> {
        self.1.invocation(run_id, invocation_id)
    }
    fn is_foreign_invocation(&self, run_id: &str, invocation_id: &str) -> Result<bool, StoreError> {
        self.1.is_foreign_invocation(run_id, invocation_id)
    }
    fn evaluations(&self, run_id: &str) -> Result<Vec<Evaluation>, StoreError> {
        self.1.evaluations(run_id)
    }
}

#[tokio::test]
async fn an_unhandled_failure_fails_the_run_keeps_its_partial_trace_and_is_not_evaluated() {
    // R-RUN-05
    let bench = Bench::with(nodes(), Arc::new(BreaksAt(5, MemoryStore::default())));
    let Diagnosis::Failed { run_id, reason } = bench.good().run().await else { panic!("answered") };
    assert_eq!(reason, "store_failed");
    let run = bench.store.run(&run_id).unwrap().unwrap();
    assert_eq!((run.status, run.answer), (RunStatus::Failed, None));
    assert_eq!(run.failure_reason.as_deref(), Some("store_failed"));
    let trace = bench.store.orchestration_trace(&run_id).unwrap().unwrap();
    assert!(trace["path"].as_str().unwrap().starts_with("planner > executor > gatekeeper > verified_input"));
    assert!(bench.store.evaluations(&run_id).unwrap().is_empty());
}

struct Panics;

#[async_trait]
impl ToolProvider for Panics {
    fn tools(&self) -> Vec<Tool> {
        vec![Tool { name: "look".into(), description: String::new(), input_schema: "{}".into() }]
    }

    async fn call(&self, _name: &str, _arguments: &str) -> Result<ToolAnswer, CallError> {
        panic!("a defect of a provider")
    }
}

#[tokio::test]
async fn a_panic_of_the_host_ends_the_run_as_failed_and_not_as_running() {
    // R-RUN-05
    let bench = Bench::new();
    let host = changed(&bench.host, |host| host.tools = Arc::new(Panics));
    bench.good();
    let Diagnosis::Failed { run_id, reason } = host.diagnose(request(), Arc::new(Unwatched)).await.unwrap() else {
        panic!("answered")
    };
    assert_eq!(reason, "internal");
    let trace = bench.store.orchestration_trace(&run_id).unwrap().unwrap();
    assert_eq!(trace["path"], "planner", "what was done until then is kept");
    assert_eq!(bench.store.run(&run_id).unwrap().unwrap().status, RunStatus::Failed);
    assert!(bench.store.running().unwrap().is_empty());
}

#[tokio::test]
async fn a_caller_that_goes_away_does_not_end_the_run() {
    // R-RUN-05
    let bench = Bench::new();
    bench.good();
    let asking = tokio::spawn({
        let host = Arc::clone(&bench.host);
        async move { host.diagnose(request(), Arc::new(Unwatched)).await }
    });
    // The run exists as soon as the store has it; then its caller leaves.
    while bench.store.list_runs(&RunFilter::default()).unwrap().runs.is_empty() {
        tokio::task::yield_now().await;
    }
    asking.abort();
    let finished = async {
        loop {
            let runs = bench.store.list_runs(&RunFilter::default()).unwrap().runs;
            if runs[0].status != RunStatus::Running {
                return runs[0].status;
            }
            tokio::task::yield_now().await;
        }
    };
    let status = tokio::time::timeout(std::time::Duration::from_mins(1), finished).await.unwrap();
    assert_eq!(status, RunStatus::Success);
}

#[tokio::test]
async fn a_request_that_is_no_question_starts_nothing() {
    // R-NODE-03
    let bench = Bench::new();
    for (question, session) in [("", None), (" \n", None), ("why?", Some(" "))] {
        let request = Request { question: question.into(), facts: vec![], session_id: session.map(str::to_owned) };
        let refused = bench.host.diagnose(request, Arc::new(Unwatched)).await;
        assert!(matches!(refused, Err(RunError::BlankQuestion | RunError::BadSession)), "{refused:?}");
    }
    let long = Request { question: "x".repeat(1 << 20), ..request() };
    assert!(matches!(bench.host.diagnose(long, Arc::new(Unwatched)).await, Err(RunError::TooLarge { .. })));
    assert!(bench.store.list_runs(&RunFilter::default()).unwrap().runs.is_empty());
}

#[tokio::test]
async fn the_end_of_the_run_budget_is_a_safe_answer() {
    // R-HOST-04 R-RUN-03
    let bench = Bench::new();
    let host = changed(&bench.host, |host| host.limits.invocations = 3);
    bench.good();
    let Diagnosis::Answered(answered) = host.diagnose(request(), Arc::new(Unwatched)).await.unwrap() else {
        panic!("failed")
    };
    assert_eq!(
        answered.trace.path,
        "planner > executor > gatekeeper > verified_input > verifier > composer > fallback_post_verification"
    );
    assert_eq!(answered.trace.terminal_reason.map(ReasonCode::as_str), Some("run_budget"));
    assert_eq!(answered.verdict, Some(Verdict::Pass));
    assert!(answered.answer.text.contains("checkout is slow"));
}

/// [`FakeTools`] with descriptions that only agents read.
struct Described;

#[async_trait]
impl ToolProvider for Described {
    fn tools(&self) -> Vec<Tool> {
        let schema = r#"{"type":"object","title":"CANARY-schema"}"#;
        vec![Tool { name: "look".into(), description: "CANARY-description".into(), input_schema: schema.into() }]
    }

    async fn call(&self, name: &str, arguments: &str) -> Result<ToolAnswer, CallError> {
        FakeTools.call(name, arguments).await
    }
}

#[tokio::test]
async fn no_prompt_and_no_reasoning_is_in_the_bytes_of_the_store() {
    // R-STATE-04 R-RUN-01
    fn around(document: &Value) -> String {
        format!("<think>CANARY-reasoning</think>\nCANARY-before\n```json\n{document}\n```\nCANARY-behind")
    }
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(&folder.path().join("runs.db")).unwrap());
    let bench = Bench::with(nodes(), store);
    bench
        .reply(AgentRole::Planner, Reply::Text(around(&plan())))
        .reply(
            AgentRole::Executor,
            Reply::Calls(vec![("look", json!({}))], |ids| around(&crate::support::evidence(ids))),
        )
        .reply(AgentRole::Verifier, Reply::Text(around(&crate::support::verification("PASS", &["c1"]))))
        .reply(AgentRole::Composer, Reply::Text(around(&crate::support::composed())));
    let host = changed(&bench.host, |host| host.tools = Arc::new(Described));
    let Diagnosis::Answered(answered) = host.diagnose(request(), Arc::new(Unwatched)).await.unwrap() else {
        panic!("failed")
    };
    assert_eq!(answered.verdict, Some(Verdict::Pass));

    // The database and its log, whatever tables there are.
    let files = folder.path().read_dir().unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    let bytes = files.collect::<Vec<_>>().concat();
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("CANARY-output"), "the ledger keeps what the tool returned, so the scan finds what there is");
    let asked: String = bench.agents.asked().into_iter().map(|asked| asked.input).collect();
    for of_the_prompt in ["CANARY-description", "CANARY-schema", "planner_input_v1", "executor_input_v1"] {
        assert!(asked.contains(of_the_prompt), "{of_the_prompt} is in no prompt");
        assert!(!holds(of_the_prompt), "{of_the_prompt}");
    }
    for of_the_model in ["CANARY-reasoning", "CANARY-before", "CANARY-behind"] {
        assert!(!holds(of_the_model), "{of_the_model}");
    }
}
