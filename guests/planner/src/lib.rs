//! The default planner adapter: it writes its projection as `planner_input_v1` and hands it to the planner's agent.

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "exports that wit-bindgen generates")]
mod component;

use portcullis_bindings::inputs::convert_all;
use portcullis_bindings::types::{PlanMode, Query, RetryContext, Tool};
use portcullis_contract::input::{self, PlanVersion, PlannerInput, PlannerInputVersion};

/// The serialized input of one planner stage.
pub fn prepare(query: Query, mode: PlanMode, tools: Vec<Tool>, retry: Option<RetryContext>) -> Result<String, String> {
    input::write(&PlannerInput {
        input_version: PlannerInputVersion::Word,
        answer_version: PlanVersion::Word,
        query: query.into(),
        mode: mode.into(),
        tools: convert_all(tools)?,
        retry: retry.map(TryInto::try_into).transpose()?,
    })
}
