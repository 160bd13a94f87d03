//! WASI, when it is granted: a world with nothing in it.

use super::guests::{COUNT, MEMORY, encode, engine, module_with, said, source};
use expect_test::{Expect, expect};
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{AnswerParser, AttemptFailure, LoadError, Role, Settings, WasiGrant};
use std::time::Duration;

/// The part of WASI that these guests use.
const WIT: &str = r"
    package test:guest;
    world parser {
        include portcullis:node/answer-parser@0.1.0;
        import wasi:cli/environment@0.2.0;
        import wasi:cli/exit@0.2.0;
        import wasi:cli/stderr@0.2.0;
        import wasi:clocks/monotonic-clock@0.2.0;
        import wasi:clocks/wall-clock@0.2.0;
        import wasi:filesystem/preopens@0.2.0;
        import wasi:random/random@0.2.0;
    }
    world networked {
        include portcullis:node/answer-parser@0.1.0;
        import wasi:sockets/instance-network@0.2.0;
    }
    package wasi:cli@0.2.0 {
        interface environment {
            get-environment: func() -> list<tuple<string, string>>;
            get-arguments: func() -> list<string>;
        }
        interface exit { exit: func(status: result); }
        interface stderr {
            use wasi:io/streams@0.2.0.{output-stream};
            get-stderr: func() -> output-stream;
        }
    }
    package wasi:io@0.2.0 {
        interface error { resource error; }
        interface poll { resource pollable { block: func(); } }
        interface streams {
            use error.{error};
            variant stream-error { last-operation-failed(error), closed }
            resource output-stream {
                blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>;
            }
        }
    }
    package wasi:clocks@0.2.0 {
        interface monotonic-clock {
            use wasi:io/poll@0.2.0.{pollable};
            now: func() -> u64;
            subscribe-duration: func(when: u64) -> pollable;
        }
        interface wall-clock {
            record datetime { seconds: u64, nanoseconds: u32 }
            now: func() -> datetime;
        }
    }
    package wasi:filesystem@0.2.0 {
        interface types { resource descriptor; }
        interface preopens {
            use types.{descriptor};
            get-directories: func() -> list<tuple<descriptor, string>>;
        }
    }
    package wasi:random@0.2.0 { interface random { get-random-u64: func() -> u64; } }
    package wasi:sockets@0.2.0 {
        interface network { resource network; }
        interface instance-network { use network.{network}; instance-network: func() -> network; }
    }
";

fn core_parser(parse: &str) -> Vec<u8> {
    let wat = format!(
        r#"(module
            (import "wasi:cli/environment@0.2.0" "get-environment" (func $environment (param i32)))
            (import "wasi:cli/environment@0.2.0" "get-arguments" (func $arguments (param i32)))
            (import "wasi:cli/exit@0.2.0" "exit" (func $exit (param i32)))
            (import "wasi:cli/stderr@0.2.0" "get-stderr" (func $stderr (result i32)))
            (import "wasi:io/streams@0.2.0" "[method]output-stream.blocking-write-and-flush"
                (func $write (param i32 i32 i32 i32)))
            (import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
            (import "wasi:clocks/monotonic-clock@0.2.0" "now" (func $uptime (result i64)))
            (import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $alarm (param i64) (result i32)))
            (import "wasi:clocks/wall-clock@0.2.0" "now" (func $now (param i32)))
            (import "wasi:filesystem/preopens@0.2.0" "get-directories" (func $folders (param i32)))
            (import "wasi:random/random@0.2.0" "get-random-u64" (func $random (result i64)))
            {MEMORY}
            (data (i32.const 64) "\00\00\00\00" "\00\04\00\00" "\01\00\00\00")
            (data (i32.const 1040) "adapter-x: expected a number\n")
            (func (export "portcullis:node/answer-protocol@0.1.0#parse")
                (param $text i32) (param $length i32) (result i32)
                {parse}))"#
    );
    module_with(WIT, "test:guest/parser", &wat)
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

#[test]
fn the_network_is_not_granted_at_all() {
    // R-HOST-03
    let wat = format!(
        r#"(module
            (import "wasi:sockets/instance-network@0.2.0" "instance-network" (func (result i32)))
            {MEMORY}
            (func (export "portcullis:node/answer-protocol@0.1.0#parse") (param i32 i32) (result i32) unreachable))"#
    );
    let bytes = encode(&module_with(WIT, "test:guest/networked", &wat));
    check_refused(
        &bytes,
        WasiGrant::Sandboxed,
        &expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it imports `wasi:sockets/network@0.2.0`, which even sandboxed WASI does not offer.
        Fix: build it without that import; sandboxed WASI is wasi:cli, clocks, filesystem (with no folder), io and random, version 0.2
    "#]],
    );
}

#[tokio::test]
async fn there_is_nothing_to_see() {
    // R-HOST-03
    let empty =
        |list: &str| format!("(call {list} (i32.const 200)) (if (i32.load (i32.const 204)) (then unreachable))");
    let look = [empty("$environment"), empty("$arguments"), empty("$folders")].concat();
    assert_eq!(granted(&format!("{look} {COUNT}")).await.unwrap(), "1");
    assert!(std::env::vars().next().is_some(), "there would be something to see");
}

#[tokio::test]
async fn clocks_and_random_numbers_work() {
    let same = |first: &str, second: &str| format!("(if (i64.eq {first} {second}) (then unreachable))");
    let random = same("(call $random)", "(call $random)");
    let seconds = "(call $now (i32.const 200)) (if (i64.eqz (i64.load (i32.const 200))) (then unreachable))";
    assert_eq!(granted(&format!("(drop (call $uptime)) {random} {seconds} {COUNT}")).await.unwrap(), "1");
}

#[tokio::test]
async fn what_is_printed_ends_in_the_detail_of_a_failure() {
    // case-046
    let print = "(call $write (call $stderr) (i32.const 1040) (i32.const 29) (i32.const 200))";
    let failure = granted(&format!("{print} unreachable")).await.unwrap_err();
    assert_eq!(failure.reason, ReasonCode::GuestTrapped);
    assert!(failure.detail.ends_with("; the component said: adapter-x: expected a number"), "{}", failure.detail);
}

#[tokio::test]
async fn to_exit_is_to_trap() {
    // R-NODE-07
    assert_eq!(granted("(call $exit (i32.const 0)) unreachable").await.unwrap_err().reason, ReasonCode::GuestTrapped);
}

#[tokio::test]
async fn a_sleeper_is_woken_by_the_wall_clock() {
    // R-HOST-04
    // An hour: nothing computes, so the compute limit never sees it.
    let sleep = parser("(call $block (call $alarm (i64.const 3600000000000))) (i32.const 64)");
    let mut settings = Settings::of(Role::AnswerParser);
    settings.wasi = WasiGrant::Sandboxed;
    settings.limits.wall = Duration::from_millis(100);
    let parser = AnswerParser::load(engine(), source(&sleep), settings).unwrap();
    assert_eq!(parser.parse("text").await.unwrap_err().reason, ReasonCode::AttemptTimeout);
}

#[tokio::test]
async fn a_guest_cannot_fill_the_host_with_resources() {
    // R-HOST-04
    let hoard = "(loop $again (drop (call $alarm (i64.const 0))) (br $again)) unreachable";
    assert_eq!(granted(hoard).await.unwrap_err().reason, ReasonCode::GuestMemory);
}
