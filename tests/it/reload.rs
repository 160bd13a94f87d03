//! A running host and its next generation: what is prepared, what is refused, and what runs on their way see of it.

use crate::sandbox::{COUNT, MEMORY, answer_parser, component};
use crate::support::{FakeTools, claim, composed, guest, marked_guest, plan, verification};
use async_trait::async_trait;
use expect_test::{Expect, expect};
use portcullis::config::{Config, FILE_NAME};
use portcullis::run::{Diagnosis, Host, Request, Unwatched};
use portcullis::setup::{self, Prepared, Refused, Shared};
use portcullis::store::MemoryStore;
use portcullis::tools::{CallError, ToolAnswer, ToolProvider};
use portcullis_core::document::Tool;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;
use tokio::sync::Notify;

/// A folder with scripted agents, and what the configuration says beside them.
struct Configured(TempDir);

impl Configured {
    fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        let evidence = json!({
            "answer_version": "executor_evidence_v2",
            "claims": [claim("c1", "checkout is slow", "{{invocation 1}}", "$.status", "checkout is slow")],
        });
        let script = json!({
            "planner": [{"json": plan()}],
            "executor": [{"tool_calls": [{"name": "look"}], "json": evidence}],
            "verifier": [{"json": verification("PASS", &["c1"])}],
            "composer": [{"json": composed()}],
        });
        folder.write("script.json", script.to_string().as_bytes());
        folder
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn says(&self, text: &str) -> Config {
        let script = |role| format!("[agents.{role}]\nbackend = \"script\"\nscript = \"script.json\"\n");
        let text = ["planner", "executor", "verifier", "composer"].map(script).concat() + text;
        Config::from_text(&text, &self.0.path().join(FILE_NAME)).unwrap()
    }

    /// What it says of a place without its folder, which is another each time.
    fn words(&self, said: &str) -> String {
        said.replace(&format!("{}/", self.0.path().display()), "").replace(". Fix:", ".\nFix:") + "\n"
    }
}

/// The composer by path, with more keys.
fn composer(file: &str, more: &str) -> String {
    format!("[nodes.composer]\ncomponent = \"{file}\"\n{more}\n")
}

/// A composer that imports nothing that carries authority. `prepare` gives the address of its result.
pub(crate) fn bare_composer(prepare: &str) -> Vec<u8> {
    let wat = format!(
        r#"(module
            (import "portcullis:node/run@0.1.0" "[resource-drop]run-config" (func $drop (param i32)))
            {MEMORY}
            (data (i32.const 64) "\00\00\00\00" "\00\04\00\00" "\05\00\00\00")
            (data (i32.const 1024) "input")
            (func (export "portcullis:node/composer-adapter@0.1.0#prepare") (param i32 i32 i32 i32 i32 i32 i32) (result i32)
                {prepare})
            (func (export "portcullis:node/composer-adapter@0.1.0#attempt")
                (param $input i32) (param $length i32) (param $config i32) (result i32)
                (call $drop (local.get $config))
                (i32.const 64)))"#
    );
    component("composer", &wat)
}

/// `prepare` of a composer that does what it is to do.
pub(crate) const INPUT: &str = "(i32.const 64)";

/// [`FakeTools`], of which the first call waits until it is let go.
#[derive(Default)]
struct Held {
    is_first_over: AtomicBool,
    entered: Notify,
    release: Notify,
}

#[async_trait]
impl ToolProvider for Held {
    fn tools(&self) -> Vec<Tool> {
        FakeTools.tools()
    }

    async fn call(&self, name: &str, arguments: &str) -> Result<ToolAnswer, CallError> {
        if !self.is_first_over.swap(true, Ordering::Relaxed) {
            self.entered.notify_one();
            self.release.notified().await;
        }
        FakeTools.call(name, arguments).await
    }
}

async fn run(host: Arc<Host>) -> String {
    let request = Request { question: "why is checkout slow?".into(), facts: Vec::new(), session_id: None };
    match host.diagnose(request, Arc::new(Unwatched)).await.unwrap() {
        Diagnosis::Answered(answered) => answered.run_id,
        Diagnosis::Failed { reason, .. } => panic!("{reason}"),
    }
}

/// Name and digest of the composer in the record of a run.
fn served(host: &Host, run_id: &str) -> (String, String) {
    let nodes = host.store.run(run_id).unwrap().unwrap().nodes;
    let composer = nodes.into_iter().find(|node| node.node == "composer").unwrap();
    (composer.component, composer.sha256)
}

#[tokio::test]
async fn a_run_on_its_way_keeps_what_it_began_with() {
    // R-HOST-06 R-HOST-01 R-STATE-05
    let folder = Configured::new();
    folder.write("own.wasm", &marked_guest("composer", "own"));
    let config = folder.says("");
    let before = Shared::load(&config).unwrap();
    let host = setup::host(&config, &before, None, Arc::new(MemoryStore::default())).unwrap();
    let held = Arc::new(Held::default());
    let host = Arc::new(Host { tools: Arc::clone(&held) as _, ..Arc::into_inner(host).unwrap() });

    let first = tokio::spawn(run(Arc::clone(&host)));
    held.entered.notified().await;
    let prepared = before.prepare(folder.says(&composer("own.wasm", ""))).await.unwrap();
    let after = prepared.publish(&host.catalog);
    let second = run(Arc::clone(&host)).await;
    held.release.notify_one();
    let first = first.await.unwrap();

    let digest = |shared: &Shared| shared.served_by().into_iter().find(|node| node.node == "composer").unwrap().sha256;
    assert_eq!(served(&host, &first), ("default-composer".into(), digest(&before)));
    assert_eq!(served(&host, &second), ("own".into(), digest(&after)));
    assert_ne!(digest(&before), digest(&after));
}

fn told(prepared: &Prepared) -> Vec<String> {
    // Digests are those of the build.
    let without_digest = |word: &&str| !word.trim_end_matches(')').chars().all(|c| c.is_ascii_hexdigit());
    let words =
        |change: &setup::Change| change.to_string().split(' ').filter(without_digest).collect::<Vec<_>>().join(" ");
    prepared.changes.iter().map(words).collect()
}

#[tokio::test]
async fn only_what_changed_is_loaded_again() {
    // R-HOST-01
    let folder = Configured::new();
    folder.write("own.wasm", &marked_guest("composer", "own"));
    let serving = Shared::load(&folder.says("")).unwrap();
    let check = async |text: &str, changes: &[&str], after_restart: &[&str]| {
        let prepared = serving.prepare(folder.says(text)).await.unwrap();
        assert_eq!(told(&prepared), changes, "{text}");
        assert_eq!(prepared.after_restart, after_restart, "{text}");
    };
    let swapped: &[&str] = &["composer: default-composer 0.1.0 (sha256 → own (sha256"];
    check("", &[], &[]).await;
    check(&composer("own.wasm", ""), swapped, &[]).await;
    check(
        "[nodes.planner]\nlimits = { memory = \"32MiB\" }",
        &["planner: default-planner (sha256 with other settings"],
        &[],
    )
    .await;
    check(
        "[tools]\nallow = [\"look\"]\n[store]\npath = \"x.db\"\n[run]\nwall = \"1m\"",
        &[],
        &["tools", "store", "run"],
    )
    .await;

    // The same path, another file.
    let serving = Shared::load(&folder.says(&composer("own.wasm", ""))).unwrap();
    assert_eq!(told(&serving.prepare(folder.says(&composer("own.wasm", ""))).await.unwrap()), [""; 0]);
    folder.write("own.wasm", &marked_guest("composer", "other"));
    let prepared = serving.prepare(folder.says(&composer("own.wasm", ""))).await.unwrap();
    assert_eq!(told(&prepared), ["composer: own (sha256 → own (sha256"]);
}

/// Why this configuration is refused while a composer that imports nothing serves.
async fn refuses(text: &str, file: &[u8], expected: Expect) {
    let folder = Configured::new();
    folder.write("bare.wasm", &bare_composer(INPUT));
    folder.write("next.wasm", file);
    let serving = Shared::load(&folder.says(&composer("bare.wasm", ""))).unwrap();
    let error: Refused = serving.prepare(folder.says(text)).await.err().unwrap();
    expected.assert_eq(&folder.words(&error.to_string()));
}

#[tokio::test]
async fn a_component_that_imports_more_waits_for_the_configuration() {
    // R-HOST-02
    refuses(&composer("next.wasm", ""), &guest("composer"), expect![[r#"
        component `next` (next.wasm) cannot replace `bare` as composer: it imports `log`, `invoker`, and the one that it replaces does not.
        Fix: write rights = ["log", "invoker"] under [nodes.composer] if it may, or build it without
    "#]]).await;
    refuses(&composer("next.wasm", "rights = [\"log\"]"), &guest("composer"), expect![[r#"
        component `next` (next.wasm) cannot serve as composer: it imports `invoker`, which is not among the rights that it was granted.
        Fix: add "invoker" to its `rights`, or build it without
    "#]]).await;

    let folder = Configured::new();
    folder.write("bare.wasm", &bare_composer(INPUT));
    folder.write("next.wasm", &guest("composer"));
    let serving = Shared::load(&folder.says(&composer("bare.wasm", ""))).unwrap();
    for allowed in [&composer("next.wasm", "rights = [\"log\", \"invoker\"]"), ""] {
        // What is built in is the host's own: to go back to it needs no leave.
        assert_eq!(serving.prepare(folder.says(allowed)).await.unwrap().changes.len(), 1, "{allowed}");
    }
}

#[tokio::test]
async fn a_bad_component_is_refused_by_name() {
    // R-HOST-02 R-HOST-05
    let bare = bare_composer(INPUT);
    refuses(&composer("next.wasm", ""), &bare[..bare.len() / 2], expect![[r#"
        component `next` (next.wasm) cannot serve as composer: it is not valid: unexpected end-of-file (at offset 0x5c5).
        Fix: see what `wasm-tools validate` says, and build it again
    "#]]).await;
    refuses(&composer("next.wasm", ""), &guest("verifier"), expect![[r#"
        component `next` (next.wasm) cannot serve as composer: it should export `portcullis:node/composer-adapter@0.1.0`, and exports portcullis:node/verifier-adapter@0.1.0.
        Fix: configure it as verifier, or build it for world `composer`
    "#]]).await;
    refuses(&composer("next.wasm", ""), &bare_composer("unreachable"), expect![[r#"
        component `next` (next.wasm) cannot serve as composer: it fits and does not work: legal-inputs: given a plain input: guest_trapped: wasm trap: wasm `unreachable` instruction executed; error while executing at wasm backtrace:     0:    0x223 - <unknown>!<wasm function 4>.
        Fix: build it again, and try it with `portcullis node use composer FILE --dry-run`
    "#]]).await;
    refuses(&composer("none.wasm", ""), b"", expect![[r#"
        cannot read the component none.wasm of composer: No such file or directory (os error 2); `component` in portcullis.toml names it
    "#]]).await;
    refuses(
        "[nodes.answer-parser]\ncomponent = \"next.wasm\"\n[nodes.composer]\ncomponent = \"bare.wasm\"",
        &component("answer-parser", &answer_parser(COUNT)),
        expect![[r#"
            component `next` (next.wasm) cannot serve as answer-parser: it fits and does not work: no-document: given the empty text: it takes it for a document.
            Fix: build it again, and try it with `portcullis node use answer-parser FILE --dry-run`
        "#]],
    )
    .await;
    let pinned = format!("sha256 = \"{}\"", "0".repeat(64));
    let error = refused_digest(&pinned).await;
    assert!(error.contains("its sha256 is") && error.contains("is pinned"), "{error}");
}

async fn refused_digest(pin: &str) -> String {
    let folder = Configured::new();
    folder.write("own.wasm", &guest("composer"));
    let serving = Shared::load(&folder.says("")).unwrap();
    serving.prepare(folder.says(&composer("own.wasm", pin))).await.err().unwrap().to_string()
}
