//! The default composer adapter: it writes its projection as `composer_input_v1` and hands it to the composer's agent.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, clippy::same_length_and_capacity, reason = "what wit-bindgen generates")]
mod component;

use portcullis_bindings::types::{Verdict, VerifiedClaim};
use portcullis_contract::input::{self, AnswerVersion, ComposerInput, ComposerInputVersion};

/// The serialized input of one composer stage.
pub fn prepare(
    effective_verdict: Verdict,
    claims: Vec<VerifiedClaim>,
    missing_information: Vec<String>,
    recommendations: Vec<String>,
) -> Result<String, String> {
    input::write(&ComposerInput {
        input_version: ComposerInputVersion::Word,
        answer_version: AnswerVersion::Word,
        effective_verdict: effective_verdict.into(),
        claims: claims.into_iter().map(Into::into).collect(),
        missing_information,
        recommendations,
    })
}

#[cfg(test)]
mod tests {
    use super::prepare;
    use portcullis_bindings::types::{Verdict, VerifiedClaim};

    #[test]
    fn the_input_is_the_projection() {
        // R-NODE-02, R-ANSWER-01
        let claims = vec![VerifiedClaim { claim_id: "c1".into(), text: "it broke".into() }];
        let text = prepare(Verdict::LowConfid, claims, vec!["since when".into()], vec!["roll back".into()]);
        assert_eq!(
            text.unwrap(),
            concat!(
                r#"{"input_version":"composer_input_v1","answer_version":"composed_answer_v1","#,
                r#""effective_verdict":"LOW_CONFID","claims":[{"claim_id":"c1","text":"it broke"}],"#,
                r#""missing_information":["since when"],"recommendations":["roll back"]}"#,
            )
        );
    }
}
