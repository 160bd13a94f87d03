//! What only a store in a file has to prove: that it outlives its process, is shared, and refuses what is not its own.

use super::*;
use crate::store::conformance::{conformance_tests, event, invocation, new_run, run_up_to_the_end, step, whole_run};
use crate::store::{INTERRUPTED, RunView, fail_orphans};
use std::path::PathBuf;
use tempfile::TempDir;

/// A store in a folder that goes with it.
struct Fresh {
    store: SqliteStore,
    folder: TempDir,
}

impl Fresh {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { store: SqliteStore::open(&folder.path().join("runs.db")).unwrap(), folder }
    }

    fn store(&self) -> &dyn RunStore {
        &self.store
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("runs.db")
    }

    fn figure(&self, sql: &str) -> i64 {
        self.store.connection().query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

conformance_tests!(Fresh::new());

#[test]
fn a_killed_process_leaves_its_partial_trail() {
    // R-RUN-05 R-RUN-06
    let fresh = Fresh::new();
    whole_run(fresh.store(), "done", "session");
    let done = RunView::of(fresh.store(), "done").unwrap();
    fresh.store().begin(&new_run("cut", "session")).unwrap();
    fresh.store().append_step("cut", &step(1, "planner")).unwrap();
    fresh.store().append_invocation(&invocation("cut", "inv", b"{}")).unwrap();
    let path = fresh.path();
    // Nothing is closed and nothing flushed, as after a kill: the log lies beside the file as it is.
    std::mem::forget(fresh.store);

    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(fail_orphans(&store, &|_| false, 9_000).unwrap(), 1);
    let cut = RunView::of(&store, "cut").unwrap().unwrap();
    assert_eq!(cut.run.run.status, RunStatus::Failed);
    assert_eq!(cut.run.run.failure_reason.as_deref(), Some(INTERRUPTED));
    assert_eq!(cut.run.orchestration_trace.unwrap()["path"], "planner");
    assert_eq!(cut.tool_invocations.len(), 1);
    assert_eq!(RunView::of(&store, "done").unwrap(), done);
}

#[test]
fn a_finish_that_cannot_be_stored_whole_is_not_stored_at_all() {
    // R-RUN-06
    let fresh = Fresh::new();
    run_up_to_the_end(fresh.store(), "run-a", "session");
    fresh.store.connection().execute("INSERT INTO orchestration_trace VALUES ('run-a', '{}')", []).unwrap();
    let Fresh { store, .. } = &fresh;
    let mut trail = portcullis_core::trail::Trail::default();
    trail.record(event("composer")).unwrap();
    let trace = portcullis_core::trail::OrchestrationTrace::of(&trail, portcullis_core::trail::Ending::default());
    let ending = Ending::Success { answer: "42".into(), verdict: None, trace };
    let finished = FinishedRun { ending, metrics: serde_json::Map::new(), finished_ms: 2_000 };
    assert!(matches!(store.finish("run-a", &finished), Err(StoreError::Backend(_))));
    let run = store.run("run-a").unwrap().unwrap();
    assert_eq!((run.status, run.answer), (RunStatus::Running, None));
}

#[test]
fn writers_at_once_lose_and_mix_nothing() {
    // R-RUN-07 R-STATE-05
    const WRITERS: usize = 8;
    const RUNS_EACH: usize = 5;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("runs.db");
    // Half of the writers share a store as the tasks of one process do, the others open the file like processes.
    let shared = std::sync::OnceLock::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (path, shared) = (&path, &shared);
            scope.spawn(move || {
                let own;
                let store: &SqliteStore = if writer % 2 == 0 {
                    shared.get_or_init(|| SqliteStore::open(path).unwrap())
                } else {
                    own = SqliteStore::open(path).unwrap();
                    &own
                };
                for number in 0..RUNS_EACH {
                    whole_run(store, &format!("run-{writer}-{number}"), &format!("session-{writer}"));
                }
            });
        }
    });
    let store = SqliteStore::open(&path).unwrap();
    assert!(store.running().unwrap().is_empty());
    for writer in 0..WRITERS {
        for number in 0..RUNS_EACH {
            let run_id = format!("run-{writer}-{number}");
            let view = RunView::of(&store, &run_id).unwrap().unwrap();
            assert_eq!(view.run.run.session_id, format!("session-{writer}"));
            assert_eq!(view.run.run.answer, Some(format!("{run_id} ran out of memory")));
            assert_eq!((view.steps.len(), view.run.run.agent_flow.len()), (4, 6));
            let ids: Vec<_> = view.tool_invocations.iter().map(|call| call.invocation_id.clone()).collect();
            assert_eq!(ids, [format!("{run_id}-inv")]);
        }
    }
}

#[test]
fn of_many_ends_at_once_one_counts() {
    // R-RUN-06
    let fresh = Fresh::new();
    run_up_to_the_end(fresh.store(), "run-a", "session");
    let path = fresh.path();
    let swept: usize = std::thread::scope(|scope| {
        let sweep = || {
            let store = SqliteStore::open(&path).unwrap();
            fail_orphans(&store, &|_| false, 9_000).unwrap()
        };
        let sweeps: Vec<_> = (0..4).map(|_| scope.spawn(sweep)).collect();
        sweeps.into_iter().map(|sweep| sweep.join().unwrap()).sum()
    });
    assert_eq!(swept, 1);
}

#[test]
fn a_run_is_small() {
    let fresh = Fresh::new();
    let rows = "SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM attempt) + (SELECT count(*) FROM gate_round)
            + (SELECT count(*) FROM tool_invocation) + (SELECT count(*) FROM orchestration_trace)
            + (SELECT count(*) FROM evaluation)";
    let bytes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let empty_bytes = fresh.figure(bytes);
    let runs = 200;
    for number in 0..runs {
        whole_run(fresh.store(), &format!("0190a5c8-7b1e-7c3a-9f00-{number:012}"), "session");
    }
    let (rows, bytes) = (fresh.figure(rows) / runs, (fresh.figure(bytes) - empty_bytes) / runs);
    println!("a run of one round: {rows} rows, {bytes} bytes");
    assert!(rows <= 15, "{rows} rows");
    assert!(bytes <= 16 * 1_024, "{bytes} bytes");
}

#[test]
fn every_list_has_its_index() {
    let fresh = Fresh::new();
    for (sql, index) in [
        ("SELECT * FROM run WHERE TRUE ORDER BY created_ms DESC, run_id DESC LIMIT 5", "run_by_age"),
        ("SELECT * FROM run WHERE session_id = 's' ORDER BY created_ms DESC, run_id DESC LIMIT 5", "run_by_session"),
        ("SELECT run_id, owner FROM run WHERE status = 'RUNNING' ORDER BY run_id", "run_unfinished"),
        ("SELECT * FROM tool_invocation WHERE run_id = 'r' ORDER BY entry", "tool_invocation_by_run"),
    ] {
        let plan: Vec<String> = {
            let connection = fresh.store.connection();
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let details = statement.query_map([], |row| row.get("detail")).unwrap();
            details.collect::<Result<_, _>>().unwrap()
        };
        let plan = plan.join("\n");
        assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{sql}: {plan}");
    }
}

#[test]
fn a_changed_body_is_no_evidence() {
    // R-GATE-02
    let fresh = Fresh::new();
    run_up_to_the_end(fresh.store(), "run-a", "session");
    assert!(fresh.store().invocation("run-a", "run-a-inv").unwrap().is_some());
    fresh.store.connection().execute("UPDATE tool_invocation SET output = x'5b5d'", []).unwrap();
    assert!(matches!(fresh.store().invocation("run-a", "run-a-inv"), Err(StoreError::Corrupt(_))));
}

#[test]
fn what_no_store_writes_is_corrupt_and_no_guess() {
    let check = |damage: &str, read: fn(&dyn RunStore) -> Result<(), StoreError>| {
        let fresh = Fresh::new();
        whole_run(fresh.store(), "run-a", "session");
        read(fresh.store()).unwrap();
        fresh.store.connection().execute(damage, []).unwrap();
        let met = read(fresh.store());
        assert!(matches!(met, Err(StoreError::Corrupt(_))), "{damage}: {met:?}");
    };
    check("UPDATE run SET verdict = 'MAYBE'", |store| store.run("run-a").map(drop));
    check("UPDATE run SET nodes = '[{'", |store| store.run("run-a").map(drop));
    check("UPDATE run SET verdict = ''", |store| store.list_runs(&RunFilter::default()).map(drop));
    check("UPDATE attempt SET reason_code = 'because'", |store| store.events("run-a").map(drop));
    check("UPDATE attempt SET round = 256", |store| store.events("run-a").map(drop));
    check("UPDATE attempt SET input_bytes = -1", |store| store.steps("run-a").map(drop));
    check("UPDATE gate_round SET claims = '{}'", |store| store.rounds("run-a").map(drop));
    check("UPDATE tool_invocation SET status = 'fine'", |store| store.invocations("run-a").map(drop));
    check("UPDATE orchestration_trace SET trace = ''", |store| store.orchestration_trace("run-a").map(drop));
    check("UPDATE evaluation SET figures = '[]'", |store| store.evaluations("run-a").map(drop));
}

#[test]
fn an_orphan_with_an_unreadable_trail_is_ended_without_a_trace() {
    // R-RUN-05
    let fresh = Fresh::new();
    run_up_to_the_end(fresh.store(), "run-a", "session");
    fresh.store.connection().execute("UPDATE attempt SET reason_code = 'of_a_newer_version'", []).unwrap();
    assert_eq!(fail_orphans(fresh.store(), &|_| false, 9_000).unwrap(), 1);
    assert_eq!(fresh.store().run("run-a").unwrap().unwrap().status, RunStatus::Failed);
    assert_eq!(fresh.store().orchestration_trace("run-a").unwrap(), None);
}

#[test]
fn a_file_that_is_not_a_run_store_is_refused_and_left_as_it_was() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("short.txt"), "hello").unwrap();
    std::fs::write(file("long.txt"), "no database at all\n".repeat(1_000)).unwrap();
    Connection::open(file("other.db")).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let newer = file("newer.db");
    drop(SqliteStore::open(&newer).unwrap());
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 7).unwrap();
    std::fs::create_dir(file("folder.db")).unwrap();

    let check = |name: &str, parts: &[&str]| {
        let path = file(name);
        let before = std::fs::read(&path).ok();
        let message = SqliteStore::open(&path).unwrap_err().to_string();
        for part in parts.iter().chain(&[path.to_str().unwrap()]) {
            assert!(message.contains(part), "{message}: no {part}");
        }
        assert_eq!(std::fs::read(&path).ok(), before, "{name}");
    };
    check("short.txt", &["no SQLite database", "[store]"]);
    check("long.txt", &["no SQLite database", "[store]"]);
    check("other.db", &["another program", "[store]"]);
    check("newer.db", &["version 7", "up to 1", "[store]"]);
    check("folder.db", &["is a folder"]);
    check("missing/runs.db", &["folder does not exist"]);
    assert!(SqliteStore::open(Path::new("")).is_err());
}

#[test]
fn a_store_is_opened_again_as_it_was() {
    // R-RUN-06
    let fresh = Fresh::new();
    whole_run(fresh.store(), "run-a", "session");
    let before = RunView::of(fresh.store(), "run-a").unwrap();
    let path = fresh.path();
    let Fresh { store, folder } = fresh;
    drop(store);
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(RunView::of(&store, "run-a").unwrap(), before);
    drop((store, folder));
}
