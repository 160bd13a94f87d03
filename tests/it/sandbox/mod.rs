//! The plug-in host against guests that misbehave: each limit and each refusal is shown to bite. The guests are core
//! modules in WebAssembly text, so that a test shows the very instruction that it is about.

mod adapters;
mod agents;
mod guests;
mod isolation;
mod limits;
mod load;
mod wasi;

pub(crate) use guests::{ASK, COUNT, INPUT, MEMORY, answer_parser, component, encode, module_with, planner};
