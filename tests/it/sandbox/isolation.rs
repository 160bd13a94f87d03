//! What a guest does stays in its attempt: state, traps and wasted time.

use super::guests::{
    ASK, Agent, COUNT, INPUT, answer_parser, component, engine, load_parser, load_planner, module, planner,
    planner_projection, query, run, source,
};
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{AnswerParser, Engine, EngineSettings, Role, Settings, Thinker};
use std::sync::Arc;
use std::time::Duration;

/// What the parser made of `text`: its headline, or why there is none.
async fn parse(parser: &AnswerParser, text: &str) -> Result<String, ReasonCode> {
    parser.parse(text).await.map(|answer| answer.unwrap().headline).map_err(|failure| failure.reason)
}

#[tokio::test]
async fn no_state_survives_a_call() {
    // R-HOST-05, case-041
    let parser = load_parser(COUNT, |_| {}).unwrap();
    for _ in 0..3 {
        assert_eq!(parse(&parser, "x").await.unwrap(), "1");
    }
}

#[tokio::test]
async fn prepare_and_the_first_attempt_share_a_guest_and_a_retry_does_not() {
    // R-HOST-05
    let prepare = "(drop (call $digit)) (i32.const 64)";
    let count = "(call $drop (local.get $config)) (i32.store8 (i32.const 1024) (call $digit))
                 (i32.store (i32.const 72) (i32.const 1)) (i32.const 64)";
    let planner = load_planner(&planner(prepare, count), |_| {}).unwrap();
    let agent = Agent::new(Ok(""));
    let mut prepared = planner.prepare(&planner_projection(&query()), &run()).await.unwrap();
    let mut counts = Vec::new();
    for _ in 0..3 {
        counts.push(prepared.attempt(agent.clone()).await.unwrap().text);
    }
    assert_eq!(counts, ["2", "1", "1"]);
}

#[tokio::test]
async fn a_trap_ends_one_attempt() {
    // R-HOST-05 R-NODE-07, case-041
    let boom_on_b = format!("(if (i32.eq (i32.load8_u (local.get $text)) (i32.const 98)) (then unreachable)) {COUNT}");
    let parser = load_parser(&boom_on_b, |_| {}).unwrap();
    assert_eq!(parse(&parser, "ok").await.unwrap(), "1");
    assert_eq!(parse(&parser, "boom").await.unwrap_err(), ReasonCode::GuestTrapped);
    assert_eq!(parse(&parser, "ok").await.unwrap(), "1");
}

#[tokio::test]
async fn a_run_beside_misbehaving_ones_is_untouched() {
    // R-HOST-05 R-NODE-07
    // On one thread: the good one gets its turn only because the spinning one has to make room.
    let short = |settings: &mut Settings| settings.limits.compute = Duration::from_millis(100);
    let spin = load_parser("(call $spin) unreachable", short).unwrap();
    let trap = load_parser("unreachable", |_| {}).unwrap();
    let good = load_parser(COUNT, |_| {}).unwrap();
    let (stopped, trapped, first, second) =
        tokio::join!(parse(&spin, "x"), parse(&trap, "x"), parse(&good, "x"), parse(&good, "x"));
    assert_eq!(stopped.unwrap_err(), ReasonCode::GuestDeadline);
    assert_eq!(trapped.unwrap_err(), ReasonCode::GuestTrapped);
    assert_eq!((first.unwrap().as_str(), second.unwrap().as_str()), ("1", "1"));
}

/// An engine with one slot for each tier.
fn narrow(pooling: bool) -> Engine {
    Engine::new(EngineSettings { pooling, instances: 1, ..EngineSettings::default() }).unwrap()
}

#[tokio::test]
async fn who_finds_no_slot_waits() {
    // R-HOST-05
    for pooling in [true, false] {
        let engine = narrow(pooling);
        let parser = component("answer-parser", &answer_parser(COUNT));
        let parser = AnswerParser::load(&engine, source(&parser), Settings::of(Role::AnswerParser)).unwrap();
        let parser = Arc::new(parser);
        let calls: Vec<_> = (0..50)
            .map(|_| {
                let parser = Arc::clone(&parser);
                tokio::spawn(async move { parse(&parser, "x").await })
            })
            .collect();
        for call in calls {
            assert_eq!(call.await.unwrap().unwrap(), "1");
        }
    }
}

#[tokio::test]
async fn an_adapter_and_its_agent_need_a_slot_each_and_never_wait_for_each_other() {
    let engine = narrow(true);
    let adapter = component("planner", &planner(INPUT, ASK));
    let planner = portcullis_plugins::Planner::load(&engine, source(&adapter), Settings::of(Role::Planner)).unwrap();
    let thinker = Thinker::load(&engine, source(&thinker()), Settings::of(Role::Thinker)).unwrap();
    let agent = Arc::new(portcullis::agents::ThinkerAgent(Arc::new(thinker)));
    let planner = Arc::new(planner);
    let runs: Vec<_> = (0..20)
        .map(|_| {
            let (planner, agent) = (Arc::clone(&planner), Arc::clone(&agent));
            tokio::spawn(async move {
                let query = query();
                let mut prepared = planner.prepare(&planner_projection(&query), &run()).await.unwrap();
                prepared.attempt(agent).await.unwrap().text
            })
        })
        .collect();
    for run in runs {
        assert_eq!(run.await.unwrap(), "input");
    }
}

/// An agent that repeats what it is asked.
fn thinker() -> Vec<u8> {
    component(
        "thinker",
        &format!(
            r#"(module
                (import "portcullis:node/run@0.1.0" "[resource-drop]run-config" (func $drop (param i32)))
                {}
                (func (export "portcullis:node/agent@0.1.0#respond")
                    (param $input i32) (param $length i32) (param $config i32) (result i32)
                    (call $drop (local.get $config))
                    (i32.store (i32.const 68) (local.get $input))
                    (i32.store (i32.const 72) (local.get $length))
                    (i32.const 64)))"#,
            super::guests::MEMORY
        ),
    )
}

#[tokio::test]
async fn a_core_module_serves_like_a_component() {
    let module = module("answer-parser", &answer_parser(COUNT));
    let parser = AnswerParser::load(engine(), source(&module), Settings::of(Role::AnswerParser)).unwrap();
    assert_eq!(parse(&parser, "x").await.unwrap(), "1");
    assert_eq!(parser.info().size, module.len(), "size and digest are those of the file as given");
}
