//! Work on what was recorded, without a run: the gatekeeper alone, the parsers alone, and proving a finished run.

pub mod check;
pub mod prove;
pub mod wire;
