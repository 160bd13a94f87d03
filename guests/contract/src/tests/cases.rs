//! The cases from the field that concern an agent's text, read where they lie.

use crate::document::{Evidence, Violation};
use std::path::Path;

/// The input of a case, or `None` with a word on why when the cases are not there.
fn input(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/inputs").join(name);
    if path.exists() {
        return Some(std::fs::read_to_string(path).unwrap());
    }
    println!("skipped: {} is absent", path.display());
    None
}

#[track_caller]
fn accepted(name: &str, claims: usize, matched_text: &str) {
    let Some(text) = input(name) else { return };
    let evidence: Evidence = crate::evidence(&text).unwrap();
    assert_eq!(evidence.claims.len(), claims);
    assert_eq!(evidence.claims[0].bindings[0].matched_text, matched_text);
}

#[track_caller]
fn refused(name: &str, path: &str, message: &str) {
    let Some(text) = input(name) else { return };
    let expected = Violation { path: path.to_owned(), message: message.to_owned() };
    assert_eq!(crate::evidence(&text), Err(expected));
}

#[test]
fn case_001_fence_with_prose_and_fence_on_one_line() {
    // R-PARSE-01
    accepted("case-001a.txt", 1, "OOMKilled");
    accepted("case-001b.txt", 1, "OOMKilled");
}

#[test]
fn case_002_fence_inside_of_a_string() {
    // R-PARSE-01
    let quote = "Run this:\n```bash\nkubectl rollout restart deploy/cart\n```\nand wait.";
    accepted("case-002.txt", 1, quote);
    assert_eq!(quote.chars().count(), 67);
}

#[test]
fn case_004_reasoning_without_an_opening_tag() {
    // R-PARSE-01
    accepted("case-004.txt", 1, "OOMKilled");
}

#[test]
fn case_005_trailing_commas_and_comments() {
    // R-PARSE-01
    refused("case-005a.txt", "/claims/0/evidence_bindings/1", "trailing comma (line 1, column 320)");
    refused("case-005b.txt", "", "key must be a string (line 2, column 3)");
}

#[test]
fn case_007_duplicate_keys() {
    // R-PARSE-01
    refused("case-007.txt", "/claims", "duplicate key \"claims\" (line 1, column 129)");
}

#[test]
fn case_008_raw_control_characters_in_a_string() {
    // R-PARSE-01
    refused(
        "case-008.txt",
        "/claims/0/text",
        "control character (\\u0000-\\u001F) found while parsing a string (line 1, column 111)",
    );
}

#[test]
fn case_009_truncated() {
    // R-PARSE-01
    refused(
        "case-009.txt",
        "/claims/0/evidence_bindings/0/raw_path",
        "EOF while parsing a string (line 1, column 276)",
    );
}

#[test]
fn case_011_unescaped_quotes() {
    // R-PARSE-01
    refused("case-011.txt", "/claims/0", "expected `,` or `}` (line 1, column 96)");
}

#[test]
fn case_015_a_tool_call_as_text() {
    // R-PARSE-01
    refused("case-015.txt", "", "no executor_evidence_v2: an object without answer_version (line 1, column 1)");
}

#[test]
fn case_017_leading_bom_and_curly_quotes() {
    // R-PARSE-01
    accepted("case-017a.txt", 1, "OOMKilled");
    refused("case-017b.txt", "", "key must be a string (line 1, column 2)");
}

#[test]
fn case_036_a_legal_nothing_found() {
    // R-ROUTE-06
    let Some(text) = input("case-036.json") else { return };
    let case: serde_json::Value = serde_json::from_str(&text).unwrap();
    let evidence = crate::evidence(&case["executor_output"].to_string()).unwrap();
    assert!(evidence.claims.is_empty());
    assert_eq!(evidence.limitations, ["query_logs returned no rows for 10:00-10:15"]);
}
