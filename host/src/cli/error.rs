//! Error kind → exit code and hint: the one place where a failure becomes words for a person.

use super::output::printable;
use std::fmt;
use std::process::ExitCode;

/// How the program ends (documented in the README).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Answered, or the check passed.
    Success,
    /// A started run failed, or the check rejects.
    Failed,
    /// Wrong usage or configuration: nothing was started.
    Usage,
    /// Answered, but degraded or of low confidence.
    Degraded,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Degraded => 3,
        })
    }
}

/// A failure that a person reads.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) exit: Exit,
    message: String,
    hint: Option<String>,
}

impl CliError {
    /// Something that the caller can set right before anything starts.
    pub(crate) fn usage(error: impl fmt::Display) -> Self {
        Self { exit: Exit::Usage, message: error.to_string(), hint: None }
    }

    /// Something that went wrong after the work began.
    pub(crate) fn failed(error: impl fmt::Display) -> Self {
        Self { exit: Exit::Failed, message: error.to_string(), hint: None }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", printable(self.message.trim_end()))?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {}", printable(hint)),
            None => Ok(()),
        }
    }
}
