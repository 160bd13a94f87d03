//! Opens a database file: is it ours, can this version read it, is its schema the newest?
//!
//! A file that is not ours is refused before anything is written to it.

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The scripts that make the schema, each with the version that it leads to. What was released is never edited: a
/// change is a new script.
const MIGRATIONS: &[(u32, &str)] = &[(1, include_str!("migrations/0001_runs.sql"))];

/// The version that a store has after the last script.
const SCHEMA_VERSION: u32 = match MIGRATIONS {
    [.., (version, _)] => *version,
    [] => 0,
};

/// Marks a file as a run store, "ptrc" in ASCII.
const APPLICATION_ID: i32 = 0x7074_7263;

/// How long a call waits for another process's write before it fails.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// As long as the busy timeout, in the pauses between two tries.
const WAL_TRIES: u32 = 500;
const WAL_PAUSE: Duration = Duration::from_millis(10);

/// More than the store has statements, so that each is parsed once a connection.
const STATEMENTS_CACHED: usize = 32;

/// Why a file cannot be used as a run store.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "the run store {} cannot be made: its folder does not exist; \
         make the folder, or name another path under [store]",
        .0.display()
    )]
    FolderMissing(PathBuf),
    #[error("the run store {} is a folder; name a file under [store]", .0.display())]
    IsFolder(PathBuf),
    #[error("{} is no SQLite database; name another path under [store], or move that file away", .0.display())]
    NotADatabase(PathBuf),
    #[error("{} is a SQLite database of another program; name another path under [store]", .0.display())]
    NotOurs(PathBuf),
    #[error(
        "the run store {} has schema version {found}, and this portcullis knows versions up to {known}; \
         use the newer portcullis that wrote it, or name another path under [store]",
        path.display()
    )]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("the run store {} cannot be opened: {source}", path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
}

/// Opens the store at `path`, made or brought to the newest schema if need be.
pub(super) fn open(path: &Path) -> Result<Connection, OpenError> {
    // So that SQLite takes the path for a file and nothing else: an empty one and ":memory:" would keep nothing.
    let file = Path::new(".").join(path);
    if file.is_dir() {
        return Err(OpenError::IsFolder(path.to_owned()));
    }
    if file.parent().is_some_and(|folder| !folder.is_dir()) {
        return Err(OpenError::FolderMissing(path.to_owned()));
    }
    let failed = |source: rusqlite::Error| match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenError::NotADatabase(path.to_owned()),
        Some(_) | None => OpenError::Sqlite { path: path.to_owned(), source },
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(&file, flags).map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    match identify(&mut connection).map_err(failed)? {
        Identity::Empty | Identity::Ours { version: 0..=SCHEMA_VERSION } => {}
        Identity::Ours { version } => {
            return Err(OpenError::Newer { path: path.to_owned(), found: version, known: SCHEMA_VERSION });
        }
        Identity::Foreign => return Err(OpenError::NotOurs(path.to_owned())),
    }
    configure(&connection).and_then(|()| migrate(&mut connection)).map_err(failed)?;
    Ok(connection)
}

enum Identity {
    Empty,
    Ours { version: u32 },
    Foreign,
}

fn identify(connection: &mut Connection) -> rusqlite::Result<Identity> {
    // One transaction, so one state of the file: another process may be making it just now.
    let snapshot = connection.transaction()?;
    let application_id: i32 = snapshot.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let is_empty: bool = snapshot.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match application_id {
        APPLICATION_ID => Identity::Ours { version: schema_version(&snapshot)? },
        0 if is_empty => Identity::Empty,
        _ => Identity::Foreign,
    })
}

fn schema_version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    switch_to_wal(connection)?;
    // With WAL, NORMAL loses nothing when a process is killed: what was committed is with the operating system. Only a
    // power cut can take the last moments, and leaves the file whole. FULL would wait for the disk at each record.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    Ok(())
}

/// WAL: readers do not wait for a writer, nor it for them. The file remembers it, so only its first users switch.
fn switch_to_wal(connection: &Connection) -> rusqlite::Result<()> {
    let mut tries_left = WAL_TRIES;
    loop {
        tries_left -= 1;
        match connection.pragma_update(None, "journal_mode", "WAL") {
            // Two that switch at once refuse each other without waiting, whatever the busy timeout.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && tries_left > 0 => {
                std::thread::sleep(WAL_PAUSE);
            }
            switched => return switched,
        }
    }
}

/// All or nothing, and under the write lock: of two that start together one migrates, the other finds it done.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    if schema_version(connection)? == SCHEMA_VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = schema_version(&transaction)?;
    for (reached, script) in MIGRATIONS.iter().filter(|(reached, _)| *reached > version) {
        transaction.execute_batch(script)?;
        transaction.pragma_update(None, "user_version", reached)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.commit()
}
