//! The default agent of the executor: the analyst with the tools of the run.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "exports that wit-bindgen generates")]
mod component;

use portcullis_analyst::{Blocked, Tools};
use portcullis_contract::input::{self, Input};

/// Why there is no answer. The words are for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Policy left no tool to work with.
    Blocked(String),
    /// The input is none that this agent answers.
    Input(String),
}

/// Answers an executor's input with the text of its document.
pub fn respond(input: &str, tools: &dyn Tools) -> Result<String, Refusal> {
    match Input::read(input).map_err(Refusal::Input)? {
        Input::Executor(input) => {
            let evidence =
                portcullis_analyst::investigate(&input, tools).map_err(|Blocked(words)| Refusal::Blocked(words))?;
            input::write(&evidence).map_err(Refusal::Input)
        }
        Input::Planner(_) | Input::Verifier(_) | Input::Composer(_) => {
            Err(Refusal::Input("only an executor's input is answered with tools".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_analyst::{ToolError, ToolReply};
    use portcullis_contract::input::Tool;

    /// Answers every call in one way.
    struct Always(Result<&'static str, ToolError>);

    impl Tools for Always {
        fn available(&self) -> Vec<Tool> {
            Vec::new()
        }

        fn call(&self, _name: &str, _arguments: &str) -> Result<ToolReply, ToolError> {
            let reply = |output: &&str| ToolReply { invocation_id: "inv-1".into(), output: (*output).into() };
            self.0.as_ref().map(reply).map_err(Clone::clone)
        }
    }

    const INPUT: &str = r#"{"input_version":"executor_input_v1","answer_version":"executor_evidence_v2","query":{"question":"What is wrong with web-1?","facts":[]},"plan":{"steps":[{"step_id":"logs","goal":"read","tool_name":"fetch_logs","arguments":{"pod":"web-1"}}]},"tools":[],"retry":null}"#;

    #[test]
    fn a_log_line_becomes_a_claim_that_quotes_it() {
        let text = respond(INPUT, &Always(Ok("ERROR connect ECONNREFUSED ledger:8080"))).unwrap();
        let evidence = portcullis_contract::evidence(&text).unwrap();
        let claim = &evidence.claims[0];
        assert_eq!(claim.claim_id, "root-cause.connection_failure");
        assert_eq!(claim.bindings[0].matched_text, "ERROR connect ECONNREFUSED ledger:8080");
    }

    #[test]
    fn no_data_is_a_legal_answer_and_a_blocked_tool_is_said() {
        // R-ROUTE-06 R-NODE-06
        for reply in [Ok(r#"{"no_data":"none"}"#), Err(ToolError::Failed("down".into())), Err(ToolError::TimedOut)] {
            let text = respond(INPUT, &Always(reply)).unwrap();
            let evidence = portcullis_contract::evidence(&text).unwrap();
            assert!(evidence.claims.is_empty() && !evidence.limitations.is_empty());
        }
        let blocked = Err(ToolError::Blocked("not allowed".into()));
        assert_eq!(respond(INPUT, &Always(blocked)), Err(Refusal::Blocked("not allowed".into())));
    }

    #[test]
    fn any_output_is_read_without_harm() {
        // R-NODE-07
        let deep = "[".repeat(500);
        for output in
            ["", "null", "{", &deep, "\u{fffd}\u{0}", r#"{"templates":[{}],"series":[1],"top_sql":[{}],"calls":[0]}"#]
        {
            let output: &'static str = output.to_owned().leak();
            let text = respond(INPUT, &Always(Ok(output))).unwrap();
            assert!(portcullis_contract::evidence(&text).is_ok(), "{output}");
        }
    }

    #[test]
    fn inputs_of_other_nodes_are_refused() {
        // R-NODE-04
        assert!(matches!(respond("{}", &Always(Ok(""))), Err(Refusal::Input(_))));
    }
}
