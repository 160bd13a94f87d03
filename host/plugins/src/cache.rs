//! Compiled code on disk, kept by wasmtime's own cache. Compiling a large guest takes half a minute, loading it takes
//! milliseconds.
//!
//! Whoever can write to the folder can make the host run any code. So a folder that is another user's, or that others
//! may write to, is not used, and the host goes on without.

use std::fs::{self, File};
use std::io;
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

/// Where the code of the components that were loaded came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CodeTally {
    pub from_cache: usize,
    pub compiled: usize,
}

/// What a cache holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheUsage {
    pub files: u64,
    pub bytes: u64,
}

impl CodeCache {
    /// What the folder holds; what cannot be read there counts for nothing.
    pub fn usage(&self) -> CacheUsage {
        /// The cache keeps itself far below, and a folder may be anything.
        const FILES: u64 = 100_000;
        let mut usage = CacheUsage::default();
        let mut folders = match self {
            Self::OnDisk(folder) => vec![folder.clone()],
            Self::Off { .. } => Vec::new(),
        };
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                // Not followed: a link is counted as itself.
                let Ok(metadata) = entry.metadata() else { continue };
                if metadata.is_dir() {
                    folders.push(entry.path());
                } else if usage.files < FILES {
                    usage.files += 1;
                    usage.bytes = usage.bytes.saturating_add(metadata.len());
                }
            }
        }
        usage
    }
}

/// Opens the cache in `folder`, which is made if need be. The error says why there is none.
pub(crate) fn open(folder: &Path) -> Result<Cache, String> {
    let folder = std::path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let told = |error: io::Error| format!("{}: {error}", folder.display());
    create_private(&folder).map_err(told)?;
    if others_may_write(&folder).map_err(told)? {
        return Err(format!(
            "{}: other users may write to it, and may have; remove it, and it is made anew",
            folder.display()
        ));
    }
    // The cache itself only logs that it cannot write.
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    let is_own = probed(&folder, &probe).map_err(told)?;
    if !is_own {
        return Err(format!(
            "{}: it belongs to another user; remove it, or name a folder of your own",
            folder.display()
        ));
    }

    let mut config = CacheConfig::new();
    config.with_directory(&folder);
    Cache::new(config).map_err(|error| format!("{}: {error:#}", folder.display()))
}

/// Whether the folder belongs to whoever runs this process: a new file says who that is, and that it can be written.
fn probed(folder: &Path, probe: &Path) -> io::Result<bool> {
    // One is left over if a process with this number was killed here.
    fs::remove_file(probe)
        .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
    // New, so that no link which somebody put there is written through.
    let file = File::create_new(probe)?;
    let is_own = same_owner(&fs::metadata(folder)?, &file.metadata()?);
    fs::remove_file(probe)?;
    Ok(is_own)
}

#[cfg(unix)]
fn same_owner(folder: &fs::Metadata, file: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    folder.uid() == file.uid()
}

/// Elsewhere the folder's place, below the user's own, has to do.
#[cfg(not(unix))]
fn same_owner(_folder: &fs::Metadata, _file: &fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
fn create_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(unix)]
fn others_may_write(folder: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::metadata(folder)?.permissions().mode() & 0o022 != 0)
}

/// Elsewhere folders of a user are private from the start.
#[cfg(not(unix))]
fn others_may_write(_folder: &Path) -> io::Result<bool> {
    Ok(false)
}
