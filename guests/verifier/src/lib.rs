//! The default verifier adapter: it writes its projection as `verifier_input_v1` and hands it to the verifier's agent.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, clippy::same_length_and_capacity, reason = "what wit-bindgen generates")]
mod component;

use portcullis_bindings::types::{Query, RetryContext, VerifiedMaterial};
use portcullis_contract::input::{self, Audit, VerificationVersion, VerifierInput, VerifierInputVersion};

/// The serialized input of one verifier stage.
pub fn prepare(
    query: Query,
    material: VerifiedMaterial,
    audit: Audit,
    retry: Option<RetryContext>,
) -> Result<String, String> {
    input::write(&VerifierInput {
        input_version: VerifierInputVersion::Word,
        answer_version: VerificationVersion::Word,
        query: query.into(),
        material: material.into(),
        audit,
        retry: retry.map(TryInto::try_into).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::prepare;
    use portcullis_bindings::types::{Query, VerifiedClaim, VerifiedEvidence, VerifiedMaterial};
    use portcullis_contract::document::Verdict;
    use portcullis_contract::input::Audit;

    #[test]
    fn the_input_is_the_projection() {
        // R-NODE-02, R-VERIFY-04
        let material = VerifiedMaterial {
            claims: vec![VerifiedClaim { claim_id: "c1".into(), text: "it broke".into() }],
            evidence: vec![VerifiedEvidence {
                claim_id: "c1".into(),
                source_invocation_id: "inv-1".into(),
                tool_name: "query_logs".into(),
                raw_path: String::new(),
                matched_text: "broke".into(),
            }],
        };
        let audit = Audit { ceiling: Verdict::LowConfid, verified_binding_count: 1, failed_binding_count: 2 };
        let text = prepare(Query { question: "why?".into(), facts: vec![] }, material, audit, None);
        assert_eq!(
            text.unwrap(),
            concat!(
                r#"{"input_version":"verifier_input_v1","answer_version":"verification_v1","#,
                r#""query":{"question":"why?","facts":[]},"#,
                r#""material":{"claims":[{"claim_id":"c1","text":"it broke"}],"#,
                r#""evidence":[{"claim_id":"c1","source_invocation_id":"inv-1","tool_name":"query_logs","raw_path":"","#,
                r#""matched_text":"broke"}]},"#,
                r#""audit":{"ceiling":"LOW_CONFID","verified_binding_count":1,"failed_binding_count":2},"retry":null}"#,
            )
        );
    }
}
