//! Makes components of the built guests, to embed them as the defaults.
//!
//! It builds no guest itself: which toolchain can is the Makefile's business. The digest of a default is that of the
//! embedded component.

use anyhow::Context;
use std::path::{Path, PathBuf};
use wasm_encoder::{ComponentSection, CustomSection};
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

fn main() -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/guests");
    let out: PathBuf = std::env::var_os("OUT_DIR").context("cargo sets no OUT_DIR")?.into();
    for name in GUESTS {
        let module = folder.join(format!("{name}.wasm"));
        println!("cargo::rerun-if-changed={}", module.display());
        let component = component(&module)?;
        std::fs::write(out.join(format!("{name}.wasm")), component)?;
    }
    Ok(())
}

fn component(module: &Path) -> anyhow::Result<Vec<u8>> {
    let name = module.display();
    let bytes = std::fs::read(module).with_context(|| format!("the guest {name} is not built: run `make guests`"))?;
    let encoder = ComponentEncoder::default().module(&bytes).with_context(|| format!("{name} is no guest"))?;
    let mut component = encoder.validate(true).encode().with_context(|| format!("{name} is no component"))?;
    // The record of a run names the version of each component (R-HOST-06); the defaults have the host's.
    let version = CustomSection { name: "version".into(), data: env!("CARGO_PKG_VERSION").as_bytes().into() };
    version.append_to_component(&mut component);
    Ok(component)
}
