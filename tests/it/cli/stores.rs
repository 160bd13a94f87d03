//! Files that are no run store, or none that this version reads: refused, and left as they are.

use super::place::Place;
use rusqlite::Connection;

/// The store at `name` is refused by readers and writers, and no byte of it changes.
#[track_caller]
fn refuses(place: &Place, name: &str, words: &[&str]) {
    let path = place.path(name);
    let before = std::fs::read(&path).ok();
    for line in ["run --incident bundle --store", "runs list --store", "runs show last --store"] {
        place.refuses(&format!("{line} {name}"), &[&[name], words].concat());
    }
    assert_eq!(std::fs::read(&path).ok(), before);
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    // R-RUN-05
    let place = Place::scripted();
    place.sh("run --incident bundle").ok();
    let whole = std::fs::read(place.path("portcullis.db")).unwrap();

    refuses(&place, "script.json", &["is no SQLite database", "name another path"]);
    refuses(&place, "bundle", &["is a folder", "name a file"]);
    Connection::open(place.path("other.db")).unwrap().execute_batch("CREATE TABLE song (title TEXT)").unwrap();
    refuses(&place, "other.db", &["is a SQLite database of another program", "name another path"]);
    place.write("newer.db", &whole);
    Connection::open(place.path("newer.db")).unwrap().pragma_update(None, "user_version", 99).unwrap();
    refuses(&place, "newer.db", &["schema version 99", "use the newer portcullis"]);
    place.write("cut.db", &whole[..whole.len() / 2]);
    refuses(&place, "cut.db", &["malformed", "hint: name another file with --store FILE"]);
}

#[test]
fn a_store_that_is_not_there_is_made_by_a_run_alone() {
    // R-RUN-05
    let place = Place::scripted();
    place.refuses("runs list", &["there is no run store at", "portcullis.db", "made by the first `portcullis run`"]);
    place.refuses("runs show last", &["there is no run store at"]);
    place.refuses(
        "run --incident bundle --store none/runs.db",
        &["none/runs.db", "its folder does not exist", "make the folder"],
    );
    place.write("empty.db", "");
    for line in ["runs list --store empty.db", "runs show last --store empty.db"] {
        place.refuses(line, &["there is no run store at", "empty.db"]);
    }
    assert_eq!(place.path("empty.db").metadata().unwrap().len(), 0, "a reader writes nothing");
    std::fs::remove_file(place.path("empty.db")).unwrap();
    for line in ["runs list --store memory", "runs show last --store memory"] {
        place.refuses(line, &["`memory`, which keeps nothing", "--store FILE"]);
    }
    place.sh("run --incident bundle --store memory").ok();
    assert_eq!(place.names(), ["bundle", "portcullis.toml", "script.json"]);
}

#[test]
fn a_broken_page_is_the_files_fault() {
    // R-RUN-05
    let place = Place::scripted();
    place.sh("run --incident bundle").ok();
    let mut bytes = std::fs::read(place.path("portcullis.db")).unwrap();
    bytes[4096..].fill(0x55);
    place.write("portcullis.db", bytes);
    for line in ["runs list", "runs show last", "run --incident bundle"] {
        let ran = place.sh(line);
        ran.fails(2, &["portcullis.db", "malformed", "hint: name another file with --store FILE"]);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_nobody_can_write_to_holds_no_store() {
    // R-RUN-05
    let place = Place::scripted();
    place.refuses(
        "run --incident bundle --store /proc/runs.db",
        &["/proc/runs.db cannot be opened", "hint: name another file"],
    );
    place
        .refuses("run --incident bundle --store /dev/full", &["/dev/full cannot be opened", "hint: name another file"]);
    let mut command = place.command(["run", "why?"]);
    let config = place.path("portcullis.toml");
    // With the configuration elsewhere the store is beside it; without one it is in the working folder.
    command.args(["--store", "runs.db", "--config"]).arg(config).current_dir("/proc");
    let ran: super::place::Ran = command.output().unwrap().into();
    ran.refused(&["runs.db cannot be opened", "hint: name another file"]);
}
