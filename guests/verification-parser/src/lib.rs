//! The parser of `verification_v1`. All that it knows is in the contract crate; it imports nothing.
#![cfg(target_arch = "wasm32")]
#![expect(unsafe_code, clippy::same_length_and_capacity, reason = "what wit-bindgen generates")]

use exports::portcullis::node::verification_protocol::Guest;
use portcullis_bindings::types::{VerificationReport, Violation};

wit_bindgen::generate!({
    path: "../../wit",
    world: "verification-parser",
    with: { "portcullis:node/types@0.1.0": portcullis_bindings::types },
});

struct Component;

impl Guest for Component {
    fn parse(text: String) -> Result<VerificationReport, Violation> {
        portcullis_contract::verification(&text).map(Into::into).map_err(Into::into)
    }
}

export!(Component);
