//! `portcullis check`: exit codes and the shape of its JSON.

use super::place::Place;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// A check file with one call and these claims.
fn file(claims: &Value) -> Value {
    json!({
        "run_id": "run-1",
        "invocations": [{"invocation_id": "inv-1", "run_id": "run-1", "tool_name": "query_logs", "status": "ok",
            "output": {"message": "pool exhausted: 100 of 100"}, "arguments": {"service": "cart"}}],
        "registered_tools": ["query_logs", "query_metrics"],
        "executor_output": {"answer_version": "executor_evidence_v2", "claims": claims},
    })
}

fn claim(id: &str, invocation: &str, quote: &str) -> Value {
    json!({"claim_id": id, "text": "The pool is exhausted.", "evidence_bindings": [
        {"source_invocation_id": invocation, "tool_name": "functions.query_logs", "raw_path": "/message",
         "matched_text": quote}]})
}

#[track_caller]
fn check(claims: &Value, code: i32, expected: &Expect) {
    let place = Place::new();
    place.write("check.json", file(claims).to_string());
    let ran = place.sh("check check.json --json");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(code), ""));
    ran.json();
    expected.assert_eq(&ran.stdout);
    assert_eq!(place.with_stdin(["check", "-", "--json"], file(claims).to_string().as_bytes()).stdout, ran.stdout);
    assert_eq!(place.sh("check check.json").code, Some(code));
}

#[test]
fn pass_is_exit_code_0() {
    // R-GATE-03 R-GATE-02 R-PARSE-03
    check(
        &json!([claim("c1", "inv-1", "pool exhausted")]),
        0,
        &expect![[r#"
        {
          "status": "PASS",
          "severity": null,
          "verified_binding_count": 1,
          "checked_bindings": [
            {
              "claim_id": "c1",
              "source_invocation_id": "inv-1",
              "tool_name": "query_logs",
              "raw_path": "/message",
              "matched_text": "pool exhausted",
              "status": "pass",
              "reason_code": "ok"
            }
          ]
        }
    "#]],
    );
}

#[test]
fn low_confidence_is_exit_code_3() {
    // R-GATE-03 R-GATE-05
    check(
        &json!([claim("c1", "inv-1", "disk full"), {"claim_id": "c2", "text": "No binding.", "evidence_bindings": []}]),
        3,
        &expect![[r#"
            {
              "status": "LOW_CONFID",
              "severity": "low_confid",
              "verified_binding_count": 0,
              "checked_bindings": [
                {
                  "claim_id": "c1",
                  "source_invocation_id": "inv-1",
                  "tool_name": "query_logs",
                  "raw_path": "/message",
                  "matched_text": "disk full",
                  "status": "fail",
                  "reason_code": "text_not_found"
                }
              ],
              "unbound_claims": [
                "c2"
              ]
            }
        "#]],
    );
}

#[test]
fn reject_is_exit_code_1() {
    // R-GATE-03 R-GATE-05
    check(
        &json!([claim("c1", "inv-9", "pool exhausted"), claim("c2", "inv-1", "pool exhausted")]),
        1,
        &expect![[r#"
            {
              "status": "REJECT",
              "severity": "reject",
              "verified_binding_count": 1,
              "checked_bindings": [
                {
                  "claim_id": "c1",
                  "source_invocation_id": "inv-9",
                  "tool_name": "query_logs",
                  "raw_path": "/message",
                  "matched_text": "pool exhausted",
                  "status": "fail",
                  "reason_code": "unknown_invocation"
                },
                {
                  "claim_id": "c2",
                  "source_invocation_id": "inv-1",
                  "tool_name": "query_logs",
                  "raw_path": "/message",
                  "matched_text": "pool exhausted",
                  "status": "pass",
                  "reason_code": "ok"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn words_for_a_person_say_the_same() {
    // R-GATE-02
    let place = Place::new();
    place.write("check.json", file(&json!([claim("c1", "inv-1", "disk full")])).to_string());
    expect![[r#"
        fail c1  query_logs inv-1 at /message  text_not_found  "disk full"
        LOW_CONFID: 0 bindings verified, 1 failed
    "#]]
    .assert_eq(&place.sh("check check.json").stdout);
}

#[test]
fn a_file_that_cannot_be_checked_is_one_error() {
    // R-PARSE-01 R-GATE-03
    let place = Place::new();
    let whole = file(&json!([claim("c1", "inv-1", "pool exhausted")])).to_string();
    let without = |field: &str| {
        let mut file: Value = serde_json::from_str(&whole).unwrap();
        file.as_object_mut().unwrap().remove(field);
        file.to_string()
    };
    let with = |field: &str, value: Value| {
        let mut file: Value = serde_json::from_str(&whole).unwrap();
        file[field] = value;
        file.to_string()
    };
    let with_call = |call: &Value| with("invocations", json!([call]));
    let in_call = |field: &str| whole.replace(r#""status":"ok""#, &format!(r#""status":"ok","{field}":true"#));
    let twice = whole.replace(r#""claims":"#, r#""claims":[],"claims":"#);
    for (content, words) in [
        (Vec::new(), "line 1 column 0"),
        (b"[]".to_vec(), "it is no JSON object"),
        (whole.as_bytes()[..whole.len() / 2].to_vec(), "EOF"),
        (b"{\"run_id\": \"\xff\"}".to_vec(), "not UTF-8 at byte 12"),
        (without("run_id").into(), "missing field `run_id`"),
        (without("invocations").into(), "missing field `invocations`"),
        (without("executor_output").into(), "missing field `executor_output`"),
        (whole.replace("run_id", "run").into(), "missing field `run_id`"),
        (with_call(&json!(["inv-1", "run-1", "query_logs", "ok", "text"])).into(), "invocations[0] is no JSON object"),
        (with("invocations", json!({})).into(), "invalid type: map"),
        (in_call("truncatd").into(), "invocations[0] has an unknown field `truncatd`, did you mean `truncated`?"),
        (in_call("isTruncated").into(), "unknown field `isTruncated`, did you mean `truncated`?"),
        (whole.replace("registered_tools", "registered_tool").into(), "did you mean `registered_tools`?"),
        (whole.replace(r#""ok""#, r#""fine""#).into(), "unknown variant `fine`"),
        // What one reader takes for the last value and another for the first is no evidence.
        (twice.into(), "duplicate key"),
        ("[".repeat(100_000).into(), "recursion limit"),
    ] {
        place.write("check.json", content);
        place.sh("check check.json").refused(&[
            "check.json: this is no check file",
            words,
            "hint: it must hold run_id",
        ]);
    }
    place.sparse("check.json", 64 * 1024 * 1024 + 1);
    place.sh("check check.json").refused(&["cannot read check.json: it has more than 67108864 bytes"]);
    place.sh("check nowhere.json").refused(&["cannot read nowhere.json: No such file", "hint: name a file"]);
    place.sh("check .").refused(&["cannot read .: it is no regular file", "or `-` for stdin"]);
    place.with_stdin(["check", "-"], b"{").refused(&["stdin: this is no check file"]);
}

#[test]
fn claims_that_break_their_contract_are_no_reject_and_no_pass() {
    // R-PARSE-02 R-NODE-04
    let place = Place::new();
    let mut broken = file(&json!([]));
    broken["executor_output"]["claims"] = json!("none");
    place.write("check.json", broken.to_string());
    place
        .sh("check check.json")
        .fails(1, &["check.json: executor_output breaks the contract executor_evidence_v2 at `/claims`"]);
    let told = place.sh("check check.json --json");
    assert_eq!((told.code, told.stderr.as_str()), (Some(1), ""));
    assert_eq!(told.json()["violation"]["path"], "/claims");
    assert!(told.json()["violation"]["message"].is_string(), "{told:?}");
}

#[test]
fn further_fields_are_notes_and_no_field_of_the_claims_is() {
    // R-GATE-02 R-PARSE-02
    let place = Place::new();
    let mut exported = file(&json!([claim("c1", "inv-1", "pool exhausted")]));
    exported["session_id"] = json!("session-1");
    exported["invocations"][0]["duration_ms"] = json!(12);
    exported["invocations"][0]["original_bytes"] = json!(39);
    place.write("check.json", exported.to_string());
    place.sh("check check.json").ok();
    exported["executor_output"]["note"] = json!("x");
    place.write("check.json", exported.to_string());
    place.sh("check check.json").fails(1, &["executor_output breaks the contract"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_is_read_where_the_shell_has_opened_it_and_nowhere_else() {
    // R-HOST-04
    let place = Place::new();
    let whole = file(&json!([claim("c1", "inv-1", "pool exhausted")])).to_string();
    for path in ["/dev/stdin", "/dev/fd/0"] {
        place.with_stdin(["check", path], whole.as_bytes()).ok();
    }
    let made = std::process::Command::new("mkfifo").arg(place.path("fifo")).status().unwrap();
    assert!(made.success());
    for line in ["check fifo", "parse plan fifo", "graph --config fifo"] {
        place.refuses(line, &["fifo", "it is no regular file"]);
    }
    place.write("portcullis.toml", "[nodes.composer]\ncomponent = 'fifo'\n");
    place.refuses("run why?", &["fifo", "it is no regular file"]);
    place.write("portcullis.toml", super::place::scripted_agents("fifo"));
    place.refuses("run why?", &["fifo", "it is no regular file"]);
}
