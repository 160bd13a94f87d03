//! `portcullis check FILE`: the gatekeeper alone.

use super::Context;
use super::error::{CliError, Exit};
use super::input;
use crate::offline::check::{self, CheckError, FILE_BYTES_MAX};
use crate::setup;
use clap::Args;
use portcullis_core::answer::one_line;
use portcullis_core::gate::{CheckedBinding, GateReport, GateStatus, Severity};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// `{run_id, invocations, executor_output}`; `-` reads stdin
    file: PathBuf,
}

pub(crate) async fn check(args: CheckArgs, context: &Context) -> Result<Exit, CliError> {
    let bytes = input::read(Some(&args.file), FILE_BYTES_MAX)?;
    let parsers = setup::parsers(&context.config).map_err(CliError::usage)?;
    let name = input::name(Some(&args.file));
    let report = match check::check(&bytes, &parsers.evidence).await {
        Ok(report) => report,
        Err(CheckError::Violation(violation)) if context.output.is_json() => {
            // As `parse` prints it: a program reads one shape.
            context.output.result(&json!({ "violation": violation }), String::new)?;
            return Ok(Exit::Failed);
        }
        Err(error @ (CheckError::NotUtf8 { .. } | CheckError::Malformed(_))) => {
            return Err(CliError::usage(format!("{name}: {error}"))
                .hint("it must hold run_id, invocations and executor_output; see docs/matching-contract.md"));
        }
        Err(error @ (CheckError::Violation(_) | CheckError::Parser(_))) => {
            return Err(CliError::failed(format!("{name}: {error}")));
        }
    };
    let document = Document {
        status: report.status,
        severity: report.raw.severity,
        verified_binding_count: report.verified_binding_count,
        checked_bindings: &report.checked,
        unbound_claims: &report.unbound_claims,
        inconsistencies: report.inconsistencies.iter().map(ToString::to_string).collect(),
    };
    context.output.result(&document, || in_words(&report))?;
    Ok(match report.status {
        GateStatus::Pass => Exit::Success,
        GateStatus::LowConfid => Exit::Degraded,
        GateStatus::Reject => Exit::Failed,
    })
}

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    status: GateStatus,
    severity: Option<Severity>,
    verified_binding_count: u32,
    checked_bindings: &'a [CheckedBinding],
    /// What lowers the status though no binding failed.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unbound_claims: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inconsistencies: Vec<String>,
}

fn in_words(report: &GateReport) -> String {
    let mut lines: Vec<_> = report
        .checked
        .iter()
        .map(|checked| {
            format!(
                "{} {}  {} {} at {}  {}  {:?}",
                checked.status.as_str(),
                checked.claim_id,
                one_line(&checked.tool_name),
                if checked.source_invocation_id.is_empty() {
                    "-".into()
                } else {
                    one_line(&checked.source_invocation_id)
                },
                if checked.raw_path.is_empty() { "$".into() } else { one_line(&checked.raw_path) },
                checked.reason_code.as_str(),
                checked.matched_text,
            )
        })
        .collect();
    lines.extend(report.unbound_claims.iter().map(|claim| format!("fail {claim}  no binding")));
    lines.extend(report.inconsistencies.iter().map(ToString::to_string));
    lines.push(format!(
        "{}: {} bindings verified, {} failed",
        report.status.as_str(),
        report.verified_binding_count,
        report.failed_binding_count
    ));
    lines.join("\n")
}
