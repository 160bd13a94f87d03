//! What a guest says to the operator: the `log` import, and what a WASI guest prints.
//!
//! It goes to `tracing`, bounded in number and length, and nowhere else. The last errors are kept for the detail of a
//! failure, because a guest that panics says why only here.

use crate::limits::log::{MESSAGE_BYTES, MESSAGES, TAIL_BYTES};
use crate::role::Role;
use std::sync::Arc;

/// How grave a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

/// Who speaks.
#[derive(Debug, Clone)]
pub(crate) struct Speaker {
    pub(crate) role: Role,
    pub(crate) component: Arc<str>,
    /// Empty outside a run.
    pub(crate) run_id: String,
}

/// A standard stream of a WASI guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// The log of one store.
pub(crate) struct GuestLog {
    speaker: Speaker,
    messages_left: u32,
    last_errors: String,
    /// What was printed to each stream since its last line end.
    out_line: Vec<u8>,
    err_line: Vec<u8>,
}

impl GuestLog {
    pub(crate) const fn new(speaker: Speaker) -> Self {
        Self {
            speaker,
            messages_left: MESSAGES,
            last_errors: String::new(),
            out_line: Vec::new(),
            err_line: Vec::new(),
        }
    }

    pub(crate) fn write(&mut self, level: Level, message: &str) {
        let Some(messages_left) = self.messages_left.checked_sub(1) else { return };
        self.messages_left = messages_left;
        let message = clean(message, MESSAGE_BYTES);
        self.emit(level, &message);
        if level == Level::Error {
            self.keep(&message);
        }
        if messages_left == 0 {
            self.emit(Level::Warn, "no further message of this guest is logged");
        }
    }

    /// Takes what a WASI guest prints, line by line: each is one message.
    pub(crate) fn print(&mut self, stream: Stream, bytes: &[u8]) {
        for (index, piece) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if index > 0 {
                self.end_line(stream);
            }
            let line = self.line(stream);
            // One byte more than is shown, so that a cut is seen as one.
            let room = (MESSAGE_BYTES + 1).saturating_sub(line.len());
            line.extend(piece.iter().take(room));
        }
    }

    /// Takes the beginnings of lines for lines.
    pub(crate) fn flush(&mut self) {
        self.end_line(Stream::Out);
        self.end_line(Stream::Err);
    }

    /// The last errors that the guest reported, if any.
    pub(crate) fn last_errors(&self) -> &str {
        &self.last_errors
    }

    fn line(&mut self, stream: Stream) -> &mut Vec<u8> {
        match stream {
            Stream::Out => &mut self.out_line,
            Stream::Err => &mut self.err_line,
        }
    }

    fn end_line(&mut self, stream: Stream) {
        let line = std::mem::take(self.line(stream));
        if !line.is_empty() {
            let level = match stream {
                Stream::Out => Level::Info,
                Stream::Err => Level::Error,
            };
            self.write(level, &String::from_utf8_lossy(&line));
        }
    }

    fn keep(&mut self, message: &str) {
        if !self.last_errors.is_empty() {
            self.last_errors.push_str(" | ");
        }
        self.last_errors.push_str(message);
        let excess = self.last_errors.len().saturating_sub(TAIL_BYTES);
        self.last_errors.drain(..self.last_errors.ceil_char_boundary(excess));
    }

    fn emit(&self, level: Level, message: &str) {
        let Speaker { role, component, run_id } = &self.speaker;
        macro_rules! emit {
            ($macro:ident) => {
                tracing::$macro!(target: "portcullis::guest", %role, %component, %run_id, "{message}")
            };
        }
        match level {
            Level::Debug => emit!(debug),
            Level::Info => emit!(info),
            Level::Warn => emit!(warn),
            Level::Error => emit!(error),
        }
    }
}

impl Drop for GuestLog {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Makes foreign text fit for one line of a log: at most `bytes` long, cut at a border of UTF-8, and without control
/// characters, so that it can neither forge a line nor steer a terminal.
pub(crate) fn clean(text: &str, bytes: usize) -> String {
    let kept = clip(text, bytes);
    let mut line: String = kept.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if kept.len() < text.len() {
        line.push('…');
    }
    line
}

/// The longest beginning of `text` that has at most `bytes`.
pub(crate) fn clip(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> GuestLog {
        GuestLog::new(Speaker { role: Role::Planner, component: "test".into(), run_id: String::new() })
    }

    #[test]
    fn foreign_text_stays_on_its_line() {
        let check = |text: &str, bytes, expected: &str| assert_eq!(clean(text, bytes), expected);
        check("plain", 10, "plain");
        check("two\nlines\r\x1b[31mred", 100, "two lines  [31mred");
        check("größer", 4, "grö…");
        check("größer", 3, "gr…");
        check("", 0, "");
    }

    #[test]
    fn the_last_errors_are_kept_and_bounded() {
        let mut log = log();
        log.write(Level::Warn, "not this");
        log.write(Level::Error, "first");
        log.write(Level::Error, "second");
        assert_eq!(log.last_errors(), "first | second");
        for _ in 0..10 {
            log.write(Level::Error, &"ü".repeat(400));
        }
        assert!(log.last_errors().len() <= TAIL_BYTES);
        assert!(log.last_errors().ends_with('ü'));
    }

    #[test]
    fn what_is_printed_becomes_messages_line_by_line() {
        let mut log = log();
        log.print(Stream::Err, b"thread panicked");
        log.print(Stream::Out, b"not an error\n");
        log.print(Stream::Err, b" at line 7\n\nwhy: \xff");
        assert_eq!(log.last_errors(), "thread panicked at line 7");
        log.flush();
        assert_eq!(log.last_errors(), "thread panicked at line 7 | why: \u{fffd}");
        log.print(Stream::Err, &[b'x'; 2 * MESSAGE_BYTES]);
        log.flush();
        assert!(log.last_errors().ends_with("xxx…"));
    }

    #[test]
    fn a_talkative_guest_falls_silent() {
        let mut log = log();
        for _ in 0..MESSAGES {
            log.write(Level::Info, "again");
        }
        log.write(Level::Error, "too late");
        assert_eq!(log.last_errors(), "");
    }
}
