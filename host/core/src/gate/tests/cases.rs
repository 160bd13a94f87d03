//! Cases from the field, read in place.

use super::*;
use crate::gate::GateStatus;
use crate::json;
use serde_json::Value;
use std::path::PathBuf;

fn inputs() -> Option<PathBuf> {
    let inputs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/inputs");
    if !inputs.is_dir() {
        println!("skipped: ../shared is absent");
        return None;
    }
    Some(inputs)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn claims(executor_output: &Value) -> Vec<Claim> {
    let binding = |stated: &Value| Binding {
        source_invocation_id: stated["source_invocation_id"].as_str().map(str::to_owned),
        tool_name: text(&stated["tool_name"]),
        raw_path: text(&stated["raw_path"]),
        matched_text: text(&stated["matched_text"]),
    };
    let claims = executor_output["claims"].as_array().unwrap().iter();
    claims
        .map(|stated| {
            let bindings = stated["evidence_bindings"].as_array().unwrap();
            claim(&text(&stated["claim_id"]), &text(&stated["text"]), bindings.iter().map(binding).collect())
        })
        .collect()
}

fn invocations(case: &Value) -> Vec<Invocation> {
    let invocations = case["invocations"].as_array().unwrap().iter();
    invocations
        .map(|recorded| Invocation {
            invocation_id: text(&recorded["invocation_id"]),
            run_id: text(&recorded["run_id"]),
            tool_name: text(&recorded["tool_name"]),
            arguments: "{}".into(),
            status: serde_json::from_value(recorded["status"].clone()).unwrap(),
            output: recorded["output"]
                .as_str()
                .map_or_else(|| recorded["output"].to_string().as_bytes().into(), |plain| plain.as_bytes().into()),
            truncated: recorded["truncated"].as_bool().unwrap_or(false),
        })
        .collect()
}

fn check_case(name: &str, status: GateStatus, verified: u32, expected: &[&str]) {
    let Some(inputs) = inputs() else { return };
    let case = json::read(&std::fs::read_to_string(inputs.join(name)).unwrap()).unwrap();
    let evidence = Evidence { claims: claims(&case["executor_output"]), hypotheses: vec![], limitations: vec![] };
    let run_id = text(&case["run_id"]);
    let report =
        check(&GateInput { run_id: &run_id, evidence: &evidence, invocations: &invocations(&case), tools: &[] });
    assert_eq!(reasons(&report), expected, "{name}");
    assert_eq!((report.status, report.verified_binding_count), (status, verified), "{name}");
}

#[test]
fn numbers_keep_all_their_digits() {
    // R-GATE-07
    // The last claim says "20 digits", and no quote holds a 20: its text fails where its quote does not.
    check_case("case-013.json", GateStatus::LowConfid, 1, &["ok", "text_not_found", "claim_number_unsupported"]);
}

#[test]
fn bytes_that_are_no_text_cannot_be_quoted() {
    // R-GATE-07
    let Some(inputs) = inputs() else { return };
    let case = json::read(&std::fs::read_to_string(inputs.join("case-018b.json")).unwrap()).unwrap();
    let bytes = std::fs::read(inputs.join("case-018.txt")).unwrap();
    let report = report(&[invocation("inv-log-1", &bytes)], claims(&case["executor_output"]));
    assert_eq!(reasons(&report), ["text_not_found", "ok"]);
}

#[test]
fn keys_with_dots_and_slashes_are_reached_by_brackets_and_pointers_alone() {
    // R-GATE-07
    check_case("case-021.json", GateStatus::LowConfid, 3, &["ok", "ok", "path_syntax", "ok"]);
}

#[test]
fn a_cut_output_backs_a_claim_at_low_confidence() {
    // R-GATE-08
    check_case("case-023.json", GateStatus::LowConfid, 1, &["truncated_source"]);
}

#[test]
fn findings_without_a_tool_call_are_rejected() {
    // R-GATE-05
    check_case("case-025.json", GateStatus::Reject, 0, &["unknown_invocation", "unknown_invocation"]);
}

#[test]
fn an_invented_quote_does_not_match() {
    // R-GATE-05
    check_case("case-026.json", GateStatus::LowConfid, 0, &["text_not_found", "text_not_found"]);
}

#[test]
fn a_number_that_differs_a_little_does_not_match() {
    // R-GATE-07
    check_case(
        "case-028.json",
        GateStatus::LowConfid,
        1,
        &["claim_number_unsupported", "text_not_found", "text_not_found", "ok"],
    );
}

#[test]
fn evidence_of_another_run_is_rejected() {
    // R-GATE-01 R-GATE-05
    check_case("case-029.json", GateStatus::Reject, 0, &["foreign_run"]);
}

#[test]
fn an_empty_answer_proves_nothing() {
    // R-GATE-02
    check_case("case-032.json", GateStatus::LowConfid, 0, &["invocation_failed", "invocation_failed"]);
}
