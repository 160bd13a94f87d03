//! Reads an executor's text as `executor_evidence_v2`, or says where it is none.
//!
//! Wrapping is removed and nothing is repaired: a byte order mark, think tags, code fences and prose around the document
//! are dropped; duplicate keys, cut-off text and two documents that differ are violations. That part is `sanitize`, `json`
//! and `fields`, word for word what the default parsers use. What a `executor_evidence_v2` may hold stands here.

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
    wit_bindgen::generate!({ path: "wit", world: "evidence-parser", additional_derives: [PartialEq, Eq] });
}

/// All that the reading of text knows of the contract.
mod document {
    pub(crate) use crate::bindings::portcullis::node::types::Violation;
}

use bindings::portcullis::node::types::{Binding, Claim, Evidence, Violation};
use fields::{Fields, Path, Text, check_unique};
use limits::{
    BINDINGS_MAX, CLAIMS_MAX, NAME_CHARS_MAX, PATH_CHARS_MAX, QUOTE_CHARS_MAX, SENTENCE_CHARS_MAX, SENTENCES_MAX,
};
use serde_json::Value;

const SENTENCE: Text = Text::NotBlank(SENTENCE_CHARS_MAX);
const NAME: Text = Text::NotBlank(NAME_CHARS_MAX);

/// Reads `text` as evidence.
pub fn parse(text: &str) -> Result<Evidence, Violation> {
    let mut document = sanitize::document(text, "executor_evidence_v2")?;
    document.swap_remove("answer_version");
    let mut fields = Fields::of(Value::Object(document), Path::Root)?;
    let evidence = Evidence {
        claims: fields.list("claims", CLAIMS_MAX, claim)?,
        hypotheses: fields.optional_texts("hypotheses", SENTENCES_MAX, SENTENCE)?,
        limitations: fields.optional_texts("limitations", SENTENCES_MAX, SENTENCE)?,
    };
    // Agents say with it that they looked and found nothing. It says no more than an empty list.
    let no_evidence = fields.optional_flag("no_evidence")?;
    fields.end()?;
    if no_evidence == Some(true) && !evidence.claims.is_empty() {
        return Err(Path::Field(&Path::Root, "no_evidence").violation("true, but there are claims"));
    }
    let path = Path::Field(&Path::Root, "claims");
    check_unique(path, Some("claim_id"), evidence.claims.iter().map(|claim| claim.claim_id.as_str()))?;
    Ok(evidence)
}

fn claim(value: Value, path: Path) -> Result<Claim, Violation> {
    let mut fields = Fields::of(value, path)?;
    let claim = Claim {
        claim_id: fields.text("claim_id", Text::Id)?,
        text: fields.text("text", SENTENCE)?,
        bindings: fields.list("evidence_bindings", BINDINGS_MAX, binding)?,
    };
    fields.end()?;
    Ok(claim)
}

/// A quote may be empty here: the gatekeeper judges that.
fn binding(value: Value, path: Path) -> Result<Binding, Violation> {
    let mut fields = Fields::of(value, path)?;
    let binding = Binding {
        source_invocation_id: fields.optional_text("source_invocation_id", NAME)?,
        tool_name: fields.text("tool_name", NAME)?,
        raw_path: fields.text("raw_path", Text::Any(PATH_CHARS_MAX))?,
        matched_text: fields.text("matched_text", Text::Any(QUOTE_CHARS_MAX))?,
    };
    fields.end()?;
    Ok(binding)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"answer_version": "executor_evidence_v2", "claims": [{"claim_id": "c1",
        "text": "it broke", "evidence_bindings": [{"tool_name": "t", "raw_path": "$", "matched_text": ""}]}],
        "hypotheses": ["h"], "limitations": null}"#;

    #[test]
    fn evidence_comes_across_unchanged() {
        let binding = Binding {
            source_invocation_id: None,
            tool_name: "t".into(),
            raw_path: "$".into(),
            matched_text: String::new(),
        };
        let claim = Claim { claim_id: "c1".into(), text: "it broke".into(), bindings: vec![binding] };
        let expected = Evidence { claims: vec![claim], hypotheses: vec!["h".into()], limitations: vec![] };
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
        let claims = |claims: &str| format!(r#"{{"answer_version": "executor_evidence_v2", "claims": {claims}}}"#);
        let claim = r#"{"claim_id": "c1", "text": "x", "evidence_bindings": []}"#;
        for (text, path, message) in [
            (String::new(), "", "there is no JSON object"),
            (claims("["), "/claims/0", "expected value"),
            (claims("[]").replace("claims", "claim"), "", "field claims is missing"),
            (claims(&format!("[{claim}, {claim}]")), "/claims/1/claim_id", "\"c1\" occurs twice"),
            (claims(r#"[{"claim_id": "c1", "text": "x"}]"#), "/claims/0", "field evidence_bindings is missing"),
            (claims(&format!(r#"[{claim}], "no_evidence": true"#)), "/no_evidence", "true, but there are claims"),
            (claims(r#"[], "no_evidence": 0"#), "/no_evidence", "must be true or false, is a number"),
            (claims(r#"[], "verdict": "PASS""#), "", "unknown field \"verdict\""),
        ] {
            let violation = parse(&text).unwrap_err();
            assert_eq!(violation.path, path, "{text}: {violation:?}");
            assert!(violation.message.contains(message), "{text}: {violation:?}");
        }
    }
}
