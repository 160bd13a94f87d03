//! The component around [`crate::respond`].

use exports::portcullis::node::agent::Guest;
use portcullis_bindings::report_panics;
use portcullis_bindings::run::{InvokeError, RunConfig};

wit_bindgen::generate!({
    path: "../../../wit",
    world: "thinker",
    with: {
        "portcullis:node/run@0.1.0": portcullis_bindings::run,
        "portcullis:node/log@0.1.0": portcullis_bindings::log,
    },
});

struct Component;

impl Guest for Component {
    fn respond(input: String, _config: &RunConfig) -> Result<String, InvokeError> {
        report_panics();
        crate::respond(&input).map_err(InvokeError::Permanent)
    }
}

export!(Component);
