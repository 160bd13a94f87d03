//! The pure core of Portcullis.
//!
//! It knows no clock, no file, no environment, no thread and no wasm: everything here is a function of its arguments,
//! and the same arguments give the same bytes. What happens outside is told to it as values.

pub mod document;
pub mod ledger;
pub mod reason;
