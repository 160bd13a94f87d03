//! What was built for an earlier version of the WIT package, or by an earlier build for this one, still serves: the
//! archive in `tests/fixtures/wit-VERSION` is the default components as they were, with the WIT text and the answers of
//! that time. `docs/wit-versions.md` has the policy.

use super::place::Place;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use wit_component::WitPrinter;
use wit_parser::Resolve;

/// The digest of its list of digests: nothing in the archive changes.
const SUMS: &str = "ebafdad28e247a989a74f0a880e5bf689abacc899017dc75c2e09db6ee819ea7";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn archive() -> PathBuf {
    root().join("tests/fixtures/wit-0.1.0")
}

fn sha256(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let hex: Vec<_> = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    hex.concat()
}

#[test]
fn the_archive_is_as_it_was() {
    // R-TEST-01
    assert_eq!(sha256(&archive().join("SHA256SUMS")), SUMS, "an archive is never changed: make one of the new version");
    let sums = std::fs::read_to_string(archive().join("SHA256SUMS")).unwrap();
    let mut listed = BTreeSet::from(["SHA256SUMS".to_owned()]);
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        assert_eq!(sha256(&archive().join(name)), sum, "{name}");
        listed.insert(name.to_owned());
    }
    let names = |folder: &str| -> Vec<String> {
        let entries = archive().join(folder).read_dir().unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        files.map(|entry| format!("{folder}{}", entry.file_name().into_string().unwrap())).collect()
    };
    let found: BTreeSet<_> = names("").into_iter().chain(names("wit/")).collect();
    assert_eq!(found, listed);
}

#[test]
fn a_version_keeps_its_text() {
    // R-HOST-01
    // Without what is said in comments, which may be said better.
    let text = |folder: PathBuf| {
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_dir(folder).unwrap();
        let mut printer = WitPrinter::default();
        printer.emit_docs(false).print(&resolve, package, &[]).unwrap();
        (resolve.packages[package].name.to_string(), printer.output.to_string())
    };
    let (archived, current) = (text(archive().join("wit")), text(root().join("wit")));
    assert_eq!(archived.0, "portcullis:node@0.1.0");
    if current.0 == archived.0 {
        assert_eq!(
            current.1, archived.1,
            "what `wit/` says has changed, so it is another version: docs/wit-versions.md"
        );
    }
}

/// Every node and every agent served by the archive.
fn archived() -> Place {
    let place = Place::new();
    let table = |table: &str, name: &str| {
        let path = archive().join(format!("{name}.wasm")).canonicalize().unwrap();
        // The agents are those that come with wider limits as the defaults.
        let limits = if table == "agents" { "limits = { compute = \"20s\" }\n" } else { "" };
        format!("component = {:?}\n{limits}", path.to_str().unwrap())
    };
    let nodes = [
        "planner",
        "executor",
        "verifier",
        "composer",
        "plan-parser",
        "evidence-parser",
        "verification-parser",
        "answer-parser",
    ]
    .map(|name| format!("[nodes.{name}]\n{}", table("nodes", name)));
    let agents =
        [("planner", "thinker"), ("executor", "investigator"), ("verifier", "thinker"), ("composer", "thinker")]
            .map(|(role, name)| format!("[agents.{role}]\n{}", table("agents", name)));
    place.write("portcullis.toml", nodes.concat() + &agents.concat());
    place
}

/// How each incident that comes with the source is answered: verdict, claims and route.
fn answers(place: &Place) -> Value {
    let incidents = root().join("incidents").canonicalize().unwrap();
    let mut names: Vec<_> =
        incidents.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let texts = |items: &Value, text: &dyn Fn(&Value) -> String| -> Vec<String> {
        items.as_array().unwrap().iter().map(text).collect()
    };
    let answered = names.into_iter().map(|name| {
        let ran = place.run(["run", "--json", "--incident", incidents.join(&name).to_str().unwrap()]);
        let answer = ran.json();
        let view = place.run(["runs", "show", answer["run_id"].as_str().unwrap(), "--json"]).json();
        let word = |value: &Value, key: &str| value[key].as_str().unwrap().to_owned();
        let claim = |claim: &Value| format!("{}: {}", word(claim, "claim_id"), word(claim, "text"));
        let step = |step: &Value| {
            let (node, outcome, reason) = (word(step, "node"), word(step, "outcome"), word(step, "reason_code"));
            format!("{}.{} {node} {outcome} {reason}", step["round"], step["attempt"])
        };
        let told = json!({
            "exit": ran.code,
            "verdict": answer["verdict"],
            "headline": answer["headline"],
            "claims": texts(&answer["claims"], &claim),
            "route": texts(&view["steps"], &step),
        });
        (name, told)
    });
    Value::Object(answered.collect())
}

#[test]
fn the_archived_components_serve_and_answer_as_they_did() {
    // R-HOST-01 R-HOST-02 R-HOST-06
    let place = archived();
    let served = place.sh("node list --json").json();
    let served = served["nodes"].as_array().unwrap();
    assert_eq!(served.len(), 12);
    let sums = std::fs::read_to_string(archive().join("SHA256SUMS")).unwrap();
    for node in served {
        let line = format!("{}  {}.wasm", node["sha256"].as_str().unwrap(), node["component"].as_str().unwrap());
        assert!(sums.lines().any(|known| known == line), "{node} is not of the archive");
    }
    let then: Value = serde_json::from_slice(&std::fs::read(archive().join("answers.json")).unwrap()).unwrap();
    let now = answers(&place);
    assert_eq!(now, then, "this host answers otherwise with the components of 0.1.0");
    // The embedded ones may learn: whoever teaches them takes this line away, and leaves the one above.
    assert_eq!(answers(&Place::new()), now, "the default components answer otherwise than those of the archive");
}
