//! Replaces a file whole: whoever reads it sees the old text or the new one, and an error leaves the old one.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Writes `content` beside the file and moves it over the file, which keeps its owner and its permissions. A file that is
/// not there is made; one that may not be written is left alone.
///
/// # Errors
/// Whatever the system says. Nothing is left beside the file then.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A link stays, and what it leads to is replaced.
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        // A link that leads nowhere is there all the same.
        Err(error) if fs::symlink_metadata(path).is_ok() => return Err(error),
        Err(_) => path.to_owned(),
    };
    let old = match fs::metadata(&target) {
        Ok(metadata) if metadata.permissions().readonly() => return Err(io::ErrorKind::PermissionDenied.into()),
        Ok(metadata) => {
            // The system knows best who may write it; nothing is written here.
            OpenOptions::new().write(true).open(&target)?;
            Some(metadata)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let beside = beside(&target);
    let moved = write(&beside, content, old.as_ref()).and_then(|()| fs::rename(&beside, &target));
    if moved.is_err() {
        // It may not even have been made.
        fs::remove_file(&beside).unwrap_or_default();
    }
    moved
}

/// A hidden name in the same folder that nobody else has.
fn beside(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}", Uuid::now_v7()))
}

fn write(path: &Path, content: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    if let Some(old) = old {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        file.set_permissions(old.permissions())?;
    }
    file.write_all(content)?;
    // On the disk before it is moved: a machine that stops must not find an empty file.
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = folder.read_dir().unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_made_and_replaced_whole() {
        // R-HOST-01
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        for content in ["one", "two"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(names(folder.path()), ["a.toml"]);
    }

    #[test]
    #[cfg(unix)]
    fn permissions_and_links_stay() {
        // R-HOST-01
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.toml"), folder.path().join("link.toml"));
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("a.toml", &link).unwrap();
        replace(&link, b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
        assert_eq!(replace(&path, b"three").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    }

    #[test]
    fn the_owner_stays() {
        // R-HOST-01
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        fs::write(&path, "one").unwrap();
        // Only root may give a file away.
        if std::os::unix::fs::chown(&path, Some(65_534), Some(65_534)).is_err() {
            eprintln!("skipped: not root");
            return;
        }
        replace(&path, b"two").unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (65_534, 65_534));
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    }

    #[test]
    fn a_link_that_leads_nowhere_stays() {
        // R-HOST-01
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link.toml");
        std::os::unix::fs::symlink("none/a.toml", &link).unwrap();
        assert_eq!(replace(&link, b"one").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(folder.path()), ["link.toml"]);
    }

    #[test]
    fn an_error_leaves_nothing_behind() {
        // R-HOST-01
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        fs::create_dir(&path).unwrap();
        replace(&path, b"one").unwrap_err();
        assert_eq!(names(folder.path()), ["a.toml"]);
        replace(&folder.path().join("none/a.toml"), b"one").unwrap_err();
    }
}
