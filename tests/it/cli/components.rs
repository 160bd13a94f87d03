//! Components by path: pinned, listed, and refused with file, reason and fix.

use super::place::{Place, scripted_agents};
use crate::support::guest;
use serde_json::json;

/// Scripted agents, and this table for the composer.
fn configured(table: &str) -> Place {
    let place = Place::scripted();
    place.write("portcullis.toml", scripted_agents("script.json") + "[nodes.composer]\n" + table);
    place
}

#[test]
fn a_component_by_path_serves_its_node_and_is_recorded() {
    // R-HOST-01 R-HOST-06
    let place = configured("component = \"nodes/own.wasm\"\n");
    place.write("nodes/own.wasm", guest("composer"));
    let nodes = place.sh("node list --json").json();
    let mut composer =
        nodes["nodes"].as_array().unwrap().iter().find(|node| node["node"] == "composer").unwrap().clone();
    assert_eq!(composer.as_object_mut().unwrap().remove("rights"), Some(json!(["log", "invoker"])));
    assert_eq!(composer["component"], "own");
    let sha256 = composer["sha256"].as_str().unwrap();
    assert!(place.sh("node list").ok().contains(sha256));
    place.sh("run --incident bundle").ok();
    let view = place.sh("runs show last --json").json();
    assert!(view["run"]["nodes"].as_array().unwrap().contains(&composer), "{view}");

    let pinned = |sha256: &str| {
        let table = format!("component = \"nodes/own.wasm\"\nsha256 = \"{sha256}\"\n");
        place.write("portcullis.toml", scripted_agents("script.json") + "[nodes.composer]\n" + &table);
    };
    pinned(sha256);
    place.sh("node list").ok();
    let other = "0".repeat(64);
    pinned(&other);
    for line in ["run --incident bundle --store new.db", "node list"] {
        place.refuses(line, &["own.wasm", "its sha256 is", sha256, &other, "is pinned", "Fix: "]);
    }
    let doctor = place.sh("doctor --json");
    assert_eq!(doctor.code, Some(2));
    let findings = doctor.json();
    assert!(findings["findings"].as_array().unwrap().iter().any(|it| it["status"] == "error"), "{findings}");
}

#[test]
fn what_is_no_component_for_the_node_is_refused() {
    // R-HOST-02
    let place = configured("component = \"own.wasm\"\n");
    let refuses = |bytes: &[u8], words: &[&str]| {
        place.write("own.wasm", bytes);
        for line in ["run --incident bundle", "node list"] {
            place.refuses(line, &[&["own.wasm", "composer"], words].concat());
        }
    };
    let wat = |text: &str| wat::parse_str(text).unwrap();
    let noise: Vec<u8> = (0..4_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let composer = guest("composer");
    refuses(b"", &["an empty file", "Fix: "]);
    refuses(&noise, &["something else than WebAssembly", "Fix: "]);
    refuses(&[b"\0asm", &noise[..]].concat(), &["it is not valid", "Fix: "]);
    refuses(b"(module)", &["WebAssembly text", "wasm-tools parse"]);
    refuses(&composer[..composer.len() / 2], &["it is not valid", "Fix: "]);
    refuses(&wat("(module)"), &["core module, build a component", "wit-bindgen"]);
    refuses(&wat("(component)"), &["composer-adapter", "Fix: build it for world `composer`"]);
    refuses(&guest("verifier"), &["composer-adapter", "Fix: configure it as verifier"]);
    let exporting =
        |export: &str| wat(&format!(r#"(component (instance $none) (export "{export}" (instance $none)))"#));
    refuses(
        &exporting("portcullis:node/composer-adapter@0.2.0"),
        &["composer-adapter@0.2.0", "this host supports 0.1.0", "Fix: "],
    );
    refuses(&exporting("portcullis:node/composer-adapter@0.1.0"), &["composer-adapter@0.1.0#", "Fix: "]);
    let importing = |import: &str| {
        wat(&format!(
            r#"(component (import "{import}" (instance))
                (instance $none) (export "portcullis:node/composer-adapter@0.1.0" (instance $none)))"#
        ))
    };
    let wasi = "wasi:cli/environment@0.2.3";
    refuses(&importing(wasi), &["it imports `wasi:cli/environment@0.2.3`", "wasi = \"sandboxed\""]);
    refuses(&importing("acme:secrets/vault@1.0.0"), &["it imports `acme:secrets/vault@1.0.0`", "Fix: leave"]);
}

#[test]
fn a_path_that_leads_to_no_file_is_refused() {
    // R-HOST-02
    let place = configured("component = \"own.wasm\"\n");
    place.refuses("run --incident bundle", &["cannot read the component", "own.wasm of composer", "No such file"]);
    std::fs::create_dir(place.path("own.wasm")).unwrap();
    place.refuses("run --incident bundle", &["cannot read the component", "own.wasm of composer", "no regular file"]);
    std::fs::remove_dir(place.path("own.wasm")).unwrap();
    place.sparse("own.wasm", (64 << 20) + 1);
    place.refuses("run --incident bundle", &["own.wasm of composer", "67108864"]);
}

#[test]
fn limits_that_cannot_be_kept_are_refused_and_tight_ones_end_in_a_safe_answer() {
    // R-HOST-04 R-NODE-07
    for (limits, words) in [
        ("memory = \"100TB\"", "its memory limit is set to 100000000000000 bytes"),
        ("memory = 1", "raise limits.memory"),
        ("memory = \"lots\"", "`lots` is no size"),
        ("output = true", "a size is a number of bytes"),
        ("invocations = -1", "line 14"),
        ("compute = \"0s\"", "longer than zero"),
        ("fuel = 1", "unknown field `fuel`"),
    ] {
        configured(&format!("limits = {{ {limits} }}\n")).refuses("run --incident bundle", &[words]);
    }
    for limits in ["output = 5", "invocations = 0"] {
        let place = configured(&format!("limits = {{ {limits} }}\n"));
        let mut script = super::place::good_script();
        script["composer"] = json!([]);
        place.write("script.json", script.to_string());
        let ran = place.sh("run --incident bundle");
        assert_eq!(ran.code, Some(3), "{limits}: {ran:?}");
        assert!(ran.stdout.starts_with("Degraded answer: the findings below are verified"), "{ran:?}");
    }
    configured("limits = { compute = \"9999999h\", wall = \"9999999h\" }\n").sh("run --incident bundle").ok();
}
