//! The parts that the inputs of several agents share, as JSON. What the contract carries as JSON text becomes JSON, or
//! an error that says which text it was.

use crate::bindings::portcullis::node::types::{
    Query, QueryRef, RetryContext, Tool, Verification, VerifiedClaim, VerifiedMaterial,
};
use serde_json::{Value, json};

pub fn query(query: &Query) -> Value {
    let facts: Vec<Value> = query.facts.iter().map(|fact| json!({ "name": fact.name, "value": fact.value })).collect();
    json!({ "question": query.question, "facts": facts })
}

pub fn tools(tools: &[Tool]) -> Result<Vec<Value>, String> {
    let tool = |tool: &Tool| {
        let schema: Value = serde_json::from_str(&tool.input_schema)
            .map_err(|error| format!("input schema of tool {}: {error}", tool.name))?;
        Ok(json!({ "name": tool.name, "description": tool.description, "input_schema": schema }))
    };
    tools.iter().map(tool).collect()
}

pub fn claims(claims: &[VerifiedClaim]) -> Vec<Value> {
    claims.iter().map(|claim| json!({ "claim_id": claim.claim_id, "text": claim.text })).collect()
}

pub fn material(material: &VerifiedMaterial) -> Value {
    let evidence: Vec<Value> = material
        .evidence
        .iter()
        .map(|quote| {
            json!({
                "claim_id": quote.claim_id,
                "source_invocation_id": quote.source_invocation_id,
                "tool_name": quote.tool_name,
                "raw_path": quote.raw_path,
                "matched_text": quote.matched_text,
            })
        })
        .collect();
    json!({ "claims": claims(&material.claims), "evidence": evidence })
}

/// What round 2 knows of round 1; `null` in round 1.
pub fn retry(retry: Option<&RetryContext>) -> Result<Value, String> {
    let Some(RetryContext { prior, gaps, completed_queries, constraints }) = retry else {
        return Ok(Value::Null);
    };
    let gaps: Vec<Value> = gaps
        .iter()
        .map(|gap| {
            json!({
                "claim_id": gap.claim_id,
                "fact": gap.fact,
                "verification": verification(gap.verification),
                "reason": gap.reason,
            })
        })
        .collect();
    let completed: Vec<Value> = completed_queries.iter().map(completed_query).collect::<Result<_, _>>()?;
    Ok(json!({
        "prior": material(prior),
        "gaps": gaps,
        "completed_queries": completed,
        "constraints": {
            "max_retry": constraints.max_retry,
            "do_not_repeat_successful_queries": constraints.do_not_repeat_successful_queries,
            "only_execute_incremental_queries": constraints.only_execute_incremental_queries,
            "preserve_prior_verified_claims": constraints.preserve_prior_verified_claims,
        },
    }))
}

fn completed_query(query: &QueryRef) -> Result<Value, String> {
    let arguments: Value = serde_json::from_str(&query.arguments)
        .map_err(|error| format!("arguments of {}: {error}", query.source_invocation_id))?;
    Ok(json!({
        "tool_name": query.tool_name,
        "source_invocation_id": query.source_invocation_id,
        "raw_path": query.raw_path,
        "arguments": arguments,
    }))
}

fn verification(verification: Verification) -> &'static str {
    match verification {
        Verification::Supported => "supported",
        Verification::IndirectSupport => "indirect_support",
        Verification::NoEvidence => "no_evidence",
        Verification::Contradicted => "contradicted",
    }
}
