//! `portcullis parse`: the document or what it breaks, exit codes and JSON.

use super::place::Place;
use expect_test::expect;
use serde_json::json;

#[test]
fn a_document_is_printed_as_it_goes_over_the_wire() {
    // R-PARSE-04 R-PARSE-02
    let place = Place::new();
    let plan = r#"Sure:
```json
{"answer_version": "diagnosis_plan_v1", "steps": [
  {"step_id": "s1", "goal": "look", "tool_name": "query_logs", "arguments": {"limit": 5, "ratio": 0.30, "id": 73019482551300000012}}]}
```"#;
    place.write("plan.txt", plan);
    let words = place.sh("parse plan plan.txt").ok();
    expect![[r#"
        {
          "answer_version": "diagnosis_plan_v1",
          "steps": [
            {
              "step_id": "s1",
              "goal": "look",
              "tool_name": "query_logs",
              "arguments": {
                "limit": 5,
                "ratio": 0.30,
                "id": 73019482551300000012
              }
            }
          ]
        }
    "#]]
    .assert_eq(&words);
    assert_eq!(place.sh("parse plan plan.txt --json").ok(), words);
    assert_eq!(place.with_stdin(["parse", "plan"], plan.as_bytes()).ok(), words);
    assert_eq!(place.with_stdin(["parse", "plan", "-"], plan.as_bytes()).ok(), words);
}

#[test]
fn each_document_has_its_parser() {
    // R-PARSE-04 R-HOST-01
    let place = Place::new();
    for (name, document) in [
        (
            "evidence",
            json!({"answer_version": "executor_evidence_v2", "claims": [], "hypotheses": ["h"], "limitations": []}),
        ),
        (
            "verification",
            json!({"answer_version": "verification_v1", "verdict": "PASS", "facts": [],
            "allowed_claims": [], "missing_information": [], "recommendations": ["r"]}),
        ),
        (
            "answer",
            json!({"answer_version": "composed_answer_v1", "headline": "h", "claim_order": [], "next_steps": []}),
        ),
    ] {
        let ran = place.with_stdin(["parse", name, "--json"], document.to_string().as_bytes());
        assert_eq!((ran.code, ran.json()), (Some(0), document.clone()), "{ran:?}");
        let foreign = place.with_stdin(["parse", "plan"], document.to_string().as_bytes());
        assert_eq!(foreign.code, Some(1), "{foreign:?}");
    }
}

#[test]
fn a_violation_has_a_place_and_exit_code_1() {
    // R-PARSE-01 R-PARSE-04
    let place = Place::new();
    let text = br#"{"answer_version": "composed_answer_v1", "headline": 3, "claim_order": [], "next_steps": []}"#;
    let ran = place.with_stdin(["parse", "answer", "--json"], text);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    expect![[r#"
        {
          "violation": {
            "path": "/headline",
            "message": "must be a string, is a number"
          }
        }
    "#]]
    .assert_eq(&ran.stdout);
    let words = place.with_stdin(["parse", "answer"], text);
    assert_eq!(words.code, Some(1));
    expect![[r#"
        violation at /headline: must be a string, is a number
    "#]]
    .assert_eq(&words.stdout);
}

#[test]
fn a_text_that_cannot_be_read_is_one_error() {
    // R-PARSE-01
    let place = Place::new();
    place.write("latin.txt", b"caf\xe9");
    place.sh("parse plan latin.txt").refused(&["latin.txt is not UTF-8 at byte 3", "hint: "]);
    place.with_stdin(["parse", "plan"], b"\xff").refused(&["stdin is not UTF-8 at byte 0"]);
    place.sparse("large.txt", 16 * 1024 * 1024 + 1);
    place.sh("parse plan large.txt").refused(&["cannot read large.txt: it has more than 16777216 bytes", "hint: "]);
    place.sh("parse plan nowhere.txt").refused(&["cannot read nowhere.txt: No such file", "hint: name a file"]);
    place.sh("parse plan .").refused(&["cannot read .: it is no regular file"]);
    place.sh("parse poem x.txt").refused(&["invalid value 'poem'", "plan, evidence, verification, answer"]);
}
