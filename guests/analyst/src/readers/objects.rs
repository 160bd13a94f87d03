//! Objects of an orchestrator or a cloud as JSON: pods, deployments, nodes, autoscalers, events, monitors, log entries.
//!
//! Not the tool but the shape of an object says what it is. Wherever an object has a reason or a message, the signs decide.

use super::Readings;
use crate::evidence::{Observation, Quote, join, join_index, shorten_to};
use crate::finding::{Finding, Health, Source, State};
use crate::knowledge::{Kind, Meaning, Rank, objects, signs};
use crate::sources::source_of;
use crate::subject::Subject;
use crate::time::{self, Millis};
use serde_json::{Map, Value};

/// No tool nests deeper than this in earnest.
const DEEPEST: usize = 24;
/// Fields that name who an object is about; the first that is there decides.
const NAMES: [&str; 9] = [
    "involved_object",
    "involvedObject",
    "source_identifier",
    "subject_name",
    "pod_name",
    "db_instance_identifier",
    "name",
    "pod",
    "resource",
];
const TIMES: [&str; 9] = [
    "last_time",
    "lastTimestamp",
    "last_timestamp",
    "timestamp",
    "time",
    "date",
    "eventTime",
    "updated_at",
    "finished_at",
];
/// Fields that hold what somebody or something has to say.
const MESSAGES: [&str; 5] = ["message", "description", "summary", "error", "title"];
const LONGEST_TEXT: usize = 260;
/// Now and then a container restarts; so often it does not by itself.
const RESTARTS: f64 = 3.0;

struct Walk<'a> {
    of: usize,
    observation: &'a Observation,
    source: Source,
    subject: &'a Subject,
    readings: &'a mut Readings,
}

/// Who and when, handed down to nested objects.
#[derive(Clone)]
struct Scope {
    entity: String,
    time: Option<Millis>,
}

pub(crate) fn read(of: usize, observation: &Observation, subject: &Subject, readings: &mut Readings) {
    let Some(root) = observation.at("") else { return };
    let named = ["name", "pod_name", "pod", "service", "db_instance_identifier", "deployment", "node"];
    let entity = named.iter().find_map(|name| observation.argument(name)).or(subject.names.first().map(String::as_str));
    let scope = Scope { entity: entity.unwrap_or_default().to_owned(), time: None };
    Walk { of, observation, source: source_of(&observation.tool), subject, readings }.value(root, "", &scope, 0);
}

impl Walk<'_> {
    fn value(&mut self, value: &Value, path: &str, scope: &Scope, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        match value {
            Value::Object(fields) => self.object(fields, path, scope, depth),
            Value::Array(items) => {
                if items.is_empty() && path.to_lowercase().contains("event") {
                    self.no_events(path, scope);
                }
                for (index, item) in items.iter().enumerate() {
                    self.value(item, &join_index(path, index), scope, depth + 1);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, path: &str, scope: &Scope, depth: usize) {
        let scope = Scope {
            // A container is a part of its pod, and is not spoken of by itself.
            entity: if fields.contains_key("restart_count") || fields.contains_key("restartCount") {
                scope.entity.clone()
            } else {
                name(fields).unwrap_or_else(|| scope.entity.clone())
            },
            time: TIMES.iter().find_map(|field| text(fields, field).and_then(time::parse)).or(scope.time),
        };
        if fields.contains_key("phase") {
            self.pod(fields, path, &scope);
        }
        if fields.contains_key("disk_pressure") || fields.contains_key("memory_pressure") {
            self.node(fields, path, &scope);
        }
        if first_number(fields, &["restart_count", "restartCount"]).is_some_and(|(_, count)| count >= RESTARTS) {
            let quotes = self.quotes(path, &["restart_count", "restartCount", "name"]);
            self.push(Kind::Restarts, &scope, "its container was restarted several times".into(), 0.3, quotes);
        }
        if let Some(wanted) = first_number(fields, &["desired", "desired_replicas", "replicas", "spec_replicas"]) {
            self.workload(fields, path, &scope, wanted);
        }
        if let Some(most) = first_number(fields, &["max_replicas", "maxReplicas"]) {
            self.autoscaler(fields, path, &scope, most);
        }
        if fields.contains_key("overall_state") {
            self.monitor(fields, path, &scope);
        } else {
            self.message(fields, path, &scope);
        }
        for (field, value) in fields {
            // A monitor's query and message say what it watches, not what is wrong.
            self.value(value, &join(path, field), &scope, depth + 1);
        }
    }

    fn quote(&self, path: &str, field: &str) -> Option<Quote> {
        Quote::value(self.of, self.observation, &join(path, field))
    }

    fn quotes(&self, path: &str, fields: &[&str]) -> Vec<Quote> {
        fields.iter().filter_map(|field| self.quote(path, field)).collect()
    }

    fn push(&mut self, kind: Kind, scope: &Scope, text: String, strength: f64, quotes: Vec<Quote>) {
        let object = objects::object(kind, &text).map(str::to_owned);
        self.push_with(kind, scope, object, text, strength, quotes);
    }

    fn push_with(
        &mut self,
        kind: Kind,
        scope: &Scope,
        object: Option<String>,
        text: String,
        strength: f64,
        quotes: Vec<Quote>,
    ) {
        if quotes.is_empty() || scope.entity.is_empty() {
            return;
        }
        self.readings.findings.push(Finding {
            kind,
            entity: scope.entity.clone(),
            object,
            source: self.source,
            state: State::Active,
            strength,
            time: scope.time,
            text,
            quotes,
        });
    }

    fn well(&mut self, scope: &Scope, text: String, is_recovery: bool, quotes: Vec<Quote>) {
        if !quotes.is_empty() {
            self.readings.health.push(Health {
                entity: scope.entity.clone(),
                text,
                is_recovery,
                time: scope.time,
                quotes,
            });
        }
    }

    /// An object with a phase and, mostly, containers.
    fn pod(&mut self, fields: &Map<String, Value>, path: &str, scope: &Scope) {
        let phase = text(fields, "phase").unwrap_or_default();
        let quotes = self.quotes(path, &["phase", "name"]);
        if text(fields, "deletion_timestamp").is_some() || text(fields, "deletionTimestamp").is_some() {
            self.readings.terminating.insert(scope.entity.clone());
            return;
        }
        let containers = fields.get("containers").and_then(Value::as_array);
        let ready = |container: &Value| container.get("ready").and_then(Value::as_bool) == Some(true);
        let all_ready = containers.is_some_and(|containers| !containers.is_empty() && containers.iter().all(ready));
        match phase {
            "Running" if all_ready => {
                self.readings.ready.insert(scope.entity.clone());
                let text = format!("the pod {} is Running and ready", scope.entity);
                self.well(scope, text, false, quotes);
            }
            "Running" | "Succeeded" | "" => {}
            "Pending" => self.push(Kind::PodPending, scope, "phase Pending".into(), 0.9, quotes),
            _ if phase == "Unknown" => self.push(Kind::PodUnknown, scope, "phase Unknown".into(), 0.9, quotes),
            _ => self.push(Kind::ContainerError, scope, format!("phase {phase}"), 0.7, quotes),
        }
    }

    fn node(&mut self, fields: &Map<String, Value>, path: &str, scope: &Scope) {
        let is = |field: &str, word: &str| {
            text(fields, field).is_some_and(|value| value.eq_ignore_ascii_case(word))
                || fields.get(field).and_then(Value::as_bool).is_some_and(|value| value.to_string() == word)
        };
        if is("ready", "true") {
            let quotes = self.quotes(path, &["ready", "name"]);
            self.well(scope, format!("the node {} is ready", scope.entity), false, quotes);
        } else if fields.contains_key("ready") {
            let state = text(fields, "ready").unwrap_or("false");
            let quotes = self.quotes(path, &["ready", "name"]);
            self.push(Kind::NodeNotReady, scope, format!("node condition Ready is {state}"), 1.0, quotes);
        }
        for (field, word) in [("memory_pressure", "memory"), ("disk_pressure", "disk"), ("pid_pressure", "processes")] {
            if is(field, "true") {
                let quotes = self.quotes(path, &[field, "name"]);
                let text = format!("the node reports pressure on {word}");
                self.push_with(Kind::NodePressure, scope, Some(word.to_owned()), text, 0.9, quotes);
            }
        }
    }

    fn workload(&mut self, fields: &Map<String, Value>, path: &str, scope: &Scope, wanted: (&'static str, f64)) {
        let ready = ["ready", "ready_replicas", "readyReplicas", "available", "availableReplicas"];
        let Some((field, ready)) = first_number(fields, &ready) else { return };
        let quotes = self.quotes(path, &[wanted.0, field, "name"]);
        let literal = |field: &str| fields.get(field).map(ToString::to_string).unwrap_or_default();
        let text = format!("{} of {} replicas are ready", literal(field), literal(wanted.0));
        if ready < wanted.1 {
            self.push(Kind::Unavailable, scope, text, 0.8, quotes);
        } else if wanted.1 > 0.0 {
            self.well(scope, text, false, quotes);
        }
    }

    fn autoscaler(&mut self, fields: &Map<String, Value>, path: &str, scope: &Scope, most: (&'static str, f64)) {
        let current = ["current_replicas", "currentReplicas", "desired_replicas", "desiredReplicas"];
        let Some((field, current)) = first_number(fields, &current) else { return };
        if current >= most.1 {
            let quotes = self.quotes(path, &[most.0, field, "name"]);
            self.push(Kind::AutoscalerMax, scope, "as many replicas as its maximum".into(), 0.8, quotes);
        }
    }

    fn monitor(&mut self, fields: &Map<String, Value>, path: &str, scope: &Scope) {
        let state = text(fields, "overall_state").unwrap_or_default();
        let title = text(fields, "name").unwrap_or_default().to_owned();
        let quotes = self.quotes(path, &["overall_state", "name"]);
        if state.eq_ignore_ascii_case("ok") {
            self.well(scope, format!("the monitor {title} is {state}"), false, quotes);
            return;
        }
        let kind = Meaning::of(&title).kind().or_else(|| signs::classify(&title)).unwrap_or(Kind::ErrorRate);
        if matches!(state.to_lowercase().as_str(), "alert" | "warn" | "alarm" | "firing" | "critical") {
            // The monitor is about its subject, whatever its title is.
            let entity = self.subject.names.first().cloned().unwrap_or_else(|| scope.entity.clone());
            let scope = Scope { entity, time: scope.time };
            // What is asked about, not an answer.
            self.push(kind, &scope, format!("the monitor {title} is in state {state}"), 0.6, quotes);
        }
    }

    /// An object that has something to say.
    fn message(&mut self, fields: &Map<String, Value>, path: &str, scope: &Scope) {
        let reason = text(fields, "reason").unwrap_or_default();
        let Some((field, message)) = MESSAGES
            .iter()
            .find_map(|field| text(fields, field).map(|text| (*field, text)))
            .or_else(|| (!reason.is_empty()).then_some(("reason", reason)))
        else {
            return;
        };
        let whole = format!("{reason}: {message}");
        let mut quotes = self.quotes(path, &[field, "reason", "involved_object", "source_identifier", "exit_code"]);
        quotes.dedup();
        let said = shorten_to(if field == "reason" || reason.is_empty() { message } else { &whole }, LONGEST_TEXT);
        let level =
            ["level", "status", "type", "severity"].iter().find_map(|field| text(fields, field)).unwrap_or_default();
        let is_calm = matches!(level.to_lowercase().as_str(), "info" | "normal" | "debug" | "notice" | "ok");
        if signs::terminates(message) && !is_calm {
            self.readings.terminating.insert(scope.entity.clone());
        }
        match signs::classify(&whole) {
            Some(kind) => {
                let strength = if is_calm && kind.info().rank < Rank::Cause { 0.3 } else { self.strength() };
                self.push(kind, scope, said.clone(), strength, quotes.clone());
            }
            None if is_calm => {}
            None if self.source == Source::Log && signs::complains(&whole) => {
                self.push(Kind::AppErrors, scope, said.clone(), 0.6, quotes.clone());
            }
            None if reason == "Error" => self.push(Kind::ContainerError, scope, said.clone(), 0.7, quotes.clone()),
            None => {}
        }
        if signs::recovers(&whole) {
            self.well(scope, said, true, quotes);
        }
    }

    /// An alert repeats what somebody feared; the rest is what was seen.
    fn strength(&self) -> f64 {
        if self.source == Source::Alert { 0.6 } else { 0.9 }
    }

    fn no_events(&mut self, path: &str, scope: &Scope) {
        let quotes = Quote::value(self.of, self.observation, path).into_iter().collect();
        self.well(scope, "there are no warning events".into(), false, quotes);
    }
}

fn text<'a>(fields: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    fields.get(field)?.as_str().filter(|text| !text.trim().is_empty())
}

/// The name of what an object is about; `Pod/web-1` is `web-1`.
fn name(fields: &Map<String, Value>) -> Option<String> {
    let nested = fields.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
    let direct = NAMES.iter().find_map(|field| {
        let value = fields.get(*field)?;
        value.as_str().or_else(|| value.get("name")?.as_str())
    });
    // A log entry's host is the pod or machine that wrote it.
    let host = text(fields, "host").filter(|_| fields.contains_key("message"));
    let name = host.or(direct).or(nested)?;
    Some(name.rsplit_once('/').map_or(name, |(_, name)| name).to_owned())
}

fn first_number(fields: &Map<String, Value>, names: &[&'static str]) -> Option<(&'static str, f64)> {
    names.iter().find_map(|name| Some((*name, fields.get(*name)?.as_f64()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Body;
    use serde_json::json;

    fn readings(tool: &str, value: Value) -> Readings {
        let observation = Observation {
            invocation_id: "inv-1".into(),
            tool: tool.into(),
            arguments: Map::new(),
            body: Body::Json(value),
        };
        let mut readings = Readings::default();
        super::super::read(0, &observation, &Subject::default(), &mut readings);
        readings
    }

    fn kinds(tool: &str, value: Value) -> Vec<(Kind, String)> {
        readings(tool, value).findings.into_iter().map(|finding| (finding.kind, finding.entity)).collect()
    }

    #[test]
    fn a_waiting_container_gives_its_reason() {
        let pod = json!({"pods": [{"name": "web-1", "phase": "Pending", "containers": [
            {"name": "web", "ready": false, "restart_count": 0, "state": {"waiting": true, "reason": "ImagePullBackOff",
                "message": "Back-off pulling image \"shop/web:9\""}}]}]});
        let found = readings("list_pods", pod).findings;
        assert_eq!((found[0].kind, found[0].entity.as_str()), (Kind::PodPending, "web-1"));
        assert_eq!((found[1].kind, found[1].object.as_deref()), (Kind::ImagePull, Some("shop/web:9")));
        assert_eq!(found[1].quotes[0].path, "/pods/0/containers/0/state/message");
    }

    #[test]
    fn the_last_termination_counts_as_well() {
        let pod = json!({"metadata": {"name": "web-2"}, "status": {"containerStatuses": [
            {"name": "web", "restartCount": 7, "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}]}});
        assert_eq!(
            kinds("get_pod", pod),
            [(Kind::Restarts, "web-2".to_owned()), (Kind::OutOfMemory, "web-2".to_owned())]
        );
    }

    #[test]
    fn a_pod_that_is_deleted_is_no_fault() {
        let pod = json!([{"name": "web-old", "phase": "Running", "deletion_timestamp": "2026-01-01T00:00:00Z", "containers": []}]);
        assert!(readings("list_pods", pod).terminating.contains("web-old"));
    }

    #[test]
    fn deployments_nodes_autoscalers_and_monitors() {
        for (value, expected) in [
            (json!({"name": "web", "desired": 3, "ready": 1}), Some((Kind::Unavailable, "web"))),
            (json!({"name": "web", "desired": 3, "ready": 3}), None),
            (json!({"name": "n1", "ready": "Unknown", "disk_pressure": "False"}), Some((Kind::NodeNotReady, "n1"))),
            (json!({"name": "n1", "ready": "True", "disk_pressure": "True"}), Some((Kind::NodePressure, "n1"))),
            (json!({"name": "n1", "ready": "True", "disk_pressure": "False"}), None),
            (json!({"name": "web", "max_replicas": 5, "current_replicas": 5}), Some((Kind::AutoscalerMax, "web"))),
            (json!({"name": "web error rate", "overall_state": "Alert"}), Some((Kind::ErrorRate, "web error rate"))),
            (json!({"name": "web error rate", "overall_state": "OK", "message": "investigate errors"}), None),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(kind, entity)| (kind, entity.to_owned())).collect();
            assert_eq!(kinds("list", value.clone()), expected, "{value}");
        }
    }

    #[test]
    fn events_are_about_their_object() {
        let events = json!({"events": [{"reason": "FailedScheduling", "message": "0/2 nodes are available: 2 Insufficient cpu.",
            "involved_object": "Pod/web-3", "last_time": "2026-01-01T00:00:00Z"}]});
        let found = readings("get_events", events).findings;
        assert_eq!((found[0].kind, found[0].entity.as_str()), (Kind::InsufficientResources, "web-3"));
        assert_eq!((found[0].source, found[0].object.as_deref()), (Source::Event, Some("cpu")));
        assert!(readings("get_events", json!({"warning_events": []})).health[0].text.contains("no warning events"));
    }

    #[test]
    fn calm_lines_are_no_fault() {
        let logs = json!({"logs": [{"message": "Started, errors will be logged", "status": "info", "host": "web-4"}]});
        assert!(kinds("query_logs", logs).is_empty());
    }
}
