//! What a question is about: names, times, and the symptom that the caller sees.

use crate::knowledge::{Kind, Meaning, alerts};
use crate::names;
use crate::time::{self, Millis};
use portcullis_contract::input::{Query, Tool};
use serde_json::Value;
use std::collections::BTreeSet;

#[derive(Debug, Clone, Default)]
pub(crate) struct Subject {
    /// The most telling first.
    pub(crate) names: Vec<String>,
    pub(crate) symptom: Option<Meaning>,
    /// The metric that the alert watches.
    pub(crate) metric: Option<String>,
    pub(crate) alert: Option<String>,
    pub(crate) alert_time: Option<Millis>,
    /// What the alert complains of.
    pub(crate) complaints: Vec<Kind>,
    pub(crate) window_to: Option<Millis>,
}

/// A fact whose name ends so names something that the question is about. The first rows are the most telling.
const NAMING: [&str; 18] = [
    "alert_entity",
    "subject_name",
    "kube_pod",
    "pod",
    "kube_node",
    "node",
    "db_instance",
    "instance",
    "entity",
    "workload_name",
    "deployment",
    "component",
    "service",
    "read_replica",
    "replica",
    "host",
    "job",
    "container",
];
/// Arguments of a call that name no entity.
const NOT_NAMES: [&str; 6] = ["kind", "namespace", "id", "url", "resource_type", "filter"];
/// Words of questions that are names by chance.
const PLAIN_WORDS: [&str; 26] = [
    "what",
    "why",
    "which",
    "does",
    "alert",
    "fire",
    "with",
    "issue",
    "for",
    "the",
    "and",
    "job",
    "pod",
    "node",
    "service",
    "namespace",
    "root",
    "cause",
    "component",
    "there",
    "from",
    "logs",
    "last",
    "get",
    "default",
    "active",
];

impl Subject {
    pub(crate) fn of(query: &Query, tools: &[Tool]) -> Self {
        let fact = |name: &str| query.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.as_str());
        let mut names: Vec<String> = Vec::new();
        let mut add = |name: &str| {
            let name = name.trim();
            if name.len() >= 3 && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        };
        for naming in NAMING {
            let naming_facts =
                query.facts.iter().filter(|fact| fact.name == naming || fact.name.ends_with(&format!("_{naming}")));
            naming_facts.for_each(|fact| add(&fact.value));
        }
        let known = known_names(tools);
        for word in words(&query.question) {
            let is_known = known.iter().any(|name| names::related(word, name));
            if is_known && !PLAIN_WORDS.contains(&word.to_lowercase().as_str()) || is_hyphenated(word) {
                add(word);
            }
        }
        let metric = fact("alert_metric").map(str::to_owned);
        let symptom = metric.as_deref().map(Meaning::of).filter(|meaning| meaning.is_symptom());
        let time = |name| fact(name).and_then(time::parse);
        Self {
            names,
            symptom: symptom.or_else(|| symptom_of(&query.question)),
            metric,
            alert: fact("alert").map(str::to_owned),
            alert_time: time("alert_time"),
            complaints: alerts::kinds(&query.question),
            window_to: time("window_to"),
        }
    }

    /// Whether a name is, or belongs to, what the question is about.
    pub(crate) fn is_about(&self, name: &str) -> bool {
        self.names
            .iter()
            .any(|subject| names::related(subject, name) || names::workload(name) == names::workload(subject))
    }

    /// Whether what is well with this one answers the question.
    pub(crate) fn covers(&self, name: &str) -> bool {
        self.names.is_empty() || self.is_about(name)
    }

    /// The moment that "now" means, and that changes and events are compared with.
    pub(crate) fn reference(&self) -> Option<Millis> {
        self.alert_time.or(self.window_to)
    }
}

fn words(question: &str) -> impl Iterator<Item = &str> {
    question
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | '(' | ')'))
        .map(|word| word.trim_end_matches(['?', '.', '!', ':', ';']))
        .filter(|word| word.len() >= 3)
}

fn is_hyphenated(word: &str) -> bool {
    names::is_identifier(word) && word.contains('-') && word.chars().filter(char::is_ascii_alphanumeric).count() >= 4
}

/// Every name that the tools know: values of arguments in the examples of their schemas.
pub(crate) fn known_names(tools: &[Tool]) -> BTreeSet<&str> {
    let mut known = BTreeSet::new();
    for tool in tools {
        let entities = tool.input_schema.pointer("/properties/entity/examples").and_then(Value::as_array);
        known.extend(entities.into_iter().flatten().filter_map(Value::as_str));
        for arguments in argument_sets(tool) {
            let named = arguments.iter().filter(|(key, _)| !NOT_NAMES.contains(&key.as_str()));
            known.extend(named.filter_map(|(_, value)| value.as_str()));
        }
    }
    known
}

/// The argument sets that a tool gives as examples.
pub(crate) fn argument_sets(tool: &Tool) -> impl Iterator<Item = &serde_json::Map<String, Value>> {
    tool.input_schema.get("examples").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn symptom_of(question: &str) -> Option<Meaning> {
    let question = question.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| question.contains(word));
    if says(&["latency", "slow", "response time"]) {
        Some(Meaning::Latency)
    } else if says(&["availability", "failing", "outage", " down", "unavailable"]) {
        Some(Meaning::Availability)
    } else if says(&["error rate", "errors", "5xx"]) {
        Some(Meaning::Errors)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_contract::input::Fact;
    use serde_json::json;

    #[test]
    fn facts_and_the_question_name_the_subject() {
        let fact = |name: &str, value: &str| Fact { name: name.into(), value: value.into() };
        let query = Query {
            question: "Why is redis slow in namespace web-1?".into(),
            facts: vec![
                fact("service", "checkout"),
                fact("alert_source", "pager"),
                fact("alert_entity", "shop"),
                fact("alert_time", "2026-01-01T00:00:00Z"),
            ],
        };
        let tool = Tool {
            name: "describe".into(),
            description: String::new(),
            input_schema: json!({"examples": [{"kind": "pod", "name": "redis-7d9f8c6b5-x2x4z"}]}),
        };
        let subject = Subject::of(&query, &[tool]);
        assert_eq!(subject.names, ["shop", "checkout", "redis", "web-1"]);
        assert_eq!(subject.symptom, Some(Meaning::Latency));
        assert!(subject.is_about("redis-7d9f8c6b5-aaaaa") && !subject.is_about("postgres"));
        assert_eq!(subject.reference(), Some(1_767_225_600_000));
    }
}
