//! Portcullis: a WebAssembly plug-in host for evidence-gated diagnosis.
//!
//! Start reading at [`run::Host::diagnose`]. The pure rules are in `portcullis-core`, the sandbox in
//! `portcullis-plugins`; this crate brings them together with agents, tools, a store and a command line.

pub mod agents;
pub mod baseline;
pub mod bounded;
pub mod cli;
pub mod config;
pub mod conformance;
mod defaults;
mod digest;
pub mod eval;
pub mod failures;
pub mod offline;
mod replace;
pub mod run;
pub mod scaffold;
pub mod setup;
pub mod store;
mod toml_text;
pub mod tools;
