//! The gatekeeper over any outputs, claims and quotes: what passes is really there, and the same input gives the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::gate::{BindingStatus, GateStatus};
use portcullis_fuzz_light::case::Case;

fuzz_target!(|data: &[u8]| {
    let case = Case::read(data);
    let report = case.check();
    assert_eq!(report, case.check());
    let passed = || report.checked.iter().filter(|checked| checked.status == BindingStatus::Pass);
    assert_eq!(passed().count(), usize::try_from(report.verified_binding_count).unwrap());
    assert!(report.status != GateStatus::Pass || passed().count() == report.checked.len());
    for ((text, stated), checked) in case.bindings().zip(&report.checked) {
        if checked.status == BindingStatus::Pass {
            assert!(!stated.matched_text.trim().is_empty(), "a blank quote passed: {checked:?}");
            assert!(case.backs(stated, checked), "{stated:?} passed as {checked:?}");
            let mut quotes = passed().filter(|other| other.claim_id == checked.claim_id);
            let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
            assert!(!has_digit(text) || quotes.any(|quote| has_digit(&quote.matched_text)), "{text:?}");
        }
    }
});
