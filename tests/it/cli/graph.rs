//! `portcullis graph`: the baseline that the code gives.

use super::place::Place;
use portcullis_core::graph;
use portcullis_core::route::LONGEST_RUN;

fn baseline() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/baseline.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn markdown_is_the_reviewed_baseline() {
    // R-TEST-03 R-STATE-01
    let printed = Place::new().sh("graph --format markdown").ok();
    assert!(printed == baseline(), "docs/baseline.md is not what the code does: review the change, then `make bless`");
}

#[test]
fn failures_are_listed_with_what_becomes_of_them() {
    // R-TEST-03 R-NODE-07
    let place = Place::new();
    let reviewed = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/failures.md");
    assert_eq!(place.sh("graph --failures").ok(), std::fs::read_to_string(reviewed).unwrap());
    let json = place.sh("graph --failures --json").json();
    let rows = json["failures"].as_array().unwrap();
    let deadline = rows.iter().find(|row| row["reason_code"] == "guest_deadline").unwrap();
    assert_eq!((&deadline["planner"], &deadline["executor"]), (&"NON_RETRYABLE_FAILED".into(), &"FAILED".into()));
    assert!(json["refusals"].as_array().unwrap().len() > 10);
    place.refuses("graph --failures --paths", &["cannot be used with"]);
}

#[test]
fn every_path_is_listed() {
    // R-ROUTE-12
    let place = Place::new();
    let printed = place.sh("graph --paths").ok();
    let paths: Vec<_> = printed.lines().map(str::to_owned).collect();
    assert_eq!(paths, graph::paths().iter().map(ToString::to_string).collect::<Vec<_>>());
    let visits = |path: &String| path.split([' ']).filter(|word| word.contains(char::is_alphabetic)).count();
    assert_eq!(paths.iter().map(visits).max(), Some(LONGEST_RUN));

    let json = place.sh("graph --json").json();
    assert_eq!(json["paths"].as_array().unwrap().len(), paths.len());
    assert_eq!(json["longest_run"], LONGEST_RUN);
    assert_eq!(place.sh("graph --format json").ok(), place.sh("graph --json").ok());
    place.refuses("graph --format mermaid --paths", &["--paths cannot be drawn", "hint: `portcullis graph --paths`"]);
}

#[test]
fn mermaid_and_text_name_every_node() {
    // R-ROUTE-01
    let place = Place::new();
    let (mermaid, text) = (place.sh("graph --format mermaid").ok(), place.sh("graph").ok());
    assert!(mermaid.starts_with("flowchart TD\n"), "{mermaid}");
    for node in [
        "planner",
        "executor",
        "gatekeeper",
        "verified_input",
        "verifier",
        "retry_prepare",
        "composer",
        "fallback_pre_verification",
        "fallback_post_verification",
    ] {
        assert!(
            mermaid.contains(&format!("\n  {node}\n")) && mermaid.contains(&format!("--> {node}\n")),
            "{node}: {mermaid}"
        );
        assert!(text.contains(&format!("\n{node}\n")) || text.starts_with(node), "{node}: {text}");
    }
    assert!(mermaid.contains("composer -.-> composer") && mermaid.contains("composer --> end"), "{mermaid}");
}
