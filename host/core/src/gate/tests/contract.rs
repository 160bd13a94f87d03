//! The published contract, read as a test: `docs/matching-contract.md`.

use super::*;
use crate::gate::GateReason;
use std::collections::BTreeSet;
use std::path::Path;

const CONTRACT: &str = include_str!("../../../../../docs/matching-contract.md");

/// The rows of the tables whose head is `head`, cell by cell.
fn rows(head: &str) -> Vec<Vec<&'static str>> {
    let mut rows = Vec::new();
    let mut lines = CONTRACT.lines();
    while let Some(line) = lines.next() {
        if line == head {
            let table = lines.by_ref().skip(1).take_while(|line| line.starts_with('|'));
            rows.extend(table.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()));
        }
    }
    rows
}

/// The text of a cell: what stands between backquotes, with the signs for what cannot be shown.
fn cell(cell: &str) -> String {
    cell.trim_matches('`').replace('␛', "\u{1b}").replace('␊', "\n").replace('␣', " ")
}

#[test]
fn each_example_holds() {
    // R-GATE-07 R-GATE-02
    let rows = rows("| output | raw_path | matched_text | claim text | result |");
    let mut shown = BTreeSet::new();
    for row in &rows {
        let [output, raw_path, matched_text, text, result] = row[..] else { panic!("{row:?}") };
        let mut bytes = Vec::new();
        for (position, part) in cell(output).split('\u{fffd}').enumerate() {
            bytes.extend(if position > 0 { &b"\xe9"[..] } else { &[] });
            bytes.extend(part.as_bytes());
        }
        let text = if text.is_empty() { "It happened." } else { text };
        let bindings = vec![binding("inv-1", &cell(raw_path), &cell(matched_text))];
        let report = report(&[invocation("inv-1", &bytes)], vec![claim("a", text, bindings)]);
        assert_eq!(reasons(&report), [result], "{row:?}");
        shown.insert(result);
    }
    // Each check of a value has an example; the others are about more than one value.
    let elsewhere = ["unknown_invocation", "foreign_run", "tool_mismatch", "invocation_failed", "truncated_source"];
    let all: BTreeSet<_> = GateReason::ALL.iter().map(|reason| reason.as_str()).collect();
    let missing: Vec<_> = all.difference(&shown).copied().filter(|reason| !elsewhere.contains(reason)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_table_of_checks_is_that_of_the_code() {
    // R-GATE-05 R-GATE-07
    let mut stated = Vec::new();
    for row in rows("| check | reason code | severity |") {
        let [_, codes, severity] = row[..] else { panic!("{row:?}") };
        // "unknown_invocation; foreign_run if it belongs to another run"
        let codes = codes.split([';', ',']).filter_map(|code| code.split_whitespace().next());
        stated.extend(codes.map(|code| (code, severity)));
    }
    let failures = GateReason::ALL.iter().filter_map(|reason| Some((reason.as_str(), reason.severity()?.as_str())));
    assert_eq!(stated, failures.collect::<Vec<_>>());
}

#[test]
fn the_contract_is_stated_word_for_word() {
    // R-GATE-07 R-TEST-03
    let design = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/design/ARCHITECTURE.md");
    let Ok(design) = std::fs::read_to_string(design) else {
        println!("skipped: ../shared is absent");
        return;
    };
    let (_, after) = design.split_once("## 6. The matching contract of the gatekeeper\n").unwrap();
    let (contract, _) = after.split_once("\n## 7").unwrap();
    assert!(CONTRACT.contains(contract.trim()));
}
