//! The only place that prints. A closed pipe ends the output, not the program: `portcullis runs list | head` is fine.

use super::error::CliError;
use portcullis_core::answer::turns_text;
use serde::Serialize;
use std::io::{ErrorKind, IsTerminal, Write};

/// Where results and words go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// The result on stdout: `value` with `--json`, else the words.
    ///
    /// # Errors
    /// When stdout takes nothing, a full disk for instance: a result that is lost must not look like a success.
    pub(crate) fn result<T: Serialize>(self, value: &T, words: impl FnOnce() -> String) -> Result<(), CliError> {
        let text = if self.json {
            serde_json::to_string_pretty(value).map_err(CliError::failed)?
        } else {
            printable(&words())
        };
        to_stdout(&text).map(drop)
    }

    /// One of many results on stdout, as JSON on a line of its own. Says whether anybody reads on.
    ///
    /// # Errors
    /// As [`Output::result`].
    pub(crate) fn json_line<T: Serialize>(value: &T) -> Result<bool, CliError> {
        to_stdout(&serde_json::to_string(value).map_err(CliError::failed)?)
    }

    /// Words on stderr.
    pub(crate) fn person(words: &str) {
        // There is no other place where a person could be told that this one is closed.
        write_line(std::io::stderr(), words).unwrap_or_default();
    }

    /// Whether somebody is looking at stderr.
    pub(crate) fn is_watched() -> bool {
        std::io::stderr().is_terminal()
    }
}

/// False when nobody reads on: then nothing is lost.
fn to_stdout(text: &str) -> Result<bool, CliError> {
    match write_line(std::io::stdout(), text) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(CliError::failed(format!("cannot write the result to stdout: {error}"))),
    }
}

fn write_line(mut stream: impl Write, text: &str) -> std::io::Result<()> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    writeln!(stream, "{text}")?;
    stream.flush()
}

/// Words quote files, arguments and what tools said: what would command a terminal or turn its text around is replaced.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if (c.is_control() && c != '\n' && c != '\t') || turns_text(c) { '\u{FFFD}' } else { c })
        .collect()
}
