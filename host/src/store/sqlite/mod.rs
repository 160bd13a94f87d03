//! The run store in a SQLite file. Several threads and several processes may use one file.
//!
//! Each record is one statement, and each statement checks by itself that the run still takes records, so nothing has
//! to be locked between a check and a write. Why a statement wrote nothing is asked only then.

mod open;
mod rows;
#[cfg(test)]
mod tests;

pub use open::OpenError;

use super::records::check_event;
use super::{
    CheckedBinding, ClaimRecord, Ending, Evaluation, FinishedRun, INVOCATIONS_MAX, InvocationRecord, NewRun, Round,
    Run, RunFilter, RunOwner, RunPage, RunStatus, RunStore, Step, StoreError, ToolInvocation,
};
use portcullis_core::document::Verdict;
use portcullis_core::ledger::Invocation;
use portcullis_core::trail::Event;
use rusqlite::{Connection, OptionalExtension, Params, Row, ToSql, TransactionBehavior, ffi, named_params, params};
use serde_json::Value;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub struct SqliteStore {
    connection: Mutex<Connection>,
}

impl SqliteStore {
    /// Opens the store in the file at `path`; makes the file when it is not there.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Ok(Self { connection: Mutex::new(open::open(path)?) })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A statement is atomic, and a transaction that a panic unwound was rolled back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(
        &self,
        sql: &str,
        params: impl Params,
        record: fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(sql)?;
        let mut records = Vec::new();
        for record in statement.query_and_then(params, record)? {
            records.push(record?);
        }
        Ok(records)
    }

    fn read_one<T>(
        &self,
        sql: &str,
        params: impl Params,
        record: fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.read(sql, params, record)?.pop())
    }

    fn append_attempt(&self, run_id: &str, seq: u32, event: &Event, step: Option<&Step>) -> Result<(), StoreError> {
        check_event(run_id, seq, event)?;
        let connection = self.connection();
        let appended = connection
            .prepare_cached(
                "INSERT INTO attempt (run_id, seq, node, round, attempt, outcome, reason_code,
                     started_ms, duration_ms, input_sha256, input_bytes, output_bytes)
                 SELECT run_id, :seq, :node, :round, :attempt, :outcome, :reason_code,
                     :started_ms, :duration_ms, :input_sha256, :input_bytes, :output_bytes
                 FROM run WHERE run_id = :run_id AND status = 'RUNNING'
                     AND :seq = (SELECT coalesce(max(seq), 0) + 1 FROM attempt WHERE run_id = :run_id)",
            )?
            .execute(named_params! {
                ":run_id": run_id,
                ":seq": seq,
                ":node": event.node,
                ":round": event.round,
                ":attempt": event.attempt,
                ":outcome": event.outcome,
                ":reason_code": event.reason_code.as_str(),
                ":started_ms": step.map(|step| step.started_ms),
                ":duration_ms": step.map(|step| rows::to_integer(step.duration_ms)),
                ":input_sha256": step.and_then(|step| step.input_sha256.as_deref()),
                ":input_bytes": step.map(|step| rows::to_integer(step.input_bytes)),
                ":output_bytes": step.map(|step| rows::to_integer(step.output_bytes)),
            })?;
        if appended == 1 {
            return Ok(());
        }
        must_be_running(&connection, run_id)?;
        let next = "SELECT coalesce(max(seq), 0) + 1 FROM attempt WHERE run_id = ?1";
        let next = connection.query_row(next, [run_id], |row| row.get(0))?;
        Err(StoreError::OutOfSequence { run_id: run_id.to_owned(), seq, next })
    }
}

/// An error when the run takes no more records.
fn must_be_running(connection: &Connection, run_id: &str) -> Result<(), StoreError> {
    match is_running(connection, run_id)? {
        None => Err(StoreError::UnknownRun(run_id.to_owned())),
        Some(false) => Err(StoreError::Finished(run_id.to_owned())),
        Some(true) => Ok(()),
    }
}

fn is_running(connection: &Connection, run_id: &str) -> rusqlite::Result<Option<bool>> {
    let sql = "SELECT status = 'RUNNING' FROM run WHERE run_id = ?1";
    connection.query_row(sql, [run_id], |row| row.get(0)).optional()
}

/// Names what a uniqueness rule of the schema refused.
fn or_duplicate<T>(written: rusqlite::Result<T>, run_id: &str, what: impl FnOnce() -> String) -> Result<T, StoreError> {
    written.map_err(|error| match error.sqlite_error().map(|failure| failure.extended_code) {
        Some(ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE) => {
            StoreError::Duplicate { run_id: run_id.to_owned(), what: what() }
        }
        Some(_) | None => error.into(),
    })
}

impl RunStore for SqliteStore {
    fn begin(&self, run: &NewRun) -> Result<(), StoreError> {
        run.check()?;
        let NewRun { run_id, session_id, owner, question, nodes, created_ms } = run;
        let nodes = rows::to_json(nodes)?;
        let begun = self
            .connection()
            .prepare_cached(
                "INSERT INTO run (run_id, session_id, owner, status, created_ms, question, nodes, metrics)
                 VALUES (?1, ?2, ?3, 'RUNNING', ?4, ?5, ?6, '{}')",
            )?
            .execute(params![run_id, session_id, owner, created_ms, question, nodes]);
        or_duplicate(begun, run_id, || "beginning".to_owned())?;
        Ok(())
    }

    fn append_event(&self, run_id: &str, seq: u32, event: &Event) -> Result<(), StoreError> {
        self.append_attempt(run_id, seq, event, None)
    }

    fn append_step(&self, run_id: &str, step: &Step) -> Result<(), StoreError> {
        self.append_attempt(run_id, step.seq, &step.event, Some(step))
    }

    fn append_invocation(&self, invocation: &ToolInvocation) -> Result<(), StoreError> {
        let ToolInvocation { invocation: Invocation { run_id, output, .. }, .. } = invocation;
        let record = InvocationRecord::from(invocation);
        let connection = self.connection();
        let appended = connection
            .prepare_cached(
                "INSERT INTO tool_invocation (run_id, invocation_id, tool_name, status, truncated, output_bytes,
                     output_sha256, original_bytes, started_ms, duration_ms, arguments, output)
                 SELECT run_id, :invocation_id, :tool_name, :status, :truncated, :output_bytes, :output_sha256,
                     :original_bytes, :started_ms, :duration_ms, :arguments, :output
                 FROM run WHERE run_id = :run_id AND status = 'RUNNING'
                     AND (SELECT count(*) FROM tool_invocation WHERE run_id = :run_id) < :max",
            )?
            .execute(named_params! {
                ":run_id": run_id,
                ":invocation_id": record.invocation_id,
                ":tool_name": record.tool_name,
                ":status": record.status.as_str(),
                ":truncated": record.truncated,
                ":output_bytes": rows::to_integer(record.output_bytes),
                ":output_sha256": record.output_sha256,
                ":original_bytes": rows::to_integer(record.original_bytes),
                ":started_ms": record.started_ms,
                ":duration_ms": rows::to_integer(record.duration_ms),
                ":arguments": record.arguments,
                ":output": &output[..],
                ":max": rows::to_integer(INVOCATIONS_MAX as u64),
            });
        let appended = or_duplicate(appended, run_id, || format!("tool invocation {}", record.invocation_id))?;
        if appended == 1 {
            return Ok(());
        }
        must_be_running(&connection, run_id)?;
        Err(StoreError::Full { run_id: run_id.clone(), what: "tool invocations", max: INVOCATIONS_MAX })
    }

    fn put_checked_bindings(&self, run_id: &str, round: u8, bindings: &[CheckedBinding]) -> Result<(), StoreError> {
        let bindings = rows::to_json(bindings)?;
        let connection = self.connection();
        let put = connection
            .prepare_cached(
                "INSERT INTO gate_round (run_id, round, checked_bindings, claims)
                 SELECT run_id, ?2, ?3, '[]' FROM run WHERE run_id = ?1 AND status = 'RUNNING'",
            )?
            .execute(params![run_id, round, bindings]);
        match or_duplicate(put, run_id, || format!("gatekeeper result of round {round}"))? {
            0 => must_be_running(&connection, run_id),
            _ => Ok(()),
        }
    }

    fn put_claims(&self, run_id: &str, round: u8, claims: &[ClaimRecord]) -> Result<(), StoreError> {
        let claims = rows::to_json(claims)?;
        let connection = self.connection();
        let put = connection
            .prepare_cached(
                "UPDATE gate_round SET claims = ?3 WHERE run_id = ?1 AND round = ?2
                     AND EXISTS (SELECT 1 FROM run WHERE run_id = ?1 AND status = 'RUNNING')",
            )?
            .execute(params![run_id, round, claims])?;
        if put == 1 {
            return Ok(());
        }
        must_be_running(&connection, run_id)?;
        Err(StoreError::NotJudged { run_id: run_id.to_owned(), round })
    }

    fn finish(&self, run_id: &str, finished: &FinishedRun) -> Result<(), StoreError> {
        let FinishedRun { ending, metrics, finished_ms } = finished;
        ending.check()?;
        let metrics = rows::to_json(metrics)?;
        let trace = ending.trace().map(rows::to_json).transpose()?;
        let (answer, verdict, reason) = match ending {
            Ending::Success { answer, verdict, trace: _ } => (Some(answer), *verdict, None),
            Ending::Failed { reason, trace: _ } => (None, None, Some(reason)),
        };
        let verdict = verdict.map(Verdict::as_str);
        let mut connection = self.connection();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let ended = transaction
            .prepare_cached(
                "UPDATE run SET status = ?2, answer = ?3, verdict = ?4, failure_reason = ?5, metrics = ?6,
                     finished_ms = ?7
                 WHERE run_id = ?1 AND status = 'RUNNING'",
            )?
            .execute(params![run_id, ending.status().as_str(), answer, verdict, reason, metrics, finished_ms])?;
        if ended == 0 {
            return must_be_running(&transaction, run_id);
        }
        if let Some(trace) = trace {
            transaction
                .prepare_cached("INSERT INTO orchestration_trace (run_id, trace) VALUES (?1, ?2)")?
                .execute([run_id, &trace])?;
        }
        transaction.commit()?;
        Ok(())
    }

    fn put_evaluation(&self, run_id: &str, evaluation: &Evaluation) -> Result<(), StoreError> {
        let Evaluation { name, status, figures } = evaluation;
        let figures = rows::to_json(figures)?;
        let connection = self.connection();
        let put = connection
            .prepare_cached(
                "INSERT INTO evaluation (run_id, name, status, figures)
                 SELECT run_id, ?2, ?3, ?4 FROM run WHERE run_id = ?1 AND status = 'SUCCESS'",
            )?
            .execute(params![run_id, name, status, figures]);
        if or_duplicate(put, run_id, || format!("evaluation {name}"))? == 1 {
            return Ok(());
        }
        match is_running(&connection, run_id)? {
            None => Err(StoreError::UnknownRun(run_id.to_owned())),
            Some(_) => Err(StoreError::NotSuccessful(run_id.to_owned())),
        }
    }

    fn run(&self, run_id: &str) -> Result<Option<Run>, StoreError> {
        let sql = "SELECT *, (SELECT json_group_array(node ORDER BY seq) FROM event WHERE event.run_id = run.run_id)
                 AS agent_flow
             FROM run WHERE run_id = ?1";
        self.read_one(sql, [run_id], rows::run)
    }

    fn orchestration_trace(&self, run_id: &str) -> Result<Option<Value>, StoreError> {
        self.read_one("SELECT trace FROM orchestration_trace WHERE run_id = ?1", [run_id], rows::trace)
    }

    fn list_runs(&self, filter: &RunFilter) -> Result<RunPage, StoreError> {
        // A condition that is not asked for is not in the statement, so that each list has its index.
        let mut sql = String::from("SELECT * FROM run WHERE TRUE");
        let mut params: Vec<&dyn ToSql> = Vec::new();
        let status = filter.status.map(RunStatus::as_str);
        if let Some(session_id) = &filter.session_id {
            sql.push_str(" AND session_id = ?");
            params.push(session_id);
        }
        if let Some(status) = &status {
            sql.push_str(" AND status = ?");
            params.push(status);
        }
        if let Some(after) = &filter.after {
            if is_running(&self.connection(), after)?.is_none() {
                return Err(StoreError::UnknownRun(after.clone()));
            }
            sql.push_str(" AND (created_ms, run_id) < (SELECT created_ms, run_id FROM run WHERE run_id = ?)");
            params.push(after);
        }
        sql.push_str(" ORDER BY created_ms DESC, run_id DESC LIMIT ?");
        let limit = filter.bounded_limit();
        let one_more = rows::to_integer(limit as u64 + 1);
        params.push(&one_more);
        Ok(RunPage::cut(self.read(&sql, &params[..], rows::run_summary)?, limit))
    }

    fn running(&self) -> Result<Vec<RunOwner>, StoreError> {
        let sql = "SELECT run_id, owner FROM run WHERE status = 'RUNNING' ORDER BY run_id";
        self.read(sql, [], rows::run_owner)
    }

    fn events(&self, run_id: &str) -> Result<Vec<Event>, StoreError> {
        self.read("SELECT * FROM event WHERE run_id = ?1 ORDER BY seq", [run_id], rows::event)
    }

    fn steps(&self, run_id: &str) -> Result<Vec<Step>, StoreError> {
        self.read("SELECT * FROM agent_step WHERE run_id = ?1 ORDER BY seq", [run_id], rows::step)
    }

    fn rounds(&self, run_id: &str) -> Result<Vec<Round>, StoreError> {
        self.read("SELECT * FROM gate_round WHERE run_id = ?1 ORDER BY round", [run_id], rows::round)
    }

    fn invocations(&self, run_id: &str) -> Result<Vec<InvocationRecord>, StoreError> {
        let sql = "SELECT * FROM tool_invocation WHERE run_id = ?1 ORDER BY entry";
        self.read(sql, [run_id], rows::invocation_record)
    }

    fn invocation(&self, run_id: &str, invocation_id: &str) -> Result<Option<ToolInvocation>, StoreError> {
        let sql = "SELECT * FROM tool_invocation WHERE run_id = ?1 AND invocation_id = ?2";
        self.read_one(sql, [run_id, invocation_id], rows::invocation)
    }

    fn is_foreign_invocation(&self, run_id: &str, invocation_id: &str) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM tool_invocation WHERE invocation_id = ?2 AND run_id <> ?1)";
        Ok(self.connection().prepare_cached(sql)?.query_row([run_id, invocation_id], |row| row.get(0))?)
    }

    fn evaluations(&self, run_id: &str) -> Result<Vec<Evaluation>, StoreError> {
        self.read("SELECT * FROM evaluation WHERE run_id = ?1 ORDER BY name", [run_id], rows::evaluation)
    }
}
