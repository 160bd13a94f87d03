//! The component around [`crate::prepare`].

use exports::portcullis::node::verifier_adapter::{GatekeeperAudit, Guest, Projection};
use portcullis_bindings::run::{InvokeError, RunConfig};
use portcullis_bindings::{invoker, report_panics};
use portcullis_contract::input::Audit;

wit_bindgen::generate!({
    path: "../../wit",
    world: "verifier",
    with: {
        "portcullis:node/types@0.1.0": portcullis_bindings::types,
        "portcullis:node/run@0.1.0": portcullis_bindings::run,
        "portcullis:node/log@0.1.0": portcullis_bindings::log,
        "portcullis:node/invoker@0.1.0": portcullis_bindings::invoker,
    },
});

impl From<GatekeeperAudit> for Audit {
    fn from(audit: GatekeeperAudit) -> Self {
        let GatekeeperAudit { ceiling, verified_binding_count, failed_binding_count } = audit;
        Self { ceiling: ceiling.into(), verified_binding_count, failed_binding_count }
    }
}

struct Component;

impl Guest for Component {
    fn prepare(Projection { query, material, audit, retry }: Projection) -> Result<String, String> {
        report_panics();
        crate::prepare(query, material, audit.into(), retry)
    }

    fn attempt(input: String, config: &RunConfig) -> Result<String, InvokeError> {
        report_panics();
        invoker::invoke(&input, config)
    }
}

export!(Component);
