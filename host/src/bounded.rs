//! Reads what a person hands over, refused by size before it is parsed.
//!
//! The size is not asked for beforehand: a stream has none, and a file may grow while it is read.

use std::fs::File;
use std::io::{self, BufRead, Read};
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

/// The next line of a stream without its end, or none. One that is too large is read over: the next can be read.
///
/// # Errors
/// [`ReadError`]; nothing of a line that is too large is handed on.
pub fn line(source: &mut impl BufRead, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
    let mut bytes = Vec::new();
    // Its end is read with it, and does not count.
    if source.by_ref().take(limit.saturating_add(1)).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() as u64 > limit {
        source.skip_until(b'\n')?;
        return Err(ReadError::TooLarge { limit });
    }
    Ok(Some(bytes))
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
    fn a_line_that_is_too_large_is_read_over() {
        // R-HOST-04
        let mut source = &b"12\n\n1234\n12345\n123456789\n1\n12345"[..];
        let mut next = || match line(&mut source, 4) {
            Ok(line) => line.map(|line| String::from_utf8(line).unwrap()),
            Err(error) => Some(error.to_string()),
        };
        let refused = "it has more than 4 bytes";
        let lines: Vec<_> = std::iter::from_fn(&mut next).collect();
        assert_eq!(lines, ["12", "", "1234", refused, refused, "1", refused]);
        assert_eq!(next(), None);
    }

    #[test]
    fn what_is_no_regular_file_is_refused_unopened() {
        // R-HOST-04
        for path in [std::env::temp_dir().as_path(), Path::new("/dev/zero")] {
            assert!(matches!(file(path, 4), Err(ReadError::NotRegular)), "{}", path.display());
        }
    }
}
