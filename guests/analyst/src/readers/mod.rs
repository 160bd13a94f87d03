//! Readers turn tool outputs into findings. Each knows one shape of output, none knows the question's answer.

pub(crate) mod changes;
pub(crate) mod documents;
pub(crate) mod insights;
pub(crate) mod logs;
pub(crate) mod metrics;
pub(crate) mod objects;
pub(crate) mod text;
pub(crate) mod traces;

use crate::evidence::{Body, Observation};
use crate::finding::{Finding, Health};
use crate::knowledge::Meaning;
use crate::names;
use crate::sources::source_of;
use crate::subject::Subject;
use serde_json::Value;
use std::collections::BTreeSet;

/// What was read so far.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    pub(crate) findings: Vec<Finding>,
    pub(crate) health: Vec<Health>,
    /// Pods that are ready now.
    pub(crate) ready: BTreeSet<String>,
    /// Pods that are shut down on purpose.
    pub(crate) terminating: BTreeSet<String>,
    /// Entities with what of theirs is measured and shows no fault.
    pub(crate) calm: BTreeSet<(String, Meaning)>,
    /// Outputs that name nobody, with the entity that what they say was put down to.
    pub(crate) nameless: BTreeSet<(usize, String)>,
    /// What may be so, and cannot be told from something else.
    pub(crate) hypotheses: Vec<String>,
    /// Entities with a symptom that is not as steady as that of a healthy one: nobody can call the system healthy.
    pub(crate) restless: BTreeSet<String>,
}

impl Readings {
    /// Whether only outputs that name nobody show a finding.
    pub(crate) fn is_borrowed(&self, finding: &Finding) -> bool {
        !finding.quotes.is_empty()
            && finding.quotes.iter().all(|quote| self.nameless.contains(&(quote.of, finding.entity.clone())))
    }
}

/// Whether neither what was asked nor what was answered names the subject.
fn names_nobody(observation: &Observation, subject: &Subject) -> bool {
    let is_asked = observation.arguments.values().filter_map(Value::as_str).any(|value| subject.is_about(value));
    let output = match &observation.body {
        Body::Json(value) => value.to_string().to_lowercase(),
        Body::Text(text) => text.to_lowercase(),
        Body::Nothing => return false,
    };
    let is_named = |name: &String| {
        let name = name.to_lowercase();
        output.contains(&name) || output.contains(names::workload(&name))
    };
    !is_asked && !subject.names.iter().any(is_named)
}

/// Reads every output whose shape does not depend on when trouble began.
pub(crate) fn read(of: usize, observation: &Observation, subject: &Subject, readings: &mut Readings) {
    if names_nobody(observation, subject) {
        readings.nameless.insert((of, subject.names.first().cloned().unwrap_or_default()));
    }
    match &observation.body {
        Body::Json(value) if value.get("templates").is_some() => {
            logs::read_templates(of, observation, subject, readings);
        }
        Body::Json(value) if value.get("excerpts").is_some() => documents::read(of, observation, readings),
        Body::Json(value) if value.get("changes").is_some() => changes::read(of, observation, readings),
        Body::Json(value) if value.get("top_sql").is_some() => insights::read(of, observation, readings),
        Body::Json(value) if value.get("series").is_some() || value.get("metric_data_results").is_some() => {}
        Body::Json(_) => objects::read(of, observation, subject, readings),
        Body::Text(text) if source_of(&observation.tool) == crate::finding::Source::Document => {
            documents::read_text(of, text, readings);
        }
        Body::Text(text) => text::read(of, observation, text, subject, readings),
        Body::Nothing => {}
    }
}
