//! Why a bundle, or a call to one of its tools, cannot be served. It does not know how the tools work.

use std::fmt;
use std::path::Path;

/// A bundle that cannot be used: the file, the place in it, what is wrong, and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleError {
    file: String,
    place: Place,
    problem: String,
    way_out: &'static str,
}

/// Where in a file; empty when the whole file is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: Option<usize>,
    pub(super) field: Option<&'static str>,
}

impl Place {
    pub(super) fn line(line: usize) -> Self {
        Self { line: Some(line), field: None }
    }

    pub(super) fn field(line: usize, field: &'static str) -> Self {
        Self { line: Some(line), field: Some(field) }
    }
}

impl BundleError {
    pub(super) fn new(file: &Path, place: Place, problem: impl Into<String>, way_out: &'static str) -> Self {
        Self { file: file.display().to_string(), place, problem: problem.into(), way_out }
    }
}

impl fmt::Display for BundleError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.file)?;
        if let Some(line) = self.place.line {
            write!(out, ":{line}")?;
        }
        if let Some(field) = self.place.field {
            write!(out, ", field `{field}`")?;
        }
        write!(out, ": {}; {}", self.problem, self.way_out)
    }
}

impl std::error::Error for BundleError {}

/// A call that no answer can be given to. An empty answer is no error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("unknown tool")]
    UnknownTool,
    #[error("invalid arguments: {0}")]
    InvalidArguments(String),
}
