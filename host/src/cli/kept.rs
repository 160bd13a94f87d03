//! Opens the run store for a command, and tells a person which file is at fault and what to do.

use super::error::CliError;
use crate::config::Config;
use crate::setup::{self, SetupError};
use crate::store::{OpenError, RunStore, StoreError};
use std::sync::Arc;

const WAY_OUT: &str = "name another file with --store FILE, or move that one away";

/// For writing: it is made if need be.
pub(crate) fn open(config: &Config) -> Result<Arc<dyn RunStore>, CliError> {
    setup::open_store(config).map_err(|error| refused(config, &error))
}

/// For reading: it is not made.
pub(crate) fn existing(config: &Config) -> Result<Arc<dyn RunStore>, CliError> {
    setup::existing_store(config).map_err(|error| refused(config, &error))
}

/// A store that was opened and cannot be read on.
pub(crate) fn broken(config: &Config, error: &StoreError) -> CliError {
    CliError::failed(named(config, error)).hint(WAY_OUT)
}

fn refused(config: &Config, error: &SetupError) -> CliError {
    // Every other message names its own way out.
    if let SetupError::Store(error) = error {
        CliError::usage(named(config, error)).hint(WAY_OUT)
    } else if let SetupError::Open(OpenError::Sqlite { .. }) = error {
        CliError::usage(error).hint(WAY_OUT)
    } else {
        CliError::usage(error)
    }
}

fn named(config: &Config, error: &StoreError) -> String {
    format!("{}: {error}", config.store.path.display())
}
