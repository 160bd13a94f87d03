//! An agent with tools, for the executor: it calls the tools of the plan and claims what their outputs say of a failure,
//! in their own words. It is no model: put what you know better in place of [`quote::find`] and of the claims.

#[cfg(target_arch = "wasm32")]
mod component;
pub mod quote;

/// The contract with the host as Rust types, made from the folder `wit`.
pub mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "investigator" });
}

use bindings::portcullis::node::run::InvokeError;
use bindings::portcullis::node::tools::{ToolError, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What `executor_evidence_v2` allows.
const CLAIMS_MAX: usize = 40;
const BINDINGS_MAX: usize = 8;
const SENTENCES_MAX: usize = 40;
const SENTENCE_CHARS_MAX: usize = 4_000;

/// As many tools are called when the plan names none.
const CALLS_WITHOUT_A_PLAN: usize = 8;

/// What an executor's input holds, as far as this agent reads it.
#[derive(Deserialize)]
struct Input {
    input_version: String,
    answer_version: String,
    plan: Plan,
    tools: Vec<Tool>,
    /// What round 1 established; `null` in round 1.
    retry: Option<Retry>,
}

#[derive(Deserialize)]
struct Plan {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    tool_name: Option<String>,
    arguments: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    input_schema: Value,
}

#[derive(Deserialize)]
struct Retry {
    prior: Material,
    completed_queries: Vec<CompletedQuery>,
}

#[derive(Deserialize)]
struct Material {
    claims: Vec<VerifiedClaim>,
    evidence: Vec<VerifiedEvidence>,
}

#[derive(Deserialize)]
struct VerifiedClaim {
    claim_id: String,
    text: String,
}

#[derive(Deserialize)]
struct VerifiedEvidence {
    claim_id: String,
    source_invocation_id: String,
    tool_name: String,
    raw_path: String,
    matched_text: String,
}

#[derive(Deserialize)]
struct CompletedQuery {
    tool_name: String,
    arguments: Value,
}

/// `executor_evidence_v2`.
#[derive(Serialize)]
struct Evidence {
    answer_version: &'static str,
    claims: Vec<Claim>,
    hypotheses: Vec<String>,
    limitations: Vec<String>,
}

#[derive(Serialize)]
struct Claim {
    claim_id: String,
    text: String,
    evidence_bindings: Vec<Binding>,
}

#[derive(Serialize)]
struct Binding {
    source_invocation_id: String,
    tool_name: String,
    raw_path: String,
    matched_text: String,
}

/// One call that is to be made.
#[derive(Clone, PartialEq, Eq)]
struct Query {
    tool_name: String,
    arguments: Map<String, Value>,
}

/// Answers an executor's input with the text of its evidence. `call` calls a tool of the run.
pub fn respond(input: &str, call: impl Fn(&str, &str) -> Result<ToolResult, ToolError>) -> Result<String, InvokeError> {
    let input = read(input).map_err(InvokeError::Permanent)?;
    // The answer of round 2 is a complete snapshot: what was proved in round 1 is stated in it again.
    let mut claims = input.retry.iter().flat_map(|retry| prior_claims(&retry.prior)).collect::<Vec<_>>();
    let mut limitations = Vec::new();
    let mut blocked = None;
    for Query { tool_name, arguments } in queries(&input) {
        match call(&tool_name, &Value::Object(arguments).to_string()) {
            Ok(ToolResult { invocation_id, output }) => match quote::find(&output) {
                Some(quote) if claims.len() < CLAIMS_MAX => {
                    let claim_id = free_id(&claims);
                    claims.push(claim(claim_id, tool_name, invocation_id, quote));
                }
                Some(_) => limitations.push(format!("{tool_name}: there is no room for what it says")),
                None => limitations.push(format!("{tool_name}: its output speaks of no failure")),
            },
            Err(error) => {
                let words = match error {
                    ToolError::Blocked(words) => {
                        blocked = Some(words.clone());
                        words
                    }
                    ToolError::UnknownTool(words) | ToolError::InvalidArguments(words) | ToolError::Failed(words) => {
                        words
                    }
                    ToolError::TimedOut => "it did not answer in time".to_owned(),
                };
                limitations.push(format!("{tool_name}: {words}"));
            }
        }
    }
    match blocked {
        // Policy left nothing to prove anything with. The host saw it too, or it would not believe it.
        Some(words) if claims.is_empty() => Err(InvokeError::Blocked(words)),
        Some(_) | None => {
            let limitations = limitations.into_iter().take(SENTENCES_MAX).map(|words| cut(&words)).collect();
            let evidence =
                Evidence { answer_version: "executor_evidence_v2", claims, hypotheses: Vec::new(), limitations };
            Ok(json!(evidence).to_string())
        }
    }
}

fn read(input: &str) -> Result<Input, String> {
    let input: Input = serde_json::from_str(input).map_err(|error| format!("the input can not be read: {error}"))?;
    match (input.input_version.as_str(), input.answer_version.as_str()) {
        ("executor_input_v1", "executor_evidence_v2") => Ok(input),
        _ => Err("the input is not that of an executor of version 1".to_owned()),
    }
}

/// The calls of the plan, each once and none that round 1 has made already. Without a tool in it, the tools that need no
/// arguments.
fn queries(input: &Input) -> Vec<Query> {
    let of_step = |step: &Step| {
        Some(Query { tool_name: step.tool_name.clone()?, arguments: step.arguments.clone().unwrap_or_default() })
    };
    let mut planned: Vec<Query> = input.plan.steps.iter().filter_map(of_step).collect();
    if planned.is_empty() {
        let free = input.tools.iter().filter(|tool| !needs_arguments(tool)).take(CALLS_WITHOUT_A_PLAN);
        planned = free.map(|tool| Query { tool_name: tool.name.clone(), arguments: Map::new() }).collect();
    }
    let is_completed = |query: &Query| {
        let completed = input.retry.iter().flat_map(|retry| &retry.completed_queries);
        completed
            .into_iter()
            .any(|made| made.tool_name == query.tool_name && made.arguments.as_object() == Some(&query.arguments))
    };
    let mut queries = Vec::new();
    for query in planned {
        if !is_completed(&query) && !queries.contains(&query) {
            queries.push(query);
        }
    }
    queries
}

fn needs_arguments(tool: &Tool) -> bool {
    tool.input_schema.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty())
}

fn prior_claims(prior: &Material) -> Vec<Claim> {
    let bindings = |claim_id: &str| {
        let own = prior.evidence.iter().filter(|quote| quote.claim_id == claim_id).take(BINDINGS_MAX);
        own.map(|quote| Binding {
            source_invocation_id: quote.source_invocation_id.clone(),
            tool_name: quote.tool_name.clone(),
            raw_path: quote.raw_path.clone(),
            matched_text: quote.matched_text.clone(),
        })
        .collect()
    };
    prior
        .claims
        .iter()
        .map(|claim| Claim {
            claim_id: claim.claim_id.clone(),
            text: claim.text.clone(),
            evidence_bindings: bindings(&claim.claim_id),
        })
        .collect()
}

/// The claim says no more than its quote: each number and each name in it is proved by that.
fn claim(claim_id: String, tool_name: String, invocation_id: String, quote: quote::Quote) -> Claim {
    Claim {
        claim_id,
        text: format!("Recorded: {}", quote.line),
        evidence_bindings: vec![Binding {
            source_invocation_id: invocation_id,
            tool_name,
            raw_path: quote.path,
            matched_text: quote.line,
        }],
    }
}

/// The first of `finding-1`, `finding-2` … that no claim has.
fn free_id(claims: &[Claim]) -> String {
    let mut number = claims.len() + 1;
    loop {
        let id = format!("finding-{number}");
        if claims.iter().all(|claim| claim.claim_id != id) {
            return id;
        }
        number += 1;
    }
}

fn cut(words: &str) -> String {
    words.chars().take(SENTENCE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn input(steps: Value, retry: Value) -> String {
        json!({
            "input_version": "executor_input_v1",
            "answer_version": "executor_evidence_v2",
            "query": { "question": "Why is web slow?", "facts": [] },
            "plan": { "steps": steps },
            "tools": [
                { "name": "query_logs", "description": "", "input_schema": { "type": "object" } },
                { "name": "get_pod", "description": "", "input_schema": { "required": ["name"] } },
            ],
            "retry": retry,
        })
        .to_string()
    }

    fn logs_of_web() -> Value {
        json!([{ "step_id": "s1", "goal": "look", "tool_name": "query_logs", "arguments": { "entity": "web" } }])
    }

    fn reply(output: &str) -> Result<ToolResult, ToolError> {
        Ok(ToolResult { invocation_id: "inv-1".into(), output: output.into() })
    }

    fn evidence(text: Result<String, InvokeError>) -> Value {
        serde_json::from_str(&text.unwrap()).unwrap()
    }

    #[test]
    fn a_claim_quotes_what_a_tool_returned() {
        let calls = RefCell::new(Vec::new());
        let answer = evidence(respond(&input(logs_of_web(), Value::Null), |name, arguments| {
            calls.borrow_mut().push(format!("{name} {arguments}"));
            reply(r#"{"lines": [{"message": "pool exhausted: 100 of 100 in use"}]}"#)
        }));
        assert_eq!(calls.into_inner(), [r#"query_logs {"entity":"web"}"#]);
        assert_eq!(
            answer,
            json!({
                "answer_version": "executor_evidence_v2",
                "claims": [{
                    "claim_id": "finding-1",
                    "text": "Recorded: pool exhausted: 100 of 100 in use",
                    "evidence_bindings": [{
                        "source_invocation_id": "inv-1",
                        "tool_name": "query_logs",
                        "raw_path": "/lines/0/message",
                        "matched_text": "pool exhausted: 100 of 100 in use",
                    }],
                }],
                "hypotheses": [],
                "limitations": [],
            })
        );
    }

    #[test]
    fn without_a_tool_in_the_plan_those_without_arguments_are_called() {
        let calls = RefCell::new(Vec::new());
        let answer = evidence(respond(&input(json!([{ "step_id": "s1", "goal": "look" }]), Value::Null), |name, _| {
            calls.borrow_mut().push(name.to_owned());
            reply("all is well")
        }));
        assert_eq!(calls.into_inner(), ["query_logs"]);
        assert_eq!(answer["claims"], json!([]));
        assert_eq!(answer["limitations"], json!(["query_logs: its output speaks of no failure"]));
    }

    #[test]
    fn round_2_keeps_what_was_proved_and_asks_nothing_twice() {
        let binding = json!({
            "claim_id": "finding-2", "source_invocation_id": "inv-0", "tool_name": "query_logs",
            "raw_path": "", "matched_text": "broke",
        });
        let retry = json!({
            "prior": { "claims": [{ "claim_id": "finding-2", "text": "it broke" }], "evidence": [binding] },
            "gaps": [],
            "completed_queries": [{
                "tool_name": "query_logs", "source_invocation_id": "inv-0", "raw_path": "",
                "arguments": { "entity": "web" },
            }],
        });
        let mut steps = logs_of_web();
        let other = json!({ "step_id": "s2", "goal": "look", "tool_name": "query_logs" });
        steps.as_array_mut().unwrap().extend([other.clone(), other]);
        let calls = RefCell::new(Vec::new());
        let answer = evidence(respond(&input(steps, retry), |name, arguments| {
            calls.borrow_mut().push(format!("{name} {arguments}"));
            reply("ERROR no route")
        }));
        assert_eq!(calls.into_inner(), ["query_logs {}"]);
        let ids: Vec<&Value> = answer["claims"].as_array().unwrap().iter().map(|claim| &claim["claim_id"]).collect();
        assert_eq!(ids, ["finding-2", "finding-3"]);
        assert_eq!(answer["claims"][0]["evidence_bindings"][0]["matched_text"], "broke");
    }

    #[test]
    fn a_tool_that_fails_is_a_limitation_and_a_blocked_one_is_said() {
        for (error, words) in [
            (ToolError::Failed("down".into()), "query_logs: down"),
            (ToolError::TimedOut, "query_logs: it did not answer in time"),
            (ToolError::UnknownTool("no such tool".into()), "query_logs: no such tool"),
            (ToolError::InvalidArguments("no entity".into()), "query_logs: no entity"),
        ] {
            let answer = evidence(respond(&input(logs_of_web(), Value::Null), |_, _| Err(error.clone())));
            assert_eq!((&answer["claims"], &answer["limitations"]), (&json!([]), &json!([words])));
        }
        let blocked = respond(&input(logs_of_web(), Value::Null), |_, _| Err(ToolError::Blocked("not allowed".into())));
        assert!(matches!(blocked, Err(InvokeError::Blocked(words)) if words == "not allowed"));
    }

    #[test]
    fn no_other_input_is_answered() {
        for text in
            ["", "{}", "\u{0}", &input(json!([]), Value::Null).replace("executor_input_v1", "executor_input_v2")]
        {
            let answer = respond(text, |_, _| reply("ERROR"));
            assert!(matches!(answer, Err(InvokeError::Permanent(_))), "{text}");
        }
    }
}
