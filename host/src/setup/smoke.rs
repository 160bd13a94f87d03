//! What a component has to stand before it serves: one small call of the kind that it is for.
//!
//! It is no proof that the component is good. It keeps out what traps, spins or refuses whatever it is given.

use super::Serving;
use async_trait::async_trait;
use portcullis_core::document::{Plan, PlanMode, PlanStep, Query, Tool, Verdict, VerifiedMaterial, Violation};
use portcullis_core::projection::{
    ComposerProjection, ExecutorProjection, GatekeeperAudit, PlannerProjection, VerifierProjection,
};
use portcullis_plugins::{AttemptFailure, InvokeError, Prepared, RunIdentity, ToolError, ToolPort, ToolReply};
use std::collections::BTreeMap;
use std::sync::Arc;

/// No document of any contract.
const NO_DOCUMENT: &str = "this is no document";

/// Calls it once, within its own limits.
///
/// # Errors
/// What it did instead, in words.
pub(super) async fn examine(serving: &Serving) -> Result<(), String> {
    let run =
        Arc::new(RunIdentity { run_id: "smoke".to_owned(), session_id: "smoke".to_owned(), metadata: BTreeMap::new() });
    let query = Query { question: "Why is checkout slow?".to_owned(), facts: Vec::new() };
    match serving {
        Serving::Planner(planner) => {
            let projection = PlannerProjection { query: &query, mode: PlanMode::Initial, tools: &[], retry: None };
            prepares(planner.prepare(&projection, &run).await)
        }
        Serving::Executor(executor) => {
            let step = PlanStep { step_id: "s1".to_owned(), goal: "look".to_owned(), tool_name: None, arguments: None };
            let plan = Plan { steps: vec![step] };
            let projection = ExecutorProjection { query: &query, plan: &plan, tools: &[], retry: None };
            prepares(executor.prepare(&projection, &run).await)
        }
        Serving::Verifier(verifier) => {
            let audit =
                GatekeeperAudit { ceiling: Verdict::LowConfid, verified_binding_count: 0, failed_binding_count: 0 };
            let material = VerifiedMaterial::default();
            let projection = VerifierProjection { query: &query, material: &material, audit, retry: None };
            prepares(verifier.prepare(&projection, &run).await)
        }
        Serving::Composer(composer) => {
            let projection = ComposerProjection {
                effective_verdict: Verdict::LowConfid,
                claims: &[],
                missing_information: &[],
                recommendations: &[],
            };
            prepares(composer.prepare(&projection, &run).await)
        }
        Serving::PlanParser(parser) => objects(parser.parse(NO_DOCUMENT).await),
        Serving::EvidenceParser(parser) => objects(parser.parse(NO_DOCUMENT).await),
        Serving::VerificationParser(parser) => objects(parser.parse(NO_DOCUMENT).await),
        Serving::AnswerParser(parser) => objects(parser.parse(NO_DOCUMENT).await),
        Serving::Thinker(thinker) => comes_back(thinker.respond(NO_DOCUMENT, &run).await),
        Serving::Investigator(investigator) => {
            comes_back(investigator.respond(NO_DOCUMENT, &run, Arc::new(NoTool)).await)
        }
        Serving::Script { .. } => Ok(()),
    }
}

/// An adapter makes an input of every legal projection.
fn prepares(prepared: Result<Prepared, AttemptFailure>) -> Result<(), String> {
    prepared.map(drop).map_err(|failure| format!("it prepares no input: {}", ended(&failure)))
}

/// A parser says what is wrong with a text that is no document.
fn objects<Document>(parsed: Result<Result<Document, Violation>, AttemptFailure>) -> Result<(), String> {
    match parsed {
        Ok(Err(_)) => Ok(()),
        Ok(Ok(_)) => Err(format!("it takes `{NO_DOCUMENT}` for a document")),
        Err(failure) => Err(format!("it does not parse: {}", ended(&failure))),
    }
}

/// An agent may fail, but it does so by itself.
fn comes_back(said: Result<String, InvokeError>) -> Result<(), String> {
    match said {
        Ok(_)
        | Err(
            InvokeError::TimedOut(_)
            | InvokeError::Transient(_)
            | InvokeError::Permanent(_)
            | InvokeError::Blocked(_)
            | InvokeError::RunBudget(_),
        ) => Ok(()),
        Err(InvokeError::Component { reason, detail }) => {
            Err(format!("it does not respond: {}: {detail}", reason.as_str()))
        }
    }
}

fn ended(failure: &AttemptFailure) -> String {
    format!("{}: {}", failure.reason.as_str(), failure.detail)
}

/// There is nothing to investigate.
struct NoTool;

#[async_trait]
impl ToolPort for NoTool {
    fn available(&self) -> Vec<Tool> {
        Vec::new()
    }

    async fn call(&self, name: &str, _arguments: &str) -> Result<ToolReply, ToolError> {
        Err(ToolError::UnknownTool(name.to_owned()))
    }
}
