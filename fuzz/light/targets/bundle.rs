//! Reading an incident bundle of any files: an error that names one of them, or tools that answer any arguments.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_fuzz_light::folder::{FILES, lay_out};
use portcullis_fuzz_light::incident::Bundle;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let (folder, arguments) = lay_out(data);
    match Bundle::open(folder.path()) {
        Ok(bundle) => {
            for tool in bundle.tools() {
                assert!(serde_json::from_str::<Value>(&tool.input_schema).is_ok_and(|schema| schema.is_object()));
                for arguments in arguments.iter().take(4).map(String::as_str).chain(["{}"]) {
                    // A refusal is an answer as well.
                    drop(bundle.call(&tool.name, arguments));
                }
            }
        }
        Err(error) => assert!(FILES.iter().any(|file| error.to_string().contains(file)), "{error}"),
    }
});
