//! The default executor adapter: it writes its projection as `executor_input_v1` and hands it to the executor's agent.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "exports that wit-bindgen generates")]
mod component;

use portcullis_bindings::inputs::convert_all;
use portcullis_bindings::types::{Plan, Query, RetryContext, Tool};
use portcullis_contract::input::{self, EvidenceVersion, ExecutorInput, ExecutorInputVersion};

/// What an executor is told when it works to close gaps. The host merges nothing, so its answer has to be complete.
pub const RETRY_INSTRUCTION: &str = "This is an evidence retry. Query incrementally: do not repeat a completed query, and     ask only for what closes the gaps. Then answer with one complete executor_evidence_v2 snapshot: every prior claim     that still holds, with its bindings, beside the new ones. Nothing is merged into your answer afterwards.";

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
