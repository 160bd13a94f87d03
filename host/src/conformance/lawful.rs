//! What a typed document has to keep whatever text it was read from: the bounds of the contract (`wit/types.wit` and
//! the JSON Schemas). The host relies on none of them to be safe, but a later node may be refused for one.

use super::parsers::Document;
use portcullis_core::document::VerificationReport;
use portcullis_core::document::{Binding, CheckedFact, Claim, ComposedAnswer, Evidence, Plan, PlanStep};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The same figures as `guests/contract/src/limits.rs`; a test compares them.
pub(super) mod limits {
    pub(in super::super) const ID_CHARS: usize = 64;
    pub(in super::super) const NAME_CHARS: usize = 128;
    pub(in super::super) const PATH_CHARS: usize = 1_024;
    pub(in super::super) const QUOTE_CHARS: usize = 16_384;
    pub(in super::super) const HEADLINE_CHARS: usize = 400;
    pub(in super::super) const SENTENCE_CHARS: usize = 4_000;
    pub(in super::super) const STEPS: usize = 12;
    pub(in super::super) const CLAIMS: usize = 40;
    pub(in super::super) const BINDINGS: usize = 8;
    pub(in super::super) const FACTS: usize = 80;
    pub(in super::super) const SENTENCES: usize = 40;
}

use limits::{
    BINDINGS, CLAIMS, FACTS, HEADLINE_CHARS, ID_CHARS, NAME_CHARS, PATH_CHARS, QUOTE_CHARS, SENTENCE_CHARS, SENTENCES,
    STEPS,
};

/// The first thing that is unlawful, in words.
pub(super) fn check(document: &Document) -> Result<(), String> {
    match document {
        Document::Plan(plan) => check_plan(plan),
        Document::Evidence(evidence) => check_evidence(evidence),
        Document::Verification(report) => check_report(report),
        Document::Answer(answer) => check_answer(answer),
    }
}

fn check_plan(Plan { steps }: &Plan) -> Result<(), String> {
    counted("steps", steps.len(), STEPS)?;
    if steps.is_empty() {
        return Err("a plan without steps".to_owned());
    }
    unique("step id", steps.iter().map(|step| &step.step_id))?;
    for PlanStep { step_id, goal, tool_name, arguments } in steps {
        id(step_id)?;
        worded("goal", goal, SENTENCE_CHARS)?;
        tool_name.iter().try_for_each(|name| worded("tool name", name, NAME_CHARS))?;
        let is_object = |text: &String| serde_json::from_str::<Map<String, Value>>(text).is_ok();
        if let Some(arguments) = arguments.as_ref().filter(|text| !is_object(text)) {
            return Err(format!("arguments that are no JSON text of an object: {}", super::report::shown(arguments)));
        }
    }
    Ok(())
}

fn check_evidence(Evidence { claims, hypotheses, limitations }: &Evidence) -> Result<(), String> {
    counted("claims", claims.len(), CLAIMS)?;
    unique("claim id", claims.iter().map(|claim| &claim.claim_id))?;
    for Claim { claim_id, text, bindings } in claims {
        id(claim_id)?;
        worded("claim", text, SENTENCE_CHARS)?;
        counted("bindings", bindings.len(), BINDINGS)?;
        for Binding { source_invocation_id, tool_name, raw_path, matched_text } in bindings {
            source_invocation_id.iter().try_for_each(|name| worded("invocation id", name, NAME_CHARS))?;
            worded("tool name", tool_name, NAME_CHARS)?;
            long("path", raw_path, PATH_CHARS)?;
            long("quote", matched_text, QUOTE_CHARS)?;
        }
    }
    sentences("hypotheses", hypotheses)?;
    sentences("limitations", limitations)
}

fn check_report(report: &VerificationReport) -> Result<(), String> {
    let VerificationReport { verdict: _, facts, allowed_claims, missing_information, recommendations } = report;
    counted("facts", facts.len(), FACTS)?;
    for CheckedFact { fact, is_critical: _, verification: _, reason } in facts {
        worded("fact", fact, SENTENCE_CHARS)?;
        long("reason", reason, SENTENCE_CHARS)?;
    }
    ids("allowed claims", allowed_claims)?;
    sentences("missing information", missing_information)?;
    sentences("recommendations", recommendations)
}

fn check_answer(ComposedAnswer { headline, claim_order, next_steps }: &ComposedAnswer) -> Result<(), String> {
    worded("headline", headline, HEADLINE_CHARS)?;
    ids("claims", claim_order)?;
    sentences("next steps", next_steps)
}

fn ids(what: &str, all: &[String]) -> Result<(), String> {
    counted(what, all.len(), CLAIMS)?;
    unique("claim id", all.iter())?;
    all.iter().try_for_each(|it| id(it))
}

fn sentences(what: &str, all: &[String]) -> Result<(), String> {
    counted(what, all.len(), SENTENCES)?;
    all.iter().try_for_each(|it| worded(what, it, SENTENCE_CHARS))
}

fn counted(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count > most { Err(format!("{count} {what}, and {most} are allowed")) } else { Ok(()) }
}

fn unique<'a>(what: &str, all: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for it in all {
        if !seen.insert(it) {
            return Err(format!("the {what} {} twice", super::report::shown(it)));
        }
    }
    Ok(())
}

fn id(text: &str) -> Result<(), String> {
    let is_id = !text.is_empty()
        && text.len() <= ID_CHARS
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    if is_id { Ok(()) } else { Err(format!("the id {}", super::report::shown(text))) }
}

fn worded(what: &str, text: &str, most: usize) -> Result<(), String> {
    if text.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n')) {
        return Err(format!("{what}: a blank text"));
    }
    long(what, text, most)
}

fn long(what: &str, text: &str, most: usize) -> Result<(), String> {
    // Bytes are never fewer than characters.
    let is_longer = text.len() > most && text.chars().nth(most).is_some();
    if is_longer { Err(format!("{what}: a text of more than {most} characters")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_contract::limits as contract;

    #[test]
    fn the_bounds_are_those_of_the_contract() {
        // R-PARSE-02
        for (own, contract) in [
            (ID_CHARS, contract::ID_CHARS_MAX),
            (NAME_CHARS, contract::NAME_CHARS_MAX),
            (PATH_CHARS, contract::PATH_CHARS_MAX),
            (QUOTE_CHARS, contract::QUOTE_CHARS_MAX),
            (HEADLINE_CHARS, contract::HEADLINE_CHARS_MAX),
            (SENTENCE_CHARS, contract::SENTENCE_CHARS_MAX),
            (STEPS, contract::STEPS_MAX),
            (CLAIMS, contract::CLAIMS_MAX),
            (BINDINGS, contract::BINDINGS_MAX),
            (FACTS, contract::FACTS_MAX),
            (SENTENCES, contract::SENTENCES_MAX),
        ] {
            assert_eq!(own, contract);
        }
    }

    #[test]
    fn the_first_unlawful_thing_is_told() {
        // R-PARSE-02
        let step =
            |step_id: &str| PlanStep { step_id: step_id.into(), goal: "look".into(), tool_name: None, arguments: None };
        let check = |steps: Vec<PlanStep>, expected: &str| {
            let found = super::check(&Document::Plan(Plan { steps })).err().unwrap_or_default();
            assert_eq!(found, expected);
        };
        check(vec![step("a"), step("b")], "");
        check(vec![], "a plan without steps");
        check((0..13).map(|n| step(&n.to_string())).collect(), "13 steps, and 12 are allowed");
        check(vec![step("a"), step("a")], "the step id \"a\" twice");
        check(vec![step("a b")], "the id \"a b\"");
        check(vec![PlanStep { goal: " ".into(), ..step("a") }], "goal: a blank text");
        check(vec![PlanStep { goal: "é".repeat(4_001), ..step("a") }], "goal: a text of more than 4000 characters");
        check(
            vec![PlanStep { arguments: Some("[]".into()), ..step("a") }],
            "arguments that are no JSON text of an object: \"[]\"",
        );
    }
}
