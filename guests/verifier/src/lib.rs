//! The default verifier adapter: it writes its projection as `verifier_input_v1` and hands it to the verifier's agent.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "exports that wit-bindgen generates")]
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
