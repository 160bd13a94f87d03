//! The default executor adapter: it writes its projection as `executor_input_v1` and hands it to the executor's agent.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, clippy::same_length_and_capacity, reason = "what wit-bindgen generates")]
mod component;

use portcullis_bindings::inputs::convert_all;
use portcullis_bindings::types::{Plan, Query, RetryContext, Tool};
use portcullis_contract::input::{self, EvidenceVersion, ExecutorInput, ExecutorInputVersion};

/// What an executor is told when it works to close gaps. The host merges nothing, so its answer has to be complete.
pub const RETRY_INSTRUCTION: &str = "This is an evidence retry. Query incrementally: do not repeat a completed query, \
    and ask only for what closes the gaps. Then answer with one complete executor_evidence_v2 snapshot: every prior \
    claim that still holds, with its bindings, beside the new ones. Nothing is merged into your answer afterwards.";

/// The serialized input of one executor stage.
pub fn prepare(query: Query, plan: Plan, tools: Vec<Tool>, retry: Option<RetryContext>) -> Result<String, String> {
    let instruction = retry.is_some().then(|| RETRY_INSTRUCTION.to_owned());
    input::write(&ExecutorInput {
        input_version: ExecutorInputVersion::Word,
        answer_version: EvidenceVersion::Word,
        query: query.into(),
        plan: plan.try_into()?,
        tools: convert_all(tools)?,
        retry: retry.map(TryInto::try_into).transpose()?,
        instruction,
    })
}

#[cfg(test)]
mod tests {
    use super::{RETRY_INSTRUCTION, prepare};
    use portcullis_bindings::types::{Plan, PlanStep, Query, RetryConstraints, RetryContext, Tool, VerifiedMaterial};
    use portcullis_contract::input::Input;

    fn query() -> Query {
        Query { question: "why?".into(), facts: vec![] }
    }

    fn plan(arguments: Option<&str>) -> Plan {
        let tool_name = arguments.is_some().then(|| "query_logs".into());
        let step =
            PlanStep { step_id: "s1".into(), goal: "look".into(), tool_name, arguments: arguments.map(Into::into) };
        Plan { steps: vec![step] }
    }

    fn retry() -> RetryContext {
        RetryContext {
            prior: VerifiedMaterial { claims: vec![], evidence: vec![] },
            gaps: vec![],
            completed_queries: vec![],
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
        // R-NODE-02
        let tool = Tool { name: "query_logs".into(), description: String::new(), input_schema: "{}".into() };
        let text = prepare(query(), plan(Some(r#"{"limit": 1e3}"#)), vec![tool], None).unwrap();
        assert_eq!(
            text,
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
        // R-RETRY-03
        let text = prepare(query(), plan(None), vec![], Some(retry())).unwrap();
        assert!(text.contains(r#""plan":{"steps":[{"step_id":"s1","goal":"look"}]}"#), "{text}");
        let Input::Executor(input) = Input::read(&text).unwrap() else { panic!("not an executor's input: {text}") };
        assert!(input.retry.is_some());
        assert_eq!(input.instruction.as_deref(), Some(RETRY_INSTRUCTION));
        assert!(RETRY_INSTRUCTION.contains("incrementally"));
        assert!(RETRY_INSTRUCTION.contains("complete executor_evidence_v2 snapshot"));
    }

    #[test]
    fn arguments_have_to_be_an_object() {
        // R-NODE-04
        for arguments in ["[]", "", "{} {}"] {
            let error = prepare(query(), plan(Some(arguments)), vec![], None).unwrap_err();
            assert!(error.starts_with("arguments of step s1: "), "{error}");
        }
    }
}
