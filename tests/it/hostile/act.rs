//! Has a loaded misbehaviour do what it does: a stage of two attempts, or two calls, so that the second shows that
//! nothing of the first is left.

use super::beside::good;
use super::guest::Guest;
use crate::sandbox::{Agent, Tools, engine, planner_projection, query, run};
use async_trait::async_trait;
use portcullis::agents::{InvestigatorAgent, ThinkerAgent};
use portcullis_core::document::{Plan, Tool, Verdict, VerifiedMaterial, Violation};
use portcullis_core::projection::{ComposerProjection, ExecutorProjection, GatekeeperAudit, VerifierProjection};
use portcullis_plugins::{
    AnswerParser, AttemptFailure, Composer, Engine, EvidenceParser, Executor, Investigator, InvokeError, Invoker,
    LoadError, PlanParser, Planner, Prepared, Role, Settings, Source, Thinker, ToolError, ToolPort, ToolReply,
    VerificationParser, Verifier,
};
use std::sync::Arc;

/// A misbehaviour that was loaded, as what it serves as.
pub(super) enum Loaded {
    Planner(Planner),
    Executor(Executor),
    Verifier(Verifier),
    Composer(Composer),
    PlanParser(PlanParser),
    EvidenceParser(EvidenceParser),
    VerificationParser(VerificationParser),
    AnswerParser(AnswerParser),
    Thinker(Arc<Thinker>),
    Investigator(Arc<Investigator>),
}

/// One call of a component: what it is called, and how it ended.
pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) ended: Result<String, AttemptFailure>,
}

impl Loaded {
    pub(super) fn load(guest: &Guest, role: Role, bytes: &[u8]) -> Result<Self, LoadError> {
        Self::load_with(engine(), &guest.name, role, bytes, guest.settings(role))
    }

    pub(super) fn load_with(
        engine: &Engine,
        name: &str,
        role: Role,
        bytes: &[u8],
        settings: Settings,
    ) -> Result<Self, LoadError> {
        let source = Source { name, bytes, origin: "guest.wasm" };
        match role {
            Role::Planner => Planner::load(engine, source, settings).map(Self::Planner),
            Role::Executor => Executor::load(engine, source, settings).map(Self::Executor),
            Role::Verifier => Verifier::load(engine, source, settings).map(Self::Verifier),
            Role::Composer => Composer::load(engine, source, settings).map(Self::Composer),
            Role::PlanParser => PlanParser::load(engine, source, settings).map(Self::PlanParser),
            Role::EvidenceParser => EvidenceParser::load(engine, source, settings).map(Self::EvidenceParser),
            Role::VerificationParser => {
                VerificationParser::load(engine, source, settings).map(Self::VerificationParser)
            }
            Role::AnswerParser => AnswerParser::load(engine, source, settings).map(Self::AnswerParser),
            Role::Thinker => Thinker::load(engine, source, settings).map(Arc::new).map(Self::Thinker),
            Role::Investigator => Investigator::load(engine, source, settings).map(Arc::new).map(Self::Investigator),
        }
    }

    /// An adapter's agent is `agent`; an agent is asked by a well-behaved adapter.
    pub(super) async fn act(&self, agent: &Arc<Agent>, tools: &Arc<dyn ToolPort>) -> Vec<Call> {
        let (run, query) = (run(), query());
        let agent = || Arc::clone(agent) as Arc<dyn Invoker>;
        match self {
            Self::Planner(adapter) => stage(adapter.prepare(&planner_projection(&query), &run).await, agent()).await,
            Self::Executor(adapter) => {
                let plan = Plan { steps: vec![] };
                let projection = ExecutorProjection { query: &query, plan: &plan, tools: &[], retry: None };
                stage(adapter.prepare(&projection, &run).await, agent()).await
            }
            Self::Verifier(adapter) => {
                let (ceiling, material) = (Verdict::Pass, VerifiedMaterial::default());
                let audit = GatekeeperAudit { ceiling, verified_binding_count: 1, failed_binding_count: 0 };
                let projection = VerifierProjection { query: &query, material: &material, audit, retry: None };
                stage(adapter.prepare(&projection, &run).await, agent()).await
            }
            Self::Composer(adapter) => {
                let projection = ComposerProjection {
                    effective_verdict: Verdict::Pass,
                    claims: &[],
                    missing_information: &[],
                    recommendations: &[],
                };
                stage(adapter.prepare(&projection, &run).await, agent()).await
            }
            Self::PlanParser(parser) => twice(async || parsed(parser.parse("text").await, |_| "a plan".into())).await,
            Self::EvidenceParser(parser) => {
                twice(async || parsed(parser.parse("text").await, |_| "evidence".into())).await
            }
            Self::VerificationParser(parser) => {
                twice(async || parsed(parser.parse("text").await, |_| "a verification".into())).await
            }
            Self::AnswerParser(parser) => {
                twice(async || parsed(parser.parse("text").await, |answer| answer.headline)).await
            }
            Self::Thinker(thinker) => asked(Arc::new(ThinkerAgent(Arc::clone(thinker)))).await,
            Self::Investigator(investigator) => {
                let (component, tools) = (Arc::clone(investigator), Some(Arc::clone(tools)));
                asked(Arc::new(InvestigatorAgent { component, tools })).await
            }
        }
    }
}

/// A stage as a run has it, with both its attempts.
async fn stage(prepared: Result<Prepared, AttemptFailure>, agent: Arc<dyn Invoker>) -> Vec<Call> {
    let mut prepared = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => return vec![Call { name: "prepare", ended: Err(failure) }],
    };
    let mut calls = vec![Call { name: "prepare", ended: Ok(prepared.input().to_owned()) }];
    for name in ["attempt 1", "attempt 2"] {
        let ended = prepared.attempt(Arc::clone(&agent)).await;
        calls.push(Call { name, ended: ended.map(|output| output.text) });
    }
    calls
}

/// The misbehaving agent of a well-behaved adapter.
async fn asked(agent: Arc<dyn Invoker>) -> Vec<Call> {
    let mut calls = stage(good().prepare(&planner_projection(&query()), &run()).await, agent).await;
    calls.remove(0);
    calls
}

async fn twice(parse: impl AsyncFn() -> Result<String, AttemptFailure>) -> Vec<Call> {
    vec![Call { name: "parse 1", ended: parse().await }, Call { name: "parse 2", ended: parse().await }]
}

fn parsed<Document>(
    ended: Result<Result<Document, Violation>, AttemptFailure>,
    words: impl Fn(Document) -> String,
) -> Result<String, AttemptFailure> {
    ended.map(|document| match document {
        Ok(document) => words(document),
        Err(violation) => format!("violation at `{}`: {}", violation.path, violation.message),
    })
}

/// The agent that the header of a guest asks for.
pub(super) fn agent(guest: &Guest) -> Arc<Agent> {
    match guest.says("agent") {
        None => Agent::new(Ok("text")),
        Some("silent") => Agent::silent(),
        Some("transient") => Agent::new(Err(InvokeError::Transient("connection reset".into()))),
        Some(other) => panic!("{}: no agent `{other}`", guest.name),
    }
}

/// The tools that the header of a guest asks for.
pub(super) fn tools(guest: &Guest) -> Arc<dyn ToolPort> {
    match guest.says("tools") {
        None => Arc::new(Tools(Ok("{}"))),
        Some("blocked") => Arc::new(Tools(Err(ToolError::Blocked("no".into())))),
        Some("silent") => Arc::new(SilentTools),
        Some(other) => panic!("{}: no tools `{other}`", guest.name),
    }
}

/// Tools that never answer.
struct SilentTools;

#[async_trait]
impl ToolPort for SilentTools {
    fn available(&self) -> Vec<Tool> {
        vec![]
    }

    async fn call(&self, _name: &str, _arguments: &str) -> Result<ToolReply, ToolError> {
        std::future::pending().await
    }
}
