//! Guests made from WebAssembly text, and the ports that they call.

use async_trait::async_trait;
use portcullis_core::document::{Query, Tool};
use portcullis_core::projection::PlannerProjection;
use portcullis_plugins::{
    AnswerParser, Engine, EngineSettings, InvokeError, Invoker, LoadError, Planner, Role, RunIdentity, Settings,
    Source, ToolError, ToolPort, ToolReply,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// One engine for all tests of a process, as in production.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(EngineSettings::default()).unwrap());
    &ENGINE
}

pub(crate) fn source(bytes: &[u8]) -> Source<'_> {
    Source { name: "guest", bytes, origin: "guest.wasm" }
}

/// What a build for wasm32-unknown-unknown gives: a core module that says which component it is to become.
pub(crate) fn module(world: &str, wat: &str) -> Vec<u8> {
    module_with("", world, wat)
}

/// A component for one of the host's worlds.
pub(crate) fn component(world: &str, wat: &str) -> Vec<u8> {
    encode(&module(world, wat))
}

pub(crate) fn encode(module: &[u8]) -> Vec<u8> {
    ComponentEncoder::default().module(module).unwrap().validate(true).encode().unwrap()
}

/// As [`module`], with more packages than the host's own: `world` may be one of those that `wit` adds.
pub(crate) fn module_with(wit: &str, world: &str, wat: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
    let (mut package, _) = resolve.push_dir(folder).unwrap();
    if !wit.is_empty() {
        package = resolve.push_str("guest.wit", wit).unwrap();
    }
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    let mut module = wat::parse_str(wat).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    module
}

/// What every guest needs to take arguments: a memory, and an allocator that never frees. Its heap begins at 8192;
/// the lower part is the guest's own.
pub(crate) const MEMORY: &str = r#"
    (memory (export "memory") 2)
    (global $heap (mut i32) (i32.const 8192))
    (func (export "cabi_realloc") (param $old i32) (param $old_size i32) (param $align i32) (param $size i32) (result i32)
        (local $at i32)
        (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
        (global.set $heap (i32.add (local.get $at) (local.get $size)))
        (local.get $at))
    (global $calls (mut i32) (i32.const 0))
    ;; Counts the calls into this instance and gives the count as a digit.
    (func $digit (result i32)
        (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
        (i32.add (global.get $calls) (i32.const 48)))
    (func $spin (loop $again (br $again)))
"#;

/// A planner's adapter. `prepare` has `$projection` and `attempt` has `$input`, `$length` and `$config`; both give the
/// address of their result. At 64 is the result `ok("input")`, at 80 room for that of an invocation.
pub(crate) fn planner(prepare: &str, attempt: &str) -> String {
    format!(
        r#"(module
            (import "portcullis:node/log@0.1.0" "write" (func $log (param i32 i32 i32)))
            (import "portcullis:node/invoker@0.1.0" "invoke" (func $invoke (param i32 i32 i32 i32)))
            (import "portcullis:node/run@0.1.0" "[method]run-config.run-id" (func $run_id (param i32 i32)))
            (import "portcullis:node/run@0.1.0" "[resource-drop]run-config" (func $drop (param i32)))
            {MEMORY}
            (data (i32.const 64) "\00\00\00\00" "\00\04\00\00" "\05\00\00\00")
            (data (i32.const 1024) "input")
            (data (i32.const 1040) "adapter-x: expected a number")
            ;; Hands the input on and gives the address of the answer.
            (func $ask (param $input i32) (param $length i32) (param $config i32) (result i32)
                (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
                (i32.const 80))
            (func (export "portcullis:node/planner-adapter@0.1.0#prepare") (param $projection i32) (result i32)
                {prepare})
            (func (export "portcullis:node/planner-adapter@0.1.0#attempt")
                (param $input i32) (param $length i32) (param $config i32) (result i32)
                {attempt}))"#
    )
}

/// `prepare` of a well-behaved guest.
pub(crate) const INPUT: &str = "(i32.const 64)";

/// `attempt` of a well-behaved guest: asks the agent, gives the handle back, hands the answer on.
pub(crate) const ASK: &str = "(call $ask (local.get $input) (local.get $length) (local.get $config))
                              (call $drop (local.get $config))";

/// An answer parser. `parse` has `$text` and `$length` and gives the address of its result. At 64 is an answer whose
/// headline is the digit at 1024.
pub(crate) fn answer_parser(parse: &str) -> String {
    format!(
        r#"(module
            {MEMORY}
            (data (i32.const 64) "\00\00\00\00" "\00\04\00\00" "\01\00\00\00")
            (func $parse (export "portcullis:node/answer-protocol@0.1.0#parse")
                (param $text i32) (param $length i32) (result i32)
                {parse}))"#
    )
}

/// `parse` of a well-behaved guest: the headline says how often this instance was called.
pub(crate) const COUNT: &str = "(i32.store8 (i32.const 1024) (call $digit)) (i32.const 64)";

pub(crate) fn load_planner(wat: &str, adjust: impl FnOnce(&mut Settings)) -> Result<Planner, LoadError> {
    let mut settings = Settings::of(Role::Planner);
    adjust(&mut settings);
    Planner::load(engine(), source(&component("planner", wat)), settings)
}

pub(crate) fn load_parser(parse: &str, adjust: impl FnOnce(&mut Settings)) -> Result<AnswerParser, LoadError> {
    let mut settings = Settings::of(Role::AnswerParser);
    adjust(&mut settings);
    AnswerParser::load(engine(), source(&component("answer-parser", &answer_parser(parse))), settings)
}

/// What the owner of a component is told, in lines.
pub(crate) fn said(error: &LoadError) -> String {
    let words = error.to_string().replace(": it", ":\nit").replace(". Fix:", ".\nFix:");
    format!("{words}\n")
}

pub(crate) fn run() -> Arc<RunIdentity> {
    identity("run-1", "session-1")
}

pub(crate) fn identity(run_id: &str, session_id: &str) -> Arc<RunIdentity> {
    Arc::new(RunIdentity { run_id: run_id.into(), session_id: session_id.into(), metadata: BTreeMap::new() })
}

pub(crate) fn query() -> Query {
    Query { question: "why is checkout slow?".into(), facts: vec![] }
}

pub(crate) fn planner_projection(query: &Query) -> PlannerProjection<'_> {
    PlannerProjection { query, mode: portcullis_core::document::PlanMode::Initial, tools: &[], retry: None }
}

/// An agent that replies as told and remembers what it was asked and by whom.
pub(crate) struct Agent {
    reply: Option<Result<String, InvokeError>>,
    pub(crate) asked: Mutex<Vec<(String, Arc<RunIdentity>)>>,
}

impl Agent {
    pub(crate) fn new(reply: Result<&str, InvokeError>) -> Arc<Self> {
        Arc::new(Self { reply: Some(reply.map(str::to_owned)), asked: Mutex::default() })
    }

    /// Never comes back.
    pub(crate) fn silent() -> Arc<Self> {
        Arc::new(Self { reply: None, asked: Mutex::default() })
    }

    pub(crate) fn inputs(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(input, _)| input.clone()).collect()
    }
}

#[async_trait]
impl Invoker for Agent {
    async fn invoke(&self, input: &str, run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        self.asked.lock().unwrap().push((input.to_owned(), Arc::clone(run)));
        match &self.reply {
            Some(reply) => reply.clone(),
            None => std::future::pending().await,
        }
    }
}

/// Tools of which every call replies as told.
pub(crate) struct Tools(pub(super) Result<&'static str, ToolError>);

#[async_trait]
impl ToolPort for Tools {
    fn available(&self) -> Vec<Tool> {
        vec![Tool { name: "query_logs".into(), description: "logs".into(), input_schema: "{}".into() }]
    }

    async fn call(&self, name: &str, arguments: &str) -> Result<ToolReply, ToolError> {
        let output = self.0.clone()?;
        Ok(ToolReply { invocation_id: format!("{name}({arguments})"), output: output.to_owned() })
    }
}
