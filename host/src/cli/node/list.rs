//! `portcullis node list`: which component serves which node.

use super::super::Context;
use super::super::error::{CliError, Exit};
use crate::setup::{Serving, Shared, Slot};
use crate::store::NodeComponent;
use serde::Serialize;
use serde_json::json;

/// One line of the list.
#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    record: NodeComponent,
    /// What its imports let it do; nothing is known of a script.
    rights: Option<Vec<&'static str>>,
}

impl Listed {
    fn of(slot: Slot, serving: &Serving) -> Self {
        let rights = serving.info().map(|info| info.rights.iter().map(|right| right.as_str()).collect());
        Self { record: serving.record(slot), rights }
    }

    fn in_words(&self) -> String {
        let Self { record: NodeComponent { node, component, version, sha256 }, rights } = self;
        let version = if version.is_empty() { "-" } else { version };
        let rights = match rights {
            Some(rights) if rights.is_empty() => "none".to_owned(),
            Some(rights) => rights.join(", "),
            None => "-".to_owned(),
        };
        format!("{node:<20} {component:<40} {version:<8} {sha256:<64} {rights}")
    }
}

pub(super) fn list(context: &Context) -> Result<Exit, CliError> {
    let shared = Shared::load(&context.config).map_err(CliError::usage)?;
    let listed: Vec<_> = shared.serving().iter().map(|(slot, serving)| Listed::of(*slot, serving)).collect();
    context.output.result(&json!({ "nodes": listed }), || {
        let lines: Vec<_> = listed.iter().map(Listed::in_words).collect();
        lines.join("\n")
    })?;
    Ok(Exit::Success)
}
