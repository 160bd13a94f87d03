//! Each limit of an attempt, with a guest that runs into it (R-HOST-04, R-NODE-07).

use super::guests::{
    ASK, Agent, COUNT, INPUT, answer_parser, component, engine, load_parser, load_planner, module, planner,
    planner_projection, query, run, source,
};
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{AnswerParser, Problem, Role, Settings};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(50);

/// Parses with a guest and says why it fails, or its headline.
async fn check_with(parse: &str, adjust: impl FnOnce(&mut Settings), expected: Result<&str, ReasonCode>) {
    let parser = load_parser(parse, adjust).unwrap();
    let parsed = parser.parse("text").await.map(|answer| answer.unwrap().headline).map_err(|failure| failure.reason);
    assert_eq!(parsed.as_deref().map_err(|reason| *reason), expected, "{parse}");
}

async fn check(parse: &str, expected: Result<&str, ReasonCode>) {
    check_with(parse, |_| {}, expected).await;
}

#[tokio::test]
async fn invocations() {
    // R-HOST-04
    let attempt = async |times: usize| {
        let ask = "(drop (call $ask (local.get $input) (local.get $length) (local.get $config)))".repeat(times - 1);
        let wat = planner(INPUT, &format!("{ask} {ASK}"));
        let planner = load_planner(&wat, |settings| settings.limits.invocations = 2).unwrap();
        let agent = Agent::new(Ok("text"));
        let mut prepared = planner.prepare(&planner_projection(&query()), &run()).await.unwrap();
        let ended = prepared.attempt(agent.clone()).await;
        (ended.map(|output| output.invocations).map_err(|failure| failure.reason), agent.inputs().len())
    };
    assert_eq!(attempt(2).await, (Ok(2), 2));
    assert_eq!(attempt(3).await, (Err(ReasonCode::InvokeLimit), 2));
}

/// Grows the memory by this many pages and leaves what `memory.grow` said.
fn grow(pages: u32) -> String {
    format!("(memory.grow (i32.const {pages}))")
}

#[tokio::test]
async fn memory_growth() {
    // R-HOST-04, case-043
    let refused = "(i32.const -1)";
    let say_whether_refused = |pages| {
        let grow = grow(pages);
        format!("(i32.store8 (i32.const 1024) (i32.add (i32.const 48) (i32.eq {grow} {refused}))) (i32.const 64)")
    };
    let die_if_refused = |pages| format!("(if (i32.eq {} {refused}) (then unreachable)) {COUNT}", grow(pages));
    // 64 MiB are 1,024 pages, of which the guest has two.
    check(&say_whether_refused(1_022), Ok("0")).await;
    check(&say_whether_refused(1_023), Ok("1")).await;
    check(&say_whether_refused(4_096), Ok("1")).await;
    check(&die_if_refused(1_022), Ok("1")).await;
    check(&die_if_refused(4_096), Err(ReasonCode::GuestMemory)).await;
    check("unreachable", Err(ReasonCode::GuestTrapped)).await;
    check_with(&die_if_refused(1), |settings| settings.limits.memory = 2 << 16, Err(ReasonCode::GuestMemory)).await;
}

/// `inner`, and beside its own memory one of `pages` that nobody uses. A component's sections may come in any order, so
/// a second module (section 1) and its instance (section 2) are put at the end.
fn beside_another_memory(inner: &[u8], pages: u32) -> Vec<u8> {
    let module = wat::parse_str(format!("(module (memory {pages}))")).unwrap();
    let length = u8::try_from(module.len()).unwrap();
    [inner, &[1, length], &module, &[2, 4, 1, 0, 1, 0]].concat()
}

#[tokio::test]
async fn all_memories_together() {
    // R-HOST-04
    let inner = component("answer-parser", &answer_parser(COUNT));
    let parse = async |pages| {
        let mut settings = Settings::of(Role::AnswerParser);
        settings.limits.memory = 10 << 16;
        let bytes = beside_another_memory(&inner, pages);
        let parser = AnswerParser::load(engine(), source(&bytes), settings).unwrap();
        parser.parse("text").await.map(|answer| answer.unwrap().headline).map_err(|failure| failure.reason)
    };
    assert_eq!(parse(8).await.unwrap(), "1");
    assert_eq!(parse(9).await.unwrap_err(), ReasonCode::GuestMemory);
}

#[test]
fn initial_memory() {
    // R-HOST-04
    let error = load_parser(COUNT, |settings| settings.limits.memory = 1 << 16).err().unwrap();
    assert_eq!(error.problem, Problem::InitialMemory { bytes: 2 << 16, limit: 1 << 16 });
    let error = load_parser(COUNT, |settings| settings.limits.memory = 257 << 20).err().unwrap();
    assert_eq!(error.problem, Problem::MemorySetting { limit: 257 << 20, most: 256 << 20 });
}

/// Makes a headline of `bytes` NUL characters.
fn headline(bytes: u32) -> String {
    format!(
        "(drop (memory.grow (i32.const 256)))
         (i32.store (i32.const 68) (i32.const 1000000)) (i32.store (i32.const 72) (i32.const {bytes})) (i32.const 64)"
    )
}

#[tokio::test]
async fn output() {
    // R-HOST-04
    let text = async |bytes: u32| {
        let planner = load_planner(&planner(&headline(bytes), ASK), |_| {}).unwrap();
        let prepared = planner.prepare(&planner_projection(&query()), &run()).await;
        prepared.map(|prepared| prepared.input().len()).map_err(|failure| failure.reason)
    };
    assert_eq!(text(1 << 20).await, Ok(1 << 20));
    assert_eq!(text((1 << 20) + 1).await, Err(ReasonCode::GuestOutputLimit));
    assert_eq!(text(5 << 20).await, Err(ReasonCode::GuestOutputLimit));
    // A document of many small parts is measured as the host has to hold it.
    check(&headline((4 << 20) + 1), Err(ReasonCode::GuestOutputLimit)).await;
}

#[tokio::test]
async fn the_agents_text_is_bounded_too() {
    // R-HOST-04
    let planner = load_planner(&planner(INPUT, ASK), |settings| settings.limits.output = 5).unwrap();
    let attempt = async |text: &str| {
        let mut prepared = planner.prepare(&planner_projection(&query()), &run()).await.unwrap();
        prepared.attempt(Agent::new(Ok(text))).await.map(|output| output.text).map_err(|failure| failure.reason)
    };
    assert_eq!(attempt("12345").await, Ok("12345".to_owned()));
    assert_eq!(attempt("123456").await, Err(ReasonCode::InvokePermanent));
}

#[tokio::test]
async fn words_about_a_violation_are_bounded() {
    let error = format!("(i32.store (i32.const 64) (i32.const 1)) {}", headline(10_000));
    let violation = load_parser(&error, |_| {}).unwrap().parse("text").await.unwrap().unwrap_err();
    assert_eq!((violation.path.len(), violation.message.len()), (1_024, 0));
}

#[tokio::test]
async fn a_core_module_has_the_same_limits() {
    // R-HOST-04
    let spin = module("answer-parser", &answer_parser("(call $spin) unreachable"));
    let mut settings = Settings::of(Role::AnswerParser);
    settings.limits.compute = SHORT;
    let parser = AnswerParser::load(engine(), source(&spin), settings).unwrap();
    assert_eq!(parser.parse("text").await.unwrap_err().reason, ReasonCode::GuestDeadline);
}
