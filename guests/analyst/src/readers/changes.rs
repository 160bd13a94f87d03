//! Changes: what was done to the system shortly before trouble began, and what was done long before.

use super::Readings;
use crate::evidence::{Observation, Quote, join_index, shorten_to};
use crate::finding::{Finding, Health, Source, State};
use crate::knowledge::{Kind, signs};
use crate::time;
use serde_json::Value;

const LONGEST_TEXT: usize = 240;

/// What a kind of change is called.
const KINDS: &[(Kind, &[&str])] = &[
    (Kind::Failover, &["failover"]),
    (Kind::InstanceRestart, &["restart", "reboot"]),
    (Kind::Maintenance, &["maintenance", "backup", "patch", "upgrade"]),
    (Kind::JobStart, &["job", "batch", "cron", "experiment"]),
    (Kind::Scaling, &["scal"]),
    (Kind::ConfigChange, &["config", "parameter", "flag", "setting", "rollback", "secret", "rotation"]),
    (Kind::Deploy, &["deploy", "rollout", "release", "image", "version", "commit", "build"]),
];

pub(crate) fn read(of: usize, observation: &Observation, readings: &mut Readings) {
    let changes = observation.at("/changes").and_then(Value::as_array);
    for (index, change) in changes.into_iter().flatten().enumerate() {
        let path = join_index("/changes", index);
        let text = |name: &str| change.get(name).and_then(Value::as_str);
        let (Some(word), Some(description)) = (text("kind"), text("description")) else { continue };
        let quotes: Vec<Quote> = ["description", "kind", "time", "entity"]
            .iter()
            .filter_map(|field| Quote::value(of, observation, &format!("{path}/{field}")))
            .collect();
        let said = shorten_to(description, LONGEST_TEXT);
        let entity = text("entity").unwrap_or_default().to_owned();
        let time = text("time").and_then(time::parse);
        let kind = kind_of(word);
        if signs::recovers(description) {
            readings.health.push(Health {
                entity: entity.clone(),
                text: said.clone(),
                is_recovery: true,
                time,
                quotes: quotes.clone(),
            });
        }
        readings.findings.push(Finding {
            kind,
            // A change that names nobody is matched with whoever got worse, later.
            entity,
            object: Some(said.clone()),
            source: Source::Change,
            state: State::Active,
            strength: 0.8,
            time,
            text: said,
            quotes,
        });
    }
}

/// An unknown kind of change is a change of configuration.
fn kind_of(word: &str) -> Kind {
    let word = word.to_lowercase();
    let known = KINDS.iter().find(|(_, words)| words.iter().any(|part| word.contains(part)));
    known.map_or(Kind::ConfigChange, |(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Body;
    use serde_json::{Map, json};

    #[test]
    fn a_change_is_read_with_its_time_and_description() {
        let observation = Observation {
            invocation_id: "inv-1".into(),
            tool: "list_changes".into(),
            arguments: Map::new(),
            body: Body::Json(json!({"changes": [
                {"time": "2026-01-01T10:00:00Z", "entity": "cart", "kind": "deploy", "description": "cart v2"},
                {"time": "2026-01-01T10:00:00Z", "kind": "parameter_change", "description": "timeout set to 1"},
                {"kind": "deploy"}
            ]})),
        };
        let mut readings = Readings::default();
        read(0, &observation, &mut readings);
        let found: Vec<_> =
            readings.findings.iter().map(|f| (f.kind, f.entity.as_str(), f.object.as_deref())).collect();
        assert_eq!(
            found,
            [(Kind::Deploy, "cart", Some("cart v2")), (Kind::ConfigChange, "", Some("timeout set to 1"))]
        );
    }
}
