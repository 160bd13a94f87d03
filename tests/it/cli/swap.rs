//! `portcullis node use`: the configuration is changed where it must be, and only by what would serve.

use super::place::Place;
use crate::reload::{INPUT, bare_composer};
use crate::support::{guest, marked_guest};
use expect_test::{Expect, expect};
use std::path::Path;

fn config(place: &Place) -> String {
    std::fs::read_to_string(place.path("portcullis.toml")).unwrap()
}

/// The text without digests, which are those of the build.
fn without_digests(text: &str) -> String {
    let words = text.split_inclusive([' ', '"', ')', '\n']);
    let hide = |word: &str| {
        let hex = word.trim_end_matches([' ', '"', ')', '\n']);
        let is_digest = matches!(hex.len(), 12 | 64) && hex.chars().all(|c| c.is_ascii_hexdigit());
        if is_digest { word.replace(hex, "…") } else { word.to_owned() }
    };
    words.map(hide).collect()
}

#[test]
fn a_configuration_is_made_used_and_taken_back() {
    // R-HOST-01 R-HOST-06
    let place = Place::new();
    place.write("nodes/own.wasm", marked_guest("composer", "own"));
    expect![[r#"
        composer: default-composer 0.1.0 (sha256 …) → own (sha256 …)
        It would do. portcullis.toml was not changed: a dry run.
    "#]]
    .assert_eq(&without_digests(&place.sh("node use composer nodes/own.wasm --dry-run").ok()));
    assert_eq!(place.names(), ["nodes"]);
    let said = place.sh("node use composer nodes/own.wasm --memory 32MiB").ok();
    expect![[r#"
        composer: default-composer 0.1.0 (sha256 …) → own (sha256 …)
        portcullis.toml says so now. A running host takes it over at SIGHUP.
        undo: portcullis node use composer --default
    "#]]
    .assert_eq(&without_digests(&said));
    expect![[r#"
        [nodes.composer]
        component = "nodes/own.wasm"
        sha256 = "…"
        limits = { memory = "32MiB" }
    "#]]
    .assert_eq(&without_digests(&config(&place)));
    assert!(place.sh("node list").ok().contains("composer             own "));

    let before = config(&place);
    expect![[r#"
        composer: served as before
        DIR/portcullis.toml says so already.
    "#]]
    .assert_eq(&place.sh("node use composer nodes/own.wasm").ok().replace(&folder(&place), "DIR"));
    assert_eq!(config(&place), before);
    let undone = place.sh("node use composer --default --json").json();
    assert_eq!(
        (&undone["before"]["component"], &undone["now"]["component"]),
        (&"own".into(), &"default-composer".into())
    );
    assert_eq!(config(&place), "[nodes.composer]\nlimits = { memory = \"32MiB\" }\n");
    assert!(place.sh("node list").ok().contains("composer             default-composer "));
    assert_eq!(place.names(), ["nodes", "portcullis.toml"]);
}

fn folder(place: &Place) -> String {
    place.path("").canonicalize().unwrap().display().to_string()
}

/// What becomes of this text when the component `own.wasm`, beside it, is to compose, and when it goes again.
#[track_caller]
fn edits(text: &str, used: &Expect, undone: &Expect) {
    let place = Place::new();
    place.write("own.wasm", marked_guest("composer", "own"));
    place.write("portcullis.toml", text);
    place.sh("node use composer own.wasm").ok();
    used.assert_eq(&without_digests(&config(&place)));
    place.sh("node use composer --default").ok();
    undone.assert_eq(&config(&place));
}

#[test]
fn comments_and_layout_stay() {
    // R-HOST-01
    edits(
        "# ours\n[nodes.composer]   # who writes\nwasi = \"none\" # never more\n\n[run]\nwall = \"1m\"\n",
        &expect![[r##"
            # ours
            [nodes.composer]   # who writes
            component = "own.wasm"
            sha256 = "…"
            wasi = "none" # never more

            [run]
            wall = "1m"
        "##]],
        &expect![[r##"
            # ours
            [nodes.composer]   # who writes
            wasi = "none" # never more

            [run]
            wall = "1m"
        "##]],
    );
    edits(
        "[nodes]\ncomposer = { limits = { wall = \"9s\" } }  # short\n",
        &expect![[r#"
        [nodes]
        composer = { component = "own.wasm", sha256 = "…", limits = { wall = "9s" } }  # short
    "#]],
        &expect![[r#"
        [nodes]
        composer = { limits = { wall = "9s" } }  # short
    "#]],
    );
    edits(
        "nodes.composer.limits.wall = \"9s\"",
        &expect![[r#"
        nodes.composer.component = "own.wasm"
        nodes.composer.sha256 = "…"
        nodes.composer.limits.wall = "9s""#]],
        &expect![[r#"nodes.composer.limits.wall = "9s""#]],
    );
}

#[test]
fn an_agent_is_a_place_too() {
    // R-HOST-01
    let place = Place::scripted();
    place.write("own.wasm", marked_guest("thinker", "own"));
    place.refuses(
        "node use planner-agent own.wasm",
        &["a script answers as planner-agent", "take `backend` and `script`"],
    );
    place.write("portcullis.toml", "");
    place.sh("node use planner-agent own.wasm").ok();
    assert!(config(&place).starts_with("[agents.planner]\ncomponent = \"own.wasm\"\n"));
    let listed = place.sh("node list").ok();
    assert!(
        listed.contains("planner-agent        own ") && listed.contains("verifier-agent       default-thinker "),
        "{listed}"
    );
}

/// The command fails, and the configuration is as it was.
#[track_caller]
fn refuses(place: &Place, line: &str, code: i32, words: &[&str]) {
    let (before, names) = (config(place), place.names());
    place.sh(line).fails(code, words);
    assert_eq!((config(place), place.names()), (before, names));
}

#[test]
fn what_would_not_serve_is_not_named() {
    // R-HOST-02
    let place = Place::new();
    place.write("bare.wasm", bare_composer(INPUT));
    place.write("broken.wasm", bare_composer("unreachable"));
    place.write("more.wasm", guest("composer"));
    place.write("cut.wasm", &guest("composer")[..99]);
    let wasi = r#"(component (import "wasi:cli/environment@0.2.3" (instance))
        (instance $none) (export "portcullis:node/composer-adapter@0.1.0" (instance $none)))"#;
    place.write("wasi.wasm", wat::parse_str(wasi).unwrap());
    place.sh("node use composer bare.wasm").ok();

    refuses(&place, "node use composer none.wasm", 2, &["cannot read none.wasm"]);
    refuses(&place, "node use composer cut.wasm", 1, &["component `cut`", "it is not valid"]);
    refuses(&place, "node use planner more.wasm", 1, &["configure it as composer"]);
    refuses(
        &place,
        "node use composer broken.wasm",
        1,
        &["it fits and does not work: legal-inputs: given a plain input: guest_trapped"],
    );
    let more = ["it imports `log`, `invoker`", "hint: --allow log --allow invoker writes that line"];
    refuses(&place, "node use composer more.wasm", 1, &more);
    refuses(
        &place,
        "node use composer more.wasm --allow log",
        1,
        &["it imports `invoker`, which is not among the rights"],
    );
    let wasi = ["it imports `wasi:cli/environment@0.2.3`", "set wasi = \"sandboxed\"", "hint: --wasi sandboxed writes"];
    refuses(&place, "node use composer wasi.wasm", 1, &wasi);

    place.sh("node use composer more.wasm --allow log --allow invoker").ok();
    assert!(config(&place).contains("rights = [\"log\", \"invoker\"]\n"), "{}", config(&place));
    place.sh("node use composer --default").ok();
    assert_eq!(config(&place), "[nodes.composer]\n");
}

#[test]
fn a_configuration_that_cannot_serve_can_be_taken_back() {
    // R-HOST-01
    let place = Place::new();
    place.write("portcullis.toml", "[nodes.composer]\ncomponent = \"gone.wasm\"\n");
    place.write("own.wasm", guest("composer"));
    refuses(&place, "node use composer own.wasm", 2, &["gone.wasm", "hint: if that is what is to be replaced"]);
    place.sh("node use composer --default").ok();
    assert_eq!(config(&place), "[nodes.composer]\n");
    place.sh("node use composer own.wasm").ok();
}

#[test]
fn nothing_else_is_taken_away() {
    // R-HOST-01
    let place = Place::new();
    place.write("own.wasm", guest("composer"));
    let text = "nodes = { composer.component = \"own.wasm\", composer.limits.compute = \"9s\" }\n";
    place.write("portcullis.toml", text);
    place.refuses("node use composer --default", &["write by hand: no nodes.composer.component"]);
    assert_eq!(config(&place), text);
}

#[test]
fn what_cannot_be_changed_is_told_by_hand() {
    // R-HOST-01
    let place = Place::new();
    place.write("own.wasm", guest("composer"));
    place.write("portcullis.toml", "nodes = { planner = {} }\n");
    let words = [
        "is written in a way that this command cannot change",
        "write by hand: nodes.composer.component = \"own.wasm\"; ",
    ];
    refuses(&place, "node use composer own.wasm", 2, &words);
    place.write("portcullis.toml", "[nodes");
    refuses(&place, "node use composer own.wasm", 2, &["portcullis.toml"]);
}

#[test]
#[cfg(unix)]
fn the_file_keeps_its_permissions_and_is_found_upward() {
    // R-HOST-01
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let path = place.write("portcullis.toml", "# ours\n");
    place.write("deep/er/own.wasm", guest("composer"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let mut command = place.command(["node", "use", "composer", "er/own.wasm"]);
    assert!(command.current_dir(place.path("deep")).status().unwrap().success());
    assert!(config(&place).contains("component = \"deep/er/own.wasm\"\n"), "{}", config(&place));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(!place.path("deep").join("portcullis.toml").exists());

    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o440)).unwrap();
    refuses(&place, "node use composer --default", 1, &["cannot write", "hint: the file is as it was"]);
}

#[test]
fn wrong_usage_is_told() {
    // R-HOST-01
    let place = Place::new();
    for (line, words) in [
        ("node use", "<ROLE>"),
        ("node use composer", "<FILE>"),
        ("node use compser x.wasm", "invalid value 'compser'"),
        ("node use composer x.wasm --default", "cannot be used with"),
        ("node use composer x.wasm --allow files", "[possible values: log, invoker, tools]"),
        ("node use composer x.wasm --wasi full", "[possible values: none, sandboxed]"),
        ("node use composer x.wasm --memory lots", "a size is a text such as"),
        ("node use composer x.wasm --memory 99999999999EiB", "is too large for a size"),
        ("node test x.wasm --role composer --memory 99999999999EiB", "is too large for a size"),
    ] {
        let ran = place.sh(line);
        assert!(ran.code == Some(2) && ran.stderr.contains(words), "{line}: {ran:?}");
    }
    assert!(!Path::new(&place.path("portcullis.toml")).exists());
}
