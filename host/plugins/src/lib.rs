//! The plug-in host: everything that names wasmtime, and nothing else does.

mod port;

pub use port::{InvokeError, Invoker, RunIdentity, ToolError, ToolPort, ToolReply};
