//! Words about work that takes long, while it goes on. Nothing is said of work that is soon done.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Does the work, and calls `tell` once if it is not done after `patience`.
pub(crate) fn told_if_long<T>(patience: Duration, tell: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (working, end) = channel::<()>();
        let watch = move || {
            // The other end is dropped when the work is done.
            if end.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                tell();
            }
        };
        // Without a thread nobody is told, and the work is done all the same.
        drop(thread::Builder::new().name("patience".into()).spawn_scoped(scope, watch));
        let done = work();
        drop(working);
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_work_is_told_while_it_goes_on() {
        let (tell, told) = channel();
        let words = told_if_long(Duration::ZERO, move || tell.send("long").unwrap(), || told.recv().unwrap());
        assert_eq!(words, "long");
    }

    #[test]
    fn short_work_is_not() {
        let done = told_if_long(Duration::from_hours(1), || panic!("told of short work"), || 7);
        assert_eq!(done, 7);
    }
}
