//! `documents/*.md` and the tool `search_documents`: a word match over their paragraphs.

use super::answer::{self, Answer, Paging};
use super::describe;
use super::error::{BundleError, CallError, Place};
use super::files;
use portcullis_core::document::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use std::collections::BTreeSet;
use std::path::Path;

pub(super) const TOOL: &str = "search_documents";
const EXCERPTS: usize = 10;
/// More runbooks than this are a wiki, not what was known about one incident.
const DOCUMENTS: usize = 1000;

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
    pub(super) fn load(dir: &Path) -> Result<Self, BundleError> {
        let folder = dir.join("documents");
        let mut documents = Vec::new();
        // An absent folder is an empty one.
        let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        for entry in entries {
            let path = entry.path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            if documents.len() == DOCUMENTS {
                let problem = format!("has more than {DOCUMENTS} documents");
                return Err(BundleError::new(
                    &folder,
                    Place::default(),
                    problem,
                    "keep those that are about the incident",
                ));
            }
            if let Some(text) = files::read(&path, files::FILE_LIMIT)? {
                let name = entry.file_name().to_string_lossy().into_owned();
                documents.push(Document { name, text });
            }
        }
        documents.sort_by(|a, b| a.name.cmp(&b.name));
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
