//! A verifier adapter: it writes its projection as `verifier_input_v1` and hands it to the verifier's agent.

#[cfg(target_arch = "wasm32")]
mod component;
pub mod input;

/// The contract with the host as Rust types, made from the folder `wit`.
pub mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "verifier" });
}

use bindings::exports::portcullis::node::verifier_adapter::Projection;
use bindings::portcullis::node::types::Verdict;
use serde_json::json;

/// The serialized input of one verifier stage: what the agent is given, byte for byte. The error is a sentence for the
/// log. The default agent knows these fields and refuses others.
pub fn prepare(projection: &Projection) -> Result<String, String> {
    let Projection { query, material, audit, retry } = projection;
    let input = json!({
        "input_version": "verifier_input_v1",
        "answer_version": "verification_v1",
        "query": input::query(query),
        "material": input::material(material),
        "audit": {
            "ceiling": match audit.ceiling {
                Verdict::Pass => "PASS",
                Verdict::LowConfid => "LOW_CONFID",
                Verdict::Reject => "REJECT",
            },
            "verified_binding_count": audit.verified_binding_count,
            "failed_binding_count": audit.failed_binding_count,
        },
        "retry": input::retry(retry.as_ref())?,
    });
    Ok(input.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::exports::portcullis::node::verifier_adapter::GatekeeperAudit;
    use crate::bindings::portcullis::node::types::{Query, VerifiedClaim, VerifiedEvidence, VerifiedMaterial};

    #[test]
    fn the_input_is_the_projection() {
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
        let audit = GatekeeperAudit { ceiling: Verdict::LowConfid, verified_binding_count: 1, failed_binding_count: 2 };
        let query = Query { question: "why?".into(), facts: vec![] };
        assert_eq!(
            prepare(&Projection { query, material, audit, retry: None }).unwrap(),
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
