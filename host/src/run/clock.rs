//! The time of day, as a value from outside: records get it from here, decisions never do.

use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time for records.
pub trait Clock: Send + Sync {
    /// Unix time in milliseconds.
    fn now_ms(&self) -> i64;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
            // A clock that is set before 1970 is wrong, but no reason to lose a run.
            Err(_) => 0,
        }
    }
}
