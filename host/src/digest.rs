//! The digest of a file or of an output, as every record of this program writes it.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// SHA-256 (FIPS 180-4) in lower-case hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a String cannot fail.
        write!(hex, "{byte:02x}").unwrap_or_default();
        hex
    })
}
