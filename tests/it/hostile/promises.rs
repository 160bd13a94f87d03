//! `docs/threat-model.md` names tests and guests as proofs: each of them exists.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of all Rust files below a folder.
fn sources(folder: &Path) -> String {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| match path.extension() {
        _ if path.is_dir() && !path.ends_with("target") => sources(&path),
        Some(extension) if extension == "rs" => std::fs::read_to_string(path).unwrap(),
        _ => String::new(),
    });
    texts.collect()
}

#[test]
fn each_proof_of_the_threat_model_exists() {
    let text = std::fs::read_to_string(root().join("docs/threat-model.md")).unwrap();
    let code: String = ["tests", "host", "guests"].iter().map(|folder| sources(&root().join(folder))).collect();
    let named = text.split('`').skip(1).step_by(2);
    let (mut guests, mut tests) = (0, 0);
    for name in named.filter(|name| !name.contains(char::is_whitespace)) {
        if name.starts_with("guests/hostile/") {
            assert!(root().join(name).is_file(), "{name} is not there");
            guests += 1;
        } else if name.contains('_') {
            assert!(code.contains(&format!("fn {name}(")), "no test is called {name}");
            tests += 1;
        }
    }
    assert!(guests > 15 && tests > 15, "{guests} and {tests}");
}
