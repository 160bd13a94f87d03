//! An executor adapter: it writes its projection as `executor_input_v1` and hands it to the executor's agent.

#[cfg(target_arch = "wasm32")]
mod component;
pub mod input;

/// The contract with the host as Rust types, made from the folder `wit`.
pub mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "executor" });
}

use bindings::exports::portcullis::node::executor_adapter::Projection;
use bindings::portcullis::node::types::PlanStep;
use serde_json::{Map, Value, json};

/// What the agent is told when it works to close gaps. The host merges nothing, so its answer has to be complete.
const RETRY_INSTRUCTION: &str = "This is an evidence retry. Query incrementally: do not repeat a completed query, \
    and ask only for what closes the gaps. Then answer with one complete executor_evidence_v2 snapshot: every prior \
    claim that still holds, with its bindings, beside the new ones. Nothing is merged into your answer afterwards.";

/// The serialized input of one executor stage: what the agent is given, byte for byte. The error is a sentence for the
/// log. The default agent knows these fields and refuses others.
pub fn prepare(projection: &Projection) -> Result<String, String> {
    let Projection { query, plan, tools, retry } = projection;
    let steps: Vec<Value> = plan.steps.iter().map(step).collect::<Result<_, _>>()?;
    let mut input = json!({
        "input_version": "executor_input_v1",
        "answer_version": "executor_evidence_v2",
        "query": input::query(query),
        "plan": { "steps": steps },
        "tools": input::tools(tools)?,
        "retry": input::retry(retry.as_ref())?,
    });
    if retry.is_some() {
        input["instruction"] = RETRY_INSTRUCTION.into();
    }
    Ok(input.to_string())
}

/// What a step does not name is left out.
fn step(step: &PlanStep) -> Result<Value, String> {
    let mut written = json!({ "step_id": step.step_id, "goal": step.goal });
    if let Some(tool_name) = &step.tool_name {
        written["tool_name"] = tool_name.as_str().into();
    }
    if let Some(arguments) = &step.arguments {
        let arguments: Map<String, Value> =
            serde_json::from_str(arguments).map_err(|error| format!("arguments of step {}: {error}", step.step_id))?;
        written["arguments"] = arguments.into();
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::portcullis::node::types::{
        Plan, Query, RetryConstraints, RetryContext, Tool, VerifiedMaterial,
    };

    fn round_1(arguments: Option<&str>) -> Projection {
        let step = PlanStep {
            step_id: "s1".into(),
            goal: "look".into(),
            tool_name: arguments.is_some().then(|| "query_logs".into()),
            arguments: arguments.map(Into::into),
        };
        Projection {
            query: Query { question: "why?".into(), facts: vec![] },
            plan: Plan { steps: vec![step] },
            tools: vec![Tool { name: "query_logs".into(), description: String::new(), input_schema: "{}".into() }],
            retry: None,
        }
    }

    #[test]
    fn the_input_is_the_projection() {
        assert_eq!(
            prepare(&round_1(Some(r#"{"limit": 1e3}"#))).unwrap(),
            concat!(
                r#"{"input_version":"executor_input_v1","answer_version":"executor_evidence_v2","#,
                r#""query":{"question":"why?","facts":[]},"plan":{"steps":[{"step_id":"s1","goal":"look","#,
                r#""tool_name":"query_logs","arguments":{"limit":1e+3}}]},"#,
                r#""tools":[{"name":"query_logs","description":"","input_schema":{}}],"retry":null}"#,
            )
        );
    }

    #[test]
    fn round_2_is_told_to_answer_with_a_complete_snapshot() {
        let retry = RetryContext {
            prior: VerifiedMaterial { claims: vec![], evidence: vec![] },
            gaps: vec![],
            completed_queries: vec![],
            constraints: RetryConstraints {
                max_retry: 1,
                do_not_repeat_successful_queries: true,
                only_execute_incremental_queries: true,
                preserve_prior_verified_claims: true,
            },
        };
        let text = prepare(&Projection { retry: Some(retry), ..round_1(None) }).unwrap();
        assert!(text.contains(r#""plan":{"steps":[{"step_id":"s1","goal":"look"}]}"#), "{text}");
        let input: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(input["instruction"], RETRY_INSTRUCTION);
        assert!(text.contains(r#"}},"instruction":"This is"#), "it comes last: {text}");
    }

    #[test]
    fn arguments_have_to_be_an_object() {
        for arguments in ["[]", "", "{} {}"] {
            let error = prepare(&round_1(Some(arguments))).unwrap_err();
            assert!(error.starts_with("arguments of step s1: "), "{error}");
        }
    }
}
