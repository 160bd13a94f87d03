//! Reads a verifier's text as `verification_v1`, or says where it is none.
//!
//! Wrapping is removed and nothing is repaired: a byte order mark, think tags, code fences and prose around the document
//! are dropped; duplicate keys, cut-off text and two documents that differ are violations. That part is `sanitize`, `json`
//! and `fields`, word for word what the default parsers use. What a `verification_v1` may hold stands here.

#[cfg(target_arch = "wasm32")]
mod component;
#[expect(dead_code, reason = "one file for four documents, of which this parser reads one")]
mod fields;
mod json;
#[expect(dead_code, reason = "one file for four documents, of which this parser reads one")]
mod limits;
mod sanitize;

/// The contract with the host as Rust types, made from the folder `wit`.
pub mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "verification-parser", additional_derives: [PartialEq, Eq] });
}

/// All that the reading of text knows of the contract.
mod document {
    pub(crate) use crate::bindings::portcullis::node::types::Violation;
}

use bindings::portcullis::node::types::{CheckedFact, Verdict, Verification, VerificationReport, Violation};
use fields::{Fields, Path, Text, check_unique};
use limits::{CLAIMS_MAX, FACTS_MAX, SENTENCE_CHARS_MAX, SENTENCES_MAX};
use serde_json::Value;

const SENTENCE: Text = Text::NotBlank(SENTENCE_CHARS_MAX);

const VERDICTS: &[(&str, Verdict)] =
    &[("PASS", Verdict::Pass), ("LOW_CONFID", Verdict::LowConfid), ("REJECT", Verdict::Reject)];

const VERIFICATIONS: &[(&str, Verification)] = &[
    ("supported", Verification::Supported),
    ("indirect_support", Verification::IndirectSupport),
    ("no_evidence", Verification::NoEvidence),
    ("contradicted", Verification::Contradicted),
];

/// Reads `text` as a verification report.
pub fn parse(text: &str) -> Result<VerificationReport, Violation> {
    let mut document = sanitize::document(text, "verification_v1")?;
    document.swap_remove("answer_version");
    let mut fields = Fields::of(Value::Object(document), Path::Root)?;
    let report = VerificationReport {
        verdict: fields.word("verdict", VERDICTS)?,
        facts: fields.list("facts", FACTS_MAX, checked_fact)?,
        allowed_claims: allowed_claims(&mut fields)?,
        missing_information: fields.texts("missing_information", SENTENCES_MAX, SENTENCE)?,
        recommendations: fields.texts("recommendations", SENTENCES_MAX, SENTENCE)?,
    };
    fields.end()?;
    Ok(report)
}

fn checked_fact(value: Value, path: Path) -> Result<CheckedFact, Violation> {
    let mut fields = Fields::of(value, path)?;
    let fact = CheckedFact {
        fact: fields.text("fact", SENTENCE)?,
        is_critical: fields.flag("is_critical")?,
        verification: fields.word("verification", VERIFICATIONS)?,
        reason: fields.text("reason", Text::Any(SENTENCE_CHARS_MAX))?,
    };
    fields.end()?;
    Ok(fact)
}

fn allowed_claims(fields: &mut Fields) -> Result<Vec<String>, Violation> {
    let ids = fields.texts("allowed_claims", CLAIMS_MAX, Text::Id)?;
    check_unique(Path::Field(&Path::Root, "allowed_claims"), None, ids.iter().map(String::as_str))?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"answer_version": "verification_v1", "verdict": "LOW_CONFID", "facts": [
        {"fact": "c1: it broke", "is_critical": true, "verification": "indirect_support", "reason": ""}],
        "allowed_claims": ["c1"], "missing_information": ["since when"], "recommendations": ["roll back"]}"#;

    #[test]
    fn a_report_comes_across_unchanged() {
        let fact = CheckedFact {
            fact: "c1: it broke".into(),
            is_critical: true,
            verification: Verification::IndirectSupport,
            reason: String::new(),
        };
        let expected = VerificationReport {
            verdict: Verdict::LowConfid,
            facts: vec![fact],
            allowed_claims: vec!["c1".into()],
            missing_information: vec!["since when".into()],
            recommendations: vec!["roll back".into()],
        };
        assert_eq!(parse(DOCUMENT).unwrap(), expected);
    }

    #[test]
    fn wrapping_is_removed() {
        let bare = parse(DOCUMENT).unwrap();
        for text in [
            format!("\u{feff}{DOCUMENT}"),
            format!("<think>{{\"draft\": 1}}</think>Here it is:\n```json\n{DOCUMENT}\n```\nDone."),
            format!("{DOCUMENT} {DOCUMENT}"),
        ] {
            assert_eq!(parse(&text).unwrap(), bare, "{text}");
        }
    }

    #[test]
    fn anything_else_is_a_violation_with_its_place() {
        let with = |from: &str, to: &str| DOCUMENT.replace(from, to);
        for (text, path, message) in [
            (String::new(), "", "there is no JSON object"),
            (with("]}", ""), "/recommendations/1", "EOF while parsing a list"),
            (with("LOW_CONFID", "pass"), "/verdict", "must be one of PASS, LOW_CONFID, REJECT"),
            (with("true", "1"), "/facts/0/is_critical", "must be true or false, is a number"),
            (with("indirect_support", "maybe"), "/facts/0/verification", "must be one of supported, indirect_support"),
            (with(r#"["c1"]"#, r#"["c1", "c1"]"#), "/allowed_claims/1", "\"c1\" occurs twice"),
            (with(r#""missing_information": ["since when"], "#, ""), "", "field missing_information is missing"),
        ] {
            let violation = parse(&text).unwrap_err();
            assert_eq!(violation.path, path, "{text}: {violation:?}");
            assert!(violation.message.contains(message), "{text}: {violation:?}");
        }
    }
}
