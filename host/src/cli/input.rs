//! Reads what a person hands over: a file or stdin, refused by size before it is parsed.

use super::error::CliError;
use std::io::Read;
use std::path::Path;

/// Reads at most `limit` bytes. `None` and `-` mean stdin.
pub(crate) fn read(path: Option<&Path>, limit: u64) -> Result<Vec<u8>, CliError> {
    let path = path.filter(|path| *path != Path::new("-"));
    let name = path.map_or_else(|| "stdin".to_owned(), |path| path.display().to_string());
    let too_large = || CliError::usage(format!("{name} has more than {limit} bytes"));
    let unreadable = |error| CliError::usage(format!("cannot read {name}: {error}"));
    let mut bytes = Vec::new();
    match path {
        Some(path) => {
            let file = std::fs::File::open(path).map_err(unreadable)?;
            if file.metadata().map_err(unreadable)?.len() > limit {
                return Err(too_large());
            }
            file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?
        }
        None => std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?,
    };
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}
