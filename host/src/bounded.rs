//! Reads what a person hands over, refused by size before it is parsed.
//!
//! The size is not asked for beforehand: a stream has none, and a file may grow while it is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// To open a pipe waits for its writer, and a device may never end.
    #[error("it is no regular file")]
    NotRegular,
    #[error("it has more than {limit} bytes")]
    TooLarge { limit: u64 },
}

/// All of a regular file.
///
/// # Errors
/// [`ReadError`]; nothing of a source that is too large is handed on.
pub fn file(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(ReadError::NotRegular);
    }
    stream(File::open(path)?, limit)
}

/// All of a stream.
///
/// # Errors
/// [`ReadError`]; nothing of a source that is too large is handed on.
pub fn stream(source: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells a source of just that size from a larger one.
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(ReadError::TooLarge { limit }) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_read_whole_or_not_at_all() {
        // R-HOST-04
        assert_eq!(stream(&b"1234"[..], 4).unwrap(), b"1234");
        assert!(matches!(stream(&b"12345"[..], 4), Err(ReadError::TooLarge { limit: 4 })));
        assert!(matches!(stream(io::repeat(b'x'), 4), Err(ReadError::TooLarge { limit: 4 })), "it never ends");
        assert!(matches!(file(Path::new("/no/such/file"), 4), Err(ReadError::Unreadable(_))));
    }

    #[test]
    fn what_is_no_regular_file_is_refused_unopened() {
        // R-HOST-04
        for path in [std::env::temp_dir().as_path(), Path::new("/dev/zero")] {
            assert!(matches!(file(path, 4), Err(ReadError::NotRegular)), "{}", path.display());
        }
    }
}
