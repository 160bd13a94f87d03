//! The state of one run: each field has one owner, one [`Write`] and leaves only by a view.
//!
//! It has no `Serialize` on purpose: no snapshot of a whole state exists (R-STATE-04). It knows no agent, no tool and
//! no prompt.

use crate::answer::FinalAnswer;
use crate::document::{Evidence, Gap, Plan, PlanMode, Query, RetryContext, Tool, Verdict, VerifiedMaterial};
use crate::gate::GateReport;
use crate::projection::{
    ComposerProjection, ExecutorProjection, GatekeeperAudit, PlannerProjection, VerifierProjection,
};
use crate::route::Counters;
use crate::trail::{Ending, Event, FallbackClass, GatekeeperSummary, Trail, TrailFull};
use crate::verdict::{AllowedMaterial, Judged};
use serde::Serialize;

/// How the call of an agent node ended, apart from what it found. A word of the trail.
pub type Status = &'static str;

/// What a run knows. Made for one run and dropped with it (R-STATE-05).
#[derive(Debug)]
pub struct State {
    query: Query,
    plan_mode: PlanMode,
    planner_status: Option<Status>,
    plan: Option<Plan>,
    executor_status: Option<Status>,
    executor_evidence: Option<Evidence>,
    gatekeeper: Option<GateReport>,
    verified_material: Option<VerifiedMaterial>,
    verifier_status: Option<Status>,
    judged: Option<Judged>,
    retry_context: Option<RetryContext>,
    composer_status: Option<Status>,
    final_answer: Option<FinalAnswer>,
    fallback_class: Option<FallbackClass>,
    counters: Counters,
    orchestration_events: Trail,
}

/// One variant a node: a write to a field of another owner cannot be expressed (R-STATE-03).
#[derive(Debug)]
pub enum Write {
    Planner { status: Status, plan: Option<Plan> },
    Executor { status: Status, evidence: Option<Evidence> },
    Gatekeeper(GateReport),
    VerifiedInput(Option<VerifiedMaterial>),
    Verifier { status: Status, judged: Option<Judged> },
    RetryPrepare(RetryContext),
    Composer { status: Status, answer: Option<FinalAnswer> },
    Fallback { class: FallbackClass, answer: FinalAnswer },
}

/// What the verified-input builder works on.
#[derive(Debug, Clone, Copy)]
pub struct VerifiedInputView<'a> {
    pub evidence: &'a Evidence,
    pub gate: &'a GateReport,
}

/// What retry prepare works on.
#[derive(Debug, Clone, Copy)]
pub struct RetryPrepareView<'a> {
    pub verified: &'a VerifiedMaterial,
    pub gaps: &'a [Gap],
}

/// What the post-verification fallback and the renderer work on.
#[derive(Debug, Clone, Copy)]
pub struct AllowedView<'a> {
    pub effective_verdict: Verdict,
    pub allowed: &'a AllowedMaterial,
}

/// The last round's statuses and verdicts, side by side and never mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Statuses {
    pub planner_status: Option<Status>,
    pub executor_status: Option<Status>,
    pub verifier_status: Option<Status>,
    pub verifier_model_verdict: Option<Verdict>,
    pub effective_verdict: Option<Verdict>,
    pub composer_status: Option<Status>,
}

impl State {
    /// The state of a new run: nothing but what was asked.
    pub fn new(query: Query) -> Self {
        Self {
            query,
            plan_mode: PlanMode::Initial,
            planner_status: None,
            plan: None,
            executor_status: None,
            executor_evidence: None,
            gatekeeper: None,
            verified_material: None,
            verifier_status: None,
            judged: None,
            retry_context: None,
            composer_status: None,
            final_answer: None,
            fallback_class: None,
            counters: Counters::default(),
            orchestration_events: Trail::default(),
        }
    }

    /// Takes what a node produced. Each field is replaced, never merged (R-STATE-02).
    pub fn accept(&mut self, write: Write) {
        match write {
            Write::Planner { status, plan } => {
                self.planner_status = Some(status);
                self.plan = plan;
            }
            Write::Executor { status, evidence } => {
                self.executor_status = Some(status);
                self.executor_evidence = evidence;
            }
            Write::Gatekeeper(report) => self.gatekeeper = Some(report),
            Write::VerifiedInput(material) => self.verified_material = material,
            Write::Verifier { status, judged } => {
                self.verifier_status = Some(status);
                self.judged = judged;
            }
            Write::RetryPrepare(context) => self.retry_context = Some(context),
            Write::Composer { status, answer } => {
                self.composer_status = Some(status);
                self.final_answer = answer;
            }
            Write::Fallback { class, answer } => {
                self.fallback_class = Some(class);
                self.final_answer = Some(answer);
            }
        }
    }

    /// Starts round 2. What round 1 produced is cleared, so that nothing of it can be taken for round 2's:
    /// only the retry context carries it on.
    pub fn start_evidence_retry(&mut self) {
        self.plan_mode = PlanMode::EvidenceGapOnly;
        self.planner_status = None;
        self.plan = None;
        self.executor_status = None;
        self.executor_evidence = None;
        self.gatekeeper = None;
        self.verified_material = None;
        self.verifier_status = None;
        self.judged = None;
    }

    /// Appends one event and takes the router's counters.
    ///
    /// # Errors
    /// [`TrailFull`] when the run is longer than any legal one.
    pub fn record(&mut self, event: Event, left: Counters) -> Result<(), TrailFull> {
        self.counters = left;
        self.orchestration_events.record(event)
    }

    pub fn counters(&self) -> Counters {
        self.counters
    }

    pub fn trail(&self) -> &Trail {
        &self.orchestration_events
    }

    /// 1, or 2 after the evidence retry.
    pub fn round(&self) -> u8 {
        match self.plan_mode {
            PlanMode::Initial => 1,
            PlanMode::EvidenceGapOnly => 2,
        }
    }

    pub fn planner_view<'a>(&'a self, tools: &'a [Tool]) -> PlannerProjection<'a> {
        PlannerProjection { query: &self.query, mode: self.plan_mode, tools, retry: self.retry_context.as_ref() }
    }

    pub fn executor_view<'a>(&'a self, tools: &'a [Tool]) -> Option<ExecutorProjection<'a>> {
        let plan = self.plan.as_ref()?;
        Some(ExecutorProjection { query: &self.query, plan, tools, retry: self.retry_context.as_ref() })
    }

    /// What the gatekeeper checks; the ledger comes from the host.
    pub fn gatekeeper_view(&self) -> Option<&Evidence> {
        self.executor_evidence.as_ref()
    }

    pub fn verified_input_view(&self) -> Option<VerifiedInputView<'_>> {
        Some(VerifiedInputView { evidence: self.executor_evidence.as_ref()?, gate: self.gatekeeper.as_ref()? })
    }

    pub fn verifier_view(&self) -> Option<VerifierProjection<'_>> {
        let gate = self.gatekeeper.as_ref()?;
        Some(VerifierProjection {
            query: &self.query,
            material: self.verified_material.as_ref()?,
            audit: GatekeeperAudit {
                ceiling: gate.ceiling,
                verified_binding_count: gate.verified_binding_count,
                failed_binding_count: gate.failed_binding_count,
            },
            retry: self.retry_context.as_ref(),
        })
    }

    pub fn retry_prepare_view(&self) -> Option<RetryPrepareView<'_>> {
        Some(RetryPrepareView { verified: self.verified_material.as_ref()?, gaps: &self.judged.as_ref()?.gaps })
    }

    pub fn composer_view(&self) -> Option<ComposerProjection<'_>> {
        let AllowedView { effective_verdict, allowed } = self.allowed_view()?;
        Some(ComposerProjection {
            effective_verdict,
            claims: &allowed.claims,
            missing_information: &allowed.missing_information,
            recommendations: &allowed.recommendations,
        })
    }

    pub fn allowed_view(&self) -> Option<AllowedView<'_>> {
        let judged = self.judged.as_ref()?;
        Some(AllowedView { effective_verdict: judged.effective_verdict, allowed: &judged.allowed })
    }

    pub fn final_answer(&self) -> Option<&FinalAnswer> {
        self.final_answer.as_ref()
    }

    /// How each agent's call ended, apart from what it found (R-VERIFY-05).
    pub fn statuses(&self) -> Statuses {
        Statuses {
            planner_status: self.planner_status,
            executor_status: self.executor_status,
            verifier_status: self.verifier_status,
            verifier_model_verdict: self.judged.as_ref().map(|judged| judged.model_verdict),
            effective_verdict: self.judged.as_ref().map(|judged| judged.effective_verdict),
            composer_status: self.composer_status,
        }
    }

    /// What the audit needs beside the events.
    pub fn ending(&self) -> Ending {
        let uses_material = self.fallback_class != Some(FallbackClass::PreVerification);
        Ending {
            verdict: self.judged.as_ref().filter(|_| uses_material).map(|judged| judged.effective_verdict),
            fallback_class: self.fallback_class,
            gatekeeper: self.gatekeeper.as_ref().map(|gate| GatekeeperSummary {
                status: gate.status.as_str().to_owned(),
                verified: gate.verified_binding_count,
                failed: gate.failed_binding_count,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::RetryConstraints;
    use crate::gate::{self, GateInput};
    use std::collections::{BTreeMap, BTreeSet};

    /// Each field with what is in it.
    fn fields(state: &State) -> BTreeMap<String, String> {
        let mut fields = BTreeMap::new();
        let mut name = String::new();
        for line in format!("{state:#?}").lines() {
            if let Some((field, _)) = line.strip_prefix("    ").and_then(|line| line.split_once(": "))
                && !field.starts_with(' ')
            {
                field.clone_into(&mut name);
            }
            fields.entry(name.clone()).or_insert_with(String::new).push_str(line);
        }
        // The lines around all fields have none.
        fields.remove("");
        fields
    }

    /// The fields that each node owns.
    fn owned(write: &Write) -> &'static [&'static str] {
        match write {
            Write::Planner { .. } => &["planner_status", "plan"],
            Write::Executor { .. } => &["executor_status", "executor_evidence"],
            Write::Gatekeeper(_) => &["gatekeeper"],
            Write::VerifiedInput(_) => &["verified_material"],
            Write::Verifier { .. } => &["verifier_status", "judged"],
            Write::RetryPrepare(_) => &["retry_context"],
            Write::Composer { .. } => &["composer_status", "final_answer"],
            Write::Fallback { .. } => &["fallback_class", "final_answer"],
        }
    }

    /// One of each, with something in every part.
    fn writes() -> [Write; 8] {
        let evidence = || Evidence { claims: vec![], hypotheses: vec!["h".into()], limitations: vec![] };
        let report = gate::check(&GateInput { run_id: "r", evidence: &evidence(), invocations: &[], tools: &[] });
        let allowed = AllowedMaterial {
            claims: vec![],
            evidence: vec![],
            missing_information: vec!["m".into()],
            recommendations: vec![],
        };
        let judged =
            Judged { model_verdict: Verdict::Pass, effective_verdict: Verdict::LowConfid, allowed, gaps: vec![] };
        let context = RetryContext {
            prior: VerifiedMaterial::default(),
            gaps: vec![],
            completed_queries: vec![],
            constraints: RetryConstraints {
                max_retry: 1,
                do_not_repeat_successful_queries: true,
                only_execute_incremental_queries: true,
                preserve_prior_verified_claims: true,
            },
        };
        [
            Write::Planner { status: "COMPLETED", plan: Some(Plan { steps: vec![] }) },
            Write::Executor { status: "COMPLETED", evidence: Some(evidence()) },
            Write::Gatekeeper(report),
            Write::VerifiedInput(Some(VerifiedMaterial::default())),
            Write::Verifier { status: "COMPLETED", judged: Some(judged) },
            Write::RetryPrepare(context),
            Write::Composer { status: "COMPLETED", answer: Some(FinalAnswer::default()) },
            Write::Fallback { class: FallbackClass::PreVerification, answer: FinalAnswer::default() },
        ]
    }

    #[test]
    fn each_write_changes_the_fields_of_its_owner_and_no_other() {
        // R-STATE-03 R-STATE-04
        let new = || State::new(Query { question: "why?".into(), facts: vec![] });
        // What no node writes: the question, and what the driver keeps of the run's course.
        let mut all: BTreeSet<_> = ["query", "plan_mode", "counters", "orchestration_events"].into();
        for write in writes() {
            let owned: BTreeSet<_> = owned(&write).iter().copied().collect();
            let words = format!("{write:?}");
            let mut state = new();
            let before = fields(&state);
            state.accept(write);
            let after = fields(&state);
            let changed: BTreeSet<_> =
                after.iter().filter(|(name, value)| before[*name] != **value).map(|(name, _)| name.as_str()).collect();
            assert_eq!(changed, owned, "{words}");
            all.extend(owned);
        }
        // A field for a prompt, a model's reasoning or a tool's output would have no owner here.
        assert_eq!(fields(&new()).keys().map(String::as_str).collect::<BTreeSet<_>>(), all);
    }
}
