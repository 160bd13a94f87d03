//! The component around [`crate::prepare`]. It is compiled for WebAssembly alone.

use crate::bindings::exports::portcullis::node::{{interface}}::{Guest, Projection};
use crate::bindings::portcullis::node::invoker;
use crate::bindings::portcullis::node::log::{self, Level};
use crate::bindings::portcullis::node::run::{InvokeError, RunConfig};

struct Component;

impl Guest for Component {
    fn prepare(projection: Projection) -> Result<String, String> {
        report_panics();
        crate::prepare(&projection)
    }

    /// The agent gets the very bytes that `prepare` gave, and its text or its error is passed on as it is.
    fn attempt(input: String, config: &RunConfig) -> Result<String, InvokeError> {
        report_panics();
        invoker::invoke(&input, config)
    }
}

/// There is no stderr: without this the host sees a trap, but not why.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| log::write(Level::Error, &panic.to_string())));
}

/// The host shows it and records it with each run: the version of `Cargo.toml`.
#[used]
#[unsafe(link_section = "version")]
static VERSION: [u8; env!("CARGO_PKG_VERSION").len()] = *env!("CARGO_PKG_VERSION").as_bytes().first_chunk().unwrap();

crate::bindings::export!(Component with_types_in crate::bindings);
