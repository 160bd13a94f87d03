//! Reads a bundle's files, bounded, and nothing outside of its folder. It does not know what is in them.
//!
//! A bundle may come from anyone: a link in it must not lead to what its reader alone may see.

use super::error::{BundleError, Place};
use portcullis_core::json;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The largest file that is read: a bundle is what was known about one incident, not a data lake.
pub(super) const FILE_LIMIT: u64 = 64 * 1024 * 1024;
/// `incident.json` holds a question and a few facts.
pub(super) const MANIFEST_LIMIT: u64 = 1024 * 1024;

/// The folder of a bundle.
#[derive(Debug)]
pub(super) struct Folder {
    stated: PathBuf,
    /// Without links. What is read has to lie in it.
    real: PathBuf,
}

impl Folder {
    pub(super) fn of(path: &Path) -> Self {
        // What does not exist has nothing in it that could be read.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Self { stated: path.to_owned(), real }
    }

    /// A place in the folder, as its owner knows it.
    pub(super) fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.stated.join(name)
    }

    /// Where a path of this folder leads, or nothing when there is nothing.
    pub(super) fn resolve(&self, path: &Path) -> Result<Option<PathBuf>, BundleError> {
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            // A link that leads nowhere is there, and is not taken for an absent file.
            Ok(_) | Err(_) => {}
        }
        let real = path.canonicalize().map_err(|error| unreadable(path, &error))?;
        if real.starts_with(&self.real) {
            return Ok(Some(real));
        }
        let problem = "leads out of the bundle's folder";
        Err(BundleError::new(path, Place::default(), problem, "put the file itself there, not a link"))
    }

    /// The text of a file, or nothing when the file is absent.
    pub(super) fn read(&self, path: &Path, limit: u64) -> Result<Option<String>, BundleError> {
        let Some(real) = self.resolve(path)? else { return Ok(None) };
        // A pipe or a device has no size to refuse by, and may never end.
        let metadata = real.metadata().map_err(|error| unreadable(path, &error))?;
        if !metadata.is_file() {
            let way_out = "put a plain file there, or remove it";
            return Err(BundleError::new(path, Place::default(), "is no regular file", way_out));
        }
        if metadata.len() > limit {
            return Err(too_large(path, metadata.len(), limit));
        }
        let mut bytes = Vec::new();
        // The file may grow while it is read.
        File::open(real)
            .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
            .map_err(|error| unreadable(path, &error))?;
        if bytes.len() as u64 > limit {
            return Err(too_large(path, bytes.len() as u64, limit));
        }
        String::from_utf8(bytes).map(Some).map_err(|error| {
            let start = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes().iter().take(start).filter(|&&byte| byte == b'\n').count();
            BundleError::new(path, Place::line(line), "is not UTF-8", "save the file as UTF-8")
        })
    }

    /// Parses a document a line, blank lines skipped. Each comes with its line number.
    pub(super) fn lines<T: DeserializeOwned>(&self, path: &Path) -> Result<Option<Vec<(usize, T)>>, BundleError> {
        let Some(text) = self.read(path, FILE_LIMIT)? else { return Ok(None) };
        let mut parsed = Vec::new();
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            let value = object(text).map_err(|error| {
                let problem = format!("{} (column {})", reason(&error), error.column());
                BundleError::new(path, Place::line(line), problem, "put one complete JSON object on each line")
            })?;
            parsed.push((line, value));
        }
        Ok(Some(parsed))
    }
}

/// A path that is there and cannot be read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> BundleError {
    BundleError::new(path, Place::default(), format!("cannot be read: {error}"), "check the path and its permissions")
}

fn too_large(path: &Path, size: u64, limit: u64) -> BundleError {
    let problem = format!("has {size} bytes or more, the limit is {limit}");
    BundleError::new(path, Place::default(), problem, "keep the part around the incident and drop the rest")
}

/// Parses one JSON document.
pub(super) fn document<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, BundleError> {
    object(text).map_err(|error| {
        BundleError::new(path, Place::line(error.line()), reason(&error), "see the bundle format in the documentation")
    })
}

/// One JSON object that names no key twice. A struct would be read from an array too, field by field.
fn object<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    if text.trim_start().starts_with('[') {
        return Err(serde_json::Error::custom("it is a JSON array, not an object"));
    }
    let object = serde_json::from_str(text)?;
    json::read(text)?;
    Ok(object)
}

/// `serde_json` says where in its own text; the place is told apart here.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

/// A text field of an open record, which may have any further fields.
pub(super) fn text_field<'a>(
    path: &Path,
    line: usize,
    record: &'a Map<String, Value>,
    field: &'static str,
) -> Result<&'a str, BundleError> {
    optional_text_field(path, line, record, field)?
        .ok_or_else(|| BundleError::new(path, Place::field(line, field), "is missing", "every line needs it"))
}

/// Like [`text_field`], but the field may be absent or null.
pub(super) fn optional_text_field<'a>(
    path: &Path,
    line: usize,
    record: &'a Map<String, Value>,
    field: &'static str,
) -> Result<Option<&'a str>, BundleError> {
    match record.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Err(BundleError::new(path, Place::field(line, field), "is no text", "write it as a JSON string"))
        }
    }
}
