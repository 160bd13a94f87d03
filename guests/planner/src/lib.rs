//! The default planner adapter: it writes its projection as `planner_input_v1` and hands it to the planner's agent.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, clippy::same_length_and_capacity, reason = "what wit-bindgen generates")]
mod component;

use portcullis_bindings::inputs::convert_all;
use portcullis_bindings::types::{PlanMode, Query, RetryContext, Tool};
use portcullis_contract::input::{self, PlanVersion, PlannerInput, PlannerInputVersion};

/// The serialized input of one planner stage.
pub fn prepare(query: Query, mode: PlanMode, tools: Vec<Tool>, retry: Option<RetryContext>) -> Result<String, String> {
    input::write(&PlannerInput {
        input_version: PlannerInputVersion::Word,
        answer_version: PlanVersion::Word,
        query: query.into(),
        mode: mode.into(),
        tools: convert_all(tools)?,
        retry: retry.map(TryInto::try_into).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::prepare;
    use portcullis_bindings::types::{
        Fact, Gap, PlanMode, Query, QueryRef, RetryConstraints, RetryContext, Tool, Verification, VerifiedClaim,
        VerifiedEvidence, VerifiedMaterial,
    };
    use portcullis_contract::input::Input;

    fn query() -> Query {
        let fact = Fact { name: "service".into(), value: "checkout".into() };
        Query { question: "why is \"checkout\" slow?".into(), facts: vec![fact] }
    }

    fn tool(input_schema: &str) -> Tool {
        Tool { name: "query_logs".into(), description: "log lines".into(), input_schema: input_schema.into() }
    }

    fn retry(arguments: &str) -> RetryContext {
        RetryContext {
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
        }
    }

    #[test]
    fn the_input_is_the_projection() {
        // R-NODE-02, R-STATE-06
        let tool = tool("{\n  \"type\": \"object\", \"maxProperties\": 73019482551300006013\n}");
        let text = prepare(query(), PlanMode::Initial, vec![tool], None).unwrap();
        assert_eq!(
            text,
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
        // R-NODE-02, R-RETRY-02
        let retry = retry(r#"{"limit": 0.10}"#);
        let text = prepare(query(), PlanMode::EvidenceGapOnly, vec![], Some(retry)).unwrap();
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
    fn an_agent_reads_what_was_written() {
        let text = prepare(query(), PlanMode::Initial, vec![tool("true")], Some(retry("{}"))).unwrap();
        let Input::Planner(input) = Input::read(&text).unwrap() else { panic!("not a planner's input: {text}") };
        assert_eq!(portcullis_contract::input::write(&input), Ok(text));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        // R-NODE-04
        let error = prepare(query(), PlanMode::Initial, vec![tool("{")], None).unwrap_err();
        assert!(error.starts_with("input schema of tool query_logs: "), "{error}");
        let error = prepare(query(), PlanMode::Initial, vec![], Some(retry("service=cart"))).unwrap_err();
        assert!(error.starts_with("arguments of inv-1: "), "{error}");
    }
}
