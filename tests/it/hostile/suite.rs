//! Each misbehaviour, with what ends it.

use super::act::{Call, Loaded, agent, tools};
use super::beside::beside_a_good_run;
use super::guest::{Guest, all, folder};
use super::logged::Logged;
use super::runs;
use crate::sandbox::said;
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{AttemptFailure, Engine, EngineSettings, FailureClass, Problem, Role};
use std::fmt::Write;

/// Of a text that a guest gave, this much is shown.
const SHOWN_CHARS: usize = 60;

#[tokio::test]
async fn each_misbehaviour_is_ended_as_reviewed() {
    // R-HOST-02 R-HOST-03 R-HOST-04 R-HOST-05 R-HOST-08 R-NODE-01 R-NODE-05 R-NODE-07
    let is_blessed = std::env::var_os("BLESS").is_some();
    let logged = Logged::listen();
    let mut wrong = Vec::new();
    for guest in &all() {
        let came = match guest.says("run") {
            None => Box::pin(transcript(guest, &logged)).await,
            Some(_) => beside_a_good_run(Box::pin(runs::transcript(guest))).await,
        };
        let path = folder().join(format!("{}.expected", guest.name));
        let reviewed = std::fs::read_to_string(&path).unwrap_or_default();
        if reviewed == came {
            continue;
        }
        if is_blessed {
            std::fs::write(&path, came).unwrap();
        } else {
            wrong.push(format!("{}\n--- reviewed\n{reviewed}\n--- came\n{came}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\nrun with BLESS=1 to rewrite, and review what changed", wrong.join("\n\n"));
}

/// All that the host says of a misbehaviour, in each of its worlds.
async fn transcript(guest: &Guest, logged: &Logged) -> String {
    let mut text = String::new();
    for role in guest.roles() {
        writeln!(text, "{role}").unwrap();
        let loaded = match Loaded::load(guest, role, &guest.build(role, "")) {
            Ok(loaded) => loaded,
            Err(error) => {
                writeln!(text, "  refused    {}", said(&error).trim_end().replace('\n', "\n             ")).unwrap();
                continue;
            }
        };
        let (agent, tools) = (agent(guest), tools(guest));
        logged.take();
        let calls = beside_a_good_run(Box::pin(loaded.act(&agent, &tools))).await;
        for Call { name, ended } in &calls {
            writeln!(text, "  {name:<10} {}", words(guest, ended)).unwrap();
            check_class(guest, ended);
        }
        let texts: Vec<_> = calls.iter().filter_map(|call| call.ended.as_ref().ok()).collect();
        let is_the_same = texts.windows(2).all(|pair| pair[0] == pair[1]);
        assert!(guest.says("differs").is_none() || !is_the_same, "{}: {texts:?}", guest.name);
        if is_adapter(role) {
            writeln!(text, "  its agent  was asked {} times", agent.inputs().len()).unwrap();
        }
        let (lines, longest) = logged.take();
        if lines > 0 {
            writeln!(text, "  its log    {lines} lines, the longest of {longest} bytes").unwrap();
        }
    }
    text
}

/// A failure is retryable only where the host's own invoker saw one that passes.
fn check_class(guest: &Guest, ended: &Result<String, AttemptFailure>) {
    let host_saw = guest.says("agent").is_some() || guest.says("tools").is_some();
    if let Err(failure) = ended {
        assert!(failure.class != FailureClass::Retryable || host_saw, "{}: {failure}", guest.name);
    }
}

fn words(guest: &Guest, ended: &Result<String, AttemptFailure>) -> String {
    match ended {
        Ok(text) if guest.says("differs").is_some() => format!("{} bytes, others each time", text.len()),
        Ok(text) => {
            let shown: String = text.chars().take(SHOWN_CHARS).collect();
            format!("{} bytes: {}", text.len(), shown.escape_debug())
        }
        Err(failure) => {
            format!("{}, {}: {}", failure.class.as_str(), failure.reason.as_str(), without_addresses(&failure.detail))
        }
    }
}

/// Where in the file something is says nothing of what went wrong, and changes with the tools that made it.
fn without_addresses(detail: &str) -> String {
    let mut pieces = detail.split("0x");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + "0x…" + piece.trim_start_matches(|c: char| c.is_ascii_hexdigit()))
}

#[tokio::test]
async fn without_a_pool_the_limits_are_the_same() {
    // R-HOST-04
    let engine = Engine::new(EngineSettings { pooling: false, ..EngineSettings::default() }).unwrap();
    let parts = ["instances-many", "memory-many", "table-at-birth", "table-bomb", "tables-many"];
    let guests: Vec<_> = all().into_iter().filter(|guest| parts.contains(&guest.name.as_str())).collect();
    assert_eq!(guests.len(), parts.len());
    for guest in guests {
        let role = Role::AnswerParser;
        let loaded = Loaded::load_with(&engine, &guest.name, role, &guest.build(role, ""), guest.settings(role));
        match loaded {
            Err(error) => assert!(matches!(error.problem, Problem::Parts { .. }), "{error}"),
            Ok(loaded) => {
                for call in loaded.act(&agent(&guest), &tools(&guest)).await {
                    assert_eq!(call.ended.unwrap_err().reason, ReasonCode::GuestMemory, "{}", guest.name);
                }
            }
        }
    }
}

fn is_adapter(role: Role) -> bool {
    matches!(role, Role::Planner | Role::Executor | Role::Verifier | Role::Composer)
}
