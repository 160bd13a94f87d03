//! The default agents: a deterministic analyst that diagnoses an incident without a model.
//!
//! Four pure functions, one for each agent: [`plan`], [`investigate`], [`verify`], [`compose`]. They know the contract's
//! documents and a trait for tools, and nothing of the component that carries them. What is known about failing systems
//! stands in tables (`knowledge`); what a tool output says is read by its shape (`readers`); the weighing of what was
//! read knows neither.

mod claims;
mod compose;
mod diagnosis;
mod evidence;
mod finding;
mod graph;
mod investigate;
mod knowledge;
mod names;
mod plan;
mod prove;
mod readers;
mod retry;
mod series;
mod session;
mod sources;
mod subject;
#[cfg(test)]
mod tests;
mod time;
mod tools;
mod verify;

pub use compose::compose;
pub use investigate::{Blocked, investigate};
pub use plan::plan;
pub use tools::{ToolError, ToolReply, Tools};
pub use verify::verify;
