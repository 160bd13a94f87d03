//! A guest has no stderr: without this hook the host learns that it trapped, but not why.

use crate::log::{self, Level};

/// Sends the message of a panic to `log` before the guest traps. To be called first in every export.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| log::write(Level::Error, &panic.to_string())));
}
