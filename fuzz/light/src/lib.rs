//! What the targets share, and the two modules of the host that read files: they are taken from where they lie, because
//! the crate that they belong to builds wasmtime.

#[path = "../../../host/src/bounded.rs"]
pub mod bounded;
pub mod case;
#[path = "../../../host/src/config.rs"]
pub mod config;
pub mod folder;
#[path = "../../../host/src/tools/incident/mod.rs"]
pub mod incident;
