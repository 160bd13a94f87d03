//! The component around [`crate::prepare`].

use exports::portcullis::node::composer_adapter::{Guest, Projection};
use portcullis_bindings::run::{InvokeError, RunConfig};
use portcullis_bindings::{invoker, report_panics};

wit_bindgen::generate!({
    path: "../../wit",
    world: "composer",
    with: {
        "portcullis:node/types@0.1.0": portcullis_bindings::types,
        "portcullis:node/run@0.1.0": portcullis_bindings::run,
        "portcullis:node/log@0.1.0": portcullis_bindings::log,
        "portcullis:node/invoker@0.1.0": portcullis_bindings::invoker,
    },
});

struct Component;

impl Guest for Component {
    fn prepare(
        Projection { effective_verdict, claims, missing_information, recommendations }: Projection,
    ) -> Result<String, String> {
        report_panics();
        crate::prepare(effective_verdict, claims, missing_information, recommendations)
    }

    fn attempt(input: String, config: &RunConfig) -> Result<String, InvokeError> {
        report_panics();
        invoker::invoke(&input, config)
    }
}

export!(Component);
