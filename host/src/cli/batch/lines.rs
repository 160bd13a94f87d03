//! The lines of a batch, each within bounds, read by a thread of its own: nothing else waits for whoever writes them.

use crate::bounded::{self, ReadError};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;

/// A question and its facts at their largest, each character written as an escape.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// One line, counted from 1, without its end.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) bytes: Result<Vec<u8>, ReadError>,
}

/// The lines of an input. None is read before it is wanted, and not a byte beyond it: what is not taken stays for the
/// next process.
pub(super) struct Lines {
    wanted: std::sync::mpsc::Sender<()>,
    read: mpsc::Receiver<Line>,
    /// Whether one is on its way.
    asked: bool,
}

impl Lines {
    /// Of stdin, or of a file.
    ///
    /// # Errors
    /// When there is no such file. A pipe is opened when its writer comes.
    pub(super) fn of(file: Option<&Path>) -> io::Result<Self> {
        let source = match file {
            None => File::from(io::stdin().as_fd().try_clone_to_owned()?),
            Some(path) if std::fs::metadata(path)?.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Some(path) => File::open(path)?,
        };
        let (wanted, wants) = std::sync::mpsc::channel();
        let (sender, read) = mpsc::channel(1);
        // Byte by byte: a larger buffer would take lines that nobody asked for.
        drop(std::thread::spawn(move || send(BufReader::with_capacity(1, source), &wants, &sender)));
        Ok(Self { wanted, read, asked: false })
    }

    /// The next line; none at the end. One that was asked for and not awaited comes the next time.
    pub(super) async fn next(&mut self) -> Option<Line> {
        if !self.asked {
            self.asked = self.wanted.send(()).is_ok();
        }
        let line = self.read.recv().await;
        self.asked = false;
        line
    }

    /// The line that was asked for and never taken, if there is one. It may be on its way, or nobody writes any more.
    pub(super) async fn left(&mut self) -> Option<Line> {
        const MOMENT: Duration = Duration::from_millis(200);
        if !std::mem::take(&mut self.asked) {
            return None;
        }
        tokio::time::timeout(MOMENT, self.read.recv()).await.ok().flatten()
    }
}

/// Until there is no more line, or nobody wants one.
fn send(mut source: impl BufRead, wants: &std::sync::mpsc::Receiver<()>, sender: &mpsc::Sender<Line>) {
    for number in 1.. {
        if wants.recv().is_err() {
            return;
        }
        let Some(bytes) = bounded::line(&mut source, LINE_BYTES_MAX).transpose() else { return };
        // A source that cannot be read gives this for ever.
        let is_over = matches!(bytes, Err(ReadError::Unreadable(_)));
        if sender.blocking_send(Line { number, bytes }).is_err() || is_over {
            return;
        }
    }
}
