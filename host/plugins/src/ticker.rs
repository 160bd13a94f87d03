//! The clock that lets the host stop a guest which computes: a thread that raises the engine's epoch.
//!
//! It does not know who runs or for how long. At each tick a running guest stops for a moment and its
//! [`Meter`](crate::meter::Meter) is read.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// How far a compute limit can be overrun.
const TICK: Duration = Duration::from_millis(10);

/// Ticks until it is dropped.
pub(crate) struct Ticker {
    /// Never sent to: that it goes away is the message.
    _alive: Sender<()>,
}

impl Ticker {
    /// An own thread, as a timer of the async runtime would wait for the very thread that a guest holds.
    pub(crate) fn start(tick: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let (alive, owner) = mpsc::channel();
        std::thread::Builder::new().name("portcullis-epoch".to_owned()).spawn(move || {
            while owner.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                tick();
            }
        })?;
        Ok(Self { _alive: alive })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_until_dropped() {
        let (tick, ticks) = mpsc::channel();
        let ticker = Ticker::start(move || tick.send(()).unwrap()).unwrap();
        ticks.recv().unwrap();
        ticks.recv().unwrap();
        drop(ticker);
        // The thread ends and lets go of its end of the channel; else this would wait for ever.
        assert!(ticks.iter().count() < 1_000);
    }
}
