//! `portcullis node new`: what it writes, and what it refuses to write into. That the projects build, pass their tests
//! and fit their worlds is `make templates`.

use super::place::Place;
use expect_test::expect;
use portcullis::scaffold::{File, Language, Name, commands, project};
use portcullis_plugins::Role;
use std::collections::BTreeSet;
use std::path::Path;

fn text<'f>(files: &'f [File], path: &str) -> &'f str {
    match files.iter().find(|file| file.path == path) {
        Some(file) => &file.text,
        None => panic!("there is no {path}"),
    }
}

/// `{{word}}`: what a template leaves open.
fn placeholder(text: &str) -> Option<&str> {
    let words = text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
    words.map(|(word, _)| word).find(|word| word.chars().all(|c| c.is_ascii_lowercase()))
}

#[test]
fn a_project_for_each_role_and_language_is_whole() {
    // R-HOST-01 R-HOST-07
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
    let name = Name::new("slow-query-finder").unwrap();
    for language in Language::ALL {
        for role in Role::ALL {
            let files = project(role, language, &name);
            let what = format!("{role} in {}", language.word());
            let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
            assert_eq!(paths.len(), files.len(), "{what}: a path occurs twice");
            for File { path, text } in &files {
                let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
                assert!(path.split('/').all(is_plain) && !path.contains('\\'), "{what}: {path}");
                assert!(text.ends_with('\n'), "{what}: {path} has no end");
                assert_eq!(placeholder(text), None, "{what}: {path}");
                assert!(!text.contains("://"), "{what}: {path} names a host");
            }
            for entry in wit.read_dir().unwrap() {
                let entry = entry.unwrap();
                let path = format!("wit/{}", entry.file_name().to_str().unwrap());
                assert_eq!(text(&files, &path), std::fs::read_to_string(entry.path()).unwrap(), "{what}");
            }
            let readme = text(&files, "README.md");
            assert!(readme.starts_with("# slow-query-finder\n") && readme.contains(role.world()), "{what}: {readme}");
            assert_eq!(commands(&files).len(), 2, "{what}: {readme}");
            assert!(paths.contains(".gitignore"), "{what}");
            for path in paths.iter().filter(|path| path.starts_with("src/")) {
                assert!(readme.contains(path), "{what}: the README does not speak of {path}");
            }
        }
    }
}

#[test]
fn a_rust_project_takes_what_the_default_parsers_read_with() {
    // R-PARSE-01
    let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guests/contract/src");
    let name = Name::new("own").unwrap();
    for role in [Role::PlanParser, Role::EvidenceParser, Role::VerificationParser, Role::AnswerParser] {
        let files = project(role, Language::Rust, &name);
        for module in ["sanitize", "json", "fields", "limits"] {
            let own = std::fs::read_to_string(contract.join(format!("{module}.rs"))).unwrap();
            let taken = text(&files, &format!("src/{module}.rs"));
            assert!(own.starts_with(taken) && taken.lines().count() > 20, "{role}: {module}");
            assert!(!taken.contains("#[cfg(test)]"), "{role}: {module}");
        }
    }
}

#[test]
fn a_new_project_is_written_and_said() {
    // R-HOST-01
    let place = Place::new();
    let said = place.sh("node new --role composer --lang rust nodes/plain-composer").ok();
    expect![[r#"
        a new composer in rust, in nodes/plain-composer:
          README.md
          Cargo.toml
          rustfmt.toml
          .gitignore
          src/lib.rs
          src/component.rs
          wit/adapters.wit
          wit/agent.wit
          wit/invoker.wit
          wit/log.wit
          wit/protocols.wit
          wit/run.wit
          wit/tools.wit
          wit/types.wit
          wit/worlds.wit

        To build it:
          cd nodes/plain-composer
          cargo test
          cargo build --release --target wasm32-unknown-unknown

        README.md says more, and how to check it and put it in place.
    "#]]
    .assert_eq(&said);
    let manifest = std::fs::read_to_string(place.path("nodes/plain-composer/Cargo.toml")).unwrap();
    assert!(manifest.contains("name = \"plain-composer\"\n"), "{manifest}");

    // A folder that is there and empty will do, and the word `agent` is a thinker.
    std::fs::create_dir(place.path("own")).unwrap();
    let said = place.sh("node new --json --role agent --lang rust own").json();
    assert_eq!((&said["name"], &said["role"]), (&"own".into(), &"thinker".into()));
    for file in said["files"].as_array().unwrap() {
        assert!(place.path("own").join(file.as_str().unwrap()).is_file(), "{file}");
    }
}

#[test]
fn what_exists_is_never_touched() {
    // R-HOST-01
    let place = Place::new();
    place.write("kept/notes.txt", "mine");
    place.write("file", "mine");
    let refused = |folder: &str| {
        let line = format!("node new --role planner --lang rust {folder}");
        let ran = place.sh(&line);
        ran.refused(&[]);
        ran.stderr
    };
    expect![[r#"
        error: kept is not empty
        hint: a new project never touches what exists: take another folder
    "#]]
    .assert_eq(&refused("kept"));
    expect![[r#"
        error: cannot use file as the project's folder: Not a directory (os error 20)
        hint: take a folder that can be made, or one that is empty
    "#]]
    .assert_eq(&refused("file"));
    expect![[r#"
        error: `Own_Planner` is no name of a project: a project's name begins with a lower-case letter and goes on with lower-case letters, digits and `-`
        hint: the folder gives the project its name: take another folder, such as slow-query-finder
    "#]]
    .assert_eq(&refused("Own_Planner"));
    expect![[r#"
        error: `serde` is no name of a project: a crate that projects use has this name already
        hint: the folder gives the project its name: take another folder, such as slow-query-finder
    "#]]
    .assert_eq(&refused("serde"));
    refused(&"x".repeat(65));
    refused("kept/..");
    refused("file/own");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", place.path("link")).unwrap();
        refused("link");
        assert!(place.path("link").is_symlink());
    }
    assert_eq!(std::fs::read_to_string(place.path("kept/notes.txt")).unwrap(), "mine");
    assert_eq!(std::fs::read_to_string(place.path("file")).unwrap(), "mine");
    assert_eq!(place.names().iter().filter(|name| *name != "link").count(), 2, "{:?}", place.names());
}

#[test]
fn another_role_or_language_is_wrong_usage() {
    // R-HOST-01
    let place = Place::new();
    for (line, words) in [
        (
            "node new --role boss --lang rust own",
            ["'boss'", "use one of planner, executor, verifier, composer, plan-parser"],
        ),
        ("node new --role planner --lang cobol own", ["'cobol'", "use one of rust"]),
        ("node new --lang rust own", ["required", "--role <ROLE>"]),
    ] {
        let ran = place.sh(line);
        ran.refused(&words);
        assert_eq!(place.names(), [""; 0]);
    }
}
