//! `portcullis doctor`: is everything there that a run needs?

use super::Context;
use super::error::{CliError, Exit};
use crate::config::Config;
use crate::setup;
use bytesize::ByteSize;
use portcullis_plugins::{Allocation, CacheUsage, CodeCache, CodeTally};
use serde::Serialize;
use serde_json::json;

#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    /// `ok`, `warning` or `error`.
    status: &'static str,
    words: String,
}

/// Where the code of the components came from at this start, and what is kept for the next.
#[derive(Debug, Serialize)]
struct Code {
    from_cache: usize,
    compiled: usize,
    files: u64,
    bytes: u64,
}

pub(crate) fn doctor(context: &Context) -> Result<Exit, CliError> {
    let (findings, code) = findings(&context.config);
    let is_well = findings.iter().all(|finding| finding.status != "error");
    context.output.result(&json!({ "findings": findings, "code": code }), || {
        let lines: Vec<_> = findings
            .iter()
            .map(|finding| format!("{:<8} {:<11} {}", finding.status, finding.what, finding.words))
            .collect();
        lines.join("\n")
    })?;
    Ok(if is_well { Exit::Success } else { Exit::Usage })
}

fn findings(config: &Config) -> (Vec<Finding>, Option<Code>) {
    let ok = |what, words: String| Finding { what, status: "ok", words };
    let warning = |what, words: String| Finding { what, status: "warning", words };
    let error = |what, words: String| Finding { what, status: "error", words };
    let mut findings = vec![ok(
        "config",
        config.source.as_ref().map_or_else(|| "defaults, no portcullis.toml".into(), |path| path.display().to_string()),
    )];
    let mut code = None;
    match setup::Shared::load(config) {
        Ok(shared) => {
            let code = code.insert(Code::of(&shared));
            findings.push(ok("components", format!("{} load and fit their worlds", shared.served_by().len())));
            if let Some(problem) = shared.left_out() {
                findings.push(warning("shadow", format!("no candidate is compared: {problem}")));
            }
            findings.push(match shared.allocation() {
                Allocation::Pooling => ok("instances", "from a pool".into()),
                Allocation::OnDemand { why } => warning("instances", format!("on demand, a little slower: {why}")),
            });
            findings.push(match shared.code_cache() {
                CodeCache::OnDisk(folder) => ok("code cache", code.words(&folder.display().to_string())),
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
    (findings, code)
}

impl Code {
    fn of(shared: &setup::Shared) -> Self {
        let CodeTally { from_cache, compiled } = shared.code_tally();
        let CacheUsage { files, bytes } = shared.code_cache().usage();
        Self { from_cache, compiled, files, bytes }
    }

    fn words(&self, folder: &str) -> String {
        let Self { from_cache, compiled, files, bytes } = self;
        let (loaded, size) = (from_cache + compiled, ByteSize(*bytes));
        format!(
            "{from_cache} of {loaded} came compiled from {folder} ({files} files, {size}), {compiled} were compiled now"
        )
    }
}
