//! `node shadow`, and candidates that the configuration names.

use super::place::{Place, scripted_agents};
use crate::sandbox::{ASK, COUNT, INPUT, answer_parser, module, planner};
use expect_test::{Expect, expect};
use std::path::Path;

/// A guest as the build left it.
fn guest(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/guests").join(format!("{name}.wasm"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run `make guests`", path.display()))
}

/// Scripted agents, and candidates of all kinds.
fn place() -> Place {
    let place = Place::scripted();
    for name in ["composer", "planner", "answer-parser", "verifier"] {
        place.write(&format!("{name}.wasm"), guest(name));
    }
    place.write("counts.wasm", module("answer-parser", &answer_parser(COUNT)));
    place.write("traps.wasm", module("answer-parser", &answer_parser("unreachable")));
    place.write("other.wasm", module("planner", &planner(INPUT, ASK)));
    place
}

/// The table without its times, which are never the same.
fn check(place: &Place, line: &str, code: i32, table: &Expect) {
    let ran = place.sh(line);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(code), ""), "{ran:?}");
    let is_time = |words: &[&str]| words[1] == "ms" && words[0].parse::<f64>().is_ok();
    let timeless = |line: &str| {
        let mut words: Vec<_> = line.split(' ').filter(|word| !word.is_empty()).collect();
        while let Some(at) = words.windows(2).position(is_time) {
            words.drain(at..at + 2);
        }
        words.join(" ") + "\n"
    };
    table.assert_eq(&ran.stdout.lines().map(timeless).collect::<String>());
}

#[test]
fn the_table_says_what_is_the_same_and_what_is_not() {
    // R-HOST-01
    let place = place();
    let before = place.names();
    let shadow = |role_and_file: &str| format!("node shadow {role_and_file} --incident bundle");
    check(
        &place,
        &shadow("composer composer.wasm"),
        0,
        &expect![[r#"
        incident role round/attempt stage our size their size our time their time found
        bundle composer 1/1 prepare 259 B 259 B same, sha256 611d5a036b77
        bundle composer 1/1 attempt 139 B 139 B same, sha256 fb7bcf85d2cb
        compared: 2, same: 2, different: 0, failed: 0 (incidents: 1)
    "#]],
    );
    check(
        &place,
        &shadow("answer-parser answer-parser.wasm --incident bundle"),
        0,
        &expect![[r#"
        incident role round/attempt stage our size their size our time their time found
        bundle answer-parser 1/1 parse 114 B 114 B same, sha256 5175daee8917
        bundle answer-parser 1/1 parse 114 B 114 B same, sha256 5175daee8917
        compared: 2, same: 2, different: 0, failed: 0 (incidents: 2)
    "#]],
    );
    check(
        &place,
        &shadow("answer-parser counts.wasm"),
        1,
        &expect![[r#"
        incident role round/attempt stage our size their size our time their time found
        bundle answer-parser 1/1 parse 114 B 62 B differs: byte 25, /document/headline
        ours: …"document":{"headline":"checkout has no free connections","claim_order":["c1"],"…
        theirs: …"document":{"headline":"1","claim_order":[],"next_steps":[]}}
        compared: 1, same: 0, different: 1, failed: 0 (incidents: 1)
    "#]],
    );
    check(
        &place,
        &shadow("planner other.wasm"),
        1,
        &expect![[r#"
        incident role round/attempt stage our size their size our time their time found
        bundle planner 1/1 prepare 5813 B 5 B differs: byte 0
        ours: {"input_version":"planner_input_v1","answer_version":"diagnosis_plan_v1","query"…
        theirs: input
        bundle planner 1/1 attempt 94 B 94 B same, sha256 955c9fc5d376 (on another input)
        compared: 2, same: 1, different: 1, failed: 0 (incidents: 1)
    "#]],
    );
    let trapped = place.sh(&shadow("answer-parser traps.wasm"));
    assert_eq!(trapped.code, Some(1), "{trapped:?}");
    assert!(trapped.stdout.contains("failed: guest_trapped\n  wasm trap: "), "{trapped:?}");
    assert_eq!(place.names(), before, "nothing is kept");
}

#[test]
fn what_was_not_compared_is_not_the_same() {
    // R-NODE-07
    let place = place();
    let mut script = super::place::good_script();
    script["planner"] = serde_json::json!([{"error": "permanent"}]);
    place.write("script.json", script.to_string());
    let table = expect![[r#"
        incident role round/attempt stage our size their size our time their time found
        bundle nothing was compared: the run did not reach this node
        compared: 0, same: 0, different: 0, failed: 0 (incidents: 1)
    "#]];
    check(&place, "node shadow composer composer.wasm --incident bundle", 1, &table);
}

#[test]
fn the_same_is_said_in_json() {
    // R-HOST-01
    let ran = place().sh("node shadow answer-parser counts.wasm --incident bundle --fact service=checkout --json");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let mut value = ran.json();
    assert_eq!(value["candidate"]["component"], "counts");
    assert_eq!(value["candidate"]["sha256"].as_str().unwrap().len(), 64);
    value["candidate"]["sha256"] = "".into();
    let comparison = &mut value["incidents"][0]["comparisons"][0];
    for time in ["ours_us", "theirs_us"] {
        assert!(comparison[time].is_u64(), "{comparison}");
        comparison[time] = 0.into();
    }
    expect![[r#"
        {
          "candidate": {
            "role": "answer-parser",
            "component": "counts",
            "sha256": ""
          },
          "incidents": [
            {
              "incident": "bundle",
              "failure": null,
              "comparisons": [
                {
                  "role": "answer-parser",
                  "round": 1,
                  "attempt": 1,
                  "stage": "parse",
                  "outcome": "differs",
                  "difference": "text",
                  "offset": 25,
                  "pointer": "/document/headline",
                  "ours": {
                    "bytes": 114,
                    "excerpt": "…\"document\":{\"headline\":\"checkout has no free connections\",\"claim_order\":[\"c1\"],\"…"
                  },
                  "theirs": {
                    "bytes": 62,
                    "excerpt": "…\"document\":{\"headline\":\"1\",\"claim_order\":[],\"next_steps\":[]}}"
                  },
                  "other_input": false,
                  "ours_us": 0,
                  "theirs_us": 0
                }
              ]
            }
          ],
          "same": 0,
          "differs": 1,
          "failed": 0
        }
    "#]].assert_eq(&(serde_json::to_string_pretty(&value).unwrap() + "\n"));
}

#[test]
fn a_candidate_that_cannot_serve_is_refused() {
    // R-HOST-02
    let place = place();
    let refuses = |line: &str, words: &[&str]| place.refuses(&format!("node shadow {line} --incident bundle"), words);
    refuses("composer verifier.wasm", &["verifier.wasm", "cannot serve as composer", "Fix: configure it as verifier"]);
    refuses("composer none.wasm", &["cannot read none.wasm", "No such file", "hint: name the candidate's file"]);
    refuses("thinker composer.wasm", &["invalid value 'thinker'", "answer-parser"]);
    refuses("composer composer.wasm --incident nowhere", &["nowhere"]);
    place.refuses("node shadow composer composer.wasm", &["there is no question", "--incident DIR"]);
}

#[test]
fn a_candidate_stands_under_the_settings_of_its_node() {
    // R-HOST-04
    let place = place();
    let limited = |tables: &str| place.write("portcullis.toml", scripted_agents("script.json") + tables);
    let reason = || {
        let ran = place.sh("node shadow planner planner.wasm --incident bundle --json");
        ran.json()["incidents"][0]["comparisons"][0]["reason_code"].clone()
    };
    let wide = "[nodes.planner]\nlimits = { output = \"1MiB\" }\n";
    limited(&format!("{wide}[shadow.planner]\ncomponent = \"other.wasm\"\nlimits = {{ output = 5 }}\n"));
    assert_eq!(reason(), "guest_output_limit");
    limited(wide);
    assert_eq!(reason(), serde_json::Value::Null);
}

#[test]
fn a_configured_candidate_is_told_of_and_changes_nothing() {
    // R-HOST-01 R-HOST-06 R-RUN-02
    let place = place();
    let answer = |line: &str| {
        let ran = place.sh(line);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let (answer, _run) = ran.stdout.split_once("Citations:").unwrap();
        (answer.to_owned(), ran.stderr)
    };
    let (without, _) = answer("run --incident bundle");
    let nodes = place.sh("runs show last --json").json()["run"]["nodes"].clone();
    let table = "[shadow.answer-parser]\ncomponent = \"counts.wasm\"\n";
    place.write("portcullis.toml", scripted_agents("script.json") + table);

    assert_eq!(answer("run --incident bundle"), (without.clone(), String::new()), "nothing is said at this level");
    assert_eq!(place.sh("runs show last --json").json()["run"]["nodes"], nodes, "it serves no node");
    let (with, warned) = answer("run --incident bundle --log warn");
    assert_eq!(with, without);
    assert_eq!(warned.matches("the candidate differs").count(), 1, "{warned}");
    assert!(warned.contains("role=\"answer-parser\"") && warned.contains("/document/headline"), "{warned}");
    assert!(!warned.contains("free connections"), "no payload: {warned}");
    let (_, watched) = answer("run --incident bundle --watch");
    let line = "  shadow of answer-parser (round 1, attempt 1), parse: differs at byte 25, /document/headline\n";
    assert!(watched.ends_with(line), "{watched}");

    let evaluated = place.sh("eval bundle --log warn");
    assert_eq!(evaluated.code, Some(0), "{evaluated:?}");
    assert_eq!(evaluated.stderr.matches("the candidate differs").count(), 1, "{evaluated:?}");

    place.write(
        "portcullis.toml",
        scripted_agents("script.json") + "[shadow.composer]\ncomponent = \"verifier.wasm\"\n",
    );
    // What is only tried decides nothing about what serves.
    let ran = place.sh("run --incident bundle");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for words in ["[shadow]: no candidate is compared", "verifier.wasm", "cannot serve as composer"] {
        assert!(ran.stderr.contains(words), "{ran:?}");
    }
    assert!(place.sh("doctor").stdout.contains("no candidate is compared"));
    place.write("portcullis.toml", scripted_agents("script.json") + "[shadow.composer]\nwasi = \"none\"\n");
    place.refuses("run --incident bundle", &["line 13", "a candidate in the shadow needs `component`"]);
}
