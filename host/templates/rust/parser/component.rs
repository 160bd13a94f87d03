//! The component around [`crate::parse`]. It is compiled for WebAssembly alone.
//!
//! A parser imports nothing, not even a log: it must not panic, because nobody would learn why.

use crate::bindings::exports::portcullis::node::{{interface}} as protocol;

struct Component;

impl protocol::Guest for Component {
    fn parse(text: String) -> Result<protocol::{{document}}, protocol::Violation> {
        crate::parse(&text)
    }
}

/// The host shows it and records it with each run: the version of `Cargo.toml`.
#[used]
#[unsafe(link_section = "version")]
static VERSION: [u8; env!("CARGO_PKG_VERSION").len()] = *env!("CARGO_PKG_VERSION").as_bytes().first_chunk().unwrap();

crate::bindings::export!(Component with_types_in crate::bindings);
