//! Compiled code on disk, kept by wasmtime's own cache. Compiling a large guest takes half a minute, loading it takes
//! milliseconds.
//!
//! Whoever can write to the folder can make the host run any code. So a folder that others may write to is not used,
//! and the host goes on without.

use std::fs;
use std::path::{Path, PathBuf};
use wasmtime::{Cache, CacheConfig};

/// Whether compiled code outlives the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeCache {
    OnDisk(PathBuf),
    /// Everything is compiled anew at each start.
    Off {
        why: String,
    },
}

/// Opens the cache in `folder`, which is made if need be. The error says why there is none.
pub(crate) fn open(folder: &Path) -> Result<Cache, String> {
    let folder = std::path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    create_private(&folder).map_err(told)?;
    if others_may_write(&folder).map_err(told)? {
        return Err(format!("{}: other users may write to it; chmod go-w", folder.display()));
    }
    // The cache itself only logs that it cannot write.
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe)).map_err(told)?;

    let mut config = CacheConfig::new();
    config.with_directory(&folder);
    Cache::new(config).map_err(|error| format!("{}: {error:#}", folder.display()))
}

#[cfg(unix)]
fn create_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(unix)]
fn others_may_write(folder: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::metadata(folder)?.permissions().mode() & 0o022 != 0)
}

/// Elsewhere folders of a user are private from the start.
#[cfg(not(unix))]
fn others_may_write(_folder: &Path) -> std::io::Result<bool> {
    Ok(false)
}
