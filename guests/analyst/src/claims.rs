//! Puts a diagnosis into claims, each of which can be proved from the observations.

use crate::diagnosis::{Candidate, Diagnosis, telling_health};
use crate::evidence::{Observation, Quote};
use crate::finding::{Finding, Health, State};
use crate::graph::Graph;
use crate::knowledge::{Kind, Rank};
use crate::names;
use crate::prove::{can_name, prove};
use crate::readers::Readings;
use crate::series::Compared;
use crate::subject::Subject;
use portcullis_contract::document::{Binding, Claim};
use std::collections::BTreeSet;

/// The id of the claim that names the root cause, before the kind.
pub(crate) const ROOT_CAUSE: &str = "root-cause";
/// The end of the id of a cause of which no output says whose doing it is.
pub(crate) const ASSUMED: &str = ".assumed";
/// The id of the claim that nothing is wrong.
pub(crate) const NO_FAULT: &str = "no-fault";
/// The id of the claim that the data cannot be reached.
pub(crate) const TOOLS_MISSING: &str = "tools-missing";

/// Claims of one sort.
const EVIDENCE_CLAIMS: usize = 8;
const RULED_OUT_CLAIMS: usize = 4;
const HEALTH_CLAIMS: usize = 6;
const OTHER_CLAIMS: usize = 3;
/// A longer name leaves no room for what is said of it.
const LONGEST_NAME: usize = 160;

pub(crate) struct Writer<'a> {
    pub(crate) observations: &'a [Observation],
    pub(crate) subject: &'a Subject,
    claims: Vec<Claim>,
    /// What could not be proved.
    pub(crate) hypotheses: Vec<String>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(observations: &'a [Observation], subject: &'a Subject) -> Self {
        Self { observations, subject, claims: Vec::new(), hypotheses: Vec::new() }
    }

    pub(crate) fn finish(self) -> (Vec<Claim>, Vec<String>) {
        (self.claims, self.hypotheses)
    }

    /// Adds a claim when it can be proved and is not said already.
    fn state(&mut self, claim_id: String, text: String, quotes: &[Quote]) -> bool {
        if self.claims.iter().any(|claim| claim.text == text || claim.claim_id == claim_id) {
            return false;
        }
        let Some(proof) = prove(&text, quotes, self.observations) else { return false };
        let bindings: Vec<Binding> = proof.iter().filter_map(|quote| quote.binding(self.observations)).collect();
        self.claims.push(Claim { claim_id, text, bindings });
        true
    }

    pub(crate) fn write(&mut self, diagnosis: &Diagnosis, readings: &Readings) {
        let Readings { findings, health, .. } = readings;
        match diagnosis {
            Diagnosis::Fault { root, effects, others } => {
                let is_assumed =
                    root.is_about_a_callee || root.findings.iter().all(|finding| readings.is_borrowed(finding));
                self.root(root, effects, is_assumed);
                self.evidence(root, effects);
                self.others(others);
                self.recoveries(health, Some(root));
                self.ruled_out(findings, root);
            }
            Diagnosis::Healthy { always_firing } => self.healthy(always_firing.as_ref(), findings, health),
            Diagnosis::Unknown => self.tools_missing(findings),
        }
    }

    fn root(&mut self, root: &Candidate, effects: &[Candidate], is_assumed: bool) {
        let quotes: Vec<Quote> = std::iter::once(root)
            .chain(effects.iter().take(2))
            .flat_map(|candidate| best_by_source(candidate).into_iter().take(3))
            .flat_map(|finding| finding.quotes.iter().take(4).cloned())
            .collect();
        let claim_id = format!("{ROOT_CAUSE}.{}{}", root.kind.info().id, if is_assumed { ASSUMED } else { "" });
        // The fullest sentence that can be proved.
        let sentences =
            [self.sentence(root, effects, true), self.sentence(root, effects, false), self.sentence(root, &[], false)];
        for sentence in &sentences {
            if self.state(claim_id.clone(), sentence.clone(), &quotes) {
                return;
            }
        }
        self.hypotheses.extend(sentences.into_iter().next());
    }

    /// A name that can be quoted: the entity's own, its workload's, or none.
    fn name_of(&self, entity: &str) -> String {
        let workload = names::workload(entity);
        if entity.is_empty() {
            "the system".to_owned()
        } else if entity.len() > LONGEST_NAME {
            "a component with a very long name".to_owned()
        } else if can_name(entity, self.observations) {
            entity.to_owned()
        } else if can_name(workload, self.observations) {
            workload.to_owned()
        } else {
            "what was asked about".to_owned()
        }
    }

    /// The sentence of the root cause: who, what it shows, and why.
    fn sentence(&self, root: &Candidate, effects: &[Candidate], with_object: bool) -> String {
        let info = root.kind.info();
        let cause = match root.object.as_deref().filter(|_| with_object) {
            Some(object) => info.cause.replace("{object}", object),
            None => info.plain.to_owned(),
        };
        let said = said(root, effects);
        let name = self.name_of(&root.entity);
        let Some(first) = said.first() else {
            return format!("{name}: {cause}");
        };
        let shows = said.iter().map(|effect| effect.kind.info().shows).collect::<Vec<_>>().join(" and ");
        let is_same = names::workload(&first.entity) == names::workload(&root.entity)
            || names::related(&first.entity, &root.entity) && first.entity.len() <= root.entity.len();
        if is_same {
            format!("{name} {shows}: {cause}")
        } else {
            format!("{} {shows} because of {name}: {cause}", self.name_of(&first.entity))
        }
    }

    fn evidence(&mut self, root: &Candidate, effects: &[Candidate]) {
        let mut stated = 0;
        let candidates = std::iter::once(("evidence", root)).chain(effects.iter().map(|effect| ("symptom", effect)));
        for (role, candidate) in candidates {
            for finding in best_by_source(candidate) {
                if stated >= EVIDENCE_CLAIMS {
                    return;
                }
                let claim_id = format!("{role}-{}.{}", stated + 1, candidate.kind.info().id);
                let text = format!("{} {}: {}", finding.source.word(), self.name_of(&finding.entity), finding.text);
                stated += usize::from(self.state(claim_id, text, &finding.quotes));
            }
        }
    }

    /// What is wrong as well, but is no part of this story.
    fn others(&mut self, others: &[Candidate]) {
        for (index, finding) in others.iter().filter_map(|other| other.findings.first()).take(OTHER_CLAIMS).enumerate()
        {
            let claim_id = format!("other-{}.{}", index + 1, finding.kind.info().id);
            let text = format!(
                "Also seen, with another cause or none known: {} {}: {}",
                finding.source.word(),
                self.name_of(&finding.entity),
                finding.text
            );
            self.state(claim_id, text, &finding.quotes);
        }
    }

    /// How the symptom reaches the root, and that what the root calls did not get worse.
    pub(crate) fn path(&mut self, path: &[String], graph: &Graph, compared: &[Compared], metric: Option<&str>) {
        let calls: Vec<(&String, &String)> = path.iter().zip(path.iter().skip(1)).collect();
        let quotes: Vec<Quote> = calls.iter().flat_map(|(from, to)| graph.quotes(from, to)).collect();
        if !calls.is_empty() {
            let steps: Vec<String> = calls.iter().map(|(from, to)| format!("{from} calls {to}")).collect();
            self.state("call-path".into(), format!("Call path of the symptom: {}", steps.join(", and ")), &quotes);
        }
        let Some(deepest) = path.last() else { return };
        let mut stated = 0;
        for callee in graph.callees(deepest) {
            let series = compared.iter().find(|series| {
                series.entity == callee
                    && metric.is_none_or(|metric| series.metric == metric)
                    && series.meaning().is_symptom()
            });
            let Some(series) = series else { continue };
            let figures = ["before", "after"].map(|side| series.figure(side, "median", self.observations));
            let [Some((before, first)), Some((after, second))] = figures else { continue };
            let text = format!(
                "Not the cause: {callee}, which {deepest} calls, kept its {} (a median of {before} before, {after} after)",
                series.metric
            );
            let claim_id = format!("ruled-out-callee-{}", stated + 1);
            if stated < 2 && self.state(claim_id, text, &[first, second]) {
                stated += 1;
            }
        }
    }

    /// What looked like a cause, and is history, over, or background.
    fn ruled_out(&mut self, findings: &[Finding], root: &Candidate) {
        let mut stated = 0;
        let mut kinds = BTreeSet::new();
        for finding in findings {
            let why = match finding.state {
                State::Past => "it was long before the symptom began",
                State::Recovered => "it is over",
                State::Active => continue,
            };
            let is_cause = finding.kind.info().rank >= Rank::Mechanism || finding.kind.info().rank == Rank::State;
            let is_root = finding.kind == root.kind && finding.entity == root.entity;
            if stated >= RULED_OUT_CLAIMS || !is_cause || is_root || !kinds.insert(finding.kind) {
                continue;
            }
            let claim_id = format!("ruled-out-{}.{}", stated + 1, finding.kind.info().id);
            let text = format!(
                "Not the cause, because {why}: {} {}: {}",
                finding.source.word(),
                self.name_of(&finding.entity),
                finding.text
            );
            stated += usize::from(self.state(claim_id, text, &finding.quotes));
        }
    }

    fn recoveries(&mut self, health: &[Health], root: Option<&Candidate>) {
        let mut stated = 0;
        for health in telling_health(health, self.subject).into_iter().filter(|health| health.is_recovery) {
            let is_near = root.is_none_or(|root| {
                let began = root.findings.iter().filter_map(|finding| finding.time).max();
                names::workload(&root.entity) == names::workload(&health.entity)
                    && health.time.zip(began).is_some_and(|(ended, began)| ended > began)
            });
            if stated >= 3 || !is_near || self.claims.iter().any(|claim| claim.text.contains(&health.text)) {
                continue;
            }
            let claim_id = format!("recovery-{}", stated + 1);
            stated += usize::from(self.state(claim_id, format!("Since then: {}", health.text), &health.quotes));
        }
    }

    fn healthy(&mut self, always_firing: Option<&Finding>, findings: &[Finding], health: &[Health]) {
        if let Some(finding) = always_firing {
            let alert = self.subject.alert.clone().unwrap_or_else(|| "that is asked about".into());
            let text = format!(
                "No fault found: the alert {alert} is meant to be always firing, as a check that alerting works, so it is no problem"
            );
            self.state(format!("{NO_FAULT}.{}", Kind::AlwaysFiring.info().id), text, &finding.quotes);
            self.state("evidence-1".into(), format!("Runbook: {}", finding.text), &finding.quotes);
            return;
        }
        let telling = telling_health(health, self.subject);
        let named = self.subject.names.first().filter(|name| name.len() <= LONGEST_NAME);
        let about = named.map_or("what was asked about", String::as_str);
        let quotes: Vec<Quote> =
            telling.iter().take(4).flat_map(|health| health.quotes.iter().take(2).cloned()).collect();
        let recovered: Vec<&Finding> = findings.iter().filter(|finding| finding.state == State::Recovered).collect();
        let sentence = if recovered.is_empty() {
            format!("No active fault found: {about} is healthy and within normal bounds")
        } else {
            format!("No active fault found: what was seen on {about} has recovered, and it is healthy now")
        };
        let plain =
            "No active fault found: everything that was looked at is healthy and within normal bounds".to_owned();
        if !self.state(NO_FAULT.into(), sentence, &quotes) {
            self.state(NO_FAULT.into(), plain, &quotes);
        }
        let mut stated = 0;
        for health in telling.iter().filter(|health| !health.is_recovery).take(HEALTH_CLAIMS) {
            let claim_id = format!("healthy-{}", stated + 1);
            stated += usize::from(self.state(claim_id, format!("Healthy: {}", health.text), &health.quotes));
        }
        let mut over = 0;
        let mut texts = BTreeSet::new();
        for finding in recovered.into_iter().filter(|finding| texts.insert(finding.text.as_str())) {
            if over >= RULED_OUT_CLAIMS {
                break;
            }
            let claim_id = format!("recovered-{}.{}", over + 1, finding.kind.info().id);
            let text = format!(
                "It was so for a time and is over: {} {}: {}",
                finding.source.word(),
                self.name_of(&finding.entity),
                finding.text
            );
            over += usize::from(self.state(claim_id, text, &finding.quotes));
        }
        if over > 0 {
            self.recoveries(health, None);
        }
    }

    fn tools_missing(&mut self, findings: &[Finding]) {
        let missing: Vec<&Finding> =
            findings.iter().filter(|finding| finding.kind == Kind::ToolsMissing).take(8).collect();
        let names: Vec<&str> = missing.iter().filter_map(|finding| finding.object.as_deref()).collect();
        let quotes: Vec<Quote> = missing.iter().flat_map(|finding| finding.quotes.clone()).collect();
        let text = format!(
            "No cause can be stated: the tool groups that would show it are disabled ({}); enable those for the affected system",
            names.join(", ")
        );
        self.state(format!("{TOOLS_MISSING}.{}", Kind::ToolsMissing.info().id), text, &quotes);
    }
}

/// The effects that the sentence of a cause says: two at most, of one workload.
fn said<'c>(root: &Candidate, effects: &'c [Candidate]) -> Vec<&'c Candidate> {
    let shows = |candidate: &Candidate| candidate.kind.info().shows;
    let mut said: Vec<&Candidate> = Vec::new();
    for effect in effects.iter().filter(|effect| effect.kind.is_said() && shows(effect) != shows(root)) {
        let is_new = said.iter().all(|known| shows(known) != shows(effect));
        let is_of_the_first =
            said.first().is_none_or(|first| names::workload(&first.entity) == names::workload(&effect.entity));
        if said.len() < 2 && is_new && is_of_the_first {
            said.push(effect);
        }
    }
    said
}

/// The most telling finding of each sort of evidence.
fn best_by_source(candidate: &Candidate) -> Vec<&Finding> {
    let mut seen = BTreeSet::new();
    candidate.findings.iter().filter(|finding| finding.state == State::Active && seen.insert(finding.source)).collect()
}
