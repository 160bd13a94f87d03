//! Files that are not loaded, and what their owner is told.

use super::guests::{
    ASK, COUNT, INPUT, answer_parser, component, encode, engine, module, module_with, planner, said, source,
};
use expect_test::{Expect, expect};
use portcullis_plugins::{
    Allocation, AnswerParser, CacheUsage, CodeCache, Engine, EngineSettings, LoadError, Planner, Problem, Role,
    Settings,
};
use proptest::prelude::{ProptestConfig, any, prop, proptest};

fn load(bytes: &[u8]) -> Result<AnswerParser, LoadError> {
    AnswerParser::load(engine(), source(bytes), Settings::of(Role::AnswerParser))
}

#[expect(clippy::needless_pass_by_value, reason = "expect! stands where it is used")]
fn check(bytes: &[u8], expected: Expect) {
    expected.assert_eq(&said(&load(bytes).err().unwrap()));
}

#[test]
fn what_is_no_component() {
    // case-045
    check(
        b"",
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it is an empty file.
        Fix: give the binary component (`wasm-tools parse` turns text into one)
    "#]],
    );
    check(
        b"<html>not found</html>",
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it is something else than WebAssembly.
        Fix: give the binary component (`wasm-tools parse` turns text into one)
    "#]],
    );
    check(
        answer_parser(COUNT).as_bytes(),
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it is WebAssembly text.
        Fix: give the binary component (`wasm-tools parse` turns text into one)
    "#]],
    );
    check(
        &wat::parse_str("(module (func (export \"parse\") (result i32) i32.const 0))").unwrap(),
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it is a core module and does not say which component it is to become.
        Fix: core module, build a component: use wit-bindgen for world `answer-parser` (what it gives is accepted as it is), or `wasm-tools component embed` and `component new`
    "#]],
    );
    check(
        b"\0asm\x0d\0\x01\0",
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it should export `portcullis:node/answer-protocol@0.1.0`, and exports nothing.
        Fix: build it for world `answer-parser`
    "#]],
    );
    check(
        b"\0asm\x0d\0\x01\0\xff",
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it is not valid: malformed section id (at offset 0x8).
        Fix: see what `wasm-tools validate` says, and build it again
    "#]],
    );
}

#[test]
fn what_is_a_component_of_another_kind() {
    // R-HOST-02
    check(
        &component("planner", &planner(INPUT, ASK)),
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it should export `portcullis:node/answer-protocol@0.1.0`, and exports portcullis:node/planner-adapter@0.1.0.
        Fix: configure it as planner, or build it for world `answer-parser`
    "#]],
    );
    check(
        &wat::parse_str("(component)").unwrap(),
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it should export `portcullis:node/answer-protocol@0.1.0`, and exports nothing.
        Fix: build it for world `answer-parser`
    "#]],
    );
}

#[test]
fn an_import_that_no_world_offers() {
    // R-HOST-02
    let wit = "package test:guest;
               world parser { include portcullis:node/answer-parser@0.1.0; import secrets: func() -> string; }";
    let wat = answer_parser(COUNT).replacen("(module", r#"(module (import "$root" "secrets" (func (param i32)))"#, 1);
    check(
        &module_with(wit, "test:guest/parser", &wat),
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it imports `secrets`, which its world does not offer.
        Fix: leave it out; world `answer-parser` offers types of portcullis:node@0.1.0 and nothing else
    "#]],
    );
}

#[test]
fn a_core_module_that_needs_the_old_wasi() {
    let wat = answer_parser(COUNT).replacen(
        "(module",
        r#"(module (import "wasi_snapshot_preview1" "random_get" (func (param i32 i32) (result i32)))"#,
        1,
    );
    check(
        &module("answer-parser", &wat),
        expect![[r#"
            component `guest` (guest.wasm) cannot serve as answer-parser:
            it is a core module that does not fit its world: failed to decode world from module: module was not valid: failed to resolve import `wasi_snapshot_preview1::random_get`: module requires an import interface named `wasi_snapshot_preview1`.
            Fix: build it without WASI (Rust: target wasm32-unknown-unknown; Python: componentize-py with --stub-wasi; JavaScript: componentize-js with all features disabled)
        "#]],
    );
}

/// The host's own package under another version, or with another shape.
pub(super) fn other_contract(version: &str, answer: &str) -> Vec<u8> {
    let wit = format!(
        "package portcullis:node@{version};
         interface answer-protocol {{
             record answer {{ {answer} }}
             record violation {{ path: string, message: string }}
             parse: func(text: string) -> result<answer, violation>;
         }}
         world answer-parser {{ export answer-protocol; }}"
    );
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("other.wit", &wit).unwrap();
    let world = resolve.select_world(&[package], Some("answer-parser")).unwrap();
    let wat = answer_parser(COUNT).replace("@0.1.0", &format!("@{version}"));
    let mut module = wat::parse_str(wat).unwrap();
    wit_component::embed_component_metadata(&mut module, &resolve, world, wit_component::StringEncoding::UTF8).unwrap();
    module
}

#[test]
fn another_version_of_the_contract() {
    let same = "headline: string, claim-order: list<string>, next-steps: list<string>";
    load(&other_contract("0.1.0", same)).unwrap();
    check(
        &other_contract("0.2.0", same),
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it was built for version 0.2.0 of portcullis:node (`portcullis:node/answer-protocol@0.2.0`), and this host supports 0.1.0.
        Fix: build it again with the wit folder of this host, for world `answer-parser`, or use a host that supports 0.2.0
    "#]],
    );
    check(
        &other_contract("0.1.1", same),
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        it was built for version 0.1.1 of portcullis:node (`portcullis:node/answer-protocol@0.1.1`), and this host supports 0.1.0.
        Fix: build it again with the wit folder of this host, for world `answer-parser`, or use a host that supports 0.1.1
    "#]],
    );
    check(
        &other_contract("0.1.0", "headline: string, claim-order: list<string>, score: u32"),
        expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        its types are not those of its world: type mismatch for export `portcullis:node/answer-protocol@0.1.0` type mismatch in instance export `answer` expected field name `next-steps`, found `score`.
        Fix: build it again with the wit folder of this host, for world `answer-parser`
    "#]],
    );
}

#[test]
fn an_import_of_another_shape() {
    let wit = r"
        package test:guest;
        world parser {
            import wasi:random/random@0.2.0;
            include portcullis:node/answer-parser@0.1.0;
        }
        package wasi:random@0.2.0 { interface random { get-random-u64: func(seed: string) -> u64; } }
    ";
    let wat = answer_parser(COUNT).replacen(
        "(module",
        r#"(module (import "wasi:random/random@0.2.0" "get-random-u64" (func (param i32 i32) (result i64)))"#,
        1,
    );
    let mut settings = Settings::of(Role::AnswerParser);
    settings.wasi = portcullis_plugins::WasiGrant::Sandboxed;
    let bytes = encode(&module_with(wit, "test:guest/parser", &wat));
    let error = AnswerParser::load(engine(), source(&bytes), settings).err().unwrap();
    expect![[r#"
        component `guest` (guest.wasm) cannot serve as answer-parser:
        its types are not those of its world: component imports instance `wasi:random/random@0.2.0`, but a matching implementation was not found in the linker: instance export `get-random-u64` has the wrong type: type mismatch with parameters: expected 0-tuple, found 1-tuple.
        Fix: build it again with the wit folder of this host, for world `answer-parser`
    "#]].assert_eq(&said(&error));
}

#[test]
fn a_pinned_digest() {
    // R-HOST-06
    let bytes = component("answer-parser", &answer_parser(COUNT));
    let pinned = |sha256: &str| {
        let mut settings = Settings::of(Role::AnswerParser);
        settings.sha256 = Some(sha256.to_owned());
        AnswerParser::load(engine(), source(&bytes), settings)
    };
    let found = load(&bytes).unwrap().info().sha256.clone();
    assert_eq!(found.len(), 64);
    pinned(&found).unwrap();
    pinned(&found.to_uppercase()).unwrap();
    for other in ["0000", "", &found[..63]] {
        let error = pinned(other).err().unwrap();
        assert_eq!(error.problem, Problem::Digest { pinned: other.to_owned(), found: found.clone() });
    }
}

#[test]
fn what_is_recorded_of_a_component() {
    // R-HOST-06
    let mut bytes = component("planner", &planner(INPUT, ASK));
    bytes.extend(b"\0\x0d\x07version1.2.3"); // a custom section
    let planner = Planner::load(engine(), source(&bytes), Settings::of(Role::Planner)).unwrap();
    let info = planner.info();
    assert_eq!((info.role, info.name.as_str(), info.origin.as_str()), (Role::Planner, "guest", "guest.wasm"));
    assert_eq!((info.version.as_deref(), info.size), (Some("1.2.3"), bytes.len()));
    let imports = ["invoker", "log", "run", "types"].map(|name| format!("portcullis:node/{name}@0.1.0"));
    let mut found = info.imports.clone();
    found.sort();
    assert_eq!(found, imports);
}

#[test]
fn an_oversized_file_is_refused_by_its_size() {
    let settings = EngineSettings { component_bytes: 100, ..EngineSettings::default() };
    let engine = Engine::new(settings).unwrap();
    // Not even a component: nobody looked.
    let error = AnswerParser::load(&engine, source(&[b'x'; 101]), Settings::of(Role::AnswerParser)).err().unwrap();
    assert_eq!(error.problem, Problem::TooLarge { bytes: 101, limit: 100 });
}

#[test]
fn component_types_whose_packages_need_each_other() {
    // The tool that makes components would never come back from this one: the host must not let it look.
    let mut bytes = module("answer-parser", &answer_parser(COUNT));
    let (name, other) = (b"portcullis:node/answer-protocol", b"portcullis:nodf/answer-protocol");
    let places: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(name)).collect();
    // The first is the export of the core module.
    for at in &places[1..] {
        bytes[*at..*at + other.len()].copy_from_slice(other);
    }
    assert_eq!(places.len(), 2);
    assert!(matches!(load(&bytes).err().unwrap().problem, Problem::MissingExport { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_make_the_host_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), start in 0..3_usize) {
        let start: &[u8] = [&b""[..], b"\0asm\x0d\0\x01\0", b"\0asm\x01\0\0\0"][start];
        assert!(load(&[start, &bytes].concat()).is_err());
    }

    #[test]
    fn no_damage_makes_the_host_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
        is_module in any::<bool>(),
        is_cut in any::<bool>(),
    ) {
        let wat = answer_parser(COUNT);
        let mut bytes = if is_module { module("answer-parser", &wat) } else { component("answer-parser", &wat) };
        for (index, byte) in damage {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        // Damage to a name or a constant may leave a legal component.
        drop(load(&bytes));
    }
}

#[test]
fn the_engine_says_how_it_allocates() {
    let with = |pooling, memory| {
        let settings = EngineSettings { pooling, memory, ..EngineSettings::default() };
        Engine::new(settings).unwrap().allocation().clone()
    };
    let memory = EngineSettings::default().memory;
    assert_eq!(with(true, memory), Allocation::Pooling);
    assert_eq!(with(false, memory), Allocation::OnDemand { why: "switched off".into() });
    // More than can be had: the host goes on without a pool and says why.
    assert!(matches!(with(true, u64::MAX), Allocation::OnDemand { why } if !why.is_empty()));
}

#[test]
fn compiled_code_is_kept_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let engine = |folder: &std::path::Path| {
        let settings = EngineSettings { cache_dir: Some(folder.to_owned()), ..EngineSettings::default() };
        Engine::new(settings).unwrap()
    };
    let private = folder.path().join("a/b");
    let first = engine(&private);
    assert_eq!(first.code_cache(), &CodeCache::OnDisk(private.canonicalize().unwrap()));
    let bytes = component("answer-parser", &answer_parser(COUNT));
    let load =
        |engine: &Engine| drop(AnswerParser::load(engine, source(&bytes), Settings::of(Role::AnswerParser)).unwrap());
    load(&first);
    assert!(private.join("modules").is_dir());
    let second = engine(&private);
    load(&second);
    let tallies = [first.code_tally(), second.code_tally()];
    assert_eq!(tallies.map(|it| (it.from_cache, it.compiled)), [(0, 1), (1, 0)]);
    let usage = second.code_cache().usage();
    assert!(usage.files > 0 && usage.bytes > 0, "{usage:?}");

    // Without a usable folder it goes on all the same, and says why.
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let broken = engine(&file);
    assert!(matches!(broken.code_cache(), CodeCache::Off { why } if why.contains("file")));
    load(&broken);
    assert_eq!((broken.code_tally().compiled, broken.code_cache().usage()), (1, CacheUsage::default()));
}

#[test]
fn components_that_are_loaded_side_by_side_are_compiled_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let settings = EngineSettings { cache_dir: Some(folder.path().to_owned()), ..EngineSettings::default() };
    let engine = Engine::new(settings).unwrap();
    let bytes = component("answer-parser", &answer_parser(COUNT));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| AnswerParser::load(&engine, source(&bytes), Settings::of(Role::AnswerParser)).unwrap());
        }
    });
    // Two compilations at once would both miss the cache.
    let tally = engine.code_tally();
    assert_eq!((tally.from_cache, tally.compiled), (7, 1));
}

#[cfg(unix)]
#[test]
fn a_cache_that_others_may_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let settings = EngineSettings { cache_dir: Some(folder.path().to_owned()), ..EngineSettings::default() };
    let engine = Engine::new(settings).unwrap();
    assert!(matches!(engine.code_cache(), CodeCache::Off { why } if why.contains("other users may write")));
}
