//! A composer adapter: it writes its projection as `composer_input_v1` and hands it to the composer's agent.

#[cfg(target_arch = "wasm32")]
mod component;

/// The contract with the host as Rust types, made from the folder `wit`.
pub mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "composer" });
}

use bindings::exports::portcullis::node::composer_adapter::Projection;
use bindings::portcullis::node::types::Verdict;
use serde_json::{Value, json};

/// The serialized input of one composer stage: what the agent is given, byte for byte. The error is a sentence for the
/// log. The default agent knows these fields and refuses others.
pub fn prepare(projection: &Projection) -> Result<String, String> {
    let Projection { effective_verdict, claims, missing_information, recommendations } = projection;
    let claims: Vec<Value> =
        claims.iter().map(|claim| json!({ "claim_id": claim.claim_id, "text": claim.text })).collect();
    let input = json!({
        "input_version": "composer_input_v1",
        "answer_version": "composed_answer_v1",
        "effective_verdict": match effective_verdict {
            Verdict::Pass => "PASS",
            Verdict::LowConfid => "LOW_CONFID",
            Verdict::Reject => "REJECT",
        },
        "claims": claims,
        "missing_information": missing_information,
        "recommendations": recommendations,
    });
    Ok(input.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::portcullis::node::types::VerifiedClaim;

    #[test]
    fn the_input_is_the_projection() {
        let projection = Projection {
            effective_verdict: Verdict::LowConfid,
            claims: vec![VerifiedClaim { claim_id: "c1".into(), text: "it broke".into() }],
            missing_information: vec!["since when".into()],
            recommendations: vec!["roll back".into()],
        };
        assert_eq!(
            prepare(&projection).unwrap(),
            concat!(
                r#"{"input_version":"composer_input_v1","answer_version":"composed_answer_v1","#,
                r#""effective_verdict":"LOW_CONFID","claims":[{"claim_id":"c1","text":"it broke"}],"#,
                r#""missing_information":["since when"],"recommendations":["roll back"]}"#,
            )
        );
    }
}
