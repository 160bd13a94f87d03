//! The only place that prints. A closed pipe ends the output, not the program: `portcullis runs list | head` is fine.

use serde::Serialize;
use std::io::{IsTerminal, Write};

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
    pub(crate) fn result<T: Serialize>(self, value: &T, words: impl FnOnce() -> String) {
        let text = if self.json {
            serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
        } else {
            words()
        };
        write_line(std::io::stdout(), &text);
    }

    /// Words on stderr.
    pub(crate) fn person(self, words: &str) {
        write_line(std::io::stderr(), words);
    }

    /// Whether somebody is looking at stderr.
    pub(crate) fn is_watched() -> bool {
        std::io::stderr().is_terminal()
    }
}

fn write_line(mut stream: impl Write, text: &str) {
    let text = text.strip_suffix('\n').unwrap_or(text);
    // Nobody reads on after a broken pipe, so there is nobody to tell.
    writeln!(stream, "{text}").and_then(|()| stream.flush()).unwrap_or_default();
}
