//! The pure core of Portcullis.
//!
//! It knows no clock, no file, no environment, no thread and no wasm: everything here is a function of its arguments,
//! and the same arguments give the same bytes. What happens outside is told to it as values.

pub mod answer;
pub mod baseline;
pub mod compose;
pub mod document;
pub mod gate;
pub mod graph;
pub mod json;
pub mod ledger;
pub mod projection;
pub mod reason;
pub mod retry;
pub mod route;
pub mod state;
pub mod trail;
pub mod verdict;
pub mod verified;
