//! The component around [`crate::respond`]. It is compiled for WebAssembly alone.

use crate::bindings::exports::portcullis::node::agent::{Guest, InvokeError, RunConfig};
use crate::bindings::portcullis::node::log::{self, Level};
use crate::bindings::portcullis::node::tools;

struct Component;

impl Guest for Component {
    /// Each call is made under the run whose config was lent for this call, and is recorded there.
    fn respond(input: String, config: &RunConfig) -> Result<String, InvokeError> {
        report_panics();
        crate::respond(&input, |name, arguments| tools::call(name, arguments, config))
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
