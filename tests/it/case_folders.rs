//! Whole runs as folders: `tests/cases/NAME/` holds what was asked and what the agents reply, and what comes of it.
//!
//! `case.json` names a bundle, `script.json` has the replies; `answer.txt` and `trail.json`, or `error.txt`, are what
//! was reviewed. `BLESS=1` rewrites those.

use async_trait::async_trait;
use portcullis::config::{Agent, Agents, Config};
use portcullis::run::{Diagnosis, Request, Unwatched};
use portcullis::setup::{self, Shared};
use portcullis::store::{MemoryStore, RunStore};
use portcullis::tools::incident::Bundle;
use portcullis::tools::{CallError, ToolAnswer, ToolProvider};
use portcullis_core::document::{Fact, Tool};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(rename = "about")]
    _about: String,
    /// A path from the case's folder.
    bundle: PathBuf,
    /// Absent: the bundle's own.
    question: Option<String>,
    /// Beside those of the bundle.
    #[serde(default)]
    facts: BTreeMap<String, String>,
    /// Tools whose provider says that it cut their output.
    #[serde(default)]
    truncated: BTreeSet<String>,
}

/// What came of a case: one text a file.
type Outcome = BTreeMap<&'static str, String>;

const FILES: [&str; 3] = ["answer.txt", "trail.json", "error.txt"];

#[tokio::test]
async fn each_case_folder_gives_what_was_reviewed() {
    // R-PARSE-01 R-PARSE-03 R-GATE-02 R-GATE-05 R-GATE-07 R-GATE-08 R-VERIFY-02 R-VERIFY-03 R-RETRY-01 R-RETRY-04
    // R-ROUTE-03 R-ROUTE-05 R-ROUTE-06 R-ROUTE-08 R-ROUTE-09 R-ROUTE-10 R-ANSWER-02 R-ANSWER-03 R-ANSWER-05 R-TEST-01
    let is_blessed = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    let folders = folders();
    assert!(folders.len() >= 20, "{folders:?}");
    for folder in folders {
        let outcome = run(&folder).await;
        for name in FILES {
            let path = folder.join(name);
            let (reviewed, came) = (std::fs::read_to_string(&path).ok(), outcome.get(name));
            if reviewed.as_ref() == came {
                continue;
            }
            match came {
                Some(text) if is_blessed => std::fs::write(&path, text).unwrap(),
                None if is_blessed => std::fs::remove_file(&path).unwrap(),
                _ => wrong.push(format!(
                    "{}\n--- reviewed\n{}\n--- came\n{}",
                    path.display(),
                    reviewed.as_deref().unwrap_or("no such file"),
                    came.map_or("no such file", String::as_str),
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nrun with BLESS=1 to rewrite, and review what changed", wrong.join("\n\n"));
}

#[tokio::test]
async fn the_order_of_an_agents_calls_decides_nothing() {
    // R-TEST-02
    let folder = cases().join("plain-pass");
    let script = std::fs::read_to_string(folder.join("script.json")).unwrap();
    let mut script: Value = serde_json::from_str(&swapped(&script, "{{invocation 1}}", "{{invocation 2}}")).unwrap();
    script["executor"][0]["tool_calls"].as_array_mut().unwrap().reverse();
    let other = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(other.path(), script.to_string()).unwrap();
    let (one, other) = (run(&folder).await, run_with(&folder, other.path()).await);
    assert_eq!(one["answer.txt"], swapped(&other["answer.txt"], "inv-1", "inv-2"));
    let trace = |outcome: &Outcome| {
        serde_json::from_str::<Value>(&outcome["trail.json"]).unwrap()["orchestrationTrace"].clone()
    };
    assert_eq!(trace(&one), trace(&other));
}

/// The text with two words in each other's place.
fn swapped(text: &str, one: &str, other: &str) -> String {
    text.replace(one, "\0").replace(other, one).replace('\0', other)
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases")
}

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<_> = cases().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| !folder.ends_with("bundles"));
    folders.sort();
    folders
}

async fn run(folder: &Path) -> Outcome {
    run_with(folder, &folder.join("script.json")).await
}

async fn run_with(folder: &Path, script: &Path) -> Outcome {
    let case = std::fs::read(folder.join("case.json")).unwrap();
    let case: Case = serde_json::from_slice(&case).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let shared = Shared::load(&scripted(script)).unwrap();
    let bundle = Arc::new(Bundle::open(&folder.join(&case.bundle)).unwrap());
    let store: Arc<dyn RunStore> = Arc::new(MemoryStore::default());
    let mut host = setup::host(&Config::default(), &shared, Some(Arc::clone(&bundle)), Arc::clone(&store)).unwrap();
    let mut facts = bundle.facts().to_vec();
    facts.extend(case.facts.into_iter().map(|(name, value)| Fact { name, value }));
    let request = Request { question: case.question.unwrap_or(bundle.question().to_owned()), facts, session_id: None };
    Arc::get_mut(&mut host).unwrap().tools = Arc::new(Cutting { bundle, truncated: case.truncated });

    let mut outcome = match host.diagnose(request, Arc::new(Unwatched)).await {
        Ok(diagnosis) => kept(&diagnosis, &*store),
        Err(error) => Outcome::from([("error.txt", format!("{error}\n"))]),
    };
    if shared.unused_replies() > 0 {
        outcome.insert("error.txt", format!("{} replies of the script were not used\n", shared.unused_replies()));
    }
    outcome
}

fn scripted(script: &Path) -> Config {
    let agent = || Agent::Script { script: script.to_owned() };
    let agents = Agents { planner: agent(), executor: agent(), verifier: agent(), composer: agent() };
    Config { agents, ..Config::default() }
}

/// Answer and audit, with ids that are the same at each run.
fn kept(diagnosis: &Diagnosis, store: &dyn RunStore) -> Outcome {
    let (run_id, answer) = match diagnosis {
        Diagnosis::Answered(answered) => (&answered.run_id, Ok(&answered.answer.text)),
        Diagnosis::Failed { run_id, reason } => (run_id, Err(reason)),
    };
    let invocations = store.invocations(run_id).unwrap();
    let stable = |text: &str| {
        let numbered = invocations.iter().enumerate().fold(text.to_owned(), |text, (position, call)| {
            text.replace(&call.invocation_id, &format!("inv-{}", position + 1))
        });
        numbered.replace(run_id.as_str(), "RUN")
    };
    let calls: Vec<Value> = invocations
        .iter()
        .map(|call| {
            json!({"invocation_id": call.invocation_id, "tool_name": call.tool_name, "arguments": call.arguments,
                   "status": call.status, "truncated": call.truncated})
        })
        .collect();
    let trail = json!({
        "orchestrationTrace": store.orchestration_trace(run_id).unwrap(),
        "checked_bindings": store.rounds(run_id).unwrap().into_iter().map(|it| it.checked_bindings).collect::<Vec<_>>(),
        "tool_invocations": calls,
    });
    let trail = stable(&serde_json::to_string_pretty(&trail).unwrap()) + "\n";
    match answer {
        Ok(answer) => Outcome::from([("answer.txt", stable(answer)), ("trail.json", trail)]),
        Err(reason) => Outcome::from([("error.txt", format!("the run failed: {reason}\n")), ("trail.json", trail)]),
    }
}

/// A bundle that says of some tools that their output was cut.
struct Cutting {
    bundle: Arc<Bundle>,
    truncated: BTreeSet<String>,
}

#[async_trait]
impl ToolProvider for Cutting {
    fn tools(&self) -> Vec<Tool> {
        self.bundle.tools()
    }

    async fn call(&self, name: &str, arguments: &str) -> Result<ToolAnswer, CallError> {
        let mut answer = ToolProvider::call(&*self.bundle, name, arguments).await?;
        answer.truncated |= self.truncated.contains(name);
        Ok(answer)
    }
}
