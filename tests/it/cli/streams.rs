//! Pipes, odd arguments, and an environment that lacks what is usual.

use super::place::{Place, Ran};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    // R-RUN-03
    let place = Place::scripted();
    // Far more than a pipe holds, so that the program is still writing.
    let mut command = place.command(["graph", "--paths"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");

    let mut command = place.command(["run", "--incident", "bundle", "--watch"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0), "the run is stored all the same");
    assert!(place.sh("runs list").ok().contains("SUCCESS  PASS"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_result_that_is_lost_is_no_success() {
    // R-RUN-03
    let place = Place::scripted();
    for line in [&["graph"][..], &["graph", "--json"], &["run", "--incident", "bundle"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran: Ran = place.command(line).stdout(full).output().unwrap().into();
        ran.fails(1, &["cannot write the result to stdout", "No space left"]);
    }
}

#[test]
fn help_and_version_are_for_stdout_and_wrong_usage_is_for_stderr() {
    // R-RUN-03
    let place = Place::new();
    for line in ["--help", "help run", "run --help", "runs show --help", "--version"] {
        assert!(!place.sh(line).ok().is_empty(), "{line}");
    }
    let ran = place.sh("");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("Usage: portcullis"), "{ran:?}");
    for (line, words) in [
        ("frobnicate", "unrecognized subcommand 'frobnicate'"),
        ("check", "<FILE>"),
        ("runs", "Usage: portcullis runs"),
        ("runs show", "<RUN_ID>"),
        ("runs list --status lost", "running, success, failed"),
        ("eval", "<DIR>"),
        ("graph --format svg", "text, markdown, mermaid, json"),
        ("graph --log loud", "expected one of"),
        ("run why? --fact service", "a fact is NAME=VALUE"),
        ("run why? --fact =x", "a fact is NAME=VALUE"),
        ("run why? --config", "a value is required"),
    ] {
        let ran = place.sh(line);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{line}: {ran:?}");
        assert!(ran.stderr.contains(words) && !ran.stderr.contains("panicked"), "{line}: {ran:?}");
    }
    assert_eq!(place.names(), [""; 0]);
}

#[test]
#[cfg(unix)]
fn arguments_that_are_not_utf8_are_names_of_files_or_an_error() {
    // R-RUN-03
    use std::os::unix::ffi::OsStrExt;
    let place = Place::scripted();
    let odd = OsStr::from_bytes(b"odd-\xff.txt");
    let text = r#"{"answer_version": "executor_evidence_v2", "claims": []}"#;
    std::fs::write(place.path("").join(odd), text).unwrap();
    place.run([OsStr::new("parse"), OsStr::new("evidence"), odd]).ok();
    place.run([OsStr::new("check"), OsStr::from_bytes(b"none-\xff")]).refused(&["cannot read none-\u{fffd}"]);
    place.run([OsStr::new("run"), OsStr::from_bytes(b"why \xff?")]).refused(&["invalid UTF-8"]);
    place.run([OsStr::new("run"), OsStr::new("--incident"), odd]).refused(&["odd-\u{fffd}.txt"]);
}

#[test]
fn names_may_hold_spaces() {
    // R-HOST-01
    let place = Place::scripted();
    place.write("my folder/replies of all.json", super::place::good_script().to_string());
    place.write("my folder/own config.toml", super::place::scripted_agents("replies of all.json"));
    let arguments = ["run", "--incident", "bundle", "--config", "my folder/own config.toml", "--store", "my runs.db"];
    place.run(arguments).ok();
    place.run(["runs", "show", "last", "--store", "my runs.db"]).ok();
    assert!(place.names().contains(&"my runs.db".to_owned()), "{:?}", place.names());
}

#[test]
fn what_would_command_a_terminal_is_not_passed_on() {
    // R-ANSWER-04
    let place = Place::new();
    place.write("portcullis.toml", "\"\\u001b[31mred\" = 1\n");
    place.refuses("graph", &["unknown field"]);
    Place::new().refuses("check \u{1b}]0;title\u{7}", &["cannot read \u{fffd}]0;title\u{fffd}"]);
}

#[test]
fn a_missing_home_or_cache_costs_time_and_nothing_else() {
    // R-HOST-01
    let place = Place::scripted();
    let doctor = |set: &dyn Fn(&mut std::process::Command)| {
        let mut command = place.command(["doctor", "--json", "--store", "memory"]);
        set(&mut command);
        let ran: Ran = command.output().unwrap().into();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let findings = ran.json();
        let cache =
            findings["findings"].as_array().unwrap().iter().find(|it| it["what"] == "code cache").unwrap().clone();
        (cache["status"].as_str().unwrap().to_owned(), cache["words"].as_str().unwrap().to_owned())
    };
    assert_eq!(doctor(&|_| ()).0, "ok");
    let (status, words) = doctor(&|command| {
        command.env_clear();
    });
    assert_eq!(status, "warning", "{words}");
    // A file stands where the folder would be made: that no one can change, whoever runs the test.
    let (status, words) = doctor(&|command| {
        command.env("XDG_CACHE_HOME", place.path("script.json"));
    });
    assert!(status == "warning" && words.contains("each start compiles anew"), "{words}");
    let mut command = place.command(["run", "--incident", "bundle"]);
    let ran: Ran = command.env("XDG_CACHE_HOME", place.path("script.json")).output().unwrap().into();
    assert!(ran.ok().starts_with("checkout has no free connections"));
}
