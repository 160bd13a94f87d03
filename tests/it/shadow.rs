//! Candidates in the shadow: what is found of them is right, and the run does not know that they are there.

use crate::sandbox::{ASK, COUNT, INPUT, engine, load_parser, load_planner, planner, source};
use crate::support::{Bench, Reply, evidence, plan, verification};
use expect_test::{Expect, expect};
use portcullis::agents::AgentRole;
use portcullis::config::Config;
use portcullis::run::shadow::{Comparison, Outcome, Shadows};
use portcullis::run::{Diagnosis, NodeSet, Observer, Request, RunLimits};
use portcullis::setup;
use portcullis::store::{MemoryStore, RunStore, SqliteStore};
use portcullis_core::trail::Event;
use portcullis_plugins::{
    AnswerParser, Composer, EvidenceParser, Executor, PlanParser, Planner, Role, Settings, VerificationParser, Verifier,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A text that only candidates know.
const CANARY: &str = "adapter-x: expected a number";
/// Makes `ok(CANARY)` and gives its address.
const SAY_CANARY: &str =
    "(i32.store (i32.const 68) (i32.const 1040)) (i32.store (i32.const 72) (i32.const 28)) (i32.const 64)";

/// A run by the default components, but for a planner of its own: the input is `input`, and the agent is asked once.
fn nodes() -> Arc<NodeSet> {
    let mut nodes = setup::nodes(&Config::default()).unwrap();
    nodes.adapters.planner = Arc::new(load_planner(&planner(INPUT, ASK), |_| {}).unwrap());
    Arc::new(nodes)
}

/// A candidate for that planner. It has little time, so that one that spins is soon found out.
fn candidate(prepare: &str, attempt: &str) -> Planner {
    load_planner(&planner(prepare, attempt), |settings| settings.limits.compute = Duration::from_millis(50)).unwrap()
}

fn of_planner(prepare: &str, attempt: &str) -> Shadows {
    Shadows { planner: Some(candidate(prepare, attempt)), ..Shadows::default() }
}

/// The default components, loaded a second time.
fn identical() -> Shadows {
    let load = |role: Role| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../target/guests/{}.wasm", role.world()));
        (std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run `make guests`", path.display())), role)
    };
    macro_rules! loaded {
        ($($field:ident: $name:ident),+) => {
            Shadows { $($field: {
                let (bytes, role) = load(Role::$name);
                Some($name::load(engine(), source(&bytes), Settings::of(role)).unwrap())
            }),+ }
        };
    }
    loaded!(
        planner: Planner, executor: Executor, verifier: Verifier, composer: Composer,
        plan_parser: PlanParser, evidence_parser: EvidenceParser,
        verification_parser: VerificationParser, answer_parser: AnswerParser
    )
}

#[derive(Default)]
struct Heard(Mutex<Vec<Comparison>>);

impl Observer for Heard {
    fn run_began(&self, _run_id: &str) {}
    fn attempt_began(&self, _node: &str, _round: u8, _attempt: u8) {}
    fn attempt_ended(&self, _event: &Event, _duration: Duration) {}
    fn compared(&self, comparison: &Comparison) {
        self.0.lock().unwrap().push(comparison.clone());
    }
}

/// A run, all that it left behind, and what was found of the candidates.
struct Ran {
    /// Stored records, answer and questions to the agents, with ids and times that are the same at each run.
    left: Value,
    found: Vec<Comparison>,
}

async fn run(bench: &Bench) -> Ran {
    let heard = Arc::new(Heard::default());
    let session_id = Some("session-1".to_owned());
    let request = Request { question: "why is checkout slow?".into(), facts: vec![], session_id };
    let diagnosis = bench.host.diagnose(request, Arc::clone(&heard) as Arc<dyn Observer>).await.unwrap();
    let (Diagnosis::Failed { run_id, .. } | Diagnosis::Answered(portcullis::run::Answered { run_id, .. })) = &diagnosis;
    let store = &bench.store;
    let invocations = store.invocations(run_id).unwrap();
    let rounds = store.rounds(run_id).unwrap();
    let asked: Vec<_> = bench.agents.asked().into_iter().map(|asked| (asked.role.as_str(), asked.input)).collect();
    let left = json!({
        "diagnosis": format!("{diagnosis:?}"),
        "run": store.run(run_id).unwrap(),
        "trace": store.orchestration_trace(run_id).unwrap(),
        "events": store.events(run_id).unwrap(),
        "steps": store.steps(run_id).unwrap(),
        "bindings": rounds.iter().map(|round| &round.checked_bindings).collect::<Vec<_>>(),
        "claims": rounds.iter().map(|round| &round.claims).collect::<Vec<_>>(),
        "evaluations": store.evaluations(run_id).unwrap(),
        "asked": asked,
        "calls": &invocations,
    });
    let text = invocations
        .iter()
        .enumerate()
        .fold(left.to_string(), |text, (position, call)| text.replace(&call.invocation_id, &format!("inv-{position}")));
    let mut left: Value = serde_json::from_str(&text.replace(run_id.as_str(), "RUN")).unwrap();
    forget(&mut left);
    let found = heard.0.lock().unwrap().clone();
    Ran { left, found }
}

/// Times, and the digests of inputs, which may hold an invocation's id. The inputs themselves are compared.
fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if name.ends_with("_ms") || name == "input_sha256" {
                    *field = Value::Null;
                }
                forget(field);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        _ => {}
    }
}

/// `role round/attempt stage: what was found`, a line each.
fn in_lines(found: &[Comparison]) -> Vec<String> {
    let outcome = |outcome: &Outcome| match outcome {
        Outcome::Same { bytes, .. } => format!("same {bytes}"),
        Outcome::SameFailure { reason } => format!("both {}", reason.as_str()),
        Outcome::Differs(difference) => difference.place(),
        Outcome::Failed { reason, .. } => reason.as_str().to_owned(),
    };
    let line = |it: &Comparison| {
        let other = if it.other_input { ", other input" } else { "" };
        let (at, stage) = (format!("{}/{}", it.round, it.attempt), it.stage.as_str());
        format!("{} {at} {stage}: {}{other}", it.role, outcome(&it.outcome))
    };
    found.iter().map(line).collect()
}

/// What happens to agents in a run.
type Script = fn(&Bench);

fn good(bench: &Bench) {
    bench.good();
}

/// Each technical retry and the evidence retry.
fn long(bench: &Bench) {
    let mut gap = verification("LOW_CONFID", &["c1"]);
    gap["facts"] = json!([
        {"fact": "c1: checkout is slow", "is_critical": true, "verification": "no_evidence", "reason": "one source"}
    ]);
    let look = || Reply::Calls(vec![("look", json!({}))], |ids| evidence(ids).to_string());
    for _round in [1, 2] {
        bench.reply(AgentRole::Planner, Reply::transient()).reply(AgentRole::Planner, Reply::json(&plan()));
        bench.reply(AgentRole::Executor, look());
        bench
            .reply(AgentRole::Verifier, Reply::Text("no document".into()))
            .reply(AgentRole::Verifier, Reply::json(&gap));
    }
    bench.reply(AgentRole::Composer, Reply::transient());
    bench.reply(AgentRole::Composer, Reply::Text("{}".into()));
}

/// What is found of the candidates, in a run that is as it would be without them.
async fn found(nodes: Arc<NodeSet>, shadows: Shadows, script: Script) -> Vec<String> {
    let store = || Arc::new(MemoryStore::default());
    let (without, with) = (Bench::with(Arc::clone(&nodes), store()), Bench::shadowed(nodes, store(), shadows));
    script(&without);
    script(&with);
    let (without, with) = (run(&without).await, run(&with).await);
    assert_eq!(with.left, without.left, "the run knows of its shadow");
    assert!(without.found.is_empty());
    in_lines(&with.found)
}

async fn check_with(nodes: Arc<NodeSet>, shadows: Shadows, script: Script, expected: &[&str]) {
    assert_eq!(found(nodes, shadows, script).await, expected);
}

async fn check(shadows: Shadows, expected: &[&str]) {
    check_with(nodes(), shadows, good, expected).await;
}

#[tokio::test]
async fn the_same_components_do_the_same_in_every_stage_of_a_run() {
    // R-HOST-08 R-STATE-05
    let check = async |script: Script, expected: Expect| {
        let lines = found(crate::support::nodes(), identical(), script).await;
        expected.assert_eq(&(lines.join("\n") + "\n"));
    };
    check(
        good,
        expect![[r#"
        planner 1/1 prepare: same 358
        planner 1/1 attempt: same 91
        plan-parser 1/1 parse: same 67
        executor 1/1 prepare: same 407
        executor 1/1 attempt: same 261
        evidence-parser 1/1 parse: same 267
        verifier 1/1 prepare: same 460
        verifier 1/1 attempt: same 170
        verification-parser 1/1 parse: same 148
        composer 1/1 prepare: same 239
        composer 1/1 attempt: same 118
        answer-parser 1/1 parse: same 93
    "#]],
    )
    .await;
    check(
        long,
        expect![[r#"
        planner 1/1 prepare: same 358
        planner 1/1 attempt: both invoke_transient
        planner 1/2 attempt: same 91
        plan-parser 1/2 parse: same 67
        executor 1/1 prepare: same 407
        executor 1/1 attempt: same 261
        evidence-parser 1/1 parse: same 267
        verifier 1/1 prepare: same 460
        verifier 1/1 attempt: same 11
        verification-parser 1/1 parse: same 100
        verifier 1/2 attempt: same 277
        verification-parser 1/2 parse: same 255
        planner 2/1 prepare: same 1000
        planner 2/1 attempt: both invoke_transient
        planner 2/2 attempt: same 91
        plan-parser 2/2 parse: same 67
        executor 2/1 prepare: same 1359
        executor 2/1 attempt: same 261
        evidence-parser 2/1 parse: same 267
        verifier 2/1 prepare: same 1092
        verifier 2/1 attempt: same 11
        verification-parser 2/1 parse: same 100
        verifier 2/2 attempt: same 277
        verification-parser 2/2 parse: same 255
        composer 2/1 prepare: same 245
        composer 2/1 attempt: both invoke_transient
        composer 2/2 attempt: same 2
        answer-parser 2/2 parse: same 112
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_candidate_is_found_out_where_it_goes_another_way() {
    // R-HOST-04 R-HOST-05 R-HOST-08 R-NODE-07
    let (same_input, same_text) = ("planner 1/1 prepare: same 5", "planner 1/1 attempt: same 91");
    check(of_planner(INPUT, ASK), &[same_input, same_text]).await;
    check(of_planner("(call $spin) unreachable", ASK), &["planner 1/1 prepare: guest_deadline"]).await;
    check(of_planner("unreachable", ASK), &["planner 1/1 prepare: guest_trapped"]).await;

    let at_attempt = async |attempt: &str, found: &str| {
        check(of_planner(INPUT, attempt), &[same_input, &format!("planner 1/1 attempt: {found}")]).await;
    };
    at_attempt("(call $spin) unreachable", "guest_deadline").await;
    at_attempt("unreachable", "guest_trapped").await;
    at_attempt(&format!("(drop {ASK}) (call $spin) unreachable"), "guest_deadline").await;
    at_attempt(&format!("(i32.store8 (local.get $input) (i32.const 73)) {ASK}"), "input_mismatch").await;
    at_attempt(&format!("(call $drop (local.get $config)) {SAY_CANARY}"), "byte 0").await;

    // The reply is recorded for another input, and that is said.
    let other = "(i32.store8 (i32.const 1024) (i32.const 73)) (i32.const 64)";
    let found = ["planner 1/1 prepare: byte 0", "planner 1/1 attempt: same 91, other input"];
    check(of_planner(other, ASK), &found).await;
}

#[tokio::test]
async fn an_agent_is_heard_again_and_not_asked_again() {
    // R-NODE-01 R-HOST-08
    let ask = "(call $ask (local.get $input) (local.get $length) (local.get $config))";
    let twice = format!("(drop {ask}) {ASK}");
    let check = async |current: &str, candidate: &str, script: Script, expected: &[&str]| {
        let mut nodes = setup::nodes(&Config::default()).unwrap();
        nodes.adapters.planner = Arc::new(load_planner(&planner(INPUT, current), |_| {}).unwrap());
        check_with(Arc::new(nodes), of_planner(INPUT, candidate), script, expected).await;
    };
    let same_input = "planner 1/1 prepare: same 5";
    // There is no second reply.
    check(ASK, &twice, good, &[same_input, "planner 1/1 attempt: invoke_permanent"]).await;
    // Replies come again in their order.
    let two: Script = |bench| {
        bench.reply(AgentRole::Planner, Reply::Text("first".into())).good();
    };
    check(&twice, &twice, two, &[same_input, "planner 1/1 attempt: same 91"]).await;
    check(&twice, ASK, two, &[same_input, "planner 1/1 attempt: byte 0"]).await;
    let same_words: Script = |bench| {
        bench.reply(AgentRole::Planner, Reply::json(&plan())).good();
    };
    check(&twice, ASK, same_words, &[same_input, "planner 1/1 attempt: the agent was asked 1 times, not 2"]).await;

    // A failure too. The candidate prepares once for both attempts, as the current one does.
    let failing: Script = |bench| {
        bench.reply(AgentRole::Planner, Reply::transient()).good();
    };
    let retried = [same_input, "planner 1/1 attempt: both invoke_transient", "planner 1/2 attempt: same 91"];
    check(ASK, ASK, failing, &retried).await;
    // One that answers without asking does not fail with its agent.
    let own = format!("(call $drop (local.get $config)) {INPUT}");
    let survives =
        [same_input, "planner 1/1 attempt: the current one failed: invoke_transient", "planner 1/2 attempt: byte 0"];
    check(ASK, &own, failing, &survives).await;
    // Nor does one do better for not failing where the current one does.
    check("unreachable", ASK, |_| {}, &[same_input, "planner 1/1 attempt: invoke_permanent"]).await;
    check("unreachable", "unreachable", |_| {}, &[same_input, "planner 1/1 attempt: guest_trapped"]).await;
}

#[tokio::test]
async fn a_parser_is_compared_by_what_it_reads() {
    // R-PARSE-04 R-NODE-07
    let of_parser = |parse: &str| Shadows {
        answer_parser: Some(
            load_parser(parse, |settings| settings.limits.compute = Duration::from_millis(50)).unwrap(),
        ),
        ..Shadows::default()
    };
    let violation = "(i32.store (i32.const 64) (i32.const 1)) (i32.store (i32.const 76) (i32.const 1040))
                     (i32.store (i32.const 80) (i32.const 0)) (i32.const 64)";
    for (parse, found) in [
        (COUNT, "answer-parser 1/1 parse: byte 25, /document/headline"),
        ("unreachable", "answer-parser 1/1 parse: guest_trapped"),
        ("(call $spin) unreachable", "answer-parser 1/1 parse: guest_deadline"),
        (violation, "answer-parser 1/1 parse: byte 2, /document"),
    ] {
        check_with(crate::support::nodes(), of_parser(parse), good, &[found]).await;
    }
}

#[tokio::test]
async fn a_candidate_takes_nothing_of_the_budgets_of_a_run() {
    // R-HOST-04
    for invocations in 0..=4 {
        let limited = |shadows| {
            let mut bench = Bench::shadowed(nodes(), Arc::new(MemoryStore::default()), shadows);
            let limits = RunLimits { wall: Duration::from_mins(5), invocations };
            Arc::get_mut(&mut bench.host).unwrap().limits = limits;
            bench.good();
            bench
        };
        let (without, with) = (limited(Shadows::default()), limited(of_planner(INPUT, ASK)));
        let (without, with) = (run(&without).await, run(&with).await);
        assert_eq!(with.left, without.left);
        assert_eq!(with.left["run"]["metrics"]["agent_invocations"], invocations);
        let attempt = if invocations == 0 { "both run_budget" } else { "same 91" };
        let expected = ["planner 1/1 prepare: same 5".to_owned(), format!("planner 1/1 attempt: {attempt}")];
        assert_eq!(in_lines(&with.found), expected);
    }
}

#[tokio::test]
async fn no_word_of_a_candidate_is_in_what_a_run_leaves_behind() {
    // R-RUN-02 R-STATE-05
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn RunStore> = Arc::new(SqliteStore::open(&folder.path().join("runs.db")).unwrap());
    let attempt = format!(
        "(call $log (i32.const 3) (i32.const 1040) (i32.const 28)) (call $drop (local.get $config)) {SAY_CANARY}"
    );
    let bench = Bench::shadowed(nodes(), store, of_planner(SAY_CANARY, &attempt));
    bench.good();
    let ran = run(&bench).await;
    assert_eq!(in_lines(&ran.found), ["planner 1/1 prepare: byte 0", "planner 1/1 attempt: byte 0, other input"]);
    let shown = format!("{:?}", ran.found);
    assert!(shown.contains(CANARY), "the candidate did say it: {shown}");
    assert!(!ran.left.to_string().contains(CANARY));
    let files = folder.path().read_dir().unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    let bytes = files.collect::<Vec<_>>().concat();
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("CANARY-output"), "the scan finds what there is");
    assert!(!holds(CANARY));
}
