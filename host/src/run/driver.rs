//! The driver loop: visit a node, take what it wrote, record one event, follow the router.
//!
//! Where a run goes is decided by [`route`] alone; what a node may see, by the views of [`State`].

use super::budget::{Budgeted, RunBudget};
use super::gate;
use super::journal::{Journal, millis};
use super::miss::Miss;
use super::shadow::{Rehearsal, Take, Watch};
use super::stage::{AgentNode, Composing, Executing, Planning, Verifying};
use super::{Generation, Observer};
use crate::agents::AgentRole;
use crate::store::{Step, StoreError};
use crate::tools::Gateway;
use portcullis_core::answer::{self, FinalAnswer};
use portcullis_core::document::{Query, Tool, Verdict};
use portcullis_core::reason::ReasonCode;
use portcullis_core::retry;
use portcullis_core::route::{Attempt, Execution, Judgement, LONGEST_RUN, Material, Node, Outcome, Route, route};
use portcullis_core::state::{State, Write};
use portcullis_core::trail::{Event, FallbackClass};
use portcullis_core::verified;
use portcullis_plugins::{Invoker, Prepared, RunIdentity, ToolPort};
use std::sync::Arc;
use tokio::time::Instant;

/// Why the loop ended without an end of the graph.
#[derive(Debug)]
pub(super) enum Stop {
    /// More visits than any legal path has (R-ROUTE-02).
    RecursionLimit,
    /// What cannot be recorded must not go on.
    Store(StoreError),
}

/// What one visit of a node gave.
struct Visit {
    write: Write,
    outcome: Outcome,
    reason: ReasonCode,
    /// Bytes that the agent returned; none when it was not asked or did not answer.
    output_bytes: usize,
    take: Take,
}

/// What asking an agent gave.
struct Asked<Product> {
    result: Result<Product, Miss>,
    output_bytes: usize,
    take: Take,
}

/// One run on its way.
pub(super) struct Driver<'a> {
    generation: &'a Generation,
    run: &'a Arc<RunIdentity>,
    gateway: &'a Arc<Gateway>,
    budget: &'a Arc<RunBudget>,
    journal: &'a Journal,
    observer: &'a dyn Observer,
    tools: Vec<Tool>,
    agents: Agents,
    state: State,
    /// The bytes of the current agent stage: a technical retry gets the same ones (R-ROUTE-03).
    prepared: Option<Prepared>,
    /// What candidates are to repeat when the run is over.
    rehearsal: Rehearsal,
}

/// The agents of one run, each under the run's budget.
pub(super) struct Agents {
    pub(super) planner: Arc<dyn Invoker>,
    pub(super) executor: Arc<dyn Invoker>,
    pub(super) verifier: Arc<dyn Invoker>,
    pub(super) composer: Arc<dyn Invoker>,
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        generation: &'a Generation,
        query: Query,
        run: &'a Arc<RunIdentity>,
        gateway: &'a Arc<Gateway>,
        budget: &'a Arc<RunBudget>,
        journal: &'a Journal,
        observer: &'a dyn Observer,
    ) -> Self {
        let agent = |role, tools: Option<Arc<dyn ToolPort>>| -> Arc<dyn Invoker> {
            Arc::new(Budgeted { agent: generation.agents.agent(role, tools), budget: Arc::clone(budget) })
        };
        // Only the executor's agent gets tools, and always through the gateway.
        let agents = Agents {
            planner: agent(AgentRole::Planner, None),
            executor: agent(AgentRole::Executor, Some(Arc::clone(gateway) as Arc<dyn ToolPort>)),
            verifier: agent(AgentRole::Verifier, None),
            composer: agent(AgentRole::Composer, None),
        };
        let tools = gateway.available();
        let (state, rehearsal) = (State::new(query), Rehearsal::default());
        Self { generation, run, gateway, budget, journal, observer, tools, agents, state, prepared: None, rehearsal }
    }

    pub(super) fn into_parts(self) -> (State, Rehearsal) {
        (self.state, self.rehearsal)
    }

    /// Visits nodes until the graph ends.
    pub(super) async fn drive(&mut self) -> Result<(), Stop> {
        let (mut node, mut attempt) = (Node::Planner, 1);
        for _ in 0..LONGEST_RUN {
            let (begun, begun_ms) = (Instant::now(), self.journal.now_ms());
            let round = self.state.round();
            self.observer.attempt_began(node.as_str(), round, attempt);
            let visit = self.visit(node).await?;
            let (left, next) = route(self.state.counters(), visit.outcome);
            self.state.accept(visit.write);
            let event = Event {
                node: node.as_str().to_owned(),
                round,
                attempt,
                outcome: visit.outcome.as_str().to_owned(),
                reason_code: visit.reason,
            };
            self.state.record(event.clone(), left).map_err(|_full| Stop::RecursionLimit)?;
            let duration = begun.elapsed();
            let seq = u32::try_from(self.state.trail().events().len()).unwrap_or(u32::MAX);
            let written = if is_agent(node) {
                let input = self.prepared.as_ref();
                let step = Step {
                    seq,
                    event: event.clone(),
                    input_sha256: input.map(|prepared| prepared.sha256().to_owned()),
                    input_bytes: input.map_or(0, |prepared| prepared.input().len() as u64),
                    output_bytes: visit.output_bytes as u64,
                    started_ms: begun_ms,
                    duration_ms: millis(duration),
                };
                self.journal.step(step).await
            } else {
                self.journal.event(seq, event.clone()).await
            };
            written.map_err(Stop::Store)?;
            self.rehearsal.add(round, attempt, visit.take);
            self.observer.attempt_ended(&event, duration);
            match next {
                Route::Enter(entered) => {
                    if node == Node::RetryPrepare {
                        self.state.start_evidence_retry();
                    }
                    self.prepared = None;
                    (node, attempt) = (entered, 1);
                }
                Route::Retry(again) => (node, attempt) = (again, attempt.saturating_add(1)),
                Route::Finish => return Ok(()),
            }
        }
        Err(Stop::RecursionLimit)
    }

    async fn visit(&mut self, node: Node) -> Result<Visit, Stop> {
        Ok(match node {
            Node::Planner => self.plan().await,
            Node::Executor => self.execute().await,
            Node::Gatekeeper => self.check().await?,
            Node::VerifiedInput => self.build_verified_input().await?,
            Node::Verifier => self.verify().await?,
            Node::RetryPrepare => self.prepare_retry(),
            Node::Composer => self.compose().await,
            Node::Fallback(material) => self.fall_back(material),
        })
    }

    /// The visit of an agent node: prepare once a stage, attempt, parse, and the host's own checks.
    async fn ask<N: AgentNode>(&mut self) -> Asked<N::Product> {
        let (adapter, parser) = N::current(&self.generation.nodes);
        let mut watch = Watch::<N>::begin(&self.generation.shadows);
        let mut output_bytes = 0;
        let asked = tokio::time::timeout(self.budget.remaining(), async {
            // Nothing is started when the run's time is over.
            if self.budget.is_over() {
                return Err(Miss::run_budget());
            }
            let prepared = match &mut self.prepared {
                Some(prepared) => prepared,
                missing => {
                    let prepared = watch.prepare(adapter, &self.state, &self.tools, self.run).await;
                    missing.insert(prepared.ok_or_else(Miss::no_view)??)
                }
            };
            let text = watch.attempt(prepared, N::agent(&self.agents)).await?;
            output_bytes = text.len();
            let document = watch.parse(parser, &text).await??;
            N::finish(&self.state, document)
        })
        .await;
        let result = asked.unwrap_or_else(|_| Err(Miss::run_budget()));
        Asked { result, output_bytes, take: watch.end() }
    }

    async fn plan(&mut self) -> Visit {
        let Asked { result, output_bytes, take } = self.ask::<Planning>().await;
        let (plan, attempt, reason) = match result {
            Ok(plan) => (Some(plan), Attempt::Completed(()), ReasonCode::Ok),
            Err(miss) => self.failed(Node::Planner, &miss),
        };
        let outcome = Outcome::Planner(attempt);
        Visit { write: Write::Planner { status: outcome.as_str(), plan }, outcome, reason, output_bytes, take }
    }

    async fn execute(&mut self) -> Visit {
        let blocked_before = self.gateway.blocked_calls();
        let Asked { result, output_bytes, take } = self.ask::<Executing>().await;
        let (evidence, execution, reason) = match result {
            Ok(evidence) => (Some(evidence), Execution::Completed, ReasonCode::Ok),
            Err(miss) => {
                self.log(Node::Executor, &miss);
                let (execution, reason) = miss.execution(self.gateway.blocked_calls() > blocked_before);
                (None, execution, reason)
            }
        };
        let outcome = Outcome::Executor(execution);
        Visit { write: Write::Executor { status: outcome.as_str(), evidence }, outcome, reason, output_bytes, take }
    }

    async fn check(&mut self) -> Result<Visit, Stop> {
        let report = gate::check(self.state.gatekeeper_view(), self.gateway, self.journal, self.run).await;
        let report = report.map_err(Stop::Store)?;
        self.journal.gate(self.state.round(), &report).await.map_err(Stop::Store)?;
        let (found, reason) = (report.outcome(), gate::reason(&report));
        Ok(native(Write::Gatekeeper(report), Outcome::Gatekeeper(found), reason))
    }

    async fn build_verified_input(&mut self) -> Result<Visit, Stop> {
        let built = self.state.verified_input_view().and_then(|view| verified::build(view.evidence, view.gate).ok());
        if let Some(material) = &built {
            self.journal.verified(self.state.round(), material).await.map_err(Stop::Store)?;
        }
        let outcome = Outcome::VerifiedInput { built: built.is_some() };
        let reason = if built.is_some() { ReasonCode::Ok } else { ReasonCode::NothingVerified };
        Ok(native(Write::VerifiedInput(built), outcome, reason))
    }

    async fn verify(&mut self) -> Result<Visit, Stop> {
        let Asked { result, output_bytes, take } = self.ask::<Verifying>().await;
        let (judged, attempt, reason) = match result {
            Ok(judged) => {
                let judgement = Judgement {
                    effective: judged.effective_verdict,
                    critical_gap: !judged.gaps.is_empty(),
                    capped: self.state.verifier_view().is_none_or(|view| view.audit.ceiling != Verdict::Pass),
                };
                let reason = match judged.effective_verdict {
                    Verdict::Pass => ReasonCode::VerdictPass,
                    Verdict::LowConfid => ReasonCode::VerdictLowConfid,
                    Verdict::Reject => ReasonCode::VerdictReject,
                };
                (Some(judged), Attempt::Completed(judgement), reason)
            }
            Err(miss) => self.failed(Node::Verifier, &miss),
        };
        if let (Some(judged), Some(view)) = (&judged, self.state.verifier_view()) {
            let written = self.journal.allowed(self.state.round(), view.material, &judged.allowed).await;
            written.map_err(Stop::Store)?;
        }
        let outcome = Outcome::Verifier(attempt);
        Ok(Visit { write: Write::Verifier { status: outcome.as_str(), judged }, outcome, reason, output_bytes, take })
    }

    fn prepare_retry(&self) -> Visit {
        let context = match self.state.retry_prepare_view() {
            Some(view) => retry::prepare(view.verified, view.gaps, &self.gateway.invocations()),
            None => retry::prepare(&portcullis_core::document::VerifiedMaterial::default(), &[], &[]),
        };
        native(Write::RetryPrepare(context), Outcome::RetryPrepare, ReasonCode::Ok)
    }

    async fn compose(&mut self) -> Visit {
        let Asked { result, output_bytes, take } = self.ask::<Composing>().await;
        let (answer, attempt, reason) = match result {
            Ok(answer) => (Some(answer), Attempt::Completed(()), ReasonCode::Ok),
            Err(miss) => self.failed(Node::Composer, &miss),
        };
        let outcome = Outcome::Composer(attempt);
        Visit { write: Write::Composer { status: outcome.as_str(), answer }, outcome, reason, output_bytes, take }
    }

    fn fall_back(&self, material: Material) -> Visit {
        let answer = match (material, self.state.allowed_view()) {
            (Material::Allowed, Some(view)) => answer::fallback_post_verification(view.effective_verdict, view.allowed),
            (Material::Nothing, _) | (Material::Allowed, None) => self.fall_back_on_nothing(),
        };
        let class = FallbackClass::from(material);
        native(Write::Fallback { class, answer }, Outcome::Fallback, ReasonCode::Ok)
    }

    fn fall_back_on_nothing(&self) -> FinalAnswer {
        let last = self.state.trail().events().last();
        let stage = last
            .and_then(|event| Node::ALL.iter().copied().find(|node| node.as_str() == event.node))
            .unwrap_or(Node::Planner);
        answer::fallback_pre_verification(stage, last.map_or(ReasonCode::Ok, |event| event.reason_code))
    }

    fn failed<T, D>(&self, node: Node, miss: &Miss) -> (Option<D>, Attempt<T>, ReasonCode) {
        self.log(node, miss);
        (None, miss.attempt(), miss.reason())
    }

    fn log(&self, node: Node, miss: &Miss) {
        let (place, detail) = miss.said();
        let reason = miss.reason().as_str();
        tracing::warn!(run_id = self.run.run_id, node = node.as_str(), reason, place, detail, "an attempt failed");
    }
}

fn native(write: Write, outcome: Outcome, reason: ReasonCode) -> Visit {
    Visit { write, outcome, reason, output_bytes: 0, take: Take::default() }
}

fn is_agent(node: Node) -> bool {
    match node {
        Node::Planner | Node::Executor | Node::Verifier | Node::Composer => true,
        Node::Gatekeeper | Node::VerifiedInput | Node::RetryPrepare | Node::Fallback(_) => false,
    }
}
