//! `portcullis node test`: the table, JSON, exit codes, own vectors, and what is no component.

use super::place::{Place, Ran};
use crate::sandbox::{ASK, INPUT, encode, module_with, planner};
use expect_test::expect;
use std::path::Path;

/// A default node as the build left it.
fn guest(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/guests").join(format!("{name}.wasm"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run `make guests`", path.display()))
}

/// With custom section `name` of `bytes` zeros at the end.
fn with_section(module: &[u8], name: &str, bytes: usize) -> Vec<u8> {
    let leb = |mut n: usize| {
        let mut out = Vec::new();
        while n > 127 {
            out.push(u8::try_from(n & 127).unwrap() | 128);
            n >>= 7;
        }
        out.push(u8::try_from(n).unwrap());
        out
    };
    let name = [leb(name.len()), name.as_bytes().to_vec()].concat();
    [module, &[0], &leb(name.len() + bytes), &name, &vec![0; bytes]].concat()
}

/// Figures differ from machine to machine and from build to build.
fn masked(ran: &Ran) -> String {
    let mask = |line: &str| {
        let words = line.split(' ').collect::<Vec<_>>();
        let is_unit = |word: &str| ["µs", "ms", "ms,", "bytes,"].contains(&word);
        let masked = words.iter().enumerate().map(|(at, word)| {
            let is_figure = word.parse::<u64>().is_ok() && words.get(at + 1).is_some_and(|next| is_unit(next));
            match *word {
                _ if is_figure => "N",
                "µs" | "ms" => "UNIT",
                word => word,
            }
        });
        masked.collect::<Vec<_>>().join(" ") + "\n"
    };
    ran.stdout.lines().map(mask).collect()
}

#[test]
fn the_table() {
    // R-HOST-07
    let place = Place::new();
    place.write("own.wasm", guest("composer"));
    let ran = place.sh("node test own.wasm --role composer");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    expect![[r#"
        own (own.wasm) as composer
        with memory 64.0 MiB, compute 2s, wall 120s, output 1.0 MiB, 4 invocations, wasi = "none" ([nodes.composer])

        passed   legal-inputs
        passed   hostile-texts
        passed   big-inputs
        passed   same-bytes
        passed   asks-its-agent
        passed   agent-errors
        passed   same-on-retry
        passed   keeps-nothing
        passed   within-limits
        passed   size
        passed   wasi

        size  N bytes, Rust
        WASI  none
        load  N UNIT first, N UNIT again, with the compiled code from the cache
        call  N UNIT for prepare, the median of 15

        passed: 11 checks passed, 0 failed, 0 skipped
    "#]]
    .assert_eq(&masked(&ran));
}

#[test]
fn a_check_that_fails_is_told_and_is_exit_code_1() {
    // R-HOST-07
    let place = Place::new();
    place.write("fat.wasm", with_section(&guest("composer"), "fat", 300 * 1024));
    let ran = place.sh("node test fat.wasm --role composer --json");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let report = ran.json();
    assert_eq!(report["passed"], false);
    let checks = report["checks"].as_array().unwrap();
    let failed: Vec<_> = checks.iter().filter(|check| check["result"] == "failed").collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["name"], "size");
    assert!(failed[0]["words"].as_str().unwrap().ends_with("expected at most 307200 of a node in Rust"), "{failed:?}");
    assert_eq!(report["figures"]["language"], "Rust");
    assert_eq!(report["figures"]["wasi_imports"].as_array().unwrap().len(), 0);
    assert!(report["figures"]["call"]["median_ms"].is_number(), "{report}");
    let table = place.sh("node test fat.wasm --role composer");
    assert_eq!(table.code, Some(1));
    assert!(table.stdout.contains("\nFAILED   size "), "{table:?}");
}

#[test]
fn the_configuration_grants_and_the_command_line_overrides() {
    // R-HOST-04
    let place = Place::new();
    place.write("own.wasm", guest("verifier"));
    place.write("portcullis.toml", "[nodes.verifier]\nlimits = { memory = \"32MiB\", output = \"2MiB\" }\n");
    let settings = |line: &str| place.sh(line).json()["settings"].clone();
    let configured = settings("node test own.wasm --role verifier --json");
    assert_eq!((&configured["memory"], &configured["output"]), (&(32 << 20).into(), &(2 << 20).into()));
    let overridden =
        settings("node test own.wasm --role verifier --json --memory 40MiB --compute 3s --rights log,invoker");
    assert_eq!((&overridden["memory"], &overridden["output"]), (&(40 << 20).into(), &(2 << 20).into()));
    assert_eq!((&overridden["compute_ms"], &overridden["rights"][1]), (&3_000.0.into(), &"invoker".into()));
    // What does not hold at tight limits is told as that.
    let tight = place.sh("node test own.wasm --role verifier --output 1KiB");
    assert_eq!(tight.code, Some(1));
    assert!(tight.stdout.contains("\nFAILED   within-limits "), "{tight:?}");
}

#[test]
fn wasi_is_over_budget_until_the_configuration_grants_it() {
    // R-HOST-02 R-HOST-07
    const WIT: &str = r"
        package test:guest;
        world clocked { include portcullis:node/planner@0.1.0; import wasi:clocks/monotonic-clock@0.2.0; }
        package wasi:clocks@0.2.0 { interface monotonic-clock { now: func() -> u64; } }
    ";
    let import = r#"(module (import "wasi:clocks/monotonic-clock@0.2.0" "now" (func $now (result i64)))"#;
    let roomy = planner(INPUT, ASK).replace("\"memory\") 2)", "\"memory\") 640)");
    let wat = roomy.replacen("(module", import, 1);
    let place = Place::new();
    place.write("own.wasm", encode(&module_with(WIT, "test:guest/clocked", &wat)));

    place.refuses("node test own.wasm --role planner", &["it imports `wasi:clocks/monotonic-clock@0.2.0`", "Fix: "]);
    let ran = place.sh("node test own.wasm --role planner --wasi sandboxed");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("\nFAILED   wasi  "), "{ran:?}");
    assert!(ran.stdout.contains("\nWASI  wasi:clocks/monotonic-clock@0.2.0\n"), "{ran:?}");
    place.write("portcullis.toml", "[nodes.planner]\nwasi = \"sandboxed\"\n");
    let words = place.sh("node test own.wasm --role planner").ok();
    assert!(words.contains("\nskipped  wasi  "), "{words}");
}

#[test]
fn a_parser_can_be_held_against_vectors_of_its_own() {
    // R-HOST-07
    let place = Place::new();
    place.write("own.wasm", guest("answer-parser"));
    let document = r#"{"answer_version": "composed_answer_v1", "headline": "h", "claim_order": [], "next_steps": []}"#;
    place.write("vectors/good.txt", document);
    place.write("vectors/good.json", document);
    place.write("vectors/bad.txt", "no");
    place.write("vectors/bad.json", r#"{"violation": {"path": ""}}"#);
    place.write("vectors/README.md", "not looked at");
    let line = "node test own.wasm --role answer-parser --vectors vectors";
    place.sh(line).ok();

    place.write("vectors/other.txt", document);
    place.write("vectors/other.json", document.replace("\"h\"", "\"i\""));
    let ran = place.sh(line);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("1 of 3 differ: given vector \"other\""), "{ran:?}");
}

#[test]
fn a_broken_folder_of_vectors_is_one_error() {
    // R-HOST-07
    let line = "node test own.wasm --role answer-parser --vectors vectors";
    let refuses = |files: &[(&str, &[u8])], words: &[&str]| {
        let place = Place::new();
        place.write("own.wasm", guest("answer-parser"));
        for (name, content) in files {
            place.write(&format!("vectors/{name}"), content);
        }
        place.refuses(line, &[words, &["hint: docs/conformance.md"]].concat());
    };
    let good: (&str, &[u8]) = ("good.json", br#"{"answer_version": "composed_answer_v1"}"#);
    refuses(&[], &["cannot read vectors: No such file"]);
    refuses(&[("README.md", b"")], &["vectors has 0 vectors with a document and 0 with a violation"]);
    refuses(&[("good.txt", b""), good], &["vectors has 1 vectors with a document and 0 with a violation"]);
    refuses(&[("a.txt", b"")], &["vectors/a.txt is there and vectors/a.json is not"]);
    refuses(&[("a.json", b"{}")], &["vectors/a.json is there and vectors/a.txt is not"]);
    refuses(&[("good.txt", b"\xff"), good], &["vectors/good.txt is not UTF-8 at byte 0"]);
    refuses(&[("a.txt", b""), ("a.json", b"{")], &["vectors/a.json: EOF while parsing"]);
    refuses(&[("a.txt", b""), ("a.json", b"{}")], &["vectors/a.json: expected a document with its answer_version"]);
    refuses(
        &[("a.txt", b""), ("a.json", br#"{"violation": {"place": ""}}"#)],
        &["vectors/a.json: `place` is no key of an expected violation"],
    );
    refuses(&[("a.txt", b""), ("a.json", br#"{"violation": {"path": 1}}"#)], &["the path of a violation is a text"]);
}

#[test]
fn what_cannot_be_examined_is_exit_code_2() {
    // R-HOST-02
    let place = Place::new();
    place.write("own.wasm", guest("composer"));
    place.write("none.wasm", "no component");
    place.refuses(
        "node test own.wasm --role verifier",
        &["own.wasm", "verifier-adapter", "Fix: configure it as composer"],
    );
    place.refuses("node test none.wasm --role composer", &["none.wasm", "something else than WebAssembly"]);
    place.refuses("node test nowhere.wasm --role composer", &["cannot read nowhere.wasm: No such file"]);
    place.refuses(
        "node test own.wasm --role poet",
        &["invalid value 'poem'".replace("poem", "poet").as_str(), "answer-parser"],
    );
    place
        .refuses("node test own.wasm --role composer --vectors .", &["--vectors is for parsers, and composer is none"]);
    place.refuses("node test own.wasm --role composer --memory lots", &["invalid value 'lots'", "64MiB"]);
    place.refuses("node test own.wasm --role composer --memory 1GiB", &["its memory limit is set to 1073741824 bytes"]);
    place.refuses("node test own.wasm --role composer --rights log", &["which is not among the rights"]);
    place.refuses("node test own.wasm", &["--role <ROLE>"]);
}
