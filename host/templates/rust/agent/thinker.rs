//! An agent without tools, for planner, verifier and composer: the input says which of them asks. It is no model: it
//! plans with the tools that need no arguments, allows what is quoted, and takes the first claim as the headline.
//! Put what you know better in place of [`plan`], [`verify`] and [`compose`].

#[cfg(target_arch = "wasm32")]
mod component;

/// The contract with the host as Rust types, made from the folder `wit`.
pub mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "thinker" });
}

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What the documents allow.
const STEPS_MAX: usize = 12;
const NAME_CHARS_MAX: usize = 128;
const SENTENCE_CHARS_MAX: usize = 4_000;
const HEADLINE_CHARS_MAX: usize = 400;

/// Answers an input with the text of the document that it asks for. The error is a sentence for the log.
pub fn respond(input: &str) -> Result<String, String> {
    let Head { input_version, answer_version } = read(input)?;
    let document = match (input_version.as_str(), answer_version.as_str()) {
        ("planner_input_v1", "diagnosis_plan_v1") => plan(&read(input)?),
        ("verifier_input_v1", "verification_v1") => verify(&read(input)?),
        ("composer_input_v1", "composed_answer_v1") => compose(&read(input)?),
        _ => return Err("the input is none of a planner, verifier or composer of version 1".to_owned()),
    };
    Ok(document.to_string())
}

fn read<T: DeserializeOwned>(input: &str) -> Result<T, String> {
    serde_json::from_str(input).map_err(|error| format!("the input can not be read: {error}"))
}

/// What each input begins with.
#[derive(Deserialize)]
struct Head {
    input_version: String,
    answer_version: String,
}

/// What a planner's input holds, as far as this agent reads it.
#[derive(Deserialize)]
pub struct PlannerInput {
    query: Query,
    tools: Vec<Tool>,
    /// What round 1 established; `null` in round 1.
    retry: Option<Retry>,
}

#[derive(Deserialize)]
struct Query {
    question: String,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    input_schema: Value,
}

#[derive(Deserialize)]
struct Retry {
    gaps: Vec<Gap>,
    completed_queries: Vec<CompletedQuery>,
}

#[derive(Deserialize)]
struct Gap {
    fact: String,
}

#[derive(Deserialize)]
struct CompletedQuery {
    tool_name: String,
}

/// A step for each tool that can be called without arguments, and in round 2 only for those that were not asked yet.
pub fn plan(input: &PlannerInput) -> Value {
    let wanted = match &input.retry {
        Some(Retry { gaps, .. }) if !gaps.is_empty() => {
            let facts: Vec<&str> = gaps.iter().map(|gap| gap.fact.as_str()).collect();
            format!("whether this holds: {}", facts.join("; "))
        }
        Some(_) | None => input.query.question.clone(),
    };
    let asked = |tool: &Tool| {
        let completed = input.retry.iter().flat_map(|retry| &retry.completed_queries);
        completed.into_iter().any(|query| query.tool_name == tool.name)
    };
    let mut steps: Vec<Value> = input
        .tools
        .iter()
        .filter(|tool| !needs_arguments(tool) && !asked(tool) && fits(&tool.name, NAME_CHARS_MAX))
        .take(STEPS_MAX)
        .enumerate()
        .map(|(index, tool)| {
            json!({
                "step_id": format!("step-{}", index + 1),
                "goal": cut(&format!("Look with {} for {wanted}", tool.name), SENTENCE_CHARS_MAX),
                "tool_name": tool.name,
            })
        })
        .collect();
    if steps.is_empty() {
        let goal = format!("Find out {wanted}");
        steps.push(json!({ "step_id": "step-1", "goal": cut(&goal, SENTENCE_CHARS_MAX) }));
    }
    json!({ "answer_version": "diagnosis_plan_v1", "steps": steps })
}

fn needs_arguments(tool: &Tool) -> bool {
    tool.input_schema.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty())
}

/// What a verifier's input holds, as far as this agent reads it.
#[derive(Deserialize)]
pub struct VerifierInput {
    material: Material,
    audit: Audit,
}

#[derive(Deserialize)]
struct Material {
    claims: Vec<Claim>,
    evidence: Vec<Evidence>,
}

#[derive(Deserialize)]
struct Claim {
    claim_id: String,
    text: String,
}

#[derive(Deserialize)]
struct Evidence {
    claim_id: String,
}

#[derive(Deserialize)]
struct Audit {
    /// The verdict can not be better.
    ceiling: Verdict,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Verdict {
    Pass,
    LowConfid,
    Reject,
}

/// A claim that is quoted may be used. The first claim is the one that the answer stands or falls with.
pub fn verify(input: &VerifierInput) -> Value {
    let Material { claims, evidence } = &input.material;
    let is_quoted = |claim: &&Claim| evidence.iter().any(|quote| quote.claim_id == claim.claim_id);
    let facts: Vec<Value> = claims
        .iter()
        .enumerate()
        .map(|(index, claim)| {
            let (verification, reason) = match is_quoted(&claim) {
                true => ("supported", "it is quoted from what a tool returned"),
                false => ("no_evidence", "nothing is quoted for it"),
            };
            json!({
                "fact": cut(&format!("{}: {}", claim.claim_id, claim.text), SENTENCE_CHARS_MAX),
                "is_critical": index == 0,
                "verification": verification,
                "reason": reason,
            })
        })
        .collect();
    let allowed: Vec<&str> = claims.iter().filter(is_quoted).map(|claim| claim.claim_id.as_str()).collect();
    let verdict = match input.audit.ceiling {
        Verdict::Pass if !allowed.is_empty() => Verdict::Pass,
        Verdict::Pass | Verdict::LowConfid => Verdict::LowConfid,
        Verdict::Reject => Verdict::Reject,
    };
    let missing = match verdict {
        Verdict::Pass => vec![],
        Verdict::LowConfid | Verdict::Reject => vec!["Quotes that show the cause itself."],
    };
    json!({
        "answer_version": "verification_v1",
        "verdict": verdict,
        "facts": facts,
        "allowed_claims": allowed,
        "missing_information": missing,
        "recommendations": ["Check the cited outputs before acting on them."],
    })
}

/// What a composer's input holds, as far as this agent reads it.
#[derive(Deserialize)]
pub struct ComposerInput {
    claims: Vec<Claim>,
}

/// The headline is the first claim that fits, word for word. A number or a name that no claim holds may not be in it.
pub fn compose(input: &ComposerInput) -> Value {
    let headline = input.claims.iter().map(|claim| claim.text.as_str()).find(|text| fits(text, HEADLINE_CHARS_MAX));
    let order: Vec<&str> = input.claims.iter().map(|claim| claim.claim_id.as_str()).collect();
    json!({
        "answer_version": "composed_answer_v1",
        "headline": headline.unwrap_or("The findings are listed below."),
        "claim_order": order,
        "next_steps": ["Check the cited outputs, then act on them."],
    })
}

fn fits(text: &str, chars_max: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= chars_max
}

fn cut(text: &str, chars_max: usize) -> &str {
    text.char_indices().nth(chars_max).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(input: &Value) -> Value {
        serde_json::from_str(&respond(&input.to_string()).unwrap()).unwrap()
    }

    fn planner_input(retry: Value) -> Value {
        json!({
            "input_version": "planner_input_v1",
            "answer_version": "diagnosis_plan_v1",
            "query": { "question": "Why is web slow?", "facts": [] },
            "mode": "INITIAL",
            "tools": [
                { "name": "query_logs", "description": "", "input_schema": { "type": "object" } },
                { "name": "get_pod", "description": "", "input_schema": { "required": ["name"] } },
                { "name": "query_traces", "description": "", "input_schema": true },
            ],
            "retry": retry,
        })
    }

    #[test]
    fn a_plan_names_the_tools_that_need_no_arguments() {
        let plan = answer(&planner_input(Value::Null));
        let step = |id: &str, tool: &str| {
            let goal = format!("Look with {tool} for Why is web slow?");
            json!({ "step_id": id, "goal": goal, "tool_name": tool })
        };
        let steps = [step("step-1", "query_logs"), step("step-2", "query_traces")];
        assert_eq!(plan, json!({ "answer_version": "diagnosis_plan_v1", "steps": steps }));
    }

    #[test]
    fn round_2_asks_for_the_gaps_alone() {
        let retry = |completed: &[&str]| {
            let completed: Vec<Value> = completed.iter().map(|name| json!({ "tool_name": name })).collect();
            json!({ "gaps": [{ "fact": "the pool is full" }], "completed_queries": completed })
        };
        let plan = answer(&planner_input(retry(&["query_logs"])));
        let goal = "Look with query_traces for whether this holds: the pool is full";
        assert_eq!(plan["steps"], json!([{ "step_id": "step-1", "goal": goal, "tool_name": "query_traces" }]));
        let plan = answer(&planner_input(retry(&["query_logs", "query_traces"])));
        let goal = "Find out whether this holds: the pool is full";
        assert_eq!(plan["steps"], json!([{ "step_id": "step-1", "goal": goal }]));
    }

    #[test]
    fn what_is_quoted_is_allowed_up_to_the_ceiling() {
        let report = |quoted: &[&str], ceiling: &str| {
            let evidence: Vec<Value> = quoted.iter().map(|id| json!({ "claim_id": id })).collect();
            let claims = json!([{ "claim_id": "c1", "text": "it broke" }, { "claim_id": "c2", "text": "at noon" }]);
            answer(&json!({
                "input_version": "verifier_input_v1",
                "answer_version": "verification_v1",
                "query": { "question": "why?", "facts": [] },
                "material": { "claims": claims, "evidence": evidence },
                "audit": { "ceiling": ceiling, "verified_binding_count": 1, "failed_binding_count": 0 },
                "retry": null,
            }))
        };
        let both = report(&["c1", "c2"], "PASS");
        assert_eq!((&both["verdict"], &both["allowed_claims"]), (&json!("PASS"), &json!(["c1", "c2"])));
        assert_eq!(both["facts"][0]["fact"], "c1: it broke");
        assert_eq!((&both["facts"][0]["is_critical"], &both["facts"][1]["is_critical"]), (&json!(true), &json!(false)));
        let one = report(&["c2"], "LOW_CONFID");
        assert_eq!((&one["verdict"], &one["allowed_claims"]), (&json!("LOW_CONFID"), &json!(["c2"])));
        assert_eq!(one["facts"][0]["verification"], "no_evidence");
        assert_eq!(report(&[], "PASS")["verdict"], "LOW_CONFID");
        assert_eq!(report(&["c1"], "REJECT")["verdict"], "REJECT");
    }

    #[test]
    fn the_headline_is_the_first_claim_that_fits() {
        let composed = |claims: Value| {
            answer(&json!({
                "input_version": "composer_input_v1",
                "answer_version": "composed_answer_v1",
                "effective_verdict": "PASS",
                "claims": claims,
                "missing_information": [],
                "recommendations": [],
            }))
        };
        let long = "x".repeat(HEADLINE_CHARS_MAX + 1);
        let two =
            composed(json!([{ "claim_id": "a", "text": long }, { "claim_id": "b", "text": "The pool is full." }]));
        assert_eq!((&two["headline"], &two["claim_order"]), (&json!("The pool is full."), &json!(["a", "b"])));
        assert_eq!(composed(json!([]))["headline"], "The findings are listed below.");
    }

    #[test]
    fn no_other_input_is_answered() {
        for input in [
            "",
            "{}",
            "\u{0}",
            r#"{"input_version": "planner_input_v1", "answer_version": "diagnosis_plan_v1"}"#,
            r#"{"input_version": "planner_input_v2", "answer_version": "diagnosis_plan_v1"}"#,
            r#"{"input_version": "executor_input_v1", "answer_version": "executor_evidence_v2"}"#,
        ] {
            assert!(respond(input).is_err(), "{input}");
        }
    }
}
