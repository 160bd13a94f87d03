//! The plug-in host: everything that names wasmtime, and nothing else does.
//!
//! A component is loaded for one [`Role`], as [`Planner`], [`PlanParser`], [`Thinker`] and so on. Each call runs in a
//! guest of its own, under [`Limits`], and can reach nothing but what its world imports: an adapter its [`Invoker`], an
//! investigator its [`ToolPort`], all of them a log. Core types go in and come out; how a call failed is an
//! [`AttemptFailure`] with a reason code.
//!
//! This crate does not know what an agent or a tool is, what a document means, or where a run goes next.

mod adapter;
mod agent;
mod binary;
mod bindings;
mod cache;
mod componentize;
mod convert;
mod digest;
mod engine;
mod error;
mod failure;
mod guest_log;
mod host;
mod imports;
mod limits;
mod memory;
mod meter;
mod parser;
mod plugin;
mod port;
mod producers;
mod role;
mod session;
mod slots;
mod state;
mod ticker;
mod wasi;

pub use adapter::{AttemptOutput, Composer, Executor, Planner, Prepared, Verifier};
pub use agent::{Investigator, Thinker};
pub use cache::CodeCache;
pub use engine::{Allocation, Engine, EngineError, EngineSettings};
pub use error::{LoadError, Problem};
pub use failure::{AttemptFailure, FailureClass};
pub use limits::{Limits, Settings, WasiGrant};
pub use parser::{AnswerParser, EvidenceParser, PlanParser, VerificationParser};
pub use plugin::{PluginInfo, Source};
pub use port::{InvokeError, Invoker, RunIdentity, ToolError, ToolPort, ToolReply};
pub use producers::Language;
pub use role::{Right, Role};
