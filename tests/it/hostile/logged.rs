//! What guests sent to the log, counted.

use std::io::Write;
use std::sync::{Arc, Mutex};
use tracing::subscriber::DefaultGuard;

/// Listens to this thread until it is dropped.
pub(super) struct Logged {
    lines: Lines,
    _guard: DefaultGuard,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Logged {
    pub(super) fn listen() -> Self {
        let lines = Lines::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .without_time()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        Self { lines, _guard: tracing::subscriber::set_default(subscriber) }
    }

    /// How many lines guests wrote since the last call of this, and the bytes of the longest.
    pub(super) fn take(&self) -> (usize, usize) {
        let lines = std::mem::take(&mut *self.lines.0.lock().unwrap());
        let of_guests = lines.iter().filter(|line| line.contains(" portcullis::guest: "));
        of_guests.fold((0, 0), |(count, longest), line| (count + 1, longest.max(line.len())))
    }
}

impl Write for Lines {
    /// One event, one call.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().push(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
