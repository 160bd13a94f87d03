//! What a database spends its time on: its top statements and what they wait for.

use super::Readings;
use crate::evidence::{Observation, Quote, shorten_to};
use crate::finding::{Finding, Source, State};
use crate::knowledge::Kind;
use serde_json::Value;

/// A statement with this part of the load matters.
const MATTERS: f64 = 0.2;
/// A wait with this part of a statement's load is what it waits for.
const WAITING: f64 = 0.4;
const LONGEST_STATEMENT: usize = 180;
/// The statements that are looked at.
const STATEMENTS: usize = 2;

pub(crate) fn read(of: usize, observation: &Observation, readings: &mut Readings) {
    let Some(statements) = observation.at("/top_sql").and_then(Value::as_array) else { return };
    let total: f64 = statements.iter().map(load).sum();
    let mut by_load: Vec<(usize, &Value)> = statements.iter().enumerate().collect();
    by_load.sort_by(|(_, a), (_, b)| load(b).total_cmp(&load(a)));
    let heavy = by_load.into_iter().take(STATEMENTS).filter(|(_, top)| total > 0.0 && load(top) / total >= MATTERS);
    for (index, top) in heavy {
        let share = load(top) / total;
        readings.findings.extend(statement(of, observation, index, top, share));
    }
}

fn load(value: &Value) -> f64 {
    value.get("db_load_avg").and_then(Value::as_f64).unwrap_or(0.0)
}

fn statement(of: usize, observation: &Observation, index: usize, top: &Value, share: f64) -> Option<Finding> {
    let path = format!("/top_sql/{index}");
    let statement = Quote::value(of, observation, &format!("{path}/statement"))?;
    let waits = top.get("wait_events").and_then(Value::as_array);
    let wait = waits.into_iter().flatten().enumerate().max_by(|(_, a), (_, b)| load(a).total_cmp(&load(b)));
    let wait_name = wait.and_then(|(_, wait)| wait.get("name")?.as_str()).unwrap_or_default();
    let waiting = wait.map_or(0.0, |(_, wait)| load(wait) / load(top).max(f64::MIN_POSITIVE));
    let kind = kind_of(&statement.text, wait_name, waiting);
    let entity = observation.at("/db_instance_identifier").and_then(Value::as_str);
    let entity = entity.or_else(|| observation.argument("db_instance_identifier")).unwrap_or_default().to_owned();
    let words = shorten_to(&statement.text, LONGEST_STATEMENT);
    let mut quotes = vec![statement];
    let mut text = format!("among the top SQL statements is `{words}`");
    if let Some(load) = Quote::value(of, observation, &format!("{path}/db_load_avg")) {
        text = format!("{text} with a load of {}", load.text);
        quotes.push(load);
    }
    let wait = wait.and_then(|(index, _)| Quote::value(of, observation, &format!("{path}/wait_events/{index}/name")));
    if let Some(name) = wait {
        text = format!("{text}, which waits mostly for {}", name.text);
        quotes.push(name);
    }
    quotes.extend(Quote::value(of, observation, "/db_instance_identifier"));
    Some(Finding {
        kind,
        entity,
        object: Some(words),
        source: Source::Load,
        state: State::Active,
        strength: 0.5 + 0.5 * share,
        time: None,
        text,
        quotes,
    })
}

/// What a dominant statement is a sign of, by what it does and what it waits for.
fn kind_of(statement: &str, wait: &str, share: f64) -> Kind {
    let (statement, wait) = (statement.to_uppercase(), wait.to_lowercase());
    let writes = ["INSERT", "UPDATE", "DELETE", "COPY", "MERGE", "TRUNCATE", "CREATE INDEX", "ALTER", "VACUUM"];
    let is_write = writes.iter().any(|verb| statement.trim_start().starts_with(verb));
    let waits_for = |words: &[&str]| share >= WAITING && words.iter().any(|word| wait.contains(word));
    if waits_for(&["clientread", "clientwrite", "client:"]) {
        Kind::ConnectionLeak
    } else if waits_for(&["lock:", "lwlock:lockmanager", "row lock", "transactionid"]) && !wait.contains("wal") {
        Kind::LockWaits
    } else if statement.trim_start().starts_with("CHECKPOINT")
        || waits_for(&["checkpoint", "datafilesync", "walsync", "bufferio"])
    {
        Kind::CheckpointLoad
    } else if is_write {
        Kind::WriteHeavy
    } else {
        Kind::HeavyQuery
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Body;
    use serde_json::{Map, json};

    #[test]
    fn a_statement_and_its_wait_tell_the_kind_of_load() {
        for (statement, wait, expected) in [
            ("SELECT * FROM a", "CPU:user", Kind::HeavyQuery),
            ("SELECT * FROM a", "IO:DataFileRead", Kind::HeavyQuery),
            ("SELECT * FROM a", "Client:ClientRead", Kind::ConnectionLeak),
            ("UPDATE a SET b = $1", "Lock:transactionid", Kind::LockWaits),
            ("INSERT INTO a SELECT 1", "IO:WALWrite", Kind::WriteHeavy),
            ("INSERT INTO a SELECT 1", "WAL:Lock", Kind::WriteHeavy),
            ("INSERT INTO a VALUES (1)", "IO:DataFileSync", Kind::CheckpointLoad),
            ("CHECKPOINT", "IO:DataFileWrite", Kind::CheckpointLoad),
        ] {
            assert_eq!(kind_of(statement, wait, 0.8), expected, "{statement} {wait}");
        }
    }

    #[test]
    fn only_statements_that_matter_are_findings() {
        let found = |loads: &[f64]| {
            let statements: Vec<Value> = loads
                .iter()
                .map(|load| json!({"statement": "SELECT 1", "db_load_avg": load, "wait_events": []}))
                .collect();
            let observation = Observation {
                invocation_id: "inv-1".into(),
                tool: "insights".into(),
                arguments: Map::new(),
                body: Body::Json(json!({"top_sql": statements, "db_instance_identifier": "db-1"})),
            };
            let mut readings = Readings::default();
            read(0, &observation, &mut readings);
            readings.findings.len()
        };
        assert_eq!(found(&[9.0, 1.0]), 1);
        assert_eq!(found(&[5.0, 4.0, 1.0]), 2);
        assert_eq!(found(&[1.0; 9]), 0);
        assert_eq!(found(&[]), 0);
    }
}
