//! Compiled code that outlives the start: what `doctor` says of it.

use super::place::{Place, Ran};
use serde_json::Value;
use std::path::Path;

fn doctor(place: &Place, cache: &Path) -> Value {
    let mut command = place.command(["doctor", "--json", "--store", "memory"]);
    let ran: Ran = command.env("XDG_CACHE_HOME", cache).output().unwrap().into();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    ran.json()
}

fn words(doctor: &Value) -> &str {
    let findings = doctor["findings"].as_array().unwrap();
    findings.iter().find(|it| it["what"] == "code cache").unwrap()["words"].as_str().unwrap()
}

#[test]
fn a_second_start_compiles_nothing() {
    // R-HOST-01
    let (place, cache) = (Place::new(), tempfile::tempdir().unwrap());
    let first = doctor(&place, cache.path());
    // Four adapters, four parsers, two agents.
    assert_eq!((&first["code"]["from_cache"], &first["code"]["compiled"]), (&0.into(), &10.into()), "{first}");
    let second = doctor(&place, cache.path());
    assert_eq!((&second["code"]["from_cache"], &second["code"]["compiled"]), (&10.into(), &0.into()), "{second}");
    assert!(second["code"]["files"].as_u64().unwrap() >= 10 && second["code"]["bytes"].as_u64().unwrap() > 100_000);
    assert!(words(&first).contains("10 were compiled now"), "{first}");
    assert!(words(&second).starts_with("10 of 10 came compiled from "), "{second}");
}

/// Needs a user who may give files away.
#[cfg(unix)]
#[test]
fn a_cache_of_another_user_is_not_used() {
    const NOBODY: u32 = 65_534;
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    if std::os::unix::fs::chown(&theirs, Some(NOBODY), None).is_err() {
        eprintln!("skipped: only root can give a folder to another user");
        return;
    }
    // Reached by its name, and by a link of one's own.
    std::os::unix::fs::symlink(&theirs, folder.path().join("portcullis")).unwrap();
    let told = doctor(&Place::new(), folder.path());
    assert!(words(&told).contains("it belongs to another user"), "{told}");
    assert_eq!(theirs.read_dir().unwrap().count(), 0, "something was written there");
}
