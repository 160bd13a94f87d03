//! Reading an incident bundle of any files: an error that names one of them, or tools that answer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_fuzz_light::incident::Bundle;
use serde_json::Value;
use tempfile::TempDir;

/// The parts of an input between NUL bytes, in this order; what is left are the arguments of calls.
const FILES: [&str; 8] = [
    "incident.json",
    "metrics.csv",
    "logs.jsonl",
    "traces.jsonl",
    "changes.jsonl",
    "topology.json",
    "recordings.jsonl",
    "documents/note.md",
];

fuzz_target!(|data: &[u8]| {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("documents")).unwrap();
    let mut parts = data.split(|byte| *byte == 0);
    for (file, content) in FILES.iter().zip(parts.by_ref()).filter(|(_, content)| !content.is_empty()) {
        std::fs::write(folder.path().join(file), content).unwrap();
    }
    match Bundle::open(folder.path()) {
        Ok(bundle) => {
            for tool in bundle.tools() {
                assert!(serde_json::from_str::<Value>(&tool.input_schema).is_ok_and(|schema| schema.is_object()));
                for arguments in parts.clone().take(4).map(String::from_utf8_lossy).chain(["{}".into()]) {
                    drop(bundle.call(&tool.name, &arguments));
                }
            }
        }
        Err(error) => assert!(FILES.iter().any(|file| error.to_string().contains(file)), "{error}"),
    }
});
