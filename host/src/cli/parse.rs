//! `portcullis parse`: the parser components alone, the same ones that a run uses (R-PARSE-04).

use super::Context;
use super::error::{CliError, Exit};
use super::input;
use crate::offline::wire::wire;
use crate::setup;
use clap::{Args, ValueEnum};
use portcullis_core::document::Violation;
use portcullis_plugins::AttemptFailure;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// No parser takes more than this from an agent either.
const TEXT_BYTES_MAX: u64 = 16 * 1024 * 1024;

#[derive(Debug, Args)]
pub(crate) struct ParseArgs {
    /// Which document the text holds
    #[arg(value_enum)]
    document: Document,
    /// The agent's text [default: stdin]
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Document {
    Plan,
    Evidence,
    Verification,
    Answer,
}

pub(crate) async fn parse(args: ParseArgs, context: &Context) -> Result<Exit, CliError> {
    let bytes = input::read(args.file.as_deref(), TEXT_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        CliError::usage(format!("{} is not UTF-8 at byte {at}", input::name(args.file.as_deref())))
            .hint("an agent's text is UTF-8; save it as that")
    })?;
    let parsers = setup::parsers(&context.config).map_err(CliError::usage)?;
    let parsed = match args.document {
        Document::Plan => value("diagnosis_plan_v1", parsers.plan.parse(&text).await),
        Document::Evidence => value("executor_evidence_v2", parsers.evidence.parse(&text).await),
        Document::Verification => value("verification_v1", parsers.verification.parse(&text).await),
        Document::Answer => value("composed_answer_v1", parsers.answer.parse(&text).await),
    };
    let (document, exit) = match parsed? {
        Ok(document) => (document, Exit::Success),
        Err(violation) => (json!({ "violation": violation }), Exit::Failed),
    };
    context.output.result(&document, || in_words(&document))?;
    Ok(exit)
}

/// The document as it goes over the wire, or what it breaks.
fn value<T: Serialize>(
    answer_version: &str,
    parsed: Result<Result<T, Violation>, AttemptFailure>,
) -> Result<Result<Value, Violation>, CliError> {
    let parsed = parsed.map_err(|failure| {
        CliError::failed(format!("the parser failed: {}: {}", failure.reason.as_str(), failure.detail))
    })?;
    Ok(match parsed {
        Ok(document) => Ok(wire(answer_version, serde_json::to_value(document).map_err(CliError::failed)?)),
        Err(violation) => Err(violation),
    })
}

fn in_words(document: &Value) -> String {
    match document.get("violation") {
        Some(violation) => {
            let part = |name| violation.get(name).and_then(Value::as_str).unwrap_or_default();
            let place = if part("path").is_empty() { "the text" } else { part("path") };
            format!("violation at {place}: {}", part("message"))
        }
        None => serde_json::to_string_pretty(document).unwrap_or_else(|_| document.to_string()),
    }
}
