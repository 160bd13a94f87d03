//! The conformance suite: the default components pass it, and so do components in other languages where they are built.
//! A suite that cannot fail shows nothing, so each check has a component that fails it and no other.

use crate::sandbox::{ASK, COUNT, INPUT, MEMORY, answer_parser, component, encode, module_with, planner};
use crate::support;
use portcullis::conformance::{Expected, Extent, Loaded, Reference, Report, Subject, Vector, Vectors, examine};
use portcullis::run::NodeSet;
use portcullis::setup;
use portcullis_plugins::{Engine, Limits, Role, Settings, Source, WasiGrant};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

/// With the cache of compiled code, as in production: the components of other languages are large.
fn engine() -> &'static Engine {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| setup::engine().unwrap());
    &ENGINE
}

fn load(role: Role, bytes: &[u8], settings: Settings) -> Loaded {
    let source = Source { name: "guest", bytes, origin: "guest.wasm" };
    Loaded::load(engine(), role, source, settings).unwrap_or_else(|error| panic!("{error}"))
}

async fn full(subject: &Subject<'_>, vectors: &Vectors) -> Report {
    let nodes = support::nodes();
    examine(subject, Extent::Full(&Reference { vectors, nodes: &nodes })).await
}

#[track_caller]
fn assert_passed(report: &Report) {
    assert!(report.passed(), "{}: {:#?}", report.role, report.failures().collect::<Vec<_>>());
}

fn target(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target").join(path)
}

fn agent(role: Role) -> Loaded {
    let path = target(&format!("guests/{role}.wasm"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run `make guests`", path.display()));
    let mut settings = Settings::of(role);
    settings.limits.compute = Duration::from_secs(20);
    load(role, &bytes, settings)
}

fn default_nodes(nodes: &NodeSet) -> [Subject<'_>; 8] {
    let NodeSet { adapters, parsers } = nodes;
    [
        Subject::Planner(&adapters.planner),
        Subject::Executor(&adapters.executor),
        Subject::Verifier(&adapters.verifier),
        Subject::Composer(&adapters.composer),
        Subject::PlanParser(&parsers.plan),
        Subject::EvidenceParser(&parsers.evidence),
        Subject::VerificationParser(&parsers.verification),
        Subject::AnswerParser(&parsers.answer),
    ]
}

#[tokio::test]
async fn the_default_nodes_pass() {
    // R-HOST-07 R-PARSE-04
    let nodes = support::nodes();
    for subject in default_nodes(&nodes) {
        assert_passed(&full(&subject, &Vectors::built_in(subject.info().role).unwrap()).await);
        assert_passed(&examine(&subject, Extent::Smoke).await);
    }
}

#[tokio::test]
async fn the_default_agents_pass() {
    // R-HOST-07
    for role in [Role::Thinker, Role::Investigator] {
        let agent = agent(role);
        assert_passed(&full(&agent.subject(), &Vectors::built_in(role).unwrap()).await);
        assert_passed(&examine(&agent.subject(), Extent::Smoke).await);
    }
}

#[tokio::test]
async fn components_in_other_languages_pass() {
    // R-HOST-07
    let folder = target("nodes");
    let Ok(entries) = folder.read_dir() else {
        eprintln!("skipped: target/nodes is absent: run `make nodes`");
        return;
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "wasm")) {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let (_language, world) = stem.split_once('-').unwrap_or_else(|| panic!("{stem} is not LANGUAGE-ROLE"));
        let role = Role::from_world(world).unwrap_or_else(|| panic!("{stem} names no role"));
        let mut settings = Settings::of(role);
        settings.limits = Limits { memory: 256 << 20, compute: Duration::from_secs(20), ..settings.limits };
        let loaded = load(role, &std::fs::read(path).unwrap(), settings);
        let report = full(&loaded.subject(), &Vectors::built_in(role).unwrap()).await;
        assert!(report.passed(), "{stem}: {:#?}", report.failures().collect::<Vec<_>>());
    }
}

/// Memory enough for big inputs: the guests' allocator never frees and never grows.
fn roomy(wat: &str) -> String {
    let small = r#"(memory (export "memory") 2)"#;
    assert!(wat.contains(small));
    wat.replace(small, r#"(memory (export "memory") 640)"#)
}

fn failed(report: &Report) -> Vec<&'static str> {
    report.failures().map(|(name, _)| name).collect()
}

/// Exactly these checks fail.
#[track_caller]
fn assert_failed(report: &Report, expected: &[&str], guest: &str) {
    assert_eq!(failed(report), expected, "{guest}: {:#?}", report.checks);
    assert_eq!(report.passed(), expected.is_empty(), "{guest}: {:#?}", report.checks);
}

fn quick(role: Role) -> Settings {
    let mut settings = Settings::of(role);
    settings.limits.compute = Duration::from_millis(300);
    settings
}

async fn check_planner(prepare: &str, attempt: &str, expected: &[&str]) {
    let guest = component("planner", &roomy(&planner(prepare, attempt)));
    let loaded = load(Role::Planner, &guest, quick(Role::Planner));
    let report = full(&loaded.subject(), &Vectors::built_in(Role::Planner).unwrap()).await;
    assert_failed(&report, expected, &format!("{prepare}\n{attempt}"));
}

/// `ok` with the bytes of the guest's memory from `at` on.
fn ok(at: u32, length: &str) -> String {
    format!("(i32.store (i32.const 68) (i32.const {at})) (i32.store (i32.const 72) {length}) (i32.const 64)")
}

/// Runs `then` if a planner's question has more than 5,000 bytes.
fn if_long(then: &str) -> String {
    format!("(if (i32.gt_u (i32.load offset=4 (local.get $projection)) (i32.const 5000)) (then {then})) {INPUT}")
}

/// Writes a text into the guest's own memory.
fn text_at(at: usize, text: &str) -> String {
    let byte = |(n, byte): (usize, u8)| format!("(i32.store8 (i32.const {}) (i32.const {byte}))", at + n);
    text.bytes().enumerate().map(byte).collect()
}

const CANARY: &str = "canary-7f3a91c2";

#[tokio::test]
async fn each_check_of_an_adapter_can_fail() {
    // R-HOST-07 R-NODE-07
    check_planner(INPUT, ASK, &[]).await;

    let refuse = "(i32.store (i32.const 64) (i32.const 1)) (i32.const 64)";
    check_planner(refuse, ASK, &["legal-inputs"]).await;
    check_planner("unreachable", ASK, &["legal-inputs"]).await;
    // The question between quotes, and nothing in it escaped.
    let naive = format!(
        "(i32.store8 (i32.const 30000000) (i32.const 34))
         (memory.copy (i32.const 30000001) (i32.load (local.get $projection))
            (i32.load offset=4 (local.get $projection)))
         (i32.store8 (i32.add (i32.const 30000001) (i32.load offset=4 (local.get $projection))) (i32.const 34))
         {}",
        ok(30_000_000, "(i32.add (i32.const 2) (i32.load offset=4 (local.get $projection)))")
    );
    check_planner(&naive, ASK, &["hostile-texts"]).await;
    check_planner(&if_long("unreachable"), ASK, &["big-inputs"]).await;
    check_planner(&if_long("(call $spin)"), ASK, &["within-limits"]).await;
    let canary = format!("{} {}", text_at(2_048, CANARY), ok(2_048, "(i32.const 15)"));
    check_planner(&canary, ASK, &["keeps-nothing"]).await;

    let other_bytes = format!("(i32.store8 (local.get $input) (i32.const 73)) {ASK}");
    check_planner(INPUT, &other_bytes, &["asks-its-agent"]).await;
    let keeps_the_config = "(call $ask (local.get $input) (local.get $length) (local.get $config))";
    check_planner(INPUT, keeps_the_config, &["asks-its-agent"]).await;
    let for_ever = format!("(loop $again (drop {keeps_the_config}) (br $again)) unreachable");
    check_planner(INPUT, &for_ever, &["asks-its-agent"]).await;

    let asked = format!("(drop {keeps_the_config})");
    let if_it_failed = |then: &str| {
        format!(
            "{asked} (if (i32.load8_u (i32.const 80)) (then {then})) (call $drop (local.get $config)) (i32.const 80)"
        )
    };
    check_planner(INPUT, &if_it_failed("unreachable"), &["agent-errors"]).await;
    check_planner(INPUT, &if_it_failed(&asked), &["agent-errors"]).await;
    // The first attempt runs in the guest that prepared, so its count is another one than that of a retry.
    let counted = format!(
        "(i32.store8 (i32.const 2048) (call $digit)) (call $drop (local.get $config)) {}",
        ok(2_048, "(i32.const 1)")
    );
    check_planner("(drop (call $digit)) (i32.const 64)", &counted, &["same-on-retry"]).await;
}

#[tokio::test]
async fn an_adapter_that_never_asks_its_agent_is_legal() {
    // R-NODE-01
    let silent = component("planner", &roomy(&planner(INPUT, "(call $drop (local.get $config)) (i32.const 64)")));
    let loaded = load(Role::Planner, &silent, quick(Role::Planner));
    let report = full(&loaded.subject(), &Vectors::built_in(Role::Planner).unwrap()).await;
    assert_passed(&report);
    let words = format!("{:?}", report.checks);
    assert!(words.contains("it never asks its agent, which is legal: docs/decisions/0015"), "{words}");
}

/// Worlds with a source of chance: without WASI a component has none.
const RANDOM: &str = r"
    package test:guest;
    world random-planner { include portcullis:node/planner@0.1.0; import wasi:random/random@0.2.0; }
    world random-parser { include portcullis:node/answer-parser@0.1.0; import wasi:random/random@0.2.0; }
    world random-investigator { include portcullis:node/investigator@0.1.0; import wasi:random/random@0.2.0; }
    package wasi:random@0.2.0 { interface random { get-random-u64: func() -> u64; } }
";

/// A component with `$random`.
fn with_chance(world: &str, wat: &str) -> Vec<u8> {
    let import = r#"(module (import "wasi:random/random@0.2.0" "get-random-u64" (func $random (result i64)))"#;
    encode(&module_with(RANDOM, &format!("test:guest/{world}"), &wat.replacen("(module", import, 1)))
}

fn sandboxed(role: Role) -> Settings {
    Settings { wasi: WasiGrant::Sandboxed, ..quick(role) }
}

#[tokio::test]
async fn chance_is_found() {
    // R-HOST-07
    let chance = "(i64.store (i32.const 1024) (i64.and (call $random) (i64.const 0x0f0f0f0f0f0f0f0f)))";
    let guest = with_chance("random-planner", &roomy(&planner(&format!("{chance} {INPUT}"), ASK)));
    let loaded = load(Role::Planner, &guest, sandboxed(Role::Planner));
    let report = full(&loaded.subject(), &Vectors::built_in(Role::Planner).unwrap()).await;
    assert_failed(&report, &["same-bytes"], "planner");
    assert_failed(&examine(&loaded.subject(), Extent::Smoke).await, &["same-bytes"], "planner");

    let parse = format!("{chance} {}", ok(1_024, "(i32.const 5)"));
    let guest = with_chance("random-parser", &roomy(&answer_parser(&parse)));
    let loaded = load(Role::AnswerParser, &guest, sandboxed(Role::AnswerParser));
    // A parser has no source of chance without an import; here it was granted WASI, so that is not its fault.
    let expected = ["same-document", "no-document"];
    assert_failed(&examine(&loaded.subject(), Extent::Smoke).await, &expected, "parser");

    let hypothesis = r#"{"answer_version":"executor_evidence_v2","claims":[],"hypotheses":["AAAAAAAA"]}"#;
    let at = hypothesis.find("AAAA").unwrap();
    let letters = format!(
        "(i64.store (i32.const {}) (i64.or (i64.const 0x4040404040404040)
            (i64.and (call $random) (i64.const 0x0f0f0f0f0f0f0f0f))))",
        2_048 + at
    );
    let respond = format!("{letters} {DROP}");
    let guest = with_chance("random-investigator", &investigator(hypothesis, &respond));
    let loaded = load(Role::Investigator, &guest, sandboxed(Role::Investigator));
    let report = full(&loaded.subject(), &Vectors::built_in(Role::Investigator).unwrap()).await;
    assert_failed(&report, &["same-answer"], "investigator");
}

/// An author's vectors for a parser that says `headline` to everything.
fn own_vectors(headline: &str) -> Vectors {
    let document =
        json!({"answer_version": "composed_answer_v1", "headline": headline, "claim_order": [], "next_steps": []});
    let expected = Expected::Document(document);
    Vectors::Own(vec![Vector { name: "any".into(), text: "any text".into(), expected }])
}

async fn check_parser(parse: &str, vectors: &Vectors, expected: &[&str]) {
    let guest = component("answer-parser", &roomy(&answer_parser(parse)));
    let loaded = load(Role::AnswerParser, &guest, quick(Role::AnswerParser));
    assert_failed(&full(&loaded.subject(), vectors).await, expected, parse);
}

#[tokio::test]
async fn each_check_of_a_parser_can_fail() {
    // R-HOST-07 R-NODE-07
    let vectors = own_vectors("1");
    check_parser(COUNT, &vectors, &[]).await;
    check_parser(COUNT, &own_vectors("2"), &["vectors"]).await;
    let violation = Expected::Violation { path: None, or_whole: false };
    let strict = Vector { name: "garbage".into(), text: "garbage".into(), expected: violation };
    check_parser(COUNT, &Vectors::Own(vec![strict]), &["vectors"]).await;
    check_parser(COUNT, &Vectors::Own(vec![]), &["vectors"]).await;
    let if_length = |condition: &str, then: &str| {
        format!("(if (i32.{condition}) (then {then})) {COUNT}").replace("LENGTH", "(local.get $length)")
    };
    check_parser(&if_length("eq LENGTH (i32.const 1)", "unreachable"), &vectors, &["hostile-texts"]).await;
    check_parser(&if_length("gt_u LENGTH (i32.const 500000)", "unreachable"), &vectors, &["big-inputs"]).await;
    check_parser(&if_length("gt_u LENGTH (i32.const 500000)", "(call $spin)"), &vectors, &["within-limits"]).await;
    let canary = format!("{} {}", text_at(2_048, CANARY), ok(2_048, "(i32.const 15)"));
    check_parser(&canary, &own_vectors(CANARY), &["keeps-nothing"]).await;
    check_parser(&ok(2_048, "(i32.const 0)"), &own_vectors(""), &["lawful-documents"]).await;
}

#[tokio::test]
async fn a_parser_of_the_contracts_format_is_held_against_all_vectors() {
    // R-HOST-07 R-PARSE-04
    // It takes everything for an answer.
    let guest = component("answer-parser", &roomy(&answer_parser(COUNT)));
    let loaded = load(Role::AnswerParser, &guest, quick(Role::AnswerParser));
    let report = full(&loaded.subject(), &Vectors::built_in(Role::AnswerParser).unwrap()).await;
    assert_failed(&report, &["vectors", "big-inputs"], "takes everything");
    let (_, words) = report.failures().next().unwrap();
    assert!(words.len() < 2_000 && words.contains("differ: given vector \"bare\""), "{words}");
}

const EVIDENCE: &str = r#"{"answer_version":"executor_evidence_v2","claims":[]}"#;
/// Gives the lent config back and says the text at 2048.
const DROP: &str = "(call $drop (local.get $config)) (i32.const 64)";

/// An agent with tools that says `text`. `$tool_call` calls the tool named at 1024 with what is at 1040 if any tool is
/// there; at 80 is its result, at 96 the length of the output.
fn investigator(text: &str, respond: &str) -> String {
    let escaped = text.replace('\\', r"\\").replace('"', "\\22");
    let length: String = u32::try_from(text.len()).unwrap().to_le_bytes().map(|byte| format!("\\{byte:02x}")).concat();
    roomy(&format!(
        r#"(module
            (import "portcullis:node/run@0.1.0" "[resource-drop]run-config" (func $drop (param i32)))
            (import "portcullis:node/tools@0.1.0" "available" (func $available (param i32)))
            (import "portcullis:node/tools@0.1.0" "call" (func $tool (param i32 i32 i32 i32 i32 i32)))
            {MEMORY}
            (data (i32.const 64) "\00\00\00\00" "\00\08\00\00" "{length}")
            (data (i32.const 1024) "query_logs")
            (data (i32.const 1040) "{{}}")
            (data (i32.const 2048) "{escaped}")
            (func $tool_call (param $config i32)
                (call $available (i32.const 80))
                (if (i32.load (i32.const 84)) (then
                    (call $tool (i32.const 1024) (i32.const 10) (i32.const 1040) (i32.const 2) (local.get $config)
                        (i32.const 80)))))
            (func $spin_on (loop $again (br $again)))
            (func (export "portcullis:node/agent@0.1.0#respond")
                (param $input i32) (param $length i32) (param $config i32) (result i32)
                {respond}))"#
    ))
}

async fn check_investigator(text: &str, before: &str, expected: &[&str]) {
    let guest = component("investigator", &investigator(text, &format!("{before} {DROP}")));
    let loaded = load(Role::Investigator, &guest, quick(Role::Investigator));
    let report = full(&loaded.subject(), &Vectors::built_in(Role::Investigator).unwrap()).await;
    assert_failed(&report, expected, &format!("{text}\n{before}"));
}

#[tokio::test]
async fn each_check_of_an_agent_with_tools_can_fail() {
    // R-HOST-07 R-NODE-07
    const CALL: &str = "(call $tool_call (local.get $config))";
    check_investigator(EVIDENCE, CALL, &[]).await;
    let short = "(if (i32.lt_u (local.get $length) (i32.const 3)) (then unreachable))";
    check_investigator(EVIDENCE, short, &["odd-inputs"]).await;
    check_investigator("nothing", CALL, &["answers"]).await;
    let output = |condition: &str, then: &str| {
        format!("{CALL} (if (i32.and (i32.eqz (i32.load8_u (i32.const 80))) {condition}) (then {then}))")
            .replace("OUTPUT", "(i32.load (i32.const 96))")
    };
    let long = "(i32.and (i32.gt_u OUTPUT (i32.const 3800)) (i32.lt_u OUTPUT (i32.const 5000)))";
    check_investigator(EVIDENCE, &output(long, "unreachable"), &["hostile-texts"]).await;
    let large = "(i32.and (i32.gt_u OUTPUT (i32.const 100000)) (i32.lt_u OUTPUT (i32.const 1000000)))";
    check_investigator(EVIDENCE, &output(large, "unreachable"), &["big-inputs"]).await;
    check_investigator(EVIDENCE, &output(large, "(call $spin_on)"), &["within-limits"]).await;
    let canary = EVIDENCE.replace('}', r#","hypotheses":["canary-7f3a91c2"]}"#);
    check_investigator(&canary, CALL, &["keeps-nothing"]).await;
    let other_tool = format!("{} {CALL}", text_at(1_024, "query_logz"));
    check_investigator(EVIDENCE, &other_tool, &["calls-given-tools"]).await;
    let no_object = format!("{} {CALL}", text_at(1_040, "[]"));
    check_investigator(EVIDENCE, &no_object, &["calls-given-tools"]).await;
    let binding = json!({"source_invocation_id": "inv-made-up", "tool_name": "query_logs", "raw_path": "",
        "matched_text": "x"});
    let made_up = json!({"answer_version": "executor_evidence_v2",
        "claims": [{"claim_id": "c", "text": "t", "evidence_bindings": [binding]}]});
    check_investigator(&made_up.to_string(), CALL, &["cites-what-it-got"]).await;
    let available = "(i32.eqz (i32.eqz (i32.load (i32.const 84))))";
    let trap = format!("{CALL} (if (i32.and (i32.load8_u (i32.const 80)) {available}) (then unreachable))");
    // Where no tool is there, the list of them is what lies at 80.
    let at_first = "(i32.store (i32.const 80) (i32.const 0)) (i32.store (i32.const 84) (i32.const 0))";
    check_investigator(EVIDENCE, &format!("{at_first} {trap}"), &["tool-errors"]).await;
}

#[tokio::test]
async fn a_thinker_answers_each_of_its_inputs() {
    // R-HOST-07 R-NODE-04
    let plan: Value = support::plan();
    let all = format!("{plan} {} {}", support::verification("PASS", &["c1"]), support::composed());
    for (text, expected) in [(all, &[][..]), (plan.to_string(), &["answers"])] {
        // The same guest without its tools.
        let wat = investigator(&text, DROP);
        let tools = wat.lines().filter(|line| !line.contains("node/tools@")).collect::<Vec<_>>().join("\n");
        let start = tools.find("(func $tool_call").unwrap();
        let end = tools.find("(func $spin_on").unwrap();
        let guest = component("thinker", &[&tools[..start], &tools[end..]].concat());
        let loaded = load(Role::Thinker, &guest, quick(Role::Thinker));
        let report = full(&loaded.subject(), &Vectors::built_in(Role::Thinker).unwrap()).await;
        assert_failed(&report, expected, &text);
    }
}

#[tokio::test]
async fn a_smoke_test_asks_only_what_every_component_keeps() {
    // R-HOST-07 R-HOST-05
    let smoke = async |role, guest: &[u8]| {
        let loaded = load(role, guest, quick(role));
        failed(&examine(&loaded.subject(), Extent::Smoke).await)
    };
    let none: [&str; 0] = [];
    let planner = |prepare: &str, attempt: &str| component("planner", &roomy(&planner(prepare, attempt)));
    let parser = |parse: &str| component("answer-parser", &roomy(&answer_parser(parse)));

    // Any input, a refusal of some inputs, an agent that is not asked or not understood.
    assert_eq!(smoke(Role::Planner, &planner(INPUT, ASK)).await, none);
    let needs_facts = format!(
        "(if (i32.eqz (i32.load offset=12 (local.get $projection)))
            (then (i32.store (i32.const 64) (i32.const 1)))) {INPUT}"
    );
    assert_eq!(smoke(Role::Planner, &planner(&needs_facts, ASK)).await, none);
    let refuse = "(call $drop (local.get $config)) (i32.store (i32.const 80) (i32.const 1))
                  (i32.store (i32.const 88) (i32.const 1024)) (i32.const 80)";
    assert_eq!(smoke(Role::Planner, &planner(INPUT, refuse)).await, none);
    let refuse_all = "(i32.store (i32.const 64) (i32.const 1)) (i32.const 64)";
    assert_eq!(smoke(Role::Planner, &planner(refuse_all, ASK)).await, ["legal-inputs"]);
    assert_eq!(smoke(Role::Planner, &planner("unreachable", ASK)).await, ["legal-inputs"]);
    assert_eq!(smoke(Role::Planner, &planner("(call $spin) unreachable", ASK)).await, ["within-limits"]);
    assert_eq!(smoke(Role::Planner, &planner(INPUT, "unreachable")).await, ["asks-its-agent"]);

    // Any text is a document to one, and none is to another. Only no text at all is none to everybody.
    let blank = "(i32.or (i32.eqz (local.get $length)) (i32.le_u (i32.load8_u (local.get $text)) (i32.const 32)))";
    let any_text =
        format!("(if {blank} (then (i32.store (i32.const 64) (i32.const 1)) (return (i32.const 64)))) {COUNT}");
    assert_eq!(smoke(Role::AnswerParser, &parser(&any_text)).await, none);
    assert_eq!(smoke(Role::AnswerParser, &parser(COUNT)).await, ["no-document"]);
    assert_eq!(smoke(Role::AnswerParser, &parser(refuse_all)).await, none);
    assert_eq!(
        smoke(Role::AnswerParser, &parser("unreachable")).await,
        ["hostile-texts", "same-document", "no-document"]
    );
    assert_eq!(
        smoke(Role::AnswerParser, &parser(&ok(2_048, "(i32.const 0)"))).await,
        ["no-document", "lawful-documents"]
    );

    let agent = |text: &str, respond: &str| component("investigator", &investigator(text, respond));
    assert_eq!(smoke(Role::Investigator, &agent("any text", DROP)).await, none);
    assert_eq!(smoke(Role::Investigator, &agent("", "unreachable")).await, ["odd-inputs"]);
}
