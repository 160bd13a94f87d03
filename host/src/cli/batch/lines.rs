//! The lines of a batch, each within bounds, read by a thread of its own: nothing else waits for whoever writes them.

use crate::bounded::{self, ReadError};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use tokio::sync::mpsc;

/// A question and its facts at their largest, each character written as an escape.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// One line, counted from 1, without its end.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) bytes: Result<Vec<u8>, ReadError>,
}

/// The lines of stdin, or of a file.
///
/// # Errors
/// When there is no such file. A pipe is opened when its writer comes.
pub(super) fn of(file: Option<&Path>) -> io::Result<mpsc::Receiver<Line>> {
    // Hardly any is read ahead: what is not taken can still be taken by the next process.
    let (sender, lines) = mpsc::channel(1);
    match file {
        None => drop(std::thread::spawn(move || send(io::stdin().lock(), &sender))),
        Some(path) => {
            if std::fs::metadata(path)?.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            let opened = File::open(path)?;
            drop(std::thread::spawn(move || send(BufReader::new(opened), &sender)));
        }
    }
    Ok(lines)
}

/// Until there is no more line, or nobody wants one.
fn send(mut source: impl BufRead, sender: &mpsc::Sender<Line>) {
    for number in 1.. {
        let Some(bytes) = bounded::line(&mut source, LINE_BYTES_MAX).transpose() else { return };
        // A source that cannot be read gives this for ever.
        let is_over = matches!(bytes, Err(ReadError::Unreadable(_)));
        if sender.blocking_send(Line { number, bytes }).is_err() || is_over {
            return;
        }
    }
}
