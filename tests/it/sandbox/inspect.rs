//! Files that are looked at and neither compiled nor run: what is told is what loading would meet.

use super::guests::{
    ASK, COUNT, INPUT, answer_parser, component, encode, engine, module, module_with, planner, source,
};
use portcullis_plugins::{
    AnswerParser, Change, Changes, Compared, FileKind, Inspection, Language, Need, Planner, Problem, Right, Role,
    Settings, WasiGrant, explain, inspect,
};
use proptest::prelude::{ProptestConfig, any, prop, proptest};

fn look(bytes: &[u8]) -> Inspection {
    inspect(bytes).unwrap()
}

/// A parser that imports a clock.
fn clock() -> Vec<u8> {
    let wit = r"
        package test:guest;
        world parser {
            import wasi:clocks/monotonic-clock@0.2.0;
            include portcullis:node/answer-parser@0.1.0;
        }
        package wasi:clocks@0.2.0 { interface monotonic-clock { now: func() -> u64; } }
    ";
    let import = r#"(module (import "wasi:clocks/monotonic-clock@0.2.0" "now" (func (result i64)))"#;
    encode(&module_with(wit, "test:guest/parser", &answer_parser(COUNT).replacen("(module", import, 1)))
}

#[test]
fn a_component_and_the_module_that_it_is_made_of_are_told_alike() {
    // R-HOST-02
    let wat = planner(INPUT, ASK);
    for (bytes, kind) in
        [(component("planner", &wat), FileKind::Component), (module("planner", &wat), FileKind::TypedModule)]
    {
        let told = look(&bytes);
        assert_eq!((told.kind, told.size, told.wit.clone()), (kind, bytes.len(), vec!["0.1.0".to_owned()]));
        assert_eq!(told.serves(), [Role::Planner]);
        assert_eq!(told.exports, ["portcullis:node/planner-adapter@0.1.0"]);
        assert_eq!(told.rights(), [Right::Log, Right::Invoker]);
        assert_eq!((told.core.memories, told.core.initial_memory), (1, 2 * 65_536));
        assert_eq!(told.fits(Role::Planner, &Settings::of(Role::Planner)), Ok(Compared::Types));
        // What is told is what is loaded.
        let loaded = Planner::load(engine(), source(&bytes), Settings::of(Role::Planner)).unwrap();
        let (mut told_imports, mut loaded_imports) = (told.imports, loaded.info().imports.clone());
        told_imports.sort();
        loaded_imports.sort();
        assert_eq!(told_imports, loaded_imports);
        assert_eq!((&told.sha256, &told.wit[0][..]), (&loaded.info().sha256, loaded.info().wit.as_str()));
    }
}

#[test]
fn it_says_no_where_loading_says_no_and_in_the_same_words() {
    // R-HOST-02 R-HOST-04
    let wasi = || Settings { wasi: WasiGrant::Sandboxed, ..Settings::of(Role::AnswerParser) };
    let tight = || {
        let mut settings = Settings::of(Role::AnswerParser);
        settings.limits.memory = 65_536;
        settings
    };
    let other = super::load::other_contract;
    let fields = "headline: string, claim-order: list<string>, score: u32";
    let cases: [(Vec<u8>, Settings); 8] = [
        (component("planner", &planner(INPUT, ASK)), Settings::of(Role::AnswerParser)),
        (clock(), Settings::of(Role::AnswerParser)),
        (component("answer-parser", &answer_parser(COUNT)), tight()),
        (encode(&other("0.1.0", fields)), wasi()),
        (other("0.1.0", fields), wasi()),
        (other("0.2.0", fields), wasi()),
        (encode(&other("0.2.0", fields)), wasi()),
        (wat::parse_str("(module)").unwrap(), wasi()),
    ];
    for (bytes, settings) in cases {
        let told = look(&bytes).fits(Role::AnswerParser, &settings).unwrap_err();
        let met = AnswerParser::load(engine(), source(&bytes), settings).err().unwrap().problem;
        match (&told, &met) {
            // Another comparison of the same types: the words are its own.
            (Problem::Types { .. }, Problem::Types { .. }) => {}
            _ => assert_eq!(told, met),
        }
    }
}

#[test]
fn the_types_of_wasi_are_compared_at_load() {
    // R-HOST-02
    let told = look(&clock());
    let granted = Settings { wasi: WasiGrant::Sandboxed, ..Settings::of(Role::AnswerParser) };
    assert!(told.is_wasi());
    assert_eq!(told.fits(Role::AnswerParser, &granted), Ok(Compared::Names));
    assert_eq!(explain(&told.imports[0], Some(Language::Rust)).need, Need::Wasi);
}

#[test]
fn a_right_that_is_declared_and_not_used_is_not_needed() {
    // R-HOST-02
    // Of the planner's world, which has a log and an agent too, it uses nothing.
    let wat = planner(INPUT, "(i32.const 64)");
    let first = wat.find("(import").unwrap();
    let last = wat.find("(memory").unwrap();
    let wat = format!("{}{}", &wat[..first], &wat[last..])
        .replace("(call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))", "");
    let bytes = module("planner", &wat);
    let settings = Settings { rights: Some(vec![]), ..Settings::of(Role::Planner) };
    let told = look(&bytes);
    assert_eq!(told.rights(), []);
    assert_eq!(told.fits(Role::Planner, &settings), Ok(Compared::Types));
    Planner::load(engine(), source(&bytes), settings).unwrap();
}

#[test]
fn a_core_module_that_cannot_be_made_a_component_is_still_told() {
    let import = r#"(module (import "wasi_snapshot_preview1" "random_get" (func (param i32 i32) (result i32)))"#;
    let told = look(&module("answer-parser", &answer_parser(COUNT).replacen("(module", import, 1)));
    assert_eq!(told.imports, ["wasi_snapshot_preview1"]);
    assert_eq!((told.roles(), told.serves()), (vec![Role::AnswerParser], vec![]));
    let problem = told.fits(Role::AnswerParser, &Settings::of(Role::AnswerParser)).unwrap_err();
    // Loading says more: it sees what the tool that makes components says. The names come first here.
    assert!(matches!(problem, Problem::ForeignImport { .. }), "{problem}");

    let mut bytes = wat::parse_str("(module)").unwrap();
    bytes.extend(b"\0\x10\x0ecomponent-type?"); // a custom section with a byte that is no type
    let told = look(&bytes);
    assert_eq!((told.kind, told.serves()), (FileKind::TypedModule, vec![]));
    let settings = Settings::of(Role::AnswerParser);
    let met = AnswerParser::load(engine(), source(&bytes), settings.clone()).err().unwrap().problem;
    assert_eq!(told.fits(Role::AnswerParser, &settings), Err(met));
}

#[test]
fn what_a_new_version_needs_more() {
    // R-HOST-02
    let check = |old: &[u8], new: &[u8], expected: &[Change]| {
        assert_eq!(Changes::between(&look(old), &look(new)).more, expected);
    };
    let plain = component("answer-parser", &answer_parser(COUNT));
    let larger = component("answer-parser", &answer_parser(COUNT).replace(r#""memory") 2"#, r#""memory") 3"#));
    let adapter = component("planner", &planner(INPUT, ASK));
    check(&plain, &plain, &[]);
    check(&plain, &larger, &[Change::Memory { from: 2 * 65_536, to: 3 * 65_536 }]);
    check(&larger, &plain, &[]);
    check(&plain, &clock(), &[Change::Wasi]);
    check(&clock(), &plain, &[]);
    let rights = [Change::Right(Right::Log), Change::Right(Right::Invoker), Change::Role(Role::AnswerParser)];
    check(&plain, &adapter, &rights);
    let fields = "headline: string, claim-order: list<string>, next-steps: list<string>";
    let later = encode(&super::load::other_contract("0.2.0", fields));
    check(&plain, &later, &[Change::Wit { to: vec!["0.2.0".into()] }, Change::Role(Role::AnswerParser)]);
    let foreign = wat::parse_str(r#"(component (import "env:secrets/all" (instance)))"#).unwrap();
    check(&foreign, &foreign, &[]);
    check(&wat::parse_str("(component)").unwrap(), &foreign, &[Change::Refused]);
    let bare = wat::parse_str("(module)").unwrap();
    check(&wat::parse_str("(component)").unwrap(), &bare, &[Change::ComponentType]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), start in 0..3_usize) {
        let start: &[u8] = [&b""[..], b"\0asm\x0d\0\x01\0", b"\0asm\x01\0\0\0"][start];
        drop(inspect(&[start, &bytes].concat()));
    }

    #[test]
    fn no_damage_makes_it_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        is_module in any::<bool>(),
    ) {
        let wat = planner(INPUT, ASK);
        let mut bytes = if is_module { module("planner", &wat) } else { component("planner", &wat) };
        for (index, byte) in damage {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if let Ok(told) = inspect(&bytes) {
            // What loads was told to fit. Types apart: the linker does not ask for what a type is called.
            let settings = Settings::of(Role::Planner);
            let fits = told.fits(Role::Planner, &settings);
            let loads = Planner::load(engine(), source(&bytes), settings);
            assert!(matches!(fits, Ok(_) | Err(Problem::Types { .. })) || loads.is_err(), "{:?}", fits.err());
        }
    }
}
