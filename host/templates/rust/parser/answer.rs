//! Reads a composer's text as `composed_answer_v1`, or says where it is none.
//!
//! Wrapping is removed and nothing is repaired: a byte order mark, think tags, code fences and prose around the document
//! are dropped; duplicate keys, cut-off text and two documents that differ are violations. That part is `sanitize`, `json`
//! and `fields`, word for word what the default parsers use. What a `composed_answer_v1` may hold stands here.

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
    wit_bindgen::generate!({ path: "wit", world: "answer-parser", additional_derives: [PartialEq, Eq] });
}

/// All that the reading of text knows of the contract.
mod document {
    pub(crate) use crate::bindings::portcullis::node::types::Violation;
}

use bindings::portcullis::node::types::{Answer, Violation};
use fields::{Fields, Path, Text, check_unique};
use limits::{CLAIMS_MAX, HEADLINE_CHARS_MAX, SENTENCE_CHARS_MAX, SENTENCES_MAX};
use serde_json::Value;

/// Reads `text` as an answer.
pub fn parse(text: &str) -> Result<Answer, Violation> {
    let mut document = sanitize::document(text, "composed_answer_v1")?;
    document.swap_remove("answer_version");
    let mut fields = Fields::of(Value::Object(document), Path::Root)?;
    let answer = Answer {
        headline: fields.text("headline", Text::NotBlank(HEADLINE_CHARS_MAX))?,
        claim_order: claim_order(&mut fields)?,
        next_steps: fields.texts("next_steps", SENTENCES_MAX, Text::NotBlank(SENTENCE_CHARS_MAX))?,
    };
    fields.end()?;
    Ok(answer)
}

fn claim_order(fields: &mut Fields) -> Result<Vec<String>, Violation> {
    let ids = fields.texts("claim_order", CLAIMS_MAX, Text::Id)?;
    check_unique(Path::Field(&Path::Root, "claim_order"), None, ids.iter().map(String::as_str))?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"answer_version": "composed_answer_v1", "headline": "it broke",
        "claim_order": ["c2", "c1"], "next_steps": ["roll back"]}"#;

    #[test]
    fn an_answer_comes_across_unchanged() {
        let expected = Answer {
            headline: "it broke".into(),
            claim_order: vec!["c2".into(), "c1".into()],
            next_steps: vec!["roll back".into()],
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
        let long = "x".repeat(HEADLINE_CHARS_MAX + 1);
        for (text, path, message) in [
            (String::new(), "", "there is no JSON object"),
            (with("]}", ""), "/next_steps/1", "EOF while parsing a list"),
            (format!("{DOCUMENT} {}", with("broke", "is slow")), "", "ambiguous"),
            (with("it broke", "\\n"), "/headline", "must not be blank"),
            (with("it broke", &long), "/headline", "longer than 400 characters"),
            (with("c2", "c1"), "/claim_order/1", "\"c1\" occurs twice"),
            (with("composed_answer_v1", "composed_answer_v2"), "/answer_version", "another answer_version"),
        ] {
            let violation = parse(&text).unwrap_err();
            assert_eq!(violation.path, path, "{text}: {violation:?}");
            assert!(violation.message.contains(message), "{text}: {violation:?}");
        }
    }
}
