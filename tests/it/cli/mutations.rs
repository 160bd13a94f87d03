//! Each kind of file with random damage: the program may refuse it or live with it, and never panics.

use super::place::{Place, Ran};
use std::process::Command;

/// How many damaged copies of each file. The seeds are fixed: a failure comes again.
const COPIES: u64 = 24;

/// xorshift64*, see Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled".
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(high).unwrap() % bound.max(1)
    }

    /// One to four of: a byte changed, a piece cut out, a piece doubled, something odd put in, the end cut off.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        const ODD: [&[u8]; 12] = [
            b"\0",
            b"\xff",
            b"\n",
            b"\"",
            b"{",
            b"]",
            b"-1",
            b"1e999",
            b"99999999999999999999",
            b"null",
            b"\\ud800",
            "\u{feff}".as_bytes(),
        ];
        for _ in 0..=self.below(4) {
            let from = self.below(bytes.len());
            let to = bytes.len().min(from + 1 + self.below(40));
            match self.below(6) {
                0 | 1 => {
                    if let Some(byte) = bytes.get_mut(from) {
                        *byte = u8::try_from(self.below(256)).unwrap();
                    }
                }
                2 => drop(bytes.drain(from..to)),
                3 => {
                    let piece = bytes[from..to].to_vec();
                    bytes.splice(from..from, piece);
                }
                4 => drop(bytes.splice(from..from, ODD[self.below(ODD.len())].iter().copied())),
                _ => bytes.truncate(from),
            }
        }
    }
}

/// Runs each line over damaged copies of a file.
fn survives(place: &Place, name: &str, lines: &[&str]) {
    let original = std::fs::read(place.path(name)).unwrap();
    for seed in 1..=COPIES {
        let mut bytes = original.clone();
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).damage(&mut bytes);
        place.write(name, &bytes);
        for line in lines {
            let mut command: Command = place.command(line.split_whitespace());
            let ran: Ran = command.output().unwrap().into();
            let seen = || format!("{name}, seed {seed}, `{line}`: {ran:?}\n{:?}", String::from_utf8_lossy(&bytes));
            assert!(matches!(ran.code, Some(0..=3)), "{}", seen());
            assert!(!ran.stderr.contains("panicked"), "{}", seen());
            assert!(ran.code != Some(2) || (ran.stderr.starts_with("error: ") && ran.stdout.is_empty()), "{}", seen());
        }
    }
    place.write(name, original);
}

#[test]
fn damaged_configurations_and_scripts() {
    // R-HOST-01 R-NODE-04
    let place = Place::scripted();
    survives(&place, "portcullis.toml", &["run --incident bundle --store memory"]);
    survives(&place, "script.json", &["run --incident bundle --store memory"]);
}

#[test]
fn damaged_bundles() {
    // R-HOST-04 R-GATE-07
    let place = Place::scripted();
    place.write("bundle/traces.jsonl", "{\"trace_id\":\"t\",\"span_id\":\"a\",\"entity\":\"cart\",\"operation\":\"get\",\"start\":\"2026-03-01T10:00:00Z\",\"duration_ms\":5}\n");
    place
        .write("bundle/topology.json", "{\"nodes\":[{\"id\":\"cart\"}],\"edges\":[{\"from\":\"cart\",\"to\":\"db\"}]}");
    place
        .write("bundle/expected.json", "{\"root_cause\":{\"entity\":\"checkout\"},\"required_keywords\":[[\"pool\"]]}");
    place.write("bundle/documents/runbook.md", "# Pool\n\nRestart it.\n");
    for name in [
        "incident.json",
        "metrics.csv",
        "logs.jsonl",
        "traces.jsonl",
        "changes.jsonl",
        "topology.json",
        "recordings.jsonl",
        "expected.json",
        "documents/runbook.md",
    ] {
        survives(&place, &format!("bundle/{name}"), &["eval bundle", "tools call query_metrics --incident bundle"]);
    }
}

#[test]
fn damaged_components() {
    // R-HOST-02 R-HOST-05 R-NODE-07
    let place = Place::scripted();
    let guest = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/guests/composer.wasm");
    place.write("own.wasm", std::fs::read(guest).unwrap());
    let config = std::fs::read_to_string(place.path("portcullis.toml")).unwrap();
    place.write("portcullis.toml", config + "[nodes.composer]\ncomponent = \"own.wasm\"\n");
    survives(&place, "own.wasm", &["run --incident bundle --store memory"]);
}

#[test]
fn damaged_texts_and_check_files() {
    // R-PARSE-01 R-GATE-03
    let place = Place::scripted();
    place.write(
        "check.json",
        r#"{"run_id":"r","invocations":[{"invocation_id":"i","run_id":"r","tool_name":"t","status":"ok","output":{"a":[1,"b"]}}],
            "executor_output":{"answer_version":"executor_evidence_v2","claims":[{"claim_id":"c","text":"It is 1.",
            "evidence_bindings":[{"source_invocation_id":"i","tool_name":"t","raw_path":"$.a[0]","matched_text":"1"}]}]}}"#,
    );
    survives(&place, "check.json", &["check check.json --json"]);
    place.write("text.txt", "<think>no</think>\n```json\n{\"answer_version\": \"diagnosis_plan_v1\", \"steps\": [{\"step_id\": \"s\", \"goal\": \"g\"}]}\n```");
    survives(&place, "text.txt", &["parse plan text.txt", "parse answer text.txt --json"]);
}

#[test]
fn damaged_stores() {
    // R-RUN-05
    let place = Place::scripted();
    place.sh("run --incident bundle").ok();
    survives(&place, "portcullis.db", &["runs list", "runs show last", "run --incident bundle"]);
}
