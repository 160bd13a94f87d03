//! Scores answers against known ones. It reads `expected.json`, which no node, agent or tool ever does.

use crate::bounded::{self, ReadError};
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Larger files are refused before they are read.
const EXPECTED_BYTES_MAX: u64 = 1024 * 1024;

/// The known answer of a bundle (`INCIDENT-BUNDLE.md`). Unknown fields are notes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Expected {
    pub healthy: bool,
    pub root_cause: RootCause,
    /// Groups of alternatives: the answer needs one of each group.
    pub required_keywords: Vec<Vec<String>>,
    pub forbidden_keywords: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct RootCause {
    pub entity: Option<String>,
}

/// Why a suite cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("cannot read the folder {}: {source}; name a bundle or a folder of bundles", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("cannot read the known answer {}: {source}; put a plain file there, or remove it", path.display())]
    Unreadable { path: PathBuf, source: ReadError },
    #[error("{} is no known answer: {source}; see the bundle format in the documentation", path.display())]
    Malformed { path: PathBuf, source: serde_json::Error },
    #[error("{} holds no incident bundle: no folder in it has an incident.json; name a folder that has some", path.display())]
    NoBundles { path: PathBuf },
}

/// Bundles of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    pub name: String,
    pub bundles: Vec<PathBuf>,
}

/// A folder is a bundle, a suite of bundles, or a folder of suites.
///
/// # Errors
/// [`EvalError`] when a folder cannot be read or holds no bundle.
pub fn suites(folder: &Path) -> Result<Vec<Suite>, EvalError> {
    let named = |path: &Path| path.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy().into_owned());
    if is_bundle(folder) {
        return Ok(vec![Suite { name: named(folder), bundles: vec![folder.to_owned()] }]);
    }
    let inner = subfolders(folder)?;
    let bundles: Vec<_> = inner.iter().filter(|path| is_bundle(path)).cloned().collect();
    if !bundles.is_empty() {
        return Ok(vec![Suite { name: named(folder), bundles }]);
    }
    let mut suites = Vec::new();
    for path in inner {
        let bundles: Vec<_> = subfolders(&path)?.into_iter().filter(|path| is_bundle(path)).collect();
        if !bundles.is_empty() {
            suites.push(Suite { name: named(&path), bundles });
        }
    }
    if suites.is_empty() {
        return Err(EvalError::NoBundles { path: folder.to_owned() });
    }
    Ok(suites)
}

fn is_bundle(folder: &Path) -> bool {
    folder.join("incident.json").is_file()
}

fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, EvalError> {
    let unreadable = |source| EvalError::Folder { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The known answer; none when the bundle has none.
///
/// # Errors
/// [`EvalError`] that names the file.
pub fn expected(bundle: &Path) -> Result<Option<Expected>, EvalError> {
    let path = bundle.join("expected.json");
    if !path.exists() {
        return Ok(None);
    }
    let bytes = bounded::file(&path, EXPECTED_BYTES_MAX)
        .map_err(|source| EvalError::Unreadable { path: path.clone(), source })?;
    // Read as an object first: in place of a struct serde would take a list of its values too.
    serde_json::from_slice::<Map<String, Value>>(&bytes)
        .and_then(|_| serde_json::from_slice(&bytes))
        .and_then(Expected::checked)
        .map(Some)
        .map_err(|source| EvalError::Malformed { path, source })
}

impl Expected {
    /// A blank word occurs in every answer and an empty group in none: what scores the same for all answers is a slip.
    fn checked(self) -> serde_json::Result<Self> {
        let blank = |words: &[String]| words.iter().position(|word| word.trim().is_empty());
        let slip = |words: String| Err(serde_json::Error::custom(words));
        if self.root_cause.entity.as_ref().is_some_and(|entity| entity.trim().is_empty()) {
            return slip("root_cause.entity is blank".to_owned());
        }
        for (at, group) in self.required_keywords.iter().enumerate() {
            if group.is_empty() {
                return slip(format!("required_keywords[{at}] is empty"));
            }
            if let Some(word) = blank(group) {
                return slip(format!("required_keywords[{at}][{word}] is blank"));
            }
        }
        match blank(&self.forbidden_keywords) {
            Some(word) => slip(format!("forbidden_keywords[{word}] is blank")),
            None => Ok(self),
        }
    }
}

/// What a run gave, as far as scoring needs it.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// The whole answer; empty when the run failed.
    pub answer: String,
    pub headline: String,
    pub first_claim: String,
    pub failed: bool,
    pub degraded: bool,
    pub verdict: Option<String>,
    pub bindings: u32,
    pub bindings_passed: u32,
    pub duration_ms: u64,
}

/// One bundle's score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BundleScore {
    pub id: String,
    pub failed: bool,
    pub verdict: Option<String>,
    pub degraded: bool,
    /// Headline and first claim name the entity of the known answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_entity: Option<bool>,
    /// The answer holds one alternative of each group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keywords_met: Option<bool>,
    pub forbidden_hit: bool,
    /// The answer says that there is no fault, and there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub healthy_recognised: Option<bool>,
    pub headline: String,
    pub bindings: u32,
    pub bindings_passed: u32,
    pub duration_ms: u64,
}

/// The words that say that nothing is wrong.
const HEALTHY: [&str; 3] = ["no fault found", "no fault was found", "no active fault"];

/// Scores one answer. A failed or degraded run has nothing right.
pub fn score(id: &str, given: &Given, expected: &Expected) -> BundleScore {
    let answer = given.answer.to_lowercase();
    let holds = |keyword: &String| answer.contains(&keyword.to_lowercase());
    let usable = !given.failed && !given.degraded;
    let right = |entity: &String| usable && names(&given.headline, entity) && names(&given.first_claim, entity);
    let met = || usable && expected.required_keywords.iter().all(|group| group.iter().any(holds));
    let says_healthy = || {
        let headline = given.headline.to_lowercase();
        usable && HEALTHY.iter().any(|words| headline.contains(words))
    };
    BundleScore {
        id: id.to_owned(),
        failed: given.failed,
        verdict: given.verdict.clone(),
        degraded: given.degraded,
        right_entity: expected.root_cause.entity.as_ref().map(right),
        keywords_met: (!expected.required_keywords.is_empty()).then(met),
        forbidden_hit: expected.forbidden_keywords.iter().any(holds),
        healthy_recognised: expected.healthy.then(says_healthy),
        headline: given.headline.clone(),
        bindings: given.bindings,
        bindings_passed: given.bindings_passed,
        duration_ms: given.duration_ms,
    }
}

/// Whether a text names an entity itself, and not a longer name that it is a part of: `cart` is not in `cart-db`. One
/// instance of it may be named, by the suffix that an orchestrator makes: `cart-7d9f`.
fn names(text: &str, entity: &str) -> bool {
    let (text, entity) = (text.to_lowercase(), entity.to_lowercase());
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(&entity).any(|(start, _)| {
        let (before, rest) = text.split_at(start);
        let after = rest.get(entity.len()..).unwrap_or_default();
        let own_suffix = after
            .strip_prefix('-')
            .is_some_and(|suffix| suffix.chars().take_while(|c| c.is_alphanumeric()).any(|c| c.is_ascii_digit()));
        let goes_on = after.starts_with(part_of_name) && !own_suffix;
        let is_path =
            after.starts_with([':', '.', '/']) && after.trim_start_matches([':', '.', '/']).starts_with(part_of_name);
        !before.ends_with(part_of_name) && !goes_on && !is_path
    })
}

/// One suite's figures: counts of bundles, apart from `bindings`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuiteScore {
    pub suite: String,
    pub bundles: usize,
    pub answered: usize,
    pub degraded: usize,
    pub failed: usize,
    /// With a known entity, and how many of them are right.
    pub with_entity: usize,
    pub right_entity: usize,
    pub with_keywords: usize,
    pub keywords_met: usize,
    pub forbidden_hit: usize,
    pub healthy: usize,
    pub healthy_recognised: usize,
    pub bindings: u32,
    pub bindings_passed: u32,
    pub duration_ms: u64,
    pub bundles_detail: Vec<BundleScore>,
}

impl SuiteScore {
    pub fn of(suite: &str, bundles_detail: Vec<BundleScore>) -> Self {
        let count = |is: &dyn Fn(&BundleScore) -> bool| bundles_detail.iter().filter(|score| is(score)).count();
        Self {
            suite: suite.to_owned(),
            bundles: bundles_detail.len(),
            answered: count(&|score| !score.failed && !score.degraded),
            degraded: count(&|score| score.degraded),
            failed: count(&|score| score.failed),
            with_entity: count(&|score| score.right_entity.is_some()),
            right_entity: count(&|score| score.right_entity == Some(true)),
            with_keywords: count(&|score| score.keywords_met.is_some()),
            keywords_met: count(&|score| score.keywords_met == Some(true)),
            forbidden_hit: count(&|score| score.forbidden_hit),
            healthy: count(&|score| score.healthy_recognised.is_some()),
            healthy_recognised: count(&|score| score.healthy_recognised == Some(true)),
            bindings: bundles_detail.iter().map(|score| score.bindings).sum(),
            bindings_passed: bundles_detail.iter().map(|score| score.bindings_passed).sum(),
            duration_ms: bundles_detail.iter().map(|score| score.duration_ms).sum(),
            bundles_detail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> Expected {
        serde_json::from_str(
            r#"{"root_cause": {"entity": "Cart", "kind": "x"}, "required_keywords": [["pool", "connections"], ["exhausted"]],
                "forbidden_keywords": ["disk"], "note": "unknown fields are notes"}"#,
        )
        .unwrap()
    }

    fn given(headline: &str, first_claim: &str, rest: &str) -> Given {
        Given {
            answer: format!("{headline}\n{first_claim}\n{rest}"),
            headline: headline.into(),
            first_claim: first_claim.into(),
            ..Given::default()
        }
    }

    #[test]
    fn headline_and_first_claim_must_both_name_the_entity() {
        // R-RUN-06
        for (headline, first, right) in [
            ("cart is slow", "cart ran out", true),
            ("cart is slow", "db ran out", false),
            ("it is slow", "cart", false),
        ] {
            assert_eq!(score("a", &given(headline, first, ""), &expected()).right_entity, Some(right), "{headline}");
        }
    }

    #[test]
    fn a_longer_name_is_another_entity() {
        // R-RUN-06
        for (text, entity, is_named) in [
            ("Cart's pool is exhausted", "cart", true),
            ("the fault is in cart.", "cart", true),
            ("cart: no connection", "Cart", true),
            ("cart-7d9f6c5b-x2x4z crashes", "cart", true),
            ("cart-db is slow", "cart", false),
            ("my-cart is slow", "cart", false),
            ("cartographer", "cart", false),
            ("cart.svc.local", "cart", false),
            ("a_AWS::Lambda::Function is slow", "a_AWS::Lambda", false),
            ("a_AWS::Lambda::Function is slow", "a_AWS::Lambda::Function", true),
            ("cart-db, then cart", "cart", true),
            ("", "cart", false),
        ] {
            assert_eq!(names(text, entity), is_named, "{text}");
        }
    }

    #[test]
    fn each_group_needs_one_of_its_words_and_no_forbidden_one_may_occur() {
        // R-RUN-06
        let of = |rest: &str| {
            let score = score("a", &given("", "", rest), &expected());
            (score.keywords_met, score.forbidden_hit)
        };
        assert_eq!(of("Connections EXHAUSTED"), (Some(true), false));
        assert_eq!(of("connections"), (Some(false), false));
        assert_eq!(of("pool exhausted, Disk full"), (Some(true), true));
    }

    #[test]
    fn a_known_answer_that_scores_all_answers_alike_is_refused_with_its_place() {
        // R-RUN-06
        let folder = tempfile::tempdir().unwrap();
        for (text, place) in [
            (r#"{"root_cause": {"entity": " "}}"#, "root_cause.entity is blank"),
            (r#"{"required_keywords": [["a"], []]}"#, "required_keywords[1] is empty"),
            (r#"{"required_keywords": [["a", ""]]}"#, "required_keywords[0][1] is blank"),
            (r#"{"forbidden_keywords": ["a", "\t"]}"#, "forbidden_keywords[1] is blank"),
        ] {
            std::fs::write(folder.path().join("expected.json"), text).unwrap();
            let error = super::expected(folder.path()).unwrap_err().to_string();
            assert!(error.contains("expected.json") && error.contains(place), "{text}: {error}");
        }
        std::fs::write(folder.path().join("expected.json"), r#"{"required_keywords": [["a"]]}"#).unwrap();
        assert!(super::expected(folder.path()).is_ok());
    }

    #[test]
    fn a_failed_or_degraded_run_has_nothing_right() {
        // R-RUN-03
        for (failed, degraded) in [(true, false), (false, true)] {
            let given = Given { failed, degraded, ..given("cart pool exhausted: no fault found", "cart", "") };
            let score = score("a", &given, &Expected { healthy: true, ..expected() });
            assert_eq!(score.right_entity, Some(false));
            assert_eq!((score.keywords_met, score.healthy_recognised), (Some(false), Some(false)));
        }
    }
}
