//! Makes components of the built guests, to embed them as the defaults.
//!
//! It builds no guest itself: which toolchain can is the Makefile's business. The digest of a default is that of the
//! embedded component.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wit_component::ComponentEncoder;

/// The default components, by file name.
const GUESTS: [&str; 10] = [
    "planner",
    "executor",
    "verifier",
    "composer",
    "plan-parser",
    "evidence-parser",
    "verification-parser",
    "answer-parser",
    "thinker",
    "investigator",
];

fn main() -> ExitCode {
    match embed() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

fn embed() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/guests");
    let out: PathBuf = std::env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?.into();
    for name in GUESTS {
        let module = folder.join(format!("{name}.wasm"));
        println!("cargo::rerun-if-changed={}", module.display());
        let bytes = std::fs::read(&module)
            .map_err(|error| format!("the guest {} is not built ({error}): run `make guests`", module.display()))?;
        let component = ComponentEncoder::default()
            .module(&bytes)
            .and_then(|encoder| encoder.validate(true).encode())
            .map_err(|error| format!("{} is no component: {error:#}", module.display()))?;
        std::fs::write(out.join(format!("{name}.wasm")), component).map_err(|error| error.to_string())?;
    }
    Ok(())
}
