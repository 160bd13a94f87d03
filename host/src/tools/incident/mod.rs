//! An incident bundle, and the tools that read it: metrics, logs, traces, changes, topology, documents, and recorded
//! calls of other tools.
//!
//! The format is in the documentation. Everything is read when the bundle is opened, each file refused by size before it
//! is parsed, so that a broken bundle is one clear error and a call cannot fail for it later. Nothing here knows a run,
//! an agent or the gateway, and nothing ever reads `expected.json`.

mod answer;
mod changes;
mod describe;
mod documents;
mod error;
mod figures;
mod files;
mod logs;
mod manifest;
mod metrics;
mod moment;
mod recordings;
mod topology;
mod traces;

pub use answer::{Answer, AnswerStatus};
pub use error::{BundleError, CallError};

use portcullis_core::document::{Fact, Tool};
use std::path::Path;

/// What was known about one incident.
#[derive(Debug)]
pub struct Bundle {
    manifest: manifest::Manifest,
    metrics: metrics::Metrics,
    logs: logs::Logs,
    traces: traces::Traces,
    changes: changes::Changes,
    topology: topology::Topology,
    documents: documents::Documents,
    recordings: recordings::Recordings,
}

impl Bundle {
    /// Reads the bundle in `dir`.
    ///
    /// # Errors
    /// The first file that is missing though required, too large, not in the format, or outside of `dir`.
    pub fn open(dir: &Path) -> Result<Self, BundleError> {
        let folder = &files::Folder::of(dir);
        Ok(Self {
            manifest: manifest::Manifest::load(folder)?,
            metrics: metrics::Metrics::load(folder)?,
            logs: logs::Logs::load(folder)?,
            traces: traces::Traces::load(folder)?,
            changes: changes::Changes::load(folder)?,
            topology: topology::Topology::load(folder)?,
            documents: documents::Documents::load(folder)?,
            recordings: recordings::Recordings::load(folder)?,
        })
    }

    pub fn question(&self) -> &str {
        &self.manifest.question
    }

    /// What the bundle knows beforehand, then the window and the time of the alert.
    pub fn facts(&self) -> &[Fact] {
        &self.manifest.facts
    }

    /// The built-in tools, then the recorded ones. A recorded tool of the same name stands in for a built-in one.
    pub fn tools(&self) -> Vec<Tool> {
        let mut tools = vec![
            self.metrics.tool(),
            self.logs.tool(),
            self.traces.tool(),
            self.changes.tool(),
            self.topology.tool(),
            self.documents.tool(),
        ];
        tools.retain(|tool| !self.recordings.has(&tool.name));
        tools.extend(self.recordings.tools());
        tools
    }

    /// Calls a tool with JSON text of an object.
    ///
    /// # Errors
    /// The tool does not exist, or the arguments do not fit its schema.
    pub fn call(&self, name: &str, arguments: &str) -> Result<Answer, CallError> {
        match name {
            recorded if self.recordings.has(recorded) => self.recordings.call(recorded, arguments),
            metrics::TOOL => self.metrics.call(arguments),
            logs::TOOL => self.logs.call(arguments),
            traces::TOOL => self.traces.call(arguments),
            changes::TOOL => self.changes.call(arguments),
            topology::TOOL => self.topology.call(arguments),
            documents::TOOL => self.documents.call(arguments),
            _ => Err(CallError::UnknownTool),
        }
    }
}

#[cfg(test)]
mod tests;
