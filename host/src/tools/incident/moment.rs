//! A point in time that keeps the words in which it was written, so that an answer shows what the file shows.

use super::error::{BundleError, Place};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Moment {
    text: String,
    at: Timestamp,
}

impl Moment {
    pub(super) fn at(&self) -> Timestamp {
        self.at
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Reads a time of a file, with the place for the error.
    pub(super) fn of_file(path: &Path, line: usize, field: &'static str, text: &str) -> Result<Self, BundleError> {
        Self::try_from(text.to_owned()).map_err(|problem| {
            BundleError::new(path, Place::field(line, field), problem, "write RFC 3339 in UTC: 2026-01-31T12:00:00Z")
        })
    }
}

impl TryFrom<String> for Moment {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.parse() {
            Ok(at) => Ok(Self { text, at }),
            Err(_) => Err(format!("`{}` is no RFC 3339 time", text.chars().take(40).collect::<String>())),
        }
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.text
    }
}

/// The part of time that a query asks for: from inclusive, to inclusive.
#[derive(Debug, Clone, Default)]
pub(super) struct Span {
    pub(super) from: Option<Moment>,
    pub(super) to: Option<Moment>,
}

impl Span {
    pub(super) fn contains(&self, moment: &Moment) -> bool {
        self.from.as_ref().is_none_or(|from| from.at <= moment.at)
            && self.to.as_ref().is_none_or(|to| moment.at <= to.at)
    }
}

/// Whether a moment is on the later side of a split; the split itself is.
pub(super) fn is_after(moment: &Moment, split: &Moment) -> bool {
    moment.at >= split.at
}
