//! The program as a person uses it: arguments and files in, exit code, stdout and stderr out.
//!
//! What is told twice over in the room's own tests is not told again here: these tests show that the wiring is right
//! and that each fault is one clear error, with nothing left half-written.

mod batch;
mod check;
mod code;
mod components;
mod faults;
mod graph;
mod inspect;
mod mutations;
mod node_test;
mod parse;
mod place;
mod runs;
mod scaffold;
mod shadow;
mod stores;
mod streams;
mod swap;
mod wit_versions;
