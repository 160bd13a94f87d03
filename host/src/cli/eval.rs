//! `portcullis eval DIR…`: runs suites of incidents with known answers.

use super::Context;
use super::error::{CliError, Exit};
use crate::eval::{self, BundleScore, Expected, Given, Suite, SuiteScore};
use crate::run::{Diagnosis, Request, Unwatched};
use crate::setup;
use crate::store::{MemoryStore, RunStore};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// Bundles, suites of bundles, or folders of suites
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
}

pub(crate) async fn eval(args: EvalArgs, context: &Context) -> Result<Exit, CliError> {
    let mut suites = Vec::new();
    // A glob names files beside the suites too: what is no folder is none of them.
    let is_beside = |path: &PathBuf| path.exists() && !path.is_dir();
    if args.folders.iter().all(is_beside) {
        return Err(CliError::usage("no folder is named").hint("name bundles, suites of bundles, or folders of suites"));
    }
    for folder in args.folders.iter().filter(|path| !is_beside(path)) {
        suites.extend(eval::suites(folder).map_err(CliError::usage)?);
    }
    let shared = setup::Shared::load(&context.config).map_err(CliError::usage)?;
    super::tell_left_out(&shared);
    let mut scores = Vec::new();
    for suite in merge(suites) {
        let mut bundles = Vec::new();
        for bundle in &suite.bundles {
            bundles.push(score(bundle, &shared, context).await?);
        }
        scores.push(SuiteScore::of(&suite.name, bundles));
    }
    context.output.result(&json!({ "suites": scores }), || table(&scores))?;
    Ok(if scores.iter().any(|suite| suite.failed > 0) { Exit::Failed } else { Exit::Success })
}

/// Bundles that were named one by one belong to the suite of their folder.
fn merge(suites: Vec<Suite>) -> Vec<Suite> {
    let mut merged: Vec<Suite> = Vec::new();
    for suite in suites {
        match merged.iter_mut().find(|known| known.name == suite.name) {
            Some(known) => known.bundles.extend(suite.bundles),
            None => merged.push(suite),
        }
    }
    merged
}

async fn score(bundle: &Path, shared: &setup::Shared, context: &Context) -> Result<BundleScore, CliError> {
    let expected = eval::expected(bundle).map_err(CliError::usage)?.unwrap_or_else(Expected::default);
    let incident = setup::incident(&context.config, Some(bundle)).map_err(CliError::usage)?;
    let (question, facts) = incident
        .as_ref()
        .map(|incident| (incident.question().to_owned(), incident.facts().to_vec()))
        .unwrap_or_default();
    // Each bundle has a store of its own: an evaluation leaves nothing behind.
    let store: Arc<dyn RunStore> = Arc::new(MemoryStore::default());
    let host = setup::host(&context.config, shared, incident, store).map_err(CliError::usage)?;
    let begun = Instant::now();
    let request = Request { question, facts, session_id: None };
    let diagnosis = host.diagnose(request, Arc::new(Unwatched)).await.map_err(CliError::failed)?;
    let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let given = match diagnosis {
        Diagnosis::Answered(answered) => {
            let gate = answered.trace.gatekeeper.as_ref();
            let (passed, failed) = gate.map_or((0, 0), |gate| (gate.verified, gate.failed));
            Given {
                headline: answered.answer.headline.unwrap_or_default(),
                first_claim: answered.answer.claims.first().map(|claim| claim.text.clone()).unwrap_or_default(),
                answer: answered.answer.text,
                failed: false,
                degraded: answered.trace.degraded,
                verdict: answered.verdict.map(|verdict| verdict.as_str().to_owned()),
                bindings: passed.saturating_add(failed),
                bindings_passed: passed,
                duration_ms,
            }
        }
        Diagnosis::Failed { .. } => Given { failed: true, duration_ms, ..Given::default() },
    };
    let id = bundle.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy().into_owned());
    Ok(eval::score(&id, &given, &expected))
}

fn table(scores: &[SuiteScore]) -> String {
    let of = |part: usize, whole: usize| format!("{part}/{whole}");
    let mut lines = vec![format!(
        "{:<12} {:>7} {:>8} {:>8} {:>6} {:>7} {:>9} {:>9} {:>8} {:>10} {:>8}",
        "suite",
        "bundles",
        "answered",
        "degraded",
        "failed",
        "entity",
        "keywords",
        "forbidden",
        "healthy",
        "bindings",
        "ms/run"
    )];
    for suite in scores {
        let each = suite.duration_ms / u64::try_from(suite.bundles.max(1)).unwrap_or(1);
        lines.push(format!(
            "{:<12} {:>7} {:>8} {:>8} {:>6} {:>7} {:>9} {:>9} {:>8} {:>10} {:>8}",
            suite.suite,
            suite.bundles,
            suite.answered,
            suite.degraded,
            suite.failed,
            of(suite.right_entity, suite.with_entity),
            of(suite.keywords_met, suite.with_keywords),
            suite.forbidden_hit,
            of(suite.healthy_recognised, suite.healthy),
            format!("{}/{}", suite.bindings_passed, suite.bindings),
            each,
        ));
    }
    for suite in scores {
        lines.push(String::new());
        for score in &suite.bundles_detail {
            let mark = |right: Option<bool>| match right {
                Some(true) => "right",
                Some(false) => "wrong",
                None => "-",
            };
            lines.push(format!(
                "{:<44} entity {:<5} keywords {:<5} healthy {:<5} {:<10} {}",
                score.id,
                mark(score.right_entity),
                mark(score.keywords_met),
                mark(score.healthy_recognised),
                score.verdict.as_deref().unwrap_or(if score.failed { "FAILED" } else { "-" }),
                score.headline,
            ));
        }
    }
    lines.join("\n")
}
