//! The default agent of planner, verifier and composer: the analyst without tools. The input says which of them asks.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "exports that wit-bindgen generates")]
mod component;

use portcullis_contract::input::{self, Input};

/// Answers an input with the text of a document. The error is a sentence for the log.
pub fn respond(input: &str) -> Result<String, String> {
    match Input::read(input)? {
        Input::Planner(input) => input::write(&portcullis_analyst::plan(&input)),
        Input::Verifier(input) => input::write(&portcullis_analyst::verify(&input)),
        Input::Composer(input) => input::write(&portcullis_analyst::compose(&input)),
        Input::Executor(_) => Err("an executor's input needs an agent with tools".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::respond;

    const QUERY: &str = r#""query":{"question":"Why is web slow?","facts":[]}"#;

    #[test]
    fn each_input_is_answered_with_its_document() {
        // R-NODE-04
        let planner = format!(
            r#"{{"input_version":"planner_input_v1","answer_version":"diagnosis_plan_v1",{QUERY},"mode":"INITIAL","tools":[],"retry":null}}"#
        );
        let plan = portcullis_contract::plan(&respond(&planner).unwrap()).unwrap();
        assert_eq!(plan.steps.len(), 1);

        let verifier = format!(
            r#"{{"input_version":"verifier_input_v1","answer_version":"verification_v1",{QUERY},"material":{{"claims":[],"evidence":[]}},"audit":{{"ceiling":"PASS","verified_binding_count":0,"failed_binding_count":0}},"retry":null}}"#
        );
        let report = portcullis_contract::verification(&respond(&verifier).unwrap()).unwrap();
        assert!(report.allowed_claims.is_empty());

        let composer = r#"{"input_version":"composer_input_v1","answer_version":"composed_answer_v1","effective_verdict":"LOW_CONFID","claims":[],"missing_information":[],"recommendations":[]}"#;
        let answer = portcullis_contract::answer(&respond(composer).unwrap()).unwrap();
        assert!(!answer.headline.is_empty());
    }

    #[test]
    fn what_is_no_input_of_a_thinker_is_refused() {
        // R-NODE-04
        for input in ["", "{}", r#"{"input_version":"other_v9"}"#, "\u{0}"] {
            assert!(respond(input).is_err(), "{input}");
        }
        let executor = format!(
            r#"{{"input_version":"executor_input_v1","answer_version":"executor_evidence_v2",{QUERY},"plan":{{"steps":[]}},"tools":[],"retry":null}}"#
        );
        assert_eq!(respond(&executor), Err("an executor's input needs an agent with tools".to_owned()));
    }
}
