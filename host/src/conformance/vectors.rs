//! Texts with what a parser has to make of them: those of the contract, or an author's own for another text format.

use crate::bounded::{self, ReadError};
use portcullis_plugins::Role;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// An agent's text is not longer.
const TEXT_BYTES: u64 = 1024 * 1024;
/// The document of the longest text fits.
const EXPECTED_BYTES: u64 = 8 * 1024 * 1024;
const FILES: usize = 2_000;

/// A text, and what a parser makes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    pub name: String,
    pub text: String,
    pub expected: Expected,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// As it goes over the wire, `answer_version` included.
    Document(Value),
    /// A violation at `path`, or at any place. `or_whole`: the whole text is as good a place.
    Violation { path: Option<String>, or_whole: bool },
}

/// All of one parser.
#[derive(Debug, Clone, PartialEq)]
pub enum Vectors {
    /// Of the text format of the contract.
    BuiltIn(Vec<Vector>),
    /// Of whatever format the author's parser reads.
    Own(Vec<Vector>),
}

/// Why there are no vectors to speak of.
#[derive(Debug, thiserror::Error)]
pub enum VectorsError {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: ReadError },
    #[error("{} has more than {FILES} files", .0.display())]
    TooMany(PathBuf),
    #[error("{} is not UTF-8 at byte {at}", path.display())]
    NotUtf8 { path: PathBuf, at: usize },
    #[error("{} is there and {} is not: each text NAME.txt has what is expected of it in NAME.json", there.display(), missing.display())]
    Alone { there: PathBuf, missing: PathBuf },
    #[error("{place}: {problem}")]
    Expected { place: String, problem: String },
    #[error(
        "{} has {documents} vectors with a document and {violations} with a violation: it needs one of each at least, \
         or it cannot tell a parser from one that takes or refuses everything",
        folder.display()
    )]
    OneSided { folder: PathBuf, documents: usize, violations: usize },
}

impl Vectors {
    /// Those of the contract; none for a role that does not parse.
    ///
    /// # Errors
    /// [`VectorsError::Expected`] for a file that this program was built with by mistake.
    pub fn built_in(role: Role) -> Result<Self, VectorsError> {
        let (name, text) = match role {
            Role::PlanParser => ("plan", include_str!("../../../guests/contract/vectors/plan.json")),
            Role::EvidenceParser => ("evidence", include_str!("../../../guests/contract/vectors/evidence.json")),
            Role::VerificationParser => {
                ("verification", include_str!("../../../guests/contract/vectors/verification.json"))
            }
            Role::AnswerParser => ("answer", include_str!("../../../guests/contract/vectors/answer.json")),
            Role::Planner | Role::Executor | Role::Verifier | Role::Composer | Role::Thinker | Role::Investigator => {
                ("none", "[]")
            }
        };
        let wrong = |problem: String| VectorsError::Expected { place: format!("built-in vectors {name}"), problem };
        let cases: Vec<Map<String, Value>> = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let vectors = cases.into_iter().map(|mut case| {
            let mut word = |key| match case.shift_remove(key) {
                Some(Value::String(word)) => Ok(word),
                _ => Err(format!("a case without {key}")),
            };
            let (name, text) = (word("name")?, word("text")?);
            // What is left says what is expected.
            let expected = match case.shift_remove("document") {
                Some(document) => Expected::Document(document),
                None => expected(Value::Object(case))?,
            };
            Ok(Vector { name, text, expected })
        });
        vectors.collect::<Result<_, _>>().map(Self::BuiltIn).map_err(wrong)
    }

    /// Those of a folder: `NAME.txt` is the text, `NAME.json` the document or `{"violation": {"path": …}}`. Files with
    /// other endings are not looked at.
    ///
    /// # Errors
    /// [`VectorsError`] that names the file, or what the folder lacks.
    pub fn of_folder(folder: &Path) -> Result<Self, VectorsError> {
        let mut vectors = Vec::new();
        for name in names(folder)? {
            let (text_path, expected_path) = (folder.join(format!("{name}.txt")), folder.join(format!("{name}.json")));
            let [text, said] = [(&text_path, TEXT_BYTES, &expected_path), (&expected_path, EXPECTED_BYTES, &text_path)]
                .map(|(path, limit, beside)| read(path, limit, beside));
            let wrong = |problem| VectorsError::Expected { place: expected_path.display().to_string(), problem };
            let value = serde_json::from_str(&said?).map_err(|error| wrong(error.to_string()))?;
            vectors.push(Vector { name, text: text?, expected: expected(value).map_err(wrong)? });
        }
        let documents = vectors.iter().filter(|vector| matches!(vector.expected, Expected::Document(_))).count();
        let violations = vectors.len() - documents;
        if documents == 0 || violations == 0 {
            return Err(VectorsError::OneSided { folder: folder.to_owned(), documents, violations });
        }
        Ok(Self::Own(vectors))
    }

    pub fn all(&self) -> &[Vector] {
        match self {
            Self::BuiltIn(vectors) | Self::Own(vectors) => vectors,
        }
    }
}

/// The names of the vectors in a folder, each once and sorted.
fn names(folder: &Path) -> Result<BTreeSet<String>, VectorsError> {
    let unreadable = |error: std::io::Error| VectorsError::Unreadable { path: folder.to_owned(), source: error.into() };
    let mut names = BTreeSet::new();
    for (count, entry) in folder.read_dir().map_err(unreadable)?.enumerate() {
        if count == FILES {
            return Err(VectorsError::TooMany(folder.to_owned()));
        }
        let path = entry.map_err(unreadable)?.path();
        let is_vector = path.extension().is_some_and(|ending| ending == "txt" || ending == "json");
        if let (true, Some(stem)) = (is_vector, path.file_stem()) {
            names.insert(stem.to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

fn read(path: &Path, limit: u64, beside: &Path) -> Result<String, VectorsError> {
    if !path.exists() {
        return Err(VectorsError::Alone { there: beside.to_owned(), missing: path.to_owned() });
    }
    let bytes =
        bounded::file(path, limit).map_err(|source| VectorsError::Unreadable { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        VectorsError::NotUtf8 { path: path.to_owned(), at }
    })
}

/// A document, or an object with the one key `violation`. The error says what it is instead.
fn expected(value: Value) -> Result<Expected, String> {
    const FORM: &str = r#"expected a document with its answer_version, or {"violation": {"path": "/…"}}"#;
    let Value::Object(mut map) = value else { return Err(FORM.to_owned()) };
    let Some(violation) = map.shift_remove("violation") else {
        let has_version = map.get("answer_version").is_some_and(Value::is_string);
        return if has_version { Ok(Expected::Document(Value::Object(map))) } else { Err(FORM.to_owned()) };
    };
    let Value::Object(mut violation) = violation else { return Err(FORM.to_owned()) };
    let path = match violation.shift_remove("path") {
        Some(Value::String(path)) => Some(path),
        None => None,
        Some(_) => return Err("the path of a violation is a text".to_owned()),
    };
    let or_whole = match violation.shift_remove("or_whole") {
        Some(Value::Bool(or_whole)) => or_whole,
        None => false,
        Some(_) => return Err("or_whole of a violation is true or false".to_owned()),
    };
    // What `portcullis parse --json` prints may be taken as it is.
    violation.shift_remove("message");
    match map.keys().chain(violation.keys()).next() {
        Some(key) => Err(format!("`{key}` is no key of an expected violation; {FORM}")),
        None => Ok(Expected::Violation { path, or_whole }),
    }
}
