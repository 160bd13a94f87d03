//! WASI: when it is refused, and what works when it is granted. What it does not give is shown by `guests/hostile`.

use super::guests::{COUNT, MEMORY, encode, engine, module_with, said, source};
use expect_test::{Expect, expect};
use portcullis_plugins::{AnswerParser, AttemptFailure, LoadError, Role, Settings, WasiGrant};
use std::time::Duration;

/// The part of WASI that guests of tests use.
fn wit() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../guests/hostile/worlds/extra.wit");
    std::fs::read_to_string(path).unwrap()
}

fn core_parser(parse: &str) -> Vec<u8> {
    let wat = format!(
        r#"(module
            (import "wasi:cli/environment@0.2.0" "get-environment" (func $environment (param i32)))
            (import "wasi:clocks/monotonic-clock@0.2.0" "now" (func $uptime (result i64)))
            (import "wasi:clocks/wall-clock@0.2.0" "now" (func $now (param i32)))
            (import "wasi:random/random@0.2.0" "get-random-u64" (func $random (result i64)))
            {MEMORY}
            (data (i32.const 64) "\00\00\00\00" "\00\04\00\00" "\01\00\00\00")
            (func (export "portcullis:node/answer-protocol@0.1.0#parse")
                (param $text i32) (param $length i32) (result i32)
                {parse}))"#
    );
    module_with(&wit(), "test:guest/parser", &wat)
}

/// As a component.
fn parser(body: &str) -> Vec<u8> {
    encode(&core_parser(body))
}

fn load(bytes: &[u8], wasi: WasiGrant) -> Result<AnswerParser, LoadError> {
    let mut settings = Settings::of(Role::AnswerParser);
    settings.wasi = wasi;
    settings.limits.wall = Duration::from_secs(20);
    AnswerParser::load(engine(), source(bytes), settings)
}

async fn granted(parse: &str) -> Result<String, AttemptFailure> {
    let parser = load(&parser(parse), WasiGrant::Sandboxed).unwrap();
    Ok(parser.parse("text").await?.unwrap().headline)
}

fn check_refused(bytes: &[u8], wasi: WasiGrant, expected: &Expect) {
    expected.assert_eq(&said(&load(bytes, wasi).err().unwrap()));
}

#[test]
fn it_is_refused_unless_it_is_granted() {
    // R-HOST-02
    check_refused(
        &parser(COUNT),
        WasiGrant::None,
        &expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it imports `wasi:cli/environment@0.2.0`, but it was granted no WASI.
        Fix: build it without WASI (Rust: target wasm32-unknown-unknown; Python: componentize-py with --stub-wasi; JavaScript: componentize-js with all features disabled), or set wasi = "sandboxed" for it; world `answer-parser` itself needs none
    "#]],
    );
}

#[test]
fn a_core_module_cannot_be_granted_it() {
    // R-HOST-02
    check_refused(
        &core_parser(COUNT),
        WasiGrant::Sandboxed,
        &expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it is a core module that imports `wasi:cli/environment@0.2.0`, and only a component can be granted WASI.
        Fix: make it a component with `wasm-tools component new`, or build it without WASI
    "#]],
    );
}

#[tokio::test]
async fn clocks_and_random_numbers_work() {
    let same = |first: &str, second: &str| format!("(if (i64.eq {first} {second}) (then unreachable))");
    let random = same("(call $random)", "(call $random)");
    let seconds = "(call $now (i32.const 200)) (if (i64.eqz (i64.load (i32.const 200))) (then unreachable))";
    assert_eq!(granted(&format!("(drop (call $uptime)) {random} {seconds} {COUNT}")).await.unwrap(), "1");
}
