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
    let imports: String = imports.iter().map(|import| format!("(import \"{import}\" (instance))")).collect();
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
    check(place.sh("node inspect composer.wasm"), 0, expect![[""]]);
    check(place.sh("node inspect wasi.wasm"), 0, expect![[""]]);
    check(place.sh("node inspect bare.wasm"), 0, expect![[""]]);
    check(place.sh("node inspect none.wasm"), 0, expect![[""]]);
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
        ("node check composer.wasm --role compositor", "a role is one of planner, executor"),
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
    check(place.sh("node inspect --diff composer.wasm composer.wasm"), 0, expect![[""]]);
    check(place.sh("node inspect --diff old.wasm wasi.wasm"), 1, expect![[""]]);
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
    expect![[""]].assert_eq(facts);
    check(place.sh("node check composer.wasm --role planner"), 1, expect![[""]]);
    check(place.sh("node check wasi.wasm --role composer"), 1, expect![[""]]);

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
