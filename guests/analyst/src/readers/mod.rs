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
use crate::sources::source_of;
use crate::subject::Subject;
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
}

/// Reads every output whose shape does not depend on when trouble began.
pub(crate) fn read(of: usize, observation: &Observation, subject: &Subject, readings: &mut Readings) {
    match &observation.body {
        Body::Json(value) if value.get("templates").is_some() => logs::read_templates(of, observation, readings),
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
