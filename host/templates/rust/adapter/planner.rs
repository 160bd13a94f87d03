//! A planner adapter: it writes its projection as `planner_input_v1` and hands it to the planner's agent.

#[cfg(target_arch = "wasm32")]
mod component;
pub mod input;

/// The contract with the host as Rust types, made from the folder `wit`.
pub mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "planner" });
}

use bindings::exports::portcullis::node::planner_adapter::Projection;
use bindings::portcullis::node::types::PlanMode;
use serde_json::json;

/// The serialized input of one planner stage: what the agent is given, byte for byte. The error is a sentence for the
/// log. The default agent knows these fields and refuses others.
pub fn prepare(projection: &Projection) -> Result<String, String> {
    let Projection { query, mode, tools, retry } = projection;
    let input = json!({
        "input_version": "planner_input_v1",
        "answer_version": "diagnosis_plan_v1",
        "query": input::query(query),
        "mode": match mode {
            PlanMode::Initial => "INITIAL",
            PlanMode::EvidenceGapOnly => "EVIDENCE_GAP_ONLY",
        },
        "tools": input::tools(tools)?,
        "retry": input::retry(retry.as_ref())?,
    });
    Ok(input.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::portcullis::node::types::{
        Fact, Gap, Query, QueryRef, RetryConstraints, RetryContext, Tool, Verification, VerifiedClaim,
        VerifiedEvidence, VerifiedMaterial,
    };

    fn round_1(input_schema: &str) -> Projection {
        let fact = Fact { name: "service".into(), value: "checkout".into() };
        let tool =
            Tool { name: "query_logs".into(), description: "log lines".into(), input_schema: input_schema.into() };
        Projection {
            query: Query { question: "why is \"checkout\" slow?".into(), facts: vec![fact] },
            mode: PlanMode::Initial,
            tools: vec![tool],
            retry: None,
        }
    }

    fn round_2(arguments: &str) -> Projection {
        let retry = RetryContext {
            prior: VerifiedMaterial {
                claims: vec![VerifiedClaim { claim_id: "c1".into(), text: "it broke".into() }],
                evidence: vec![VerifiedEvidence {
                    claim_id: "c1".into(),
                    source_invocation_id: "inv-1".into(),
                    tool_name: "query_logs".into(),
                    raw_path: "/0".into(),
                    matched_text: "broke".into(),
                }],
            },
            gaps: vec![Gap {
                claim_id: String::new(),
                fact: "since when".into(),
                verification: Verification::NoEvidence,
                reason: "not asked".into(),
            }],
            completed_queries: vec![QueryRef {
                tool_name: "query_logs".into(),
                source_invocation_id: "inv-1".into(),
                raw_path: "/0".into(),
                arguments: arguments.into(),
            }],
            constraints: RetryConstraints {
                max_retry: 1,
                do_not_repeat_successful_queries: true,
                only_execute_incremental_queries: true,
                preserve_prior_verified_claims: true,
            },
        };
        Projection { mode: PlanMode::EvidenceGapOnly, tools: vec![], retry: Some(retry), ..round_1("") }
    }

    #[test]
    fn the_input_is_the_projection() {
        let projection = round_1("{\n  \"type\": \"object\", \"maxProperties\": 73019482551300006013\n}");
        assert_eq!(
            prepare(&projection).unwrap(),
            concat!(
                r#"{"input_version":"planner_input_v1","answer_version":"diagnosis_plan_v1","#,
                r#""query":{"question":"why is \"checkout\" slow?","facts":[{"name":"service","value":"checkout"}]},"#,
                r#""mode":"INITIAL","tools":[{"name":"query_logs","description":"log lines","#,
                r#""input_schema":{"type":"object","maxProperties":73019482551300006013}}],"retry":null}"#,
            )
        );
    }

    #[test]
    fn round_2_carries_the_retry_context() {
        let text = prepare(&round_2(r#"{"limit": 0.10}"#)).unwrap();
        let expected = concat!(
            r#""mode":"EVIDENCE_GAP_ONLY","tools":[],"retry":{"prior":{"claims":[{"claim_id":"c1","text":"it broke"}],"#,
            r#""evidence":[{"claim_id":"c1","source_invocation_id":"inv-1","tool_name":"query_logs","raw_path":"/0","#,
            r#""matched_text":"broke"}]},"gaps":[{"claim_id":"","fact":"since when","verification":"no_evidence","#,
            r#""reason":"not asked"}],"completed_queries":[{"tool_name":"query_logs","source_invocation_id":"inv-1","#,
            r#""raw_path":"/0","arguments":{"limit":0.10}}],"constraints":{"max_retry":1,"#,
            r#""do_not_repeat_successful_queries":true,"only_execute_incremental_queries":true,"#,
            r#""preserve_prior_verified_claims":true}}}"#,
        );
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let error = prepare(&round_1("{")).unwrap_err();
        assert!(error.starts_with("input schema of tool query_logs: "), "{error}");
        let error = prepare(&round_2("service=cart")).unwrap_err();
        assert!(error.starts_with("arguments of inv-1: "), "{error}");
    }
}
