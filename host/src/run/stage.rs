//! What the four agent nodes differ in: whom they ask, what they show and what they make of the document. The shape of
//! their visit is the same for all and written once, in [`super::driver`].
//!
//! A candidate in the shadow goes through the same functions, so it is shown what the current component is shown by
//! type, and not by habit.

use super::driver::Agents;
use super::miss::Miss;
use super::nodes::NodeSet;
use super::shadow::Shadows;
use portcullis_core::answer::{self, FinalAnswer};
use portcullis_core::compose;
use portcullis_core::document::{ComposedAnswer, Evidence, Plan, Tool, VerificationReport};
use portcullis_core::state::State;
use portcullis_core::verdict::{Judged, judge};
use portcullis_plugins::{
    AnswerParser, Composer, EvidenceParser, Executor, Invoker, Parsing, PlanParser, Planner, Preparing, Role,
    RunIdentity, VerificationParser, Verifier,
};
use serde::Serialize;
use std::sync::Arc;

/// One agent node.
pub(super) trait AgentNode {
    const ADAPTER: Role;
    const PARSER: Role;
    type Adapter;
    type Parser;
    /// What the parser reads.
    type Document: Serialize + 'static;
    /// What the node writes.
    type Product;

    fn agent(agents: &Agents) -> &Arc<dyn Invoker>;
    fn current(nodes: &NodeSet) -> (&Self::Adapter, &Self::Parser);
    fn candidates(shadows: &Shadows) -> (Option<&Self::Adapter>, Option<&Self::Parser>);

    /// Has what the node may see turned into its agent's input. None: the state has nothing for it.
    fn prepare(adapter: &Self::Adapter, state: &State, tools: &[Tool], run: &Arc<RunIdentity>) -> Option<Preparing>;

    fn parse(parser: &Self::Parser, text: &str) -> Parsing<Self::Document>;

    /// What the host itself checks, and what it makes of the document.
    fn finish(state: &State, document: Self::Document) -> Result<Self::Product, Miss>;
}

pub(super) struct Planning;
pub(super) struct Executing;
pub(super) struct Verifying;
pub(super) struct Composing;

impl AgentNode for Planning {
    const ADAPTER: Role = Role::Planner;
    const PARSER: Role = Role::PlanParser;
    type Adapter = Planner;
    type Parser = PlanParser;
    type Document = Plan;
    type Product = Plan;

    fn agent(agents: &Agents) -> &Arc<dyn Invoker> {
        &agents.planner
    }

    fn current(nodes: &NodeSet) -> (&Planner, &PlanParser) {
        (&nodes.adapters.planner, &nodes.parsers.plan)
    }

    fn candidates(shadows: &Shadows) -> (Option<&Planner>, Option<&PlanParser>) {
        (shadows.planner.as_ref(), shadows.plan_parser.as_ref())
    }

    fn prepare(adapter: &Planner, state: &State, tools: &[Tool], run: &Arc<RunIdentity>) -> Option<Preparing> {
        Some(adapter.prepare(&state.planner_view(tools), run))
    }

    fn parse(parser: &PlanParser, text: &str) -> Parsing<Plan> {
        parser.parse(text)
    }

    fn finish(_state: &State, plan: Plan) -> Result<Plan, Miss> {
        Ok(plan)
    }
}

impl AgentNode for Executing {
    const ADAPTER: Role = Role::Executor;
    const PARSER: Role = Role::EvidenceParser;
    type Adapter = Executor;
    type Parser = EvidenceParser;
    type Document = Evidence;
    type Product = Evidence;

    fn agent(agents: &Agents) -> &Arc<dyn Invoker> {
        &agents.executor
    }

    fn current(nodes: &NodeSet) -> (&Executor, &EvidenceParser) {
        (&nodes.adapters.executor, &nodes.parsers.evidence)
    }

    fn candidates(shadows: &Shadows) -> (Option<&Executor>, Option<&EvidenceParser>) {
        (shadows.executor.as_ref(), shadows.evidence_parser.as_ref())
    }

    fn prepare(adapter: &Executor, state: &State, tools: &[Tool], run: &Arc<RunIdentity>) -> Option<Preparing> {
        Some(adapter.prepare(&state.executor_view(tools)?, run))
    }

    fn parse(parser: &EvidenceParser, text: &str) -> Parsing<Evidence> {
        parser.parse(text)
    }

    /// The gatekeeper is a node of its own.
    fn finish(_state: &State, evidence: Evidence) -> Result<Evidence, Miss> {
        Ok(evidence)
    }
}

impl AgentNode for Verifying {
    const ADAPTER: Role = Role::Verifier;
    const PARSER: Role = Role::VerificationParser;
    type Adapter = Verifier;
    type Parser = VerificationParser;
    type Document = VerificationReport;
    type Product = Judged;

    fn agent(agents: &Agents) -> &Arc<dyn Invoker> {
        &agents.verifier
    }

    fn current(nodes: &NodeSet) -> (&Verifier, &VerificationParser) {
        (&nodes.adapters.verifier, &nodes.parsers.verification)
    }

    fn candidates(shadows: &Shadows) -> (Option<&Verifier>, Option<&VerificationParser>) {
        (shadows.verifier.as_ref(), shadows.verification_parser.as_ref())
    }

    fn prepare(adapter: &Verifier, state: &State, _tools: &[Tool], run: &Arc<RunIdentity>) -> Option<Preparing> {
        Some(adapter.prepare(&state.verifier_view()?, run))
    }

    fn parse(parser: &VerificationParser, text: &str) -> Parsing<VerificationReport> {
        parser.parse(text)
    }

    fn finish(state: &State, report: VerificationReport) -> Result<Judged, Miss> {
        let view = state.verifier_view().ok_or_else(Miss::no_view)?;
        Ok(judge(report, view.material, view.audit.ceiling)?)
    }
}

impl AgentNode for Composing {
    const ADAPTER: Role = Role::Composer;
    const PARSER: Role = Role::AnswerParser;
    type Adapter = Composer;
    type Parser = AnswerParser;
    type Document = ComposedAnswer;
    type Product = FinalAnswer;

    fn agent(agents: &Agents) -> &Arc<dyn Invoker> {
        &agents.composer
    }

    fn current(nodes: &NodeSet) -> (&Composer, &AnswerParser) {
        (&nodes.adapters.composer, &nodes.parsers.answer)
    }

    fn candidates(shadows: &Shadows) -> (Option<&Composer>, Option<&AnswerParser>) {
        (shadows.composer.as_ref(), shadows.answer_parser.as_ref())
    }

    fn prepare(adapter: &Composer, state: &State, _tools: &[Tool], run: &Arc<RunIdentity>) -> Option<Preparing> {
        Some(adapter.prepare(&state.composer_view()?, run))
    }

    fn parse(parser: &AnswerParser, text: &str) -> Parsing<ComposedAnswer> {
        parser.parse(text)
    }

    fn finish(state: &State, composed: ComposedAnswer) -> Result<FinalAnswer, Miss> {
        let view = state.allowed_view().ok_or_else(Miss::no_view)?;
        compose::check(&composed, view.allowed)?;
        Ok(answer::render(&composed, view.effective_verdict, view.allowed))
    }
}
