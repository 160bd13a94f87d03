//! `portcullis doctor`: is everything there that a run needs?

use super::Context;
use super::error::{CliError, Exit};
use crate::config::Config;
use crate::setup;
use portcullis_plugins::{Allocation, CodeCache};
use serde::Serialize;
use serde_json::json;

#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    /// `ok`, `warning` or `error`.
    status: &'static str,
    words: String,
}

pub(crate) fn doctor(context: &Context) -> Result<Exit, CliError> {
    let findings = findings(&context.config);
    let is_well = findings.iter().all(|finding| finding.status != "error");
    context.output.result(&json!({ "findings": findings }), || {
        let lines: Vec<_> = findings
            .iter()
            .map(|finding| format!("{:<8} {:<11} {}", finding.status, finding.what, finding.words))
            .collect();
        lines.join("\n")
    })?;
    Ok(if is_well { Exit::Success } else { Exit::Usage })
}

fn findings(config: &Config) -> Vec<Finding> {
    let ok = |what, words: String| Finding { what, status: "ok", words };
    let warning = |what, words: String| Finding { what, status: "warning", words };
    let error = |what, words: String| Finding { what, status: "error", words };
    let mut findings = vec![ok(
        "config",
        config.source.as_ref().map_or_else(|| "defaults, no portcullis.toml".into(), |path| path.display().to_string()),
    )];
    match setup::Shared::load(config) {
        Ok(shared) => {
            findings.push(ok("components", format!("{} load and fit their worlds", shared.served_by().len())));
            findings.push(match shared.allocation() {
                Allocation::Pooling => ok("instances", "from a pool".into()),
                Allocation::OnDemand { why } => warning("instances", format!("on demand, a little slower: {why}")),
            });
            findings.push(match shared.code_cache() {
                CodeCache::OnDisk(folder) => ok("code cache", folder.display().to_string()),
                CodeCache::Off { why } => warning("code cache", format!("off, each start compiles anew: {why}")),
            });
        }
        Err(problem) => findings.push(error("components", problem.to_string())),
    }
    findings.push(match setup::incident(config, None) {
        Ok(None) => warning("tools", "none: name an incident with --incident DIR or tools.incident".into()),
        Ok(Some(incident)) => ok("tools", format!("{} of the configured incident", incident.tools().len())),
        Err(problem) => error("tools", problem.to_string()),
    });
    findings.push(match setup::existing_store(config) {
        Ok(_) => ok("store", config.store.path.display().to_string()),
        Err(setup::SetupError::NoStore(path)) => {
            ok("store", format!("{} will be made by the first run", path.display()))
        }
        Err(setup::SetupError::Store(problem)) => error("store", format!("{}: {problem}", config.store.path.display())),
        Err(setup::SetupError::MemoryKeepsNothing) => warning("store", "memory: nothing is kept".into()),
        Err(problem) => error("store", problem.to_string()),
    });
    findings
}
