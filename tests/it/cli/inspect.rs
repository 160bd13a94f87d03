//! Files that are not in service yet: told apart, compared with what would replace them, and tried.

use super::place::{Place, Ran, scripted_agents};
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use std::path::Path;

/// A component of the archive: its bytes stay what they are.
fn archived(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/wit-0.1.0");
    std::fs::read(folder.join(format!("{name}.wasm"))).unwrap()
}

fn importing(imports: &[&str]) -> Vec<u8> {
    let imports: Vec<_> = imports.iter().map(|import| format!("(import \"{import}\" (instance))")).collect();
    let imports = imports.concat();
    let export = r#"(instance $none) (export "portcullis:node/composer-adapter@0.1.0" (instance $none))"#;
    wat::parse_str(format!("(component {imports} {export})")).unwrap()
}

const WASI: [&str; 5] = [
    "portcullis:node/log@0.1.0",
    "wasi:clocks/wall-clock@0.2.3",
    "wasi:clocks/monotonic-clock@0.2.3",
    "wasi:http/types@0.2.3",
    "portcullis:node/types@0.1.0",
];

fn place() -> Place {
    let place = Place::new();
    place.write("composer.wasm", archived("composer"));
    place.write("verifier.wasm", archived("verifier"));
    place.write("thinker.wasm", archived("thinker"));
    place.write("wasi.wasm", importing(&WASI));
    place.write("bare.wasm", wat::parse_str("(module (import \"env\" \"f\" (func)))").unwrap());
    place.write("none.wasm", wat::parse_str("(component)").unwrap());
    place
}

#[expect(clippy::needless_pass_by_value, reason = "expect! stands where it is used")]
#[track_caller]
fn check(ran: Ran, code: i32, expected: Expect) {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(code), ""), "{ran:?}");
    expected.assert_eq(&ran.stdout);
}

#[test]
fn what_a_file_is_imports_and_needs() {
    // R-HOST-02
    let place = place();
    check(
        place.sh("node inspect composer.wasm"),
        0,
        expect![[r#"
            composer.wasm: core module with a component type, 36034 bytes
            sha256    8c0364e2080690813abc2ae46624147ca047eb8768264f1d045c5fdd8809f36c
            version   not said
            WIT       0.1.0 (this host supports 0.1.0)
            made by   Rust: wit-bindgen-rust 0.61.1, wit-component 0.258.3
            memory    1114112 bytes at the start (1.1 MiB): limits.memory has to be at least that
            core      modules 3; of what a guest may have: instances 3/64, memories 1/16, tables 2/64, elements of a table 34/100000

            Fit
              nodes.composer       as composer: yes, by names and types

            Exports
              portcullis:node/composer-adapter@0.1.0

            Imports
              portcullis:node/invoker@0.1.0
                  has its agent asked, with the very bytes that it prepared, as often as its limit says
                  needs the right "invoker": granted by nodes.composer
              portcullis:node/log@0.1.0
                  tells the operator something: a bounded number of lines, in no answer and in no store
                  needs the right "log": granted by nodes.composer
              portcullis:node/run@0.1.0
                  reads the id, the session and the metadata of the run that a call was lent
                  needs no right
              portcullis:node/types@0.1.0
                  holds types and no function
                  needs no right
        "#]],
    );
    check(
        place.sh("node inspect wasi.wasm"),
        0,
        expect![[r#"
        wasi.wasm: component, 280 bytes
        sha256    58f222212b34415d4ba63881b0a7c71dd5379248be6d6ffdc7131effb122176c
        version   not said
        WIT       0.1.0 (this host supports 0.1.0)
        made by   not said
        memory    0 bytes at the start (0 B): limits.memory has to be at least that
        core      modules 0; of what a guest may have: instances 0/64, memories 0/16, tables 0/64, elements of a table 0/100000

        Fit
          nodes.composer       as composer: no, it imports `wasi:clocks/wall-clock@0.2.3`, but it was granted no WASI
            fix: build it without WASI (Rust: target wasm32-unknown-unknown; Python: componentize-py with --stub-wasi; JavaScript: componentize-js with all features disabled), or set wasi = "sandboxed" for it; world `composer` itself needs none

        Exports
          portcullis:node/composer-adapter@0.1.0

        Imports
          portcullis:node/log@0.1.0
              tells the operator something: a bounded number of lines, in no answer and in no store
              needs the right "log": granted by nodes.composer
          wasi:clocks/wall-clock@0.2.3
          wasi:clocks/monotonic-clock@0.2.3
              reads the time, so that the same input need not give the same result
              needs wasi = "sandboxed": not granted by nodes.composer
          wasi:http/types@0.2.3
              reaches the network, which no grant covers
              no setting grants it
          portcullis:node/types@0.1.0
              holds types and no function
              needs no right

        Where WASI usually comes from
          the standard library of a target such as wasm32-wasip1 or wasm32-wasip2

        How to build without it
          choose a target without WASI (Rust: wasm32-unknown-unknown), or an option that stubs it
    "#]],
    );
}

#[test]
fn what_fits_nowhere_is_told_all_the_same() {
    // R-HOST-02
    let place = place();
    check(
        place.sh("node inspect bare.wasm"),
        0,
        expect![[r#"
        bare.wasm: core module without a component type, 25 bytes
        sha256    2aa7ada82735c1c23a2973db08cdfb05d9af09277abe72cf4b86d7635270cde8
        version   not said
        WIT       none (this host supports 0.1.0)
        made by   not said
        memory    0 bytes at the start (0 B): limits.memory has to be at least that
        core      modules 1; of what a guest may have: instances 0/64, memories 0/16, tables 0/64, elements of a table 0/100000

        Fits nowhere: it does not say which component it is to become. Build it with wit-bindgen for a world of the wit folder

        Exports
          none

        Imports
          env
              is unknown to this host
              no setting grants it
    "#]],
    );
    check(
        place.sh("node inspect none.wasm"),
        0,
        expect![[r#"
        none.wasm: component, 8 bytes
        sha256    24eaf3439a60c96764c4f2c92a0a81b52bd4fe5d5b91f090184a0f6486b1bf29
        version   not said
        WIT       none (this host supports 0.1.0)
        made by   not said
        memory    0 bytes at the start (0 B): limits.memory has to be at least that
        core      modules 0; of what a guest may have: instances 0/64, memories 0/16, tables 0/64, elements of a table 0/100000

        Fits nowhere: it exports nothing that a world asks for. Build it for a world of the wit folder

        Exports
          none

        Imports
          none: it can compute and nothing else
    "#]],
    );
}

#[test]
fn what_the_configuration_grants_is_told_for_each_place() {
    // R-HOST-02 R-HOST-04
    let place = place();
    place.write(
        "portcullis.toml",
        "[nodes.composer]\nwasi = \"sandboxed\"\nrights = [\"invoker\"]\nsha256 = \"00\"\n\
         [agents.verifier]\nrights = []\nlimits = { memory = \"1MiB\" }\n",
    );
    let told = place.sh("node inspect wasi.wasm --json").json();
    let imports = told["imports"].as_array().unwrap();
    let find = |name: &str| imports.iter().find(|import| import["name"] == name).unwrap().clone();
    let at_composer = |granted: bool| json!([{ "place": "nodes.composer", "granted": granted }]);
    for (name, need, granted) in [
        ("portcullis:node/log@0.1.0", "log", false),
        ("portcullis:node/types@0.1.0", "nothing", true),
        ("wasi:clocks/wall-clock@0.2.3", "wasi", true),
        ("wasi:http/types@0.2.3", "refused", false),
    ] {
        let import = find(name);
        assert_eq!((&import["need"], &import["granted"]), (&json!(need), &at_composer(granted)), "{import}");
        assert_eq!(import["without"].is_string(), name.starts_with("wasi:"), "{import}");
    }
    assert_eq!(
        told["fits"][0]["problem"],
        "it imports `wasi:http/types@0.2.3`, which even sandboxed WASI does not offer"
    );

    place.write("clock.wasm", importing(&WASI[1..3]));
    let told = place.sh("node inspect clock.wasm").ok();
    assert!(told.contains("yes, by names; types are compared when it is loaded"), "{told}");

    let told = place.sh("node inspect thinker.wasm --json").json();
    let fits: Vec<(&str, &str, bool)> = told["fits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fit| (fit["role"].as_str().unwrap(), fit["place"].as_str().unwrap(), fit["fits"].as_bool().unwrap()))
        .collect();
    let expected = [
        ("thinker", "agents.planner", true),
        ("thinker", "agents.verifier", false),
        ("thinker", "agents.composer", true),
        ("investigator", "agents.executor", true),
    ];
    assert_eq!(fits, expected);
}

#[test]
fn what_cannot_be_read_is_refused() {
    // R-HOST-02
    let place = place();
    place.write("text.wat", "(module)");
    place.write("cut.wasm", &archived("composer")[..1_000]);
    for (line, words) in [
        ("node inspect no.wasm", "No such file"),
        ("node inspect .", "no regular file"),
        ("node inspect text.wat", "it is WebAssembly text"),
        ("node inspect cut.wasm", "it is not valid"),
        ("node inspect --diff composer.wasm text.wat", "text.wat cannot be inspected"),
        ("node inspect --diff composer.wasm", "<NEW>"),
        ("node inspect composer.wasm verifier.wasm", "--diff"),
        ("node check no.wasm --role composer", "No such file"),
        ("node check composer.wasm --role compositor", "use one of planner, executor"),
    ] {
        place.refuses(line, &[words]);
    }
    place.sparse("large.wasm", (64 << 20) + 1);
    place.refuses("node inspect large.wasm", &["large.wasm", "67108864"]);
}

#[test]
fn what_a_new_version_needs_more_than_the_old_one() {
    // R-HOST-02
    let place = place();
    place.write("old.wasm", importing(&WASI[..1]));
    check(
        place.sh("node inspect --diff composer.wasm composer.wasm"),
        0,
        expect![[r#"
        file       composer.wasm
        kind       core module with a component type
        sha256     8c0364e2080690813abc2ae46624147ca047eb8768264f1d045c5fdd8809f36c
        version    not said
        WIT        0.1.0
        size       36034 bytes
        memory     1114112 bytes
        serves as  composer
        The new one needs nothing more than the old one.
    "#]],
    );
    check(
        place.sh("node inspect --diff old.wasm wasi.wasm"),
        1,
        expect![[r#"
            file       old.wasm
                    -> wasi.wasm
            kind       component
            sha256     be2742be81e5ff78d97b5858790aa7200b7f35ae658155dfb0bf83cb14592678
                    -> 58f222212b34415d4ba63881b0a7c71dd5379248be6d6ffdc7131effb122176c
            version    not said
            WIT        0.1.0
            size       123 bytes
                    -> 280 bytes (+157)
            memory     0 bytes
            serves as  nothing
            + imports  wasi:clocks/wall-clock@0.2.3: reads the time, so that the same input need not give the same result
            + imports  wasi:clocks/monotonic-clock@0.2.3: reads the time, so that the same input need not give the same result
            + imports  wasi:http/types@0.2.3: reaches the network, which no grant covers
            + imports  portcullis:node/types@0.1.0: holds types and no function
            The new one needs more:
              wasi = "sandboxed"
              an import that no setting grants
        "#]],
    );
    let back = place.sh("node inspect --diff wasi.wasm old.wasm --json");
    assert_eq!((back.code, back.json()["gone_imports"].as_array().unwrap().len()), (Some(0), 4), "{back:?}");
    let other = place.sh("node inspect --diff composer.wasm verifier.wasm --json");
    let needs: Vec<Value> = other.json()["needs_more"].as_array().unwrap().clone();
    assert_eq!(other.code, Some(1));
    assert!(needs.contains(&json!({ "need": "role", "role": "composer" })), "{needs:?}");
}

#[test]
fn a_file_is_tried_as_its_place_would_have_it() {
    // R-HOST-02 R-HOST-04 R-HOST-06
    let place = place();
    let fits = place.sh("node check composer.wasm --role composer").ok();
    // Where the code came from depends on what ran before.
    let (facts, code) = fits.rsplit_once("code       ").unwrap();
    assert!(code.contains("cli-cache"), "{fits}");
    expect![[r#"
        fits as composer
        nodes.composer: fits
          uses     rights log, invoker; wasi = "none"
          limits   memory 64.0 MiB, compute 2s, wall 120s, output 1.0 MiB, invocations 4
        component  version not said, WIT 0.1.0, 36034 bytes, sha256 8c0364e2080690813abc2ae46624147ca047eb8768264f1d045c5fdd8809f36c
        host       portcullis 0.1.0, WIT 0.1.0
    "#]].assert_eq(facts);
    check(
        place.sh("node check composer.wasm --role planner"),
        1,
        expect![[r#"
        does not fit as planner
        nodes.planner: it should export `portcullis:node/planner-adapter@0.1.0`, and exports portcullis:node/composer-adapter@0.1.0
          fix      configure it as composer, or build it for world `planner`
        component  version not said, WIT 0.1.0, 36034 bytes, sha256 8c0364e2080690813abc2ae46624147ca047eb8768264f1d045c5fdd8809f36c
        host       portcullis 0.1.0, WIT 0.1.0
    "#]],
    );
    check(
        place.sh("node check wasi.wasm --role composer"),
        1,
        expect![[r#"
        does not fit as composer
        nodes.composer: it imports `wasi:clocks/wall-clock@0.2.3`, but it was granted no WASI
          fix      build it without WASI (Rust: target wasm32-unknown-unknown; Python: componentize-py with --stub-wasi; JavaScript: componentize-js with all features disabled), or set wasi = "sandboxed" for it; world `composer` itself needs none
        component  version not said, WIT 0.1.0, 280 bytes, sha256 58f222212b34415d4ba63881b0a7c71dd5379248be6d6ffdc7131effb122176c
        host       portcullis 0.1.0, WIT 0.1.0
    "#]],
    );

    let with = |table: &str| {
        place.write("portcullis.toml", scripted_agents("script.json") + "[nodes.composer]\n" + table);
        place.sh("node check composer.wasm --role composer --json")
    };
    for (table, problem) in [
        ("rights = [\"log\"]\n", "it imports `invoker`, which is not among the rights that it was granted"),
        ("limits = { memory = 65536 }\n", "it starts with 1114112 bytes of memory and 65536 are allowed"),
    ] {
        let ran = with(table);
        assert_eq!((ran.code, &ran.json()["places"][0]["problem"]), (Some(1), &json!(problem)), "{ran:?}");
    }
    // The pin of the file that is in service says nothing about this one.
    let ran = with("sha256 = \"00\"\n");
    assert_eq!((ran.code, &ran.json()["fits"]), (Some(0), &json!(true)), "{ran:?}");
    let host = &ran.json()["host"];
    assert_eq!(host, &json!({ "version": env!("CARGO_PKG_VERSION"), "wit": ["0.1.0"] }));
}

#[test]
fn each_place_with_other_settings_is_tried() {
    // R-HOST-02
    let place = place();
    place.write("portcullis.toml", "[agents.verifier]\nrights = []\n");
    let ran = place.sh("node check thinker.wasm --role thinker --json");
    let value = ran.json();
    let places: Vec<_> = value["places"].as_array().unwrap().iter().map(|it| (&it["places"], &it["fits"])).collect();
    let (planner_and_composer, verifier) = (json!(["agents.planner", "agents.composer"]), json!(["agents.verifier"]));
    assert_eq!(places, [(&planner_and_composer, &json!(true)), (&verifier, &json!(false))]);
    assert_eq!((ran.code, &value["fits"]), (Some(1), &json!(false)));
}
