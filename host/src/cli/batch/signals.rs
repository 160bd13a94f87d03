//! What the operator tells a running host.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// To read the configuration again: SIGHUP.
pub(super) struct Hangup(Signal);

/// To take no more questions: SIGINT or SIGTERM.
pub(super) struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

/// From now on these signals do not end the process.
pub(super) fn listen() -> io::Result<(Hangup, Stop)> {
    let hangup = Hangup(signal(SignalKind::hangup())?);
    let stop = Stop { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? };
    Ok((hangup, stop))
}

impl Hangup {
    /// Waits for the next. Those that came while nobody waited count as one.
    pub(super) async fn next(&mut self) {
        self.0.recv().await;
    }
}

impl Stop {
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
