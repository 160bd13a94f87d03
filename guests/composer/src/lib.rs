//! The default composer adapter: it writes its projection as `composer_input_v1` and hands it to the composer's agent.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "exports that wit-bindgen generates")]
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
