//! Reads what a person hands over: a file or stdin.

use super::error::CliError;
use crate::bounded::{self, ReadError};
use std::fs::File;
use std::path::Path;

/// What messages call the source: `None`, `-` and `/dev/stdin` mean stdin.
pub(crate) fn name(path: Option<&Path>) -> String {
    named(path).map_or_else(|| "stdin".to_owned(), |path| path.display().to_string())
}

/// Reads at most `limit` bytes.
pub(crate) fn read(path: Option<&Path>, limit: u64) -> Result<Vec<u8>, CliError> {
    let bytes = match named(path) {
        // The shell has opened it: what `<(command)` stands for is a pipe, and nothing waits for a writer.
        Some(path) if path.starts_with("/dev/fd") => {
            File::open(path).map_err(ReadError::from).and_then(|opened| bounded::stream(opened, limit))
        }
        Some(path) => bounded::file(path, limit),
        None => bounded::stream(std::io::stdin().lock(), limit),
    };
    bytes.map_err(|error| {
        let hint = match &error {
            ReadError::Unreadable(_) | ReadError::NotRegular => "name a file, or `-` for stdin",
            ReadError::TooLarge { .. } => "hand over the part that matters",
        };
        CliError::usage(format!("cannot read {}: {error}", name(path))).hint(hint)
    })
}

/// The file, unless stdin is meant.
pub(super) fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| ![Path::new("-"), Path::new("/dev/stdin")].contains(path))
}
