//! `portcullis batch`: a host that goes on, with real processes, pipes and signals.

use super::place::{Live, Place, good_script, scripted_agents};
use crate::reload::{INPUT, bare_composer};
use crate::support::{guest, marked_guest};
use serde_json::{Value, json};

#[test]
fn each_line_gets_its_answer_and_a_bad_one_ends_nothing() {
    // R-RUN-07 R-RUN-03
    let place = Place::scripted();
    place.write(
        "questions",
        "why is checkout slow?\n\n{\"question\": \"why?\", \"id\": \"q2\", \"session_id\": \"s\"}\n{\"qestion\": 1}\nwhy \u{e9}?",
    );
    let ran = place.sh("batch questions --incident bundle --jobs 2");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let mut answers: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["line"].as_u64());
    let lines: Vec<_> = answers.iter().map(|answer| answer["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1, 3, 4, 5]);
    for answer in [&answers[0], &answers[1], &answers[3]] {
        assert_eq!((&answer["verdict"], &answer["degraded"]), (&json!("PASS"), &json!(false)), "{answer}");
        assert!(answer["answer"].as_str().unwrap().starts_with("checkout has no free connections"), "{answer}");
        let run_id = answer["run_id"].as_str().unwrap();
        assert_eq!(place.sh(&format!("runs show {run_id} --json")).json()["run"]["session_id"], answer["session_id"]);
    }
    assert_eq!((&answers[1]["id"], &answers[1]["session_id"]), (&json!("q2"), &json!("s")));
    let error = answers[2]["error"].as_str().unwrap();
    assert!(error.starts_with("line 4, column ") && error.contains("unknown field `qestion`"), "{error}");
    assert!(ran.stderr.ends_with("done: 3 verified, 0 of low confidence or degraded, 1 failed\n"), "{ran:?}");
}

#[test]
fn the_exit_code_is_that_of_the_worst_answer() {
    // R-RUN-03
    let place = Place::scripted();
    let code = |input: &[u8]| place.with_stdin(["batch", "--incident", "bundle"], input).code;
    assert_eq!(code(b""), Some(0));
    assert_eq!(code(b"\n \n"), Some(0));
    assert_eq!(code(b"why?"), Some(0));
    assert_eq!(code(b"why\xff?\n"), Some(1));
    assert_eq!(code(&[vec![b'x'; (1 << 20) + 1], b"\nwhy?\n".to_vec()].concat()), Some(1));
    let mut script = good_script();
    script["composer"] = json!([]);
    place.write("script.json", script.to_string());
    assert_eq!(code(b"why?\n"), Some(3));
    assert_eq!(code(b"why?\n{\n"), Some(1));
}

#[test]
fn a_start_that_is_refused_leaves_nothing_behind() {
    // R-HOST-01
    let place = Place::scripted();
    place.refuses("batch none", &["cannot read none", "No such file"]);
    place.refuses("batch bundle", &["cannot read bundle", "is a directory"]);
    place.refuses("batch --incident none", &["none"]);
    for jobs in ["0", "65", "x"] {
        let ran = place.sh(&format!("batch --jobs {jobs}"));
        assert!(ran.code == Some(2) && ran.stderr.contains("1 to 64"), "{ran:?}");
    }
}

/// The composer that the record of a run names.
fn composer_of(place: &Place, answer: &Value) -> Value {
    let run_id = answer["run_id"].as_str().unwrap_or_else(|| panic!("{answer}"));
    // The configuration beside it may be broken by now.
    place.write("empty.toml", "");
    let view = place.sh(&format!("runs show {run_id} --json --config empty.toml")).json();
    let nodes = view["run"]["nodes"].as_array().unwrap().clone();
    nodes.into_iter().find(|node| node["node"] == "composer").unwrap()
}

/// Asks, and gives the composer that served.
fn asked(live: &mut Live, place: &Place) -> Value {
    live.ask("why is checkout slow?");
    let answer = live.answer();
    // How the run began, and how it ended.
    assert!(live.said().starts_with("line ") && live.said().starts_with("line "));
    composer_of(place, &answer)
}

#[test]
#[cfg(unix)]
fn a_running_host_is_swapped_and_what_is_bad_never_serves() {
    // R-HOST-01 R-HOST-02 R-HOST-06
    let place = Place::scripted();
    let mut live = Live::start(&place, "batch --incident bundle");
    assert_eq!(live.said(), "ready: questions from stdin, 1 at a time");
    assert_eq!(asked(&mut live, &place)["component"], "default-composer");

    // Another file serves from the next question on.
    place.write("own.wasm", marked_guest("composer", "own"));
    place.sh("node use composer own.wasm").ok();
    live.signal("HUP");
    let told = live.said();
    assert!(told.starts_with("reloaded: composer: default-composer 0.1.0 (sha256 "), "{told}");
    let own = asked(&mut live, &place);
    assert_eq!(own["component"], "own");
    assert!(told.ends_with(&format!(" → own (sha256 {})", &own["sha256"].as_str().unwrap()[..12])), "{told}");

    // The file is not the one that is pinned any more.
    place.write("own.wasm", marked_guest("composer", "other"));
    live.signal("HUP");
    let told = live.said();
    assert!(told.contains("component `own`") && told.contains("is pinned. Fix: "), "{told}");
    assert_eq!(live.said(), "not reloaded: what served before stays");
    assert_eq!(asked(&mut live, &place), own);

    // The configuration itself is broken.
    place.write("portcullis.toml", "[nodes");
    live.signal("HUP");
    assert!(live.said().starts_with("error: "));
    while live.said() != "not reloaded: what served before stays" {}
    assert_eq!(asked(&mut live, &place), own);

    // One that imports less, and then one that imports more.
    place.write("bare.wasm", bare_composer(INPUT));
    place.write("more.wasm", guest("composer"));
    let says = |composer: &str| {
        place.write("portcullis.toml", scripted_agents("script.json") + "[nodes.composer]\n" + composer)
    };
    says("component = \"bare.wasm\"\n");
    live.signal("HUP");
    let told = live.said();
    assert!(told.contains("→ bare "), "{told}");
    says("component = \"more.wasm\"\n");
    live.signal("HUP");
    let told = live.said();
    assert!(told.contains("it imports `log`, `invoker`, and the one that it replaces does not"), "{told}");
    assert!(
        told.ends_with("write rights = [\"log\", \"invoker\"] under [nodes.composer] if it may, or build it without")
    );
    assert_eq!(live.said(), "not reloaded: what served before stays");
    says("component = \"more.wasm\"\nrights = [\"log\", \"invoker\"]\n[run]\ninvocations = 7\n");
    live.signal("HUP");
    assert!(live.said().contains("→ more "));
    assert_eq!(live.said(), "not applied: [run] has changed and needs a restart");
    assert_eq!(asked(&mut live, &place)["component"], "more");

    live.signal("HUP");
    assert_eq!(live.said(), "reloaded: nothing that serves has changed");
    assert_eq!(live.said(), "not applied: [run] has changed and needs a restart");
    live.close();
    let ran = live.end();
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(0), "done: 5 verified, 0 of low confidence or degraded, 0 failed\n")
    );
}

#[test]
#[cfg(unix)]
fn a_host_that_began_without_a_configuration_takes_one_over() {
    // R-HOST-01
    let place = Place::new();
    place.write("own.wasm", marked_guest("composer", "own"));
    let mut live = Live::start(&place, "batch");
    live.said();
    place.sh("node use composer own.wasm").ok();
    live.signal("HUP");
    let told = live.said();
    assert!(told.starts_with("reloaded: composer: ") && told.contains("→ own "), "{told}");
    let ran = live.end();
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(0), "done: 0 verified, 0 of low confidence or degraded, 0 failed\n")
    );
}

#[test]
#[cfg(unix)]
fn a_signal_ends_the_questions_and_a_second_one_everything() {
    // R-RUN-05
    let place = Place::scripted();
    for signal in ["TERM", "INT"] {
        let mut live = Live::start(&place, "batch --incident bundle");
        live.said();
        asked(&mut live, &place);
        // Its input stays open: nothing else tells it to stop.
        live.signal(signal);
        assert_eq!(live.said(), "stopping: 0 runs are on their way; a second signal ends at once");
        assert!(live.said().starts_with("done: 1 verified"));
    }
    // An agent that takes its time, far longer than the test.
    let mut script = good_script();
    script["planner"][0]["delay_ms"] = json!(600_000);
    place.write("script.json", script.to_string());
    let mut live = Live::start(&place, "batch --incident bundle");
    live.said();
    live.ask("why?");
    assert!(live.said().starts_with("line 1: run "));
    live.signal("TERM");
    assert!(live.said().starts_with("stopping: 1 runs are on their way"));
    live.signal("TERM");
    let ran = live.end();
    ran.fails(1, &["ended at once: 1 runs are lost", "interrupted"]);
    assert!(place.sh("runs list").ok().contains("FAILED"));
}

#[test]
fn answers_that_nobody_reads_end_it_quietly() {
    // R-RUN-03
    let place = Place::scripted();
    let mut live = Live::start(&place, "batch --incident bundle");
    live.leave();
    live.ask("why?");
    // Its input stays open.
    for said in ["ready: ", "line 1: run ", "line 1: PASS", "done: 1 verified"] {
        let told = live.said();
        assert!(told.starts_with(said), "{told}");
    }
    assert_eq!(live.end().code, Some(0));
}
