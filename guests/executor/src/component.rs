//! The component around [`crate::prepare`].

use exports::portcullis::node::executor_adapter::{Guest, Projection};
use portcullis_bindings::run::{InvokeError, RunConfig};
use portcullis_bindings::{invoker, report_panics};

wit_bindgen::generate!({
    path: "../../wit",
    world: "executor",
    with: {
        "portcullis:node/types@0.1.0": portcullis_bindings::types,
        "portcullis:node/run@0.1.0": portcullis_bindings::run,
        "portcullis:node/log@0.1.0": portcullis_bindings::log,
        "portcullis:node/invoker@0.1.0": portcullis_bindings::invoker,
    },
});

struct Component;

impl Guest for Component {
    fn prepare(Projection { query, plan, tools, retry }: Projection) -> Result<String, String> {
        report_panics();
        crate::prepare(query, plan, tools, retry)
    }

    fn attempt(input: String, config: &RunConfig) -> Result<String, InvokeError> {
        report_panics();
        invoker::invoke(&input, config)
    }
}

export!(Component);
