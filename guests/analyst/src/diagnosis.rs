//! Weighs the findings against each other: what is wrong now, what explains it, what is a symptom, what is over.

use crate::finding::{Finding, Health, Source, State};
use crate::graph::Graph;
use crate::knowledge::{Kind, Rank};
use crate::names;
use crate::readers::Readings;
use crate::subject::Subject;
use crate::time::{MINUTE, Millis};
use std::collections::BTreeSet;

/// What happened so long before the alert is history.
const HISTORY: Millis = 45 * MINUTE;
/// Changes are looked for in so long a time before the onset, and shortly after it: clocks differ.
const CHANGE_BEFORE: Millis = 90 * MINUTE;
const CHANGE_AFTER: Millis = 5 * MINUTE;
/// Below this nothing is wrong enough to be stated.
const STATED: f64 = 0.2;
/// What an output says of nobody in particular is worth so much of what one says that names its entity.
const BORROWED: f64 = 0.5;
/// What is so telling keeps a system from being called healthy.
const DISTURBING: f64 = 0.5;
/// Each further sort of evidence makes a candidate so much better.
const AGREEMENT: f64 = 0.15;
/// What was asked about matters so much more.
const ASKED: f64 = 1.5;

/// Findings of one kind on one thing.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) kind: Kind,
    pub(crate) entity: String,
    pub(crate) object: Option<String>,
    /// The most telling first.
    pub(crate) findings: Vec<Finding>,
    pub(crate) score: f64,
    /// Whether it only tells of trouble at what its entity calls.
    pub(crate) is_about_a_callee: bool,
    relevance: f64,
}

/// What the findings come to.
#[derive(Debug)]
pub(crate) enum Diagnosis {
    /// Something is wrong; `effects` are what the root explains, the most telling first.
    Fault {
        root: Candidate,
        effects: Vec<Candidate>,
        /// What is wrong with the subject too, and has another cause.
        others: Vec<Candidate>,
    },
    /// The data shows that all is well, or well again.
    Healthy { always_firing: Option<Finding> },
    /// There is no data that would show anything.
    Unknown,
}

/// What else the weighing needs to know.
pub(crate) struct Context<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) graph: &'a Graph,
    /// The entities from the symptom to the deepest one that explains it.
    pub(crate) path: &'a [String],
    pub(crate) onset: Option<Millis>,
}

impl Candidate {
    fn is_change(&self) -> bool {
        self.findings.iter().all(|finding| finding.source == Source::Change)
    }

    fn is_active(&self) -> bool {
        self.findings.iter().any(|finding| finding.state == State::Active)
    }
}

/// Sets the state of each finding: what is over and what is history; and what names nobody counts less.
pub(crate) fn settle(readings: &mut Readings, context: &Context<'_>) {
    let reference = context.onset.or(context.subject.reference());
    let recovered: Vec<bool> = readings.findings.iter().map(|finding| is_over(finding, readings)).collect();
    let borrowed: Vec<bool> = readings.findings.iter().map(|finding| readings.is_borrowed(finding)).collect();
    for (finding, _) in readings.findings.iter_mut().zip(borrowed).filter(|(_, is_borrowed)| *is_borrowed) {
        finding.strength *= BORROWED;
    }
    for (finding, is_over) in readings.findings.iter_mut().zip(recovered) {
        let is_past = match (finding.time, reference) {
            (Some(time), Some(reference)) if finding.source == Source::Change => {
                time < reference - CHANGE_BEFORE || time > reference + CHANGE_AFTER && context.onset.is_some()
            }
            (Some(time), Some(reference)) => time < reference - HISTORY,
            (Some(_), None) | (None, _) => false,
        };
        if is_past {
            finding.state = State::Past;
        } else if is_over {
            finding.state = State::Recovered;
        }
    }
}

/// Whether something else shows that a finding does not hold any more.
fn is_over(finding: &Finding, readings: &Readings) -> bool {
    if finding.source == Source::Change || finding.kind.is_an_incident_by_itself() {
        return false;
    }
    let is_gone = readings.terminating.contains(&finding.entity)
        || waits_to_start(finding.kind) && readings.ready.contains(&finding.entity);
    // What is measured now counts more than what was said once.
    let measured = finding.kind.is_measured_by();
    let is_calm = finding.source != Source::Metric
        && measured.is_some_and(|meaning| {
            readings.calm.iter().any(|(entity, calm)| *calm == meaning && names::related(entity, &finding.entity))
        });
    is_gone || is_calm || is_relieved(finding, readings)
}

/// Whether a later message says that it ended well, and none of the same kind came after that.
fn is_relieved(finding: &Finding, readings: &Readings) -> bool {
    let Some(topic) = finding.kind.topic() else { return false };
    let relief = readings.health.iter().filter(|health| {
        health.is_recovery
            && names::related(&health.entity, &finding.entity)
            && health.text.to_lowercase().contains(topic)
    });
    let last = readings.findings.iter().filter(|other| other.kind == finding.kind).filter_map(|other| other.time).max();
    relief.filter_map(|health| health.time).max().zip(last).is_some_and(|(relief, last)| relief > last)
}

/// Kinds that cannot be so while the pod is ready.
const fn waits_to_start(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::InsufficientResources
            | Kind::NodeSelector
            | Kind::Taint
            | Kind::UnboundVolume
            | Kind::Unschedulable
            | Kind::VolumeMount
            | Kind::ImagePull
            | Kind::MissingConfig
            | Kind::PodPending
            | Kind::PodNotReady
            | Kind::ReadinessProbe
    )
}

pub(crate) fn diagnose(readings: &Readings, context: &Context<'_>) -> Diagnosis {
    let always_firing = readings.findings.iter().find(|finding| finding.kind == Kind::AlwaysFiring).cloned();
    let candidates = candidates(&readings.findings, context);
    let lead = candidates
        .iter()
        .filter(|candidate| !candidate.kind.needs_an_effect() && candidate.is_active() && !is_only_alerted(candidate));
    let lead = lead.max_by(|a, b| a.score.total_cmp(&b.score)).filter(|lead| lead.score >= STATED);
    let Some(lead) = lead else {
        let is_well = !readings.health.is_empty() || !readings.ready.is_empty();
        return if always_firing.is_some() || is_well && !is_disturbed(readings) {
            Diagnosis::Healthy { always_firing }
        } else {
            Diagnosis::Unknown
        };
    };
    let root = climb(lead, &candidates, context);
    let mut effects: Vec<Candidate> = candidates
        .iter()
        .filter(|candidate| is_effect(candidate, &root, lead, &candidates, context))
        .cloned()
        .collect();
    // What was noticed first leads, then what is more telling.
    effects.sort_by(|a, b| {
        let leads = |candidate: &Candidate| candidate.kind == lead.kind && candidate.entity == lead.entity;
        leads(b).cmp(&leads(a)).then(b.score.total_cmp(&a.score))
    });
    let is_explained = |candidate: &Candidate| {
        candidate.kind == root.kind
            || effects.iter().any(|effect| effect.kind == candidate.kind && effect.entity == candidate.entity)
    };
    let mut others: Vec<Candidate> = candidates
        .iter()
        .filter(|candidate| candidate.kind.is_said() && candidate.is_active() && candidate.score >= STATED)
        .filter(|candidate| candidate.relevance >= 1.0 && !is_explained(candidate))
        // What the call path explains is told by it.
        .filter(|candidate| !context.path.contains(&candidate.entity))
        .cloned()
        .collect();
    others.sort_by(|a, b| b.score.total_cmp(&a.score));
    Diagnosis::Fault { root, effects, others }
}

/// Whether something got worse that is not telling enough to be called a fault. Such a system is not called healthy.
fn is_disturbed(readings: &Readings) -> bool {
    let measured = |finding: &Finding| {
        matches!(finding.source, Source::Metric | Source::Trace | Source::Log)
            && finding.strength >= DISTURBING
            && !finding.kind.needs_an_effect()
    };
    !readings.restless.is_empty()
        || readings.findings.iter().any(|finding| finding.state == State::Active && measured(finding))
}

/// Whether nothing but an alert shows a state or symptom: that is the question, not an answer.
fn is_only_alerted(candidate: &Candidate) -> bool {
    let only_alerts = candidate.findings.iter().all(|finding| finding.source == Source::Alert);
    only_alerts && candidate.kind.info().rank <= Rank::State
}

/// From what leads up to what explains it, as long as something does. A change comes last: it is why a cause came about.
fn climb(lead: &Candidate, candidates: &[Candidate], context: &Context<'_>) -> Candidate {
    let mut root = lead.clone();
    let mut climbed = vec![root.kind];
    for _ in 0..3 {
        let explaining: Vec<&Candidate> = candidates
            .iter()
            .filter(|candidate| {
                candidate.kind.explains(root.kind)
                    && !climbed.contains(&candidate.kind)
                    && candidate.is_active()
                    && candidate.score >= STATED * 0.5
                    && linked(candidate, &root, context)
            })
            .collect();
        let best = |changes: bool| {
            let sort = explaining.iter().filter(|candidate| candidate.is_change() == changes);
            sort.max_by(|a, b| a.score.total_cmp(&b.score))
        };
        let Some(better) = best(false).or_else(|| best(true)) else { break };
        let mut better = (*better).clone();
        if better.entity.is_empty() {
            better.entity.clone_from(&root.entity);
        }
        climbed.push(better.kind);
        root = better;
    }
    root
}

fn is_effect(
    candidate: &Candidate,
    root: &Candidate,
    lead: &Candidate,
    candidates: &[Candidate],
    context: &Context<'_>,
) -> bool {
    let is_root = candidate.kind == root.kind && candidate.entity == root.entity;
    // What something else explains better is its effect. The chain from what leads to the root stands.
    let is_lead = candidate.kind == lead.kind && candidate.entity == lead.entity;
    let has_better_cause = !is_lead
        && candidates.iter().any(|other| {
            other.kind != root.kind
                && !root.kind.explains(other.kind)
                && other.kind.explains(candidate.kind)
                && other.is_active()
                && other.score > root.score
                && linked(other, candidate, context)
        });
    !is_root
        && !has_better_cause
        && root.kind.explains(candidate.kind)
        && candidate.is_active()
        && candidate.score >= STATED * 0.3
        && linked(root, candidate, context)
        // A change explains what is deepest; what calls it is told by the call path.
        && (context.path.len() < 2 || !context.path.iter().rev().skip(1).any(|entity| *entity == candidate.entity))
}

/// Whether a cause on one thing can show on the other.
fn linked(cause: &Candidate, effect: &Candidate, context: &Context<'_>) -> bool {
    if cause.entity.is_empty() {
        // A change that names nobody: it is told of the deepest one that got worse.
        return context.path.last() == Some(&effect.entity) || context.path.is_empty() && effect.relevance >= 0.7;
    }
    let is_same = names::related(&cause.entity, &effect.entity)
        || names::workload(&cause.entity) == names::workload(&effect.entity);
    if cause.is_change() {
        return is_same || context.graph.callees(&effect.entity).any(|callee| callee == cause.entity);
    }
    let is_named =
        effect.findings.iter().any(|finding| finding.quotes.iter().any(|quote| quote.text.contains(&cause.entity)));
    let is_wide =
        matches!(cause.kind, Kind::NodeNotReady | Kind::NodePressure | Kind::NetworkPolicy | Kind::QuotaExceeded);
    is_same || is_named || is_wide || cause.relevance >= 0.9 && effect.relevance >= 0.9
}

fn candidates(findings: &[Finding], context: &Context<'_>) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for finding in findings {
        if matches!(finding.kind, Kind::AlwaysFiring | Kind::ToolsMissing) {
            continue;
        }
        let same = candidates.iter_mut().find(|candidate| {
            candidate.kind == finding.kind && names::workload(&candidate.entity) == names::workload(&finding.entity)
        });
        match same {
            Some(candidate) => candidate.findings.push(finding.clone()),
            None => candidates.push(Candidate {
                kind: finding.kind,
                entity: finding.entity.clone(),
                object: None,
                findings: vec![finding.clone()],
                score: 0.0,
                is_about_a_callee: false,
                relevance: 0.0,
            }),
        }
    }
    for candidate in &mut candidates {
        let order = |finding: &Finding| (weight(finding.state) * finding.strength, finding.object.is_some());
        candidate.findings.sort_by(|a, b| {
            let ((a, a_named), (b, b_named)) = (order(a), order(b));
            b.total_cmp(&a).then(b_named.cmp(&a_named))
        });
        candidate.object = candidate.findings.iter().find_map(|finding| finding.object.clone());
        if let Some(first) = candidate.findings.first() {
            candidate.entity.clone_from(&first.entity);
        }
        candidate.is_about_a_callee = is_about_a_callee(candidate, context);
        candidate.relevance = relevance(candidate, context);
        candidate.score = score(candidate, context);
    }
    candidates
}

const fn weight(state: State) -> f64 {
    match state {
        State::Active => 1.0,
        State::Recovered => 0.15,
        State::Past => 0.1,
    }
}

const fn rank_weight(rank: Rank) -> f64 {
    match rank {
        Rank::Cause => 1.0,
        Rank::Mechanism => 0.8,
        Rank::State => 0.55,
        Rank::Symptom => 0.3,
    }
}

fn score(candidate: &Candidate, context: &Context<'_>) -> f64 {
    let telling = candidate.findings.first().map_or(0.0, |finding| weight(finding.state) * finding.strength);
    let active: BTreeSet<Source> = candidate
        .findings
        .iter()
        .filter(|finding| finding.state == State::Active && finding.strength >= 0.3)
        .map(|finding| finding.source)
        .collect();
    let agreement = active.iter().skip(1).fold(1.0, |agreement, _| agreement + AGREEMENT);
    let symptom = matches!(candidate.kind, Kind::Latency | Kind::ErrorRate | Kind::Availability);
    let place = match (symptom, context.path.iter().position(|entity| *entity == candidate.entity)) {
        // The walk found the deepest one that explains the rest.
        (true, Some(at)) if at + 1 == context.path.len() => 2.0,
        (false, Some(at)) if at + 1 == context.path.len() => 1.2,
        (true | false, Some(_)) => 0.7,
        (true, None) if !context.path.is_empty() => 0.5,
        (true | false, None) => 1.0,
    };
    // What the alert complains of is to be explained first.
    let asked = if context.subject.complaints.contains(&candidate.kind) { ASKED } else { 1.0 };
    let near = if candidate.is_change() { change_fit(candidate, context) } else { 1.0 };
    let rank = if candidate.is_about_a_callee { Rank::Symptom } else { candidate.kind.info().rank };
    rank_weight(rank) * telling * candidate.relevance * agreement * place * near * asked
}

/// Whether a candidate only tells of trouble at what its entity calls: it names that one, or answers of servers.
fn is_about_a_callee(candidate: &Candidate, context: &Context<'_>) -> bool {
    let tells = |finding: &Finding| {
        let text = finding.text.to_lowercase();
        let words = || text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.'));
        let is_answer =
            |word: &str| word == "5xx" || matches!(word.parse::<u16>(), Ok(500..=599)) && text.contains("return");
        let is_callee = |word: &str| {
            context.graph.callees(&candidate.entity).any(|callee| callee.to_lowercase() == word.trim_matches('.'))
        };
        words().any(|word| matches!(word, "upstream" | "downstream") || is_answer(word) || is_callee(word))
    };
    matches!(candidate.kind, Kind::AppErrors | Kind::Timeout) && candidate.findings.iter().all(tells)
}

/// How well a change fits: near the onset, and naming a part of what got worse.
fn change_fit(candidate: &Candidate, context: &Context<'_>) -> f64 {
    let Some(deepest) = context.path.last() else { return 1.0 };
    let names_it = names::related(&candidate.entity, deepest)
        || candidate.findings.iter().any(|finding| names::common_part(deepest, &finding.text) >= 5);
    if names_it { 1.2 } else { 0.8 }
}

/// How much something has to do with the question.
fn relevance(candidate: &Candidate, context: &Context<'_>) -> f64 {
    let subject = context.subject;
    let is_about = subject.is_about(&candidate.entity)
        || candidate.object.as_deref().is_some_and(|object| subject.is_about(object));
    let start_is_outside = subject.names.first().is_none_or(|first| !context.graph.has(first));
    if is_about || subject.names.is_empty() {
        1.0
    } else if candidate.entity.is_empty()
        || context.graph.has(&candidate.entity)
        || !context.graph.is_empty() && start_is_outside
    {
        0.8
    } else {
        0.35
    }
}

/// Signs of health that a healthy answer states, those of the subject first, each text once.
pub(crate) fn telling_health<'a>(health: &'a [Health], subject: &Subject) -> Vec<&'a Health> {
    let mut seen = BTreeSet::new();
    let mut telling: Vec<&Health> = health.iter().filter(|health| seen.insert(health.text.as_str())).collect();
    telling.sort_by_key(|health| (health.is_recovery, !subject.is_about(&health.entity)));
    telling
}
