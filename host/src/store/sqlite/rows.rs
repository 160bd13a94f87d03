//! Between rows and records. What a store did not write is [`StoreError::Corrupt`], never a guess.

use super::super::{Evaluation, InvocationRecord, Round, Run, RunOwner, RunSummary, Step, StoreError, ToolInvocation};
use crate::digest::sha256_hex;
use portcullis_core::ledger::Invocation;
use portcullis_core::trail::Event;
use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
        let is_about_a_value = matches!(
            error,
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
        );
        if is_about_a_value { Self::Corrupt(error.to_string()) } else { Self::Backend(error.into()) }
    }
}

pub(super) fn to_json(value: &(impl Serialize + ?Sized)) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Backend(error.into()))
}

/// SQLite has no unsigned integers; no size or duration comes near the end of the signed ones.
pub(super) fn to_integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn run(row: &Row<'_>) -> Result<Run, StoreError> {
    Ok(Run {
        run_id: row.get("run_id")?,
        session_id: row.get("session_id")?,
        status: word(row, "status")?,
        question: row.get("question")?,
        answer: row.get("answer")?,
        verdict: optional_word(row, "verdict")?,
        agent_flow: json(row, "agent_flow")?,
        metrics: json(row, "metrics")?,
        nodes: json(row, "nodes")?,
        failure_reason: row.get("failure_reason")?,
        owner: row.get("owner")?,
        created_ms: row.get("created_ms")?,
        finished_ms: row.get("finished_ms")?,
    })
}

pub(super) fn run_summary(row: &Row<'_>) -> Result<RunSummary, StoreError> {
    Ok(RunSummary {
        run_id: row.get("run_id")?,
        session_id: row.get("session_id")?,
        status: word(row, "status")?,
        question: row.get("question")?,
        verdict: optional_word(row, "verdict")?,
        failure_reason: row.get("failure_reason")?,
        created_ms: row.get("created_ms")?,
        finished_ms: row.get("finished_ms")?,
    })
}

pub(super) fn run_owner(row: &Row<'_>) -> Result<RunOwner, StoreError> {
    Ok(RunOwner { run_id: row.get("run_id")?, owner: row.get("owner")? })
}

pub(super) fn event(row: &Row<'_>) -> Result<Event, StoreError> {
    Ok(Event {
        node: row.get("node")?,
        round: row.get("round")?,
        attempt: row.get("attempt")?,
        outcome: row.get("outcome")?,
        reason_code: word(row, "reason_code")?,
    })
}

pub(super) fn step(row: &Row<'_>) -> Result<Step, StoreError> {
    Ok(Step {
        seq: row.get("seq")?,
        event: event(row)?,
        input_sha256: row.get("input_sha256")?,
        input_bytes: unsigned(row, "input_bytes")?,
        output_bytes: unsigned(row, "output_bytes")?,
        started_ms: row.get("started_ms")?,
        duration_ms: unsigned(row, "duration_ms")?,
    })
}

pub(super) fn round(row: &Row<'_>) -> Result<Round, StoreError> {
    Ok(Round {
        round: row.get("round")?,
        checked_bindings: json(row, "checked_bindings")?,
        claims: json(row, "claims")?,
    })
}

pub(super) fn invocation_record(row: &Row<'_>) -> Result<InvocationRecord, StoreError> {
    Ok(InvocationRecord {
        invocation_id: row.get("invocation_id")?,
        tool_name: row.get("tool_name")?,
        arguments: row.get("arguments")?,
        status: word(row, "status")?,
        output_bytes: unsigned(row, "output_bytes")?,
        output_sha256: row.get("output_sha256")?,
        original_bytes: unsigned(row, "original_bytes")?,
        truncated: row.get("truncated")?,
        started_ms: row.get("started_ms")?,
        duration_ms: unsigned(row, "duration_ms")?,
    })
}

/// A body that is not what was recorded is no evidence.
pub(super) fn invocation(row: &Row<'_>) -> Result<ToolInvocation, StoreError> {
    let invocation_id: String = row.get("invocation_id")?;
    let output: Vec<u8> = row.get("output")?;
    if sha256_hex(&output) != row.get::<_, String>("output_sha256")? {
        return Err(StoreError::Corrupt(format!("the output of tool invocation {invocation_id} has another sha256")));
    }
    Ok(ToolInvocation {
        invocation: Invocation {
            invocation_id,
            run_id: row.get("run_id")?,
            tool_name: row.get("tool_name")?,
            arguments: row.get("arguments")?,
            status: word(row, "status")?,
            output: output.into(),
            truncated: row.get("truncated")?,
        },
        original_bytes: unsigned(row, "original_bytes")?,
        started_ms: row.get("started_ms")?,
        duration_ms: unsigned(row, "duration_ms")?,
    })
}

pub(super) fn evaluation(row: &Row<'_>) -> Result<Evaluation, StoreError> {
    Ok(Evaluation { name: row.get("name")?, status: row.get("status")?, figures: json(row, "figures")? })
}

pub(super) fn trace(row: &Row<'_>) -> Result<Value, StoreError> {
    json(row, "trace")
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Result<T, StoreError> {
    serde_json::from_str(&row.get::<_, String>(column)?).map_err(|error| corrupt(column, &error))
}

/// One of a closed set of words.
fn word<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Result<T, StoreError> {
    serde_json::from_value(Value::String(row.get(column)?)).map_err(|error| corrupt(column, &error))
}

fn optional_word<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Result<Option<T>, StoreError> {
    let text: Option<String> = row.get(column)?;
    serde_json::from_value(text.map_or(Value::Null, Value::String)).map_err(|error| corrupt(column, &error))
}

fn unsigned(row: &Row<'_>, column: &str) -> Result<u64, StoreError> {
    u64::try_from(row.get::<_, i64>(column)?).map_err(|error| corrupt(column, &error))
}

fn corrupt(column: &str, error: &dyn std::error::Error) -> StoreError {
    StoreError::Corrupt(format!("{column}: {error}"))
}
