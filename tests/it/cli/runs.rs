//! `portcullis run` and `runs`: what a run prints, what the store keeps of it, and what can be proved afterwards.

use super::place::{Place, Ran, good_script};
use expect_test::expect;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// The output with ids, digests, times and durations replaced, so that it is the same at each run.
fn stable(place: &Place, text: &str) -> String {
    let view = place.sh("runs show last --json").json();
    let ids = view["toolInvocations"].as_array().unwrap().iter().enumerate();
    let named = ids.map(|(position, call)| (call["invocation_id"].as_str().unwrap(), format!("inv-{}", position + 1)));
    let run = &view["run"];
    let known = [
        (run["run_id"].as_str().unwrap(), "RUN".to_owned()),
        (run["session_id"].as_str().unwrap(), "SESSION".to_owned()),
    ];
    let text = named.chain(known).fold(text.to_owned(), |text, (id, name)| text.replace(id, &name));
    let words: Vec<_> = text.split_inclusive([' ', '\n', '(', ')']).collect();
    let mut stable = String::new();
    for (position, word) in words.iter().enumerate() {
        let next = words.get(position + 1).map_or("", |next| next.trim());
        let (before, after) = (words[position.saturating_sub(1)].trim(), word.trim_end_matches([' ', '\n', ')']));
        let varies = matches!(next, "ms" | "ms)" | "B" | "B,") || before.ends_with("sha256");
        stable += &if varies { word.replace(after, "N") } else { (*word).to_owned() };
    }
    stable
}

#[test]
fn a_run_is_answered_kept_listed_and_proved() {
    // R-RUN-06 R-RUN-04 R-ROUTE-11 R-HOST-06
    let place = Place::scripted();
    let answer = place.sh("run --incident bundle").ok();
    expect![[r#"
        checkout has no free connections

        Confidence: verified. Each finding quotes a tool output of this run, and the verifier agreed.

        Findings:
        1. checkout has used all 100 connections of its pool. [1]

        Recommendations:
        - raise the pool limit

        Next steps:
        - look for a leak

        Citations:
        [1] query_logs, invocation inv-1, at $.lines[1].message: "connection pool exhausted: 100 of 100 in use"

        Run RUN: `portcullis runs show RUN`
    "#]]
    .assert_eq(&stable(&place, &answer));
    let shown = place.sh("runs show last").ok();
    expect![[r#"
        run      RUN
        session  SESSION
        status   SUCCESS
        question Why does checkout answer slowly?
        verdict  PASS

        checkout has no free connections

        Confidence: verified. Each finding quotes a tool output of this run, and the verifier agreed.

        Findings:
        1. checkout has used all 100 connections of its pool. [1]

        Recommendations:
        - raise the pool limit

        Next steps:
        - look for a leak

        Citations:
        [1] query_logs, invocation inv-1, at $.lines[1].message: "connection pool exhausted: 100 of 100 in use"

        Steps:
          round 1 planner   attempt 1  COMPLETED            ok                   in N B (sha256 N), out N B, N ms
          round 1 executor  attempt 1  COMPLETED            ok                   in N B (sha256 N), out N B, N ms
          round 1 verifier  attempt 1  COMPLETED            verdict_pass         in N B (sha256 N), out N B, N ms
          round 1 composer  attempt 1  COMPLETED            ok                   in N B (sha256 N), out N B, N ms

        Tool calls:
          inv-1 query_logs ok N B  {"entity":"checkout"}

        Checked bindings:
          round 1 pass c1 inv-1 at $.lines[1].message (ok)

        Proof: 1 of 1 citations hold against the stored ledger.
    "#]]
    .assert_eq(&stable(&place, &shown));

    let list = place.sh("runs list").ok();
    assert_eq!(list.lines().count(), 1);
    assert!(list.contains("SUCCESS  PASS") && list.contains("Why does checkout answer slowly?"), "{list}");
    let list = place.sh("runs list --json").json();
    let run_id = list["runs"][0]["run_id"].as_str().unwrap();
    let view = place.run(["runs", "show", run_id, "--json"]).json();
    assert_eq!(view["run"]["run_id"], run_id);
    assert_eq!(view["run"]["orchestrationTrace"]["verdict"], "PASS");
    assert_eq!(view["proof"]["citations"].as_array().unwrap().len(), 1);
    assert_eq!(view["proof"]["citations"][0]["proven"], true);
    assert_eq!(place.names(), ["bundle", "portcullis.db", "portcullis.toml", "script.json"]);
}

#[test]
fn json_is_alone_on_stdout_and_progress_is_on_stderr() {
    // R-RUN-03 R-EVENT-03
    let place = Place::scripted();
    let ran = place.sh("run --incident bundle --json --watch");
    let answer = ran.json();
    let keys: Vec<_> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["run_id", "session_id", "status", "verdict", "degraded", "headline", "answer", "claims", "citations"]
    );
    let run_id = answer["run_id"].as_str().unwrap();
    assert!(ran.stderr.starts_with(&format!("run {run_id}\n  planner ...\n  planner COMPLETED ok (")), "{ran:?}");
    let ended: Vec<_> = ran.stderr.lines().filter(|line| line.ends_with("ms)")).collect();
    assert_eq!(ended.len(), 6, "one line an attempt: {ended:?}");
    assert_eq!(place.sh("run --incident bundle --json").stderr, "", "nobody watches");
}

#[test]
fn a_tools_schema_is_json_in_json() {
    // R-HOST-03
    let listed = Place::scripted().sh("tools list --incident bundle --json").json();
    let tools = listed["tools"].as_array().unwrap();
    assert!(!tools.is_empty());
    for tool in tools {
        assert_eq!(tool["input_schema"]["type"], "object", "{tool}");
        assert!(tool["name"].is_string() && tool["description"].is_string(), "{tool}");
    }
}

#[test]
fn the_exit_code_says_what_the_answer_is_worth() {
    // R-RUN-03 R-ANSWER-05
    let place = Place::scripted();
    let ends = |change: fn(&mut Value), code: i32, first: &str| {
        let mut script = good_script();
        change(&mut script);
        place.write("script.json", script.to_string());
        let ran = place.sh("run --incident bundle --store memory");
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(code), ""), "{ran:?}");
        assert!(ran.stdout.starts_with(first), "{ran:?}");
    };
    ends(|_| (), 0, "checkout has no free connections");
    ends(
        |script| script["verifier"][0]["json"]["verdict"] = json!("LOW_CONFID"),
        3,
        "Low confidence: checkout has no free connections",
    );
    ends(
        |script| {
            script["verifier"][0]["json"]["verdict"] = json!("REJECT");
            script["composer"] = json!([]);
        },
        3,
        "Degraded answer: there is no verified finding.",
    );
    ends(
        |script| script["composer"] = json!([{"error": "permanent"}]),
        3,
        "Degraded answer: the findings below are verified",
    );
    let mut script = good_script();
    script["planner"] = json!([script["planner"][0], script["planner"][0]]);
    place.write("script.json", script.to_string());
    place.sh("run --incident bundle --store memory").fails(1, &["1 replies of the script were not used"]);
}

fn database(place: &Place) -> Connection {
    Connection::open(place.path("portcullis.db")).unwrap()
}

#[test]
fn a_run_that_cannot_be_recorded_fails() {
    // R-RUN-05
    let place = Place::scripted();
    place.sh("run --incident bundle").ok();
    let full =
        "CREATE TRIGGER full BEFORE INSERT ON attempt WHEN new.seq = 3 BEGIN SELECT RAISE(ABORT, 'disk full'); END";
    database(&place).execute_batch(full).unwrap();
    let ran = place.sh("run --incident bundle --json");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let document = ran.json();
    assert_eq!((&document["status"], &document["failure_reason"]), (&json!("FAILED"), &json!("store_failed")));
    let view = place.sh("runs show last --json").json();
    assert_eq!(view["run"]["status"], "FAILED");
    assert_eq!(view["run"]["answer"], Value::Null);
    assert_eq!(view["run"]["agent_flow"], json!(["planner", "executor"]), "the real partial trail");
    assert!(place.sh("runs show last").ok().contains("failed   store_failed"));
}

#[test]
fn a_changed_record_is_a_broken_citation() {
    // R-RUN-01 R-GATE-01 R-GATE-02
    let place = Place::scripted();
    place.sh("run --incident bundle").ok();
    let original = std::fs::read(place.path("portcullis.db")).unwrap();
    let sha256_of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let emptied = format!("UPDATE tool_invocation SET output = x'', output_sha256 = '{sha256_of_nothing}'");
    for (change, reason) in [
        (
            "UPDATE tool_invocation SET output = CAST(replace(CAST(output AS TEXT), '100', '200') AS BLOB)",
            "record_changed",
        ),
        ("UPDATE tool_invocation SET output = CAST(output || ' ' AS BLOB)", "record_changed"),
        (&emptied, "output_not_json"),
        ("DELETE FROM tool_invocation", "unknown_invocation"),
        ("UPDATE tool_invocation SET tool_name = 'query_metrics'", "tool_mismatch"),
        ("UPDATE tool_invocation SET status = 'error'", "invocation_failed"),
        ("UPDATE gate_round SET checked_bindings = replace(checked_bindings, 'exhausted', 'fine')", "text_not_found"),
        ("UPDATE gate_round SET claims = replace(claims, '100', '900')", "claim_number_unsupported"),
    ] {
        std::fs::write(place.path("portcullis.db"), &original).unwrap();
        assert!(database(&place).execute(change, []).unwrap() > 0, "{change}");
        let ran = place.sh("runs show last --json");
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{change}: {ran:?}");
        let citation = &ran.json()["proof"]["citations"][0];
        assert_eq!((&citation["proven"], &citation["reason_code"]), (&json!(false), &json!(reason)), "{change}");
        let ran = place.sh("runs show last");
        assert_eq!(ran.code, Some(1));
        assert!(ran.stdout.contains("Proof: 0 of 1 citations hold") && ran.stdout.contains("BROKEN c1"), "{ran:?}");
    }
}

#[test]
fn only_what_the_answer_cites_is_proved() {
    // R-ANSWER-02 R-VERIFY-02
    let place = Place::scripted();
    let citations = |script: &Value| {
        place.write("script.json", script.to_string());
        place.sh("run --incident bundle");
        place.sh("runs show last --json").json()["proof"]["citations"].as_array().unwrap().len()
    };
    let mut script = good_script();
    let mut other = script["executor"][0]["json"]["claims"][0].clone();
    other["claim_id"] = json!("c2");
    script["executor"][0]["json"]["claims"].as_array_mut().unwrap().push(other);
    assert_eq!(citations(&script), 1, "c2 is verified, and the verifier did not allow it");
    script["verifier"][0]["json"]["allowed_claims"] = json!(["c1", "c2"]);
    assert_eq!(citations(&script), 2);
    script["verifier"] = json!([{"error": "permanent"}]);
    script["composer"] = json!([]);
    assert_eq!(citations(&script), 0, "a fallback before verification cites nothing");
}

#[test]
fn lists_are_filtered_and_paged() {
    // R-RUN-07
    let place = Place::scripted();
    for session in ["one", "two", "one"] {
        place.run(["run", "--incident", "bundle", "--session", session]).ok();
    }
    let runs = |line: &str| place.sh(line).json();
    assert_eq!(runs("runs list --json")["runs"].as_array().unwrap().len(), 3);
    assert_eq!(runs("runs list --json --session one")["runs"].as_array().unwrap().len(), 2);
    assert_eq!(runs("runs list --json --session none")["runs"], json!([]));
    assert_eq!(runs("runs list --json --status failed")["runs"], json!([]));
    let first = runs("runs list --json --limit 2");
    assert_eq!(first["runs"].as_array().unwrap().len(), 2);
    let next = first["next"].as_str().unwrap();
    assert!(place.sh("runs list --limit 2").ok().ends_with(&format!("more: portcullis runs list --after {next}\n")));
    let last = runs(&format!("runs list --json --after {next}"));
    assert_eq!((last["runs"].as_array().unwrap().len(), &last["next"]), (1, &Value::Null));

    let hint = "hint: `portcullis runs list` shows them";
    place.refuses("runs show nope", &["unknown run: nope", hint]);
    place.refuses("runs list --after nope", &["unknown run: nope", hint]);
    for limit in ["0", "201", "-1", "many", "99999999999999999999"] {
        place.refuses(&format!("runs list --limit={limit}"), &["a limit is 1 to 200"]);
    }
}

#[test]
fn two_processes_at_once_share_a_store() {
    // R-STATE-05 R-RUN-07
    let place = Place::scripted();
    let start = || {
        let mut command = place.command(["run", "--incident", "bundle", "--json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // None of them finds a store: they make it together.
    let started = [start(), start(), start(), start()];
    let mut ids = started.map(|child| {
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        ran.json()["run_id"].as_str().unwrap().to_owned()
    });
    ids.sort();
    let list = place.sh("runs list --json").json();
    let mut kept: Vec<_> =
        list["runs"].as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap().to_owned()).collect();
    kept.sort();
    assert_eq!(kept, ids);
}

#[test]
fn a_killed_process_leaves_its_partial_trail_and_no_run_that_runs_for_ever() {
    // R-RUN-05 case-037
    let place = Place::scripted();
    let mut script = good_script();
    script["verifier"][0]["delay_ms"] = json!(600_000);
    place.write("script.json", script.to_string());
    let mut command = place.command(["run", "--incident", "bundle", "--watch"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    progress.find(|line| line.as_ref().unwrap() == "  verifier ...").unwrap().unwrap();
    let status = || place.sh("runs list --json").json()["runs"][0]["status"].clone();
    assert_eq!(status(), "RUNNING", "its owner lives, so nobody ends it");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(status(), "FAILED");
    let run = &place.sh("runs show last --json").json()["run"];
    assert_eq!(run["failure_reason"], "interrupted");
    assert_eq!(run["agent_flow"], json!(["planner", "executor", "gatekeeper", "verified_input"]));
}
