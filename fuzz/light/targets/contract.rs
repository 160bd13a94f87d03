//! Reading an agent's text: no text panics, and what is read can be written and is then read as the same document.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_contract::document::Violation;
use serde::Serialize;
use std::fmt::Debug;

fn holds<D: Debug + PartialEq + Serialize>(read: fn(&str) -> Result<D, Violation>, text: &str) {
    match read(text) {
        Ok(document) => {
            let written = serde_json::to_string(&document).unwrap();
            assert_eq!(read(&written).as_ref(), Ok(&document));
            assert_eq!(read(&format!("So:\n```json\n{written}\n```\n")), Ok(document));
        }
        // What is told of a text must not hand the text on.
        Err(violation) => assert!(violation.path.len() <= 256 && violation.message.len() <= 1024, "{violation:?}"),
    }
}

fuzz_target!(|text: &str| {
    holds(portcullis_contract::plan, text);
    holds(portcullis_contract::evidence, text);
    holds(portcullis_contract::verification, text);
    holds(portcullis_contract::answer, text);
});
