//! Habits that a reviewer should not have to look after.

use crate::support;
use portcullis::baseline;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// As many packages may be in `Cargo.lock`.
const PACKAGES_MAX: usize = 320;
/// A file of the repository is read by people, or is small.
const FILE_BYTES_MAX: u64 = 512 * 1024;
/// The default components of earlier versions are kept as they were built, and the largest has 862,625 bytes.
const ARCHIVE: (&str, u64) = ("tests/fixtures/wit-", 1024 * 1024);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The Rust files below a folder, what builds leave behind apart.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("target") {
                found.extend(sources(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_test_file_is_forgotten() {
    // R-TEST-01
    let folder = root().join("tests/it");
    for path in sources(&folder) {
        let (stem, parent) = (path.file_stem().unwrap().to_str().unwrap(), path.parent().unwrap());
        let (name, lists) = match (stem, parent == folder) {
            ("main", true) => continue,
            // `x/mod.rs` is listed where the folder stands, anything else where its parent module is.
            ("mod", _) => (parent.file_name().unwrap().to_str().unwrap(), vec![parent.with_file_name("main.rs")]),
            (_, true) => (stem, vec![folder.join("main.rs")]),
            (_, false) => (stem, vec![parent.join("mod.rs"), parent.with_extension("rs")]),
        };
        let is_listed = |list: &PathBuf| {
            std::fs::read_to_string(list).is_ok_and(|text| text.lines().any(|line| line == format!("mod {name};")))
        };
        assert!(lists.iter().any(is_listed), "{} runs nowhere: add `mod {name};` to {lists:?}", path.display());
    }
}

/// What looks like a requirement's id.
fn ids(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| {
        let parts: Vec<_> = word.split('-').collect();
        matches!(parts[..], ["R", area, number]
            if area.chars().all(|c| c.is_ascii_uppercase()) && number.len() == 2 && number.parse::<u8>().is_ok())
    })
}

#[test]
fn every_requirement_is_named_by_a_test() {
    // R-TEST-01
    let Some(path) = support::shared("spec/REQUIREMENTS.md") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let required: BTreeSet<_> = ids(&text).collect();
    assert!(required.len() > 70, "{required:?}");
    let sources: Vec<_> = ["tests", "host", "guests"].iter().flat_map(|folder| sources(&root().join(folder))).collect();
    let own = Path::new(file!()).file_name();
    let texts: Vec<_> = sources
        .iter()
        .filter(|path| path.file_name() != own)
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    // Only in a comment: that is where a test says what it proves.
    let comments = texts.iter().flat_map(|text| text.lines()).filter(|line| line.trim_start().starts_with("//"));
    let named: BTreeSet<_> = comments.flat_map(ids).collect();
    let missing: Vec<_> = required.iter().filter(|id| !named.contains(*id)).collect();
    assert!(missing.is_empty(), "no test names {missing:?}");
    let unknown: Vec<_> = named.difference(&required).collect();
    assert!(unknown.is_empty(), "a test names {unknown:?}, which nothing requires");
}

#[test]
fn the_reviewed_baseline_is_what_the_code_does() {
    // R-TEST-03
    let is_same = baseline::markdown().trim_end() == read("docs/baseline.md").trim_end();
    assert!(is_same, "docs/baseline.md is not what the code does: review the change, then `make bless`");
}

#[test]
fn a_change_has_a_place_to_be_told() {
    let changes = read("CHANGELOG.md");
    assert!(changes.lines().any(|line| line == "## [Unreleased]"), "CHANGELOG.md needs the heading `## [Unreleased]`");
}

#[test]
fn another_package_is_a_decision() {
    let packages = read("Cargo.lock").lines().filter(|line| *line == "[[package]]").count();
    assert!(
        packages <= PACKAGES_MAX,
        "Cargo.lock has {packages} packages, more than {PACKAGES_MAX}: do without, or raise it in a commit that says why"
    );
}

#[test]
fn no_large_file_is_in_the_repository() {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    let Some(listed) = listed.ok().filter(|listed| listed.status.success()) else {
        eprintln!("skipped: this is no clone of the repository");
        return;
    };
    for name in String::from_utf8(listed.stdout).unwrap().split_terminator('\0') {
        // What was removed and not committed yet is still listed.
        let Ok(file) = std::fs::metadata(root().join(name)) else { continue };
        let most = if name.starts_with(ARCHIVE.0) { ARCHIVE.1 } else { FILE_BYTES_MAX };
        assert!(file.len() <= most, "{name} has {} bytes, more than {most}", file.len());
    }
}
