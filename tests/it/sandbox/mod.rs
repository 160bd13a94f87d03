//! The plug-in host against guests that misbehave: each limit and each refusal is shown to bite. The guests are core
//! modules in WebAssembly text, so that a test shows the very instruction that it is about.

mod adapters;
mod agents;
mod guests;
mod inspect;
mod isolation;
mod limits;
mod load;
mod wasi;

pub(crate) use guests::{
    ASK, Agent, COUNT, INPUT, MEMORY, Tools, answer_parser, component, encode, engine, load_parser, load_planner,
    module, module_with, planner, planner_projection, query, run, said, source,
};
