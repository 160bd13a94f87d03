//! `documents/*.md` and the tool `search_documents`: a word match over their paragraphs.

use super::answer::{self, Answer, Paging};
use super::describe;
use super::error::{BundleError, CallError, Place};
use super::files::{self, Folder};
use portcullis_core::document::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(super) const TOOL: &str = "search_documents";
const EXCERPTS: usize = 10;
/// More runbooks than this are a wiki, not what was known about one incident.
const DOCUMENTS: usize = 1000;
/// As much may all of them hold together.
const BYTES: usize = 64 * 1024 * 1024;
const TOO_MUCH: &str = "keep those that are about the incident";

#[derive(Debug)]
struct Document {
    name: String,
    text: String,
}

/// The runbooks and notes of a bundle, by name; none when the folder is absent.
#[derive(Debug, Default)]
pub(super) struct Documents {
    documents: Vec<Document>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    #[serde(rename = "query")]
    words: Option<String>,
    document: Option<String>,
    limit: Option<usize>,
    offset: Option<usize>,
}

/// A paragraph: lines up to the next blank one.
#[derive(Debug, Serialize)]
struct Excerpt<'a> {
    document: &'a str,
    line: usize,
    text: &'a str,
    /// How many of the query's words it has.
    matched_words: usize,
}

impl Documents {
    pub(super) fn load(bundle: &Folder) -> Result<Self, BundleError> {
        Self::within(bundle, BYTES)
    }

    fn within(bundle: &Folder, limit: usize) -> Result<Self, BundleError> {
        let folder = bundle.join("documents");
        let mut documents = Vec::new();
        let mut bytes = 0;
        for path in listed(bundle, &folder)? {
            let Some(text) = bundle.read(&path, files::FILE_LIMIT)? else { continue };
            bytes += text.len();
            if bytes > limit {
                let problem = format!("has more than {limit} bytes in all");
                return Err(BundleError::new(&folder, Place::default(), problem, TOO_MUCH));
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            documents.push(Document { name, text });
        }
        Ok(Self { documents })
    }

    pub(super) fn tool(&self) -> Tool {
        let names: BTreeSet<&str> = self.documents.iter().map(|document| document.name.as_str()).collect();
        let held = if names.is_empty() {
            "There is no data.".to_owned()
        } else {
            format!("There are {}.", describe::names("documents", &names))
        };
        let mut properties = Map::new();
        properties
            .insert("query".into(), describe::property("string", "Words; paragraphs with most of them come first."));
        properties
            .insert("document".into(), describe::property_of("Only this document; without words, all of it.", &names));
        properties.insert("limit".into(), describe::property("integer", "At most so many paragraphs."));
        properties.insert("offset".into(), describe::property("integer", "Skip so many paragraphs."));
        describe::tool(TOOL, format!("Runbooks and notes. {held}"), &properties)
    }

    pub(super) fn call(&self, arguments: &str) -> Result<Answer, CallError> {
        let query: Query = answer::arguments(arguments)?;
        let words = words(query.words.as_deref().unwrap_or_default());
        if words.is_empty() && query.document.is_none() {
            return Err(CallError::InvalidArguments("give `query`, `document`, or both".into()));
        }
        let mut excerpts: Vec<Excerpt> = self
            .documents
            .iter()
            .filter(|document| query.document.as_ref().is_none_or(|name| document.name == *name))
            .flat_map(|document| excerpts(document, &words))
            .collect();
        // Stable: the order of the documents decides between equals.
        excerpts.sort_by_key(|excerpt| std::cmp::Reverse(excerpt.matched_words));
        let why_empty =
            if self.documents.is_empty() { "the bundle has no documents" } else { "no paragraph fits the query" };
        Ok(answer::page("excerpts", &excerpts, Paging::new(query.offset, query.limit, EXCERPTS), why_empty))
    }
}

/// The documents in the folder, by name; none when it is absent.
fn listed(bundle: &Folder, folder: &Path) -> Result<Vec<PathBuf>, BundleError> {
    let Some(real) = bundle.resolve(folder)? else { return Ok(Vec::new()) };
    let unreadable = |error: std::io::Error| files::unreadable(folder, &error);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(real).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        let path = folder.join(name);
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        if paths.len() == DOCUMENTS {
            let problem = format!("has more than {DOCUMENTS} documents");
            return Err(BundleError::new(folder, Place::default(), problem, TOO_MUCH));
        }
        paths.push(path);
    }
    paths.sort();
    Ok(paths)
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The paragraphs that have at least one of the words, or all of them when none are wanted.
fn excerpts<'a>(document: &'a Document, wanted: &BTreeSet<String>) -> Vec<Excerpt<'a>> {
    let mut excerpts = Vec::new();
    for (line, text) in paragraphs(&document.text) {
        let matched_words = words(text).intersection(wanted).count();
        if matched_words > 0 || wanted.is_empty() {
            excerpts.push(Excerpt { document: &document.name, line, text, matched_words });
        }
    }
    excerpts
}

fn paragraphs(text: &str) -> Vec<(usize, &str)> {
    let mut paragraphs = Vec::new();
    let (mut offset, mut start) = (0, None);
    for (line, part) in (1..).zip(text.split_inclusive('\n')) {
        match (part.trim().is_empty(), start) {
            (true, Some((first, begin))) => {
                paragraphs.push((first, text.get(begin..offset).unwrap_or_default().trim_end()));
                start = None;
            }
            (false, None) => start = Some((line, offset)),
            (true, None) | (false, Some(_)) => {}
        }
        offset += part.len();
    }
    if let Some((first, begin)) = start {
        paragraphs.push((first, text.get(begin..).unwrap_or_default().trim_end()));
    }
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_documents_together_are_bounded() {
        // R-HOST-04
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("documents")).unwrap();
        for name in ["a.md", "b.md", "ignored.txt"] {
            std::fs::write(dir.path().join("documents").join(name), "12345").unwrap();
        }
        let folder = Folder::of(dir.path());
        assert_eq!(Documents::within(&folder, 10).unwrap().documents.len(), 2);
        let error = Documents::within(&folder, 9).unwrap_err().to_string();
        assert!(
            error.ends_with("documents: has more than 9 bytes in all; keep those that are about the incident"),
            "{error}"
        );
    }
}
