//! The component around [`crate::respond`]: the import `tools` as the analyst's trait.

use exports::portcullis::node::agent::Guest;
use portcullis::node::tools as host;
use portcullis_analyst::{ToolError, ToolReply, Tools};
use portcullis_bindings::report_panics;
use portcullis_bindings::run::{InvokeError, RunConfig};
use portcullis_contract::input::Tool;

wit_bindgen::generate!({
    path: "../../../wit",
    world: "investigator",
    with: {
        "portcullis:node/types@0.1.0": portcullis_bindings::types,
        "portcullis:node/run@0.1.0": portcullis_bindings::run,
        "portcullis:node/log@0.1.0": portcullis_bindings::log,
        "portcullis:node/tools@0.1.0": generate,
    },
});

struct Component;

/// The tools of the run whose config was lent for this call.
struct Lent<'a>(&'a RunConfig);

impl Tools for Lent<'_> {
    fn available(&self) -> Vec<Tool> {
        // A tool whose schema cannot be read cannot be called.
        host::available().into_iter().filter_map(|tool| Tool::try_from(tool).ok()).collect()
    }

    fn call(&self, name: &str, arguments: &str) -> Result<ToolReply, ToolError> {
        let host::ToolResult { invocation_id, output } = host::call(name, arguments, self.0).map_err(error_of)?;
        Ok(ToolReply { invocation_id, output })
    }
}

fn error_of(error: host::ToolError) -> ToolError {
    match error {
        host::ToolError::UnknownTool(_) => ToolError::UnknownTool,
        host::ToolError::InvalidArguments(words) => ToolError::InvalidArguments(words),
        host::ToolError::Blocked(words) => ToolError::Blocked(words),
        host::ToolError::Failed(words) => ToolError::Failed(words),
        host::ToolError::TimedOut => ToolError::TimedOut,
    }
}

impl Guest for Component {
    fn respond(input: String, config: &RunConfig) -> Result<String, InvokeError> {
        report_panics();
        crate::respond(&input, &Lent(config)).map_err(|refusal| match refusal {
            crate::Refusal::Blocked(words) => InvokeError::Blocked(words),
            crate::Refusal::Input(words) => InvokeError::Permanent(words),
        })
    }
}

export!(Component);
