//! Reads what a person hands over: a file or stdin.

use super::error::CliError;
use crate::bounded::{self, ReadError};
use std::path::Path;

/// What messages call the source: `None` and `-` mean stdin.
pub(crate) fn name(path: Option<&Path>) -> String {
    named(path).map_or_else(|| "stdin".to_owned(), |path| path.display().to_string())
}

/// Reads at most `limit` bytes.
pub(crate) fn read(path: Option<&Path>, limit: u64) -> Result<Vec<u8>, CliError> {
    let bytes = match named(path) {
        Some(path) => bounded::file(path, limit),
        None => bounded::stream(std::io::stdin().lock(), limit),
    };
    bytes.map_err(|error| {
        let hint = match &error {
            ReadError::Unreadable(_) => "name a file, or `-` for stdin",
            ReadError::TooLarge { .. } => "hand over the part that matters",
        };
        CliError::usage(format!("cannot read {}: {error}", name(path))).hint(hint)
    })
}

fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}
