//! Missing and broken bundles, configurations, scripts and arguments: one error that names file, place and way out.

use super::place::{Place, scripted_agents};
use std::path::Path;

/// Each way in to a bundle refuses it with these words, before a store or anything else is made.
#[track_caller]
fn refuses_bundle(place: &Place, name: &str, words: &[&str]) {
    for line in ["run --incident", "tools list --incident", "tools call query_logs --incident"] {
        place.refuses(&format!("{line} {name}"), words);
    }
}

#[test]
fn a_bundle_that_is_none_is_refused() {
    // R-HOST-04
    let place = Place::scripted();
    refuses_bundle(
        &place,
        "nowhere",
        &["nowhere/incident.json: does not exist; name a folder that is an incident bundle"],
    );
    refuses_bundle(
        &place,
        "script.json",
        &["script.json/incident.json: cannot be read: Not a directory", "check the path"],
    );
    place.write("empty/readme.md", "");
    refuses_bundle(&place, "empty", &["empty/incident.json: does not exist"]);
    place.refuses("eval empty", &["empty holds no incident bundle", "name a folder that has some"]);
    place.refuses("eval nowhere", &["cannot read the folder nowhere: No such file", "name a bundle"]);
    place.refuses("eval script.json", &["no folder is named", "hint: name bundles"]);
    let known = "portcullis.toml";
    place.write(known, scripted_agents("script.json") + "[tools]\nincident = \"nowhere\"\n");
    place.refuses("run", &["nowhere/incident.json: does not exist"]);
}

#[test]
fn a_broken_file_of_a_bundle_is_named_with_its_place() {
    // R-HOST-04
    let place = Place::scripted();
    let manifest = std::fs::read_to_string(place.path("bundle/incident.json")).unwrap();
    let with = |from: &str, to: &str| {
        let changed = manifest.replace(from, to);
        assert_ne!(changed, manifest);
        changed.into_bytes()
    };
    let row =
        |row: &str| format!("time,entity,metric,value,unit\n2026-03-01T10:00:00Z,cart,cpu,1,%\n{row}\n").into_bytes();
    for (name, content, words) in [
        ("incident.json", b"{".to_vec(), &["incident.json:1: EOF", "see the bundle format"][..]),
        ("incident.json", b"\xff\xfe".to_vec(), &["incident.json:1: is not UTF-8; save the file as UTF-8"]),
        (
            "incident.json",
            with("\"format\": 1", "\"format\": 2"),
            &["incident.json, field `format`: is not 1", "reads format 1 only"],
        ),
        (
            "incident.json",
            with("\"question\": \"Why does checkout answer slowly?\"", "\"question\": \" \""),
            &["field `question`: is blank"],
        ),
        ("incident.json", with("\"facts\"", "\"fact\""), &["incident.json:", "unknown field `fact`"]),
        ("incident.json", with("2026-03-01T10:00:00Z", "yesterday"), &["incident.json", "RFC 3339"]),
        (
            "incident.json",
            with("2026-03-01T10:30:00Z", "2026-03-01T09:30:00Z"),
            &["field `window`: ends before it begins"],
        ),
        ("metrics.csv", b"time,entity\n".to_vec(), &["metrics.csv:1: does not begin with the header"]),
        (
            "metrics.csv",
            row("yesterday,cart,cpu,1,%"),
            &["metrics.csv:3, field `time`: `yesterday` is no RFC 3339 time"],
        ),
        ("metrics.csv", row("2026-03-01T10:00:00Z,cart,cpu,high,%"), &["metrics.csv:3, field `value`: is no number"]),
        ("metrics.csv", row("2026-03-01T10:00:00Z,cart,cpu,NaN,%"), &["metrics.csv:3, field `value`: is no number"]),
        ("metrics.csv", row("2026-03-01T10:00:00Z,cart,cpu"), &["metrics.csv:3: is no CSV row of five fields"]),
        ("metrics.csv", row("2026-03-01T10:00:00Z,,cpu,1,%"), &["metrics.csv:3, field `entity`: is empty"]),
        ("metrics.csv", b"time,entity,metric,value,unit\n\xff\n".to_vec(), &["metrics.csv:2: is not UTF-8"]),
        ("logs.jsonl", b"{}\n".to_vec(), &["logs.jsonl:1, field `time`: is missing"]),
        ("logs.jsonl", b"\n\n{\"time\":\n".to_vec(), &["logs.jsonl:3: EOF", "one complete JSON object on each line"]),
        ("traces.jsonl", b"[]\n".to_vec(), &["traces.jsonl:1"]),
        ("changes.jsonl", b"null\n".to_vec(), &["changes.jsonl:1"]),
        ("topology.json", b"{\"nodes\": 1}".to_vec(), &["topology.json:1"]),
        ("recordings.jsonl", b"{\"tool_name\": \"x\"}\n".to_vec(), &["recordings.jsonl:1: missing field `arguments`"]),
        (
            "recordings.jsonl",
            b"{\"tool_name\": \"x\", \"arguments\": {}, \"status\": \"fine\", \"output\": 1}\n".to_vec(),
            &["recordings.jsonl:1: unknown variant `fine`"],
        ),
        (
            "recordings.jsonl",
            b"\n{\"tool_name\": \" \", \"arguments\": {}, \"status\": \"ok\", \"output\": 1}\n".to_vec(),
            &["recordings.jsonl:2, field `tool_name`: is blank"],
        ),
        ("logs.jsonl", b"{\"time\": 1, \"time\": 2}\n".to_vec(), &["logs.jsonl:1: duplicate key"]),
        ("documents/note.md", b"\xff".to_vec(), &["note.md:1: is not UTF-8"]),
    ] {
        let path = place.path("bundle").join(name);
        let original = std::fs::read(&path).ok();
        place.write(&format!("bundle/{name}"), content);
        refuses_bundle(&place, "bundle", &[&["bundle/"], words].concat());
        place.refuses("eval bundle", words);
        match original {
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
    }
    place.sh("run --incident bundle").ok();
}

#[test]
fn a_file_of_a_bundle_is_refused_by_its_size() {
    // R-HOST-04
    let place = Place::scripted();
    for (name, size) in
        [("incident.json", 1 << 20), ("metrics.csv", 1 << 26), ("logs.jsonl", 1 << 26), ("recordings.jsonl", 1 << 26)]
    {
        let path = place.path("bundle").join(name);
        let original = std::fs::read(&path).unwrap();
        place.sparse(&format!("bundle/{name}"), size + 1);
        refuses_bundle(&place, "bundle", &[name, &format!("the limit is {size}")]);
        std::fs::write(&path, original).unwrap();
    }
    place.sparse("bundle/expected.json", (1 << 20) + 1);
    place.refuses("eval bundle", &["bundle/expected.json: it has more than 1048576 bytes"]);
}

#[test]
fn a_known_answer_is_read_by_eval_alone() {
    // R-RUN-06
    let place = Place::scripted();
    for (content, words) in [
        ("{", "EOF"),
        ("{\"healthy\": 3}", "line 1 column"),
        ("[]", "bundle/expected.json"),
        ("{\"root_cause\": {\"entity\": \"\"}}", "root_cause.entity is blank"),
        ("{\"required_keywords\": [[]]}", "required_keywords[0] is empty"),
    ] {
        place.write("bundle/expected.json", content);
        place.refuses("eval bundle", &["bundle/expected.json is no known answer", words]);
        place.sh("run --incident bundle --store memory").ok();
    }
}

#[test]
fn a_broken_configuration_is_named_with_its_place() {
    // R-HOST-01
    let place = Place::new();
    let check = |content: &[u8], words: &[&str]| {
        place.write("portcullis.toml", content);
        for line in ["run why?", "graph", "doctor", "runs list"] {
            place.refuses(line, &[&["portcullis.toml"], words].concat());
        }
    };
    check(b"[nodes.composer]\ncompnent = 'x'\n", &["line 2", "unknown field `compnent`", "did you mean `component`?"]);
    check(b"[node]\n", &["line 1", "did you mean `nodes`?"]);
    check(b"[nodes", &["line 1"]);
    check(b"[run]\nwall = 'soon'\n", &["line 2"]);
    check(b"[run]\nwall = '0s'\n", &["line 2", "longer than zero"]);
    check(b"[tools.limits]\noutput = -1\n", &["line 2", "a size is a number of bytes"]);
    check(b"[tools.limits]\noutput = '9 parsecs'\n", &["line 2", "`9 parsecs` is no size"]);
    check(b"[tools]\nallow = ['[']\n", &["`[` is not a glob pattern"]);
    check(b"[nodes.planner]\nwasi = 'all'\n", &["line 2", "unknown variant `all`"]);
    check(b"[agents.planner]\nbackend = 'script'\n", &["line 1", "needs `script`"]);
    check(b"[agents.planner]\nscript = 'x'\n", &["line 1", "add backend = \"script\""]);
    check(b"[agents.planner]\nbackend = 'scirpt'\n", &["line 2", "did you mean `script`?"]);
    check(b"[agents.planner]\nbackend = 'oracle'\n", &["line 2", "unknown variant `oracle`"]);
    check(b"a = 1\n# caf\xe9\n", &[":2: is not UTF-8; save the file as UTF-8"]);
    check(&[b"a = ", "[".repeat(200_000).as_bytes()].concat(), &["recurse"]);
    place.sparse("portcullis.toml", (1 << 20) + 1);
    place.refuses("graph", &["portcullis.toml: it has more than 1048576 bytes", "--config FILE"]);

    place.refuses(
        "graph --config nowhere.toml",
        &["cannot read the configuration nowhere.toml: No such file", "--config FILE"],
    );
    place.refuses("graph --config .", &["cannot read the configuration .: it is no regular file", "--config FILE"]);
    #[cfg(target_os = "linux")]
    place.refuses("graph --config /dev/zero", &["/dev/zero: it is no regular file"]);
}

#[test]
fn no_message_is_longer_than_a_person_reads() {
    // R-HOST-01
    let place = Place::new();
    place.write("portcullis.toml", format!("a = '{}' b\n", "x".repeat(500_000)));
    let ran = place.sh("graph");
    ran.refused(&["portcullis.toml"]);
    assert!(ran.stderr.len() < 2_000, "{} bytes", ran.stderr.len());
}

#[test]
fn a_broken_script_is_named_with_its_place() {
    // R-TEST-01
    let place = Place::scripted();
    for (content, words) in [
        (&b"{"[..], "line 1 column 1"),
        (b"\xff", "line 1 column 1"),
        (b"{\"plannner\": []}", "unknown field `plannner`"),
        (b"{\"planner\": [{}]}", "planner reply 1 must have exactly one of `text`, `json` and `error`"),
        (b"{\"verifier\": [{\"error\": \"maybe\"}]}", "unknown variant `maybe`"),
    ] {
        place.write("script.json", content);
        place.refuses("run --incident bundle", &["script.json", words]);
    }
    place.sparse("script.json", (1 << 24) + 1);
    place.refuses("run --incident bundle", &["script.json", "16777216"]);
    std::fs::remove_file(place.path("script.json")).unwrap();
    place.refuses("run --incident bundle", &["cannot read the script", "script.json", "No such file"]);
    std::fs::create_dir(place.path("script.json")).unwrap();
    place.refuses("run --incident bundle", &["cannot read the script", "it is no regular file"]);
}

#[test]
fn arguments_that_ask_for_nothing_start_nothing() {
    // R-NODE-03
    let place = Place::scripted();
    place.refuses("run", &["there is no question", "hint: give one, or name an incident"]);
    for question in ["", " \n"] {
        let ran = place.run(["run", question]);
        ran.refused(&["there is no question"]);
    }
    place.run(["run", "why?", "--session", ""]).refused(&["--session <ID>"]);
    place.refuses("tools call", &["<NAME>"]);
    place.refuses(
        "tools call nope --incident bundle",
        &["unknown tool: nope", "hint: `portcullis tools list` shows them"],
    );
    place.refuses("tools call query_logs", &["unknown tool: query_logs"]);
    place
        .refuses("tools call query_logs { --incident bundle", &["invalid arguments: the arguments are no strict JSON"]);
    place.refuses("tools call query_logs [] --incident bundle", &["the arguments are no JSON object"]);
    place.refuses("tools call query_logs {\"x\":1} --incident bundle", &["unknown field `x`", "`entity`"]);
    let ran = place.run([
        Path::new("tools"),
        Path::new("call"),
        Path::new("ping_gateway"),
        Path::new("--incident"),
        Path::new("bundle"),
    ]);
    ran.fails(1, &["connection refused"]);
    assert_eq!(place.names(), ["bundle", "portcullis.toml", "script.json"]);
}

#[test]
#[cfg(unix)]
fn a_working_folder_that_is_gone_is_told() {
    // R-HOST-01
    let place = Place::new();
    std::fs::create_dir(place.path("gone")).unwrap();
    let line = format!(
        "cd {0} && rmdir {0} && exec {1} graph",
        place.path("gone").display(),
        env!("CARGO_BIN_EXE_portcullis")
    );
    let ran: super::place::Ran = std::process::Command::new("sh").args(["-c", &line]).output().unwrap().into();
    ran.refused(&["cannot tell the working folder", "hint: go to a folder that exists"]);
}
