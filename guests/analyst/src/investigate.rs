//! The executor's agent: works through a plan with the tools at hand, reads what they gave, and states what it proves.

use crate::claims::Writer;
use crate::diagnosis::{self, Context, Diagnosis};
use crate::graph::{CHANGED, Graph, Weight};
use crate::knowledge::Meaning;
use crate::plan;
use crate::readers::{self, Readings, metrics};
use crate::series::{self, Compared, Series};
use crate::session::Session;
use crate::sources::source_of;
use crate::subject::{Subject, argument_sets};
use crate::time::{self, MINUTE, Millis};
use crate::tools::Tools;
use portcullis_contract::document::Evidence;
use portcullis_contract::input::{ExecutorInput, Tool};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Policy left nothing to investigate with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked(pub String);

/// An alert comes after the fact; what is compared with it ends a little earlier.
const GUARD: Millis = 3 * MINUTE;
/// A symptom may show a little after the alert that is about it: clocks differ.
const LATE: Millis = 5 * MINUTE;
/// A symptom that begins so clearly gives the onset.
const CLEAR: f64 = 0.5;

/// Answers an executor's input.
pub fn investigate(input: &ExecutorInput, tools: &dyn Tools) -> Result<Evidence, Blocked> {
    let known = if input.tools.is_empty() { tools.available() } else { input.tools.clone() };
    let mut subject = Subject::of(&input.query, &known);
    if let Some(retry) = &input.retry {
        subject.names.extend(plan::gap_entities(&known, retry));
    }
    let completed = input.retry.iter().flat_map(|retry| &retry.completed_queries);
    let completed =
        completed.map(|query| (query.tool_name.clone(), query.arguments.as_object().cloned().unwrap_or_default()));
    let mut session = Session::new(tools, completed);
    let mut work =
        Work { session: &mut session, known: &known, subject: &subject, graph: Graph::default(), onset: None };
    work.follow(input);
    let Work { graph, onset, .. } = work;
    if let (Some(words), true) = (&session.blocked, session.observations.is_empty()) {
        return Err(Blocked(words.clone()));
    }
    let mut evidence = conclude(&session, &subject, &graph, onset);
    evidence.limitations = limitations(&session, &known);
    if let Some(retry) = &input.retry {
        crate::retry::merge(&mut evidence, retry, &session.observations);
    }
    Ok(evidence)
}

struct Work<'a, 's> {
    session: &'a mut Session<'s>,
    known: &'a [Tool],
    subject: &'a Subject,
    graph: Graph,
    onset: Option<Millis>,
}

impl Work<'_, '_> {
    /// Calls that the plan spells out, then those that it leaves to the executor.
    fn follow(&mut self, input: &ExecutorInput) {
        let mut open: Vec<&str> = Vec::new();
        for step in &input.plan.steps {
            let Some(tool) = step.tool_name.as_deref() else { continue };
            match &step.arguments {
                Some(arguments) => {
                    self.session.ask_all(tool, arguments);
                }
                None => open.push(tool),
            }
        }
        self.read_graph();
        self.find_onset();
        for tool in &open {
            let is_recorded = self.known.iter().any(|known| known.name == *tool && plan::is_recorded(known));
            match *tool {
                _ if is_recorded => {}
                plan::METRICS => self.compare_metrics(),
                plan::TRACES => self.compare_traces(),
                other => {
                    self.session.ask_all(other, &Map::new());
                }
            }
        }
        self.replay(&open);
        self.read_graph();
    }

    fn read_graph(&mut self) {
        for (of, observation) in self.session.observations.iter().enumerate() {
            self.graph.read(of, observation);
        }
    }

    /// When the symptom began: where the alerting series breaks, or else a little before the alert.
    fn find_onset(&mut self) {
        let near = self.subject.alert_time;
        let series = metrics::all_listed(&self.session.observations);
        let is_watched = |series: &&Series| match &self.subject.metric {
            Some(metric) => series.metric == *metric,
            // Without a time to look near, only a series that is faulty by itself tells.
            None if near.is_none() => metrics::is_faulty(series),
            None => Meaning::of(&series.metric).is_symptom(),
        };
        let watched: Vec<&Series> = series.iter().filter(is_watched).collect();
        // What is asked about tells first, then what broke most clearly.
        let clearest = |find: &dyn Fn(&Series) -> Option<(Millis, f64)>| {
            let found = watched.iter().filter_map(|series| {
                let (onset, score) = find(series).filter(|(_, score)| *score >= CLEAR)?;
                Some((onset, (Some(Meaning::of(&series.metric)) == self.subject.symptom, score)))
            });
            let best = found.max_by(|(_, (a, a_score)), (_, (b, b_score))| a.cmp(b).then(a_score.total_cmp(b_score)));
            best.map(|(onset, _)| onset)
        };
        let is_near_enough = near.is_none() || self.subject.metric.is_some();
        let near_break = is_near_enough.then(|| clearest(&|series| series::onset(series, near))).flatten();
        let until = near.map(|near| near + LATE);
        self.onset = near_break
            .or_else(|| clearest(&|series| series::shift(series, until)))
            .or_else(|| near.map(|near| near - GUARD));
    }

    fn split(&self) -> Option<Map<String, Value>> {
        let split = time::format(self.onset?);
        Some(Map::from_iter([("split_at".to_owned(), Value::String(split))]))
    }

    fn compare_metrics(&mut self) {
        if let Some(arguments) = self.split() {
            self.session.ask_all(plan::METRICS, &arguments);
        }
    }

    fn compare_traces(&mut self) {
        let entities = |split: &str| arguments(&json!({"view": "entities", "split_at": split}));
        let mut split = self.onset;
        let first = self.onset.map(time::format).and_then(|split| self.session.ask(plan::TRACES, &entities(&split)));
        let has_both = first.is_some_and(|of| {
            let sides = ["before", "after"];
            let count = |side: &str| {
                let entities =
                    self.session.observations.get(of).and_then(|o| o.at("/entities")).and_then(Value::as_array);
                let path = format!("/{side}/count");
                entities.into_iter().flatten().filter_map(|entity| entity.pointer(&path)?.as_u64()).sum::<u64>()
            };
            sides.iter().all(|side| count(side) > 0)
        });
        // Sampled traces may all lie on one side: compare their first half with their second one.
        if !has_both {
            split = self.middle_of_traces();
            if let Some(middle) = split {
                self.session.ask(plan::TRACES, &entities(&time::format(middle)));
            }
        }
        let mut calls = arguments(&json!({"view": "calls"}));
        calls.extend(split.map(|split| ("split_at".to_owned(), Value::String(time::format(split)))));
        self.session.ask(plan::TRACES, &calls);
    }

    fn middle_of_traces(&mut self) -> Option<Millis> {
        let one = |offset: u64| arguments(&json!({"view": "spans", "limit": 1, "offset": offset}));
        let start = |session: &Session<'_>, of: usize| {
            session.observations.get(of)?.at("/spans/0/start")?.as_str().and_then(time::parse)
        };
        let of = self.session.ask(plan::TRACES, &one(0))?;
        let (first, total) = (start(self.session, of)?, self.session.observations.get(of)?.at("/total")?.as_u64()?);
        let of = self.session.ask(plan::TRACES, &one(total.saturating_sub(1)))?;
        let last = start(self.session, of)?;
        Some(first + (last - first) / 2)
    }

    /// Calls with arguments that a tool gives as examples, those about the subject first.
    fn replay(&mut self, open: &[&str]) {
        let mut calls: Vec<(u8, &str, &Map<String, Value>)> = Vec::new();
        for tool in self.known.iter().filter(|tool| open.contains(&tool.name.as_str())) {
            for arguments in argument_sets(tool) {
                calls.push((self.urgency(&tool.name, arguments), &tool.name, arguments));
            }
        }
        calls.sort_by_key(|(urgency, _, _)| *urgency);
        for (_, tool, arguments) in calls {
            self.session.ask(tool, arguments);
        }
    }

    /// Lower is sooner.
    fn urgency(&self, tool: &str, arguments: &Map<String, Value>) -> u8 {
        let is_about = arguments.values().filter_map(Value::as_str).any(|value| self.subject.is_about(value));
        let is_narrow = arguments.is_empty() || is_about;
        let repeats = tool.contains("previous") || tool.contains("all_containers");
        u8::from(!is_narrow) * 2 + u8::from(repeats) * 4 + u8::from(source_of(tool) == crate::finding::Source::Document)
    }
}

fn arguments(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// From observations to claims.
fn conclude(session: &Session<'_>, subject: &Subject, graph: &Graph, onset: Option<Millis>) -> Evidence {
    let observations = &session.observations;
    let mut readings = Readings::default();
    for (of, observation) in observations.iter().enumerate() {
        readers::read(of, observation, subject, &mut readings);
        readers::traces::read(of, observation, subject, &mut readings);
        readers::traces::read_calls(of, observation, &mut readings);
    }
    metrics::read_listed(&metrics::all_listed(observations), observations, subject, &mut readings);
    let compared: Vec<Compared> =
        observations.iter().enumerate().flat_map(|(of, observation)| series::compared(of, observation)).collect();
    metrics::read_steady(&compared, observations, subject, &mut readings);
    let (path, symptom) = locate(&compared, subject, graph);
    for series in &compared {
        let is_symptom = series.meaning().is_symptom();
        let is_the_symptom = symptom.is_none_or(|symptom| series.meaning() == symptom);
        let is_on_path = path.contains(&series.entity);
        let is_watched = subject.metric.as_deref().is_none_or(|metric| series.metric == metric);
        if is_symptom && !path.is_empty() && !(is_the_symptom && is_on_path && is_watched) {
            continue;
        }
        if let Some((deviation, finding)) = metrics::deviating(series, observations) {
            if deviation.score >= CHANGED || is_on_path {
                readings.findings.push(finding);
            }
        }
    }
    let context = Context { subject, graph, path: &path, onset };
    diagnosis::settle(&mut readings, &context);
    let diagnosis = diagnosis::diagnose(&readings, &context);
    let mut writer = Writer::new(observations, subject);
    writer.write(&diagnosis, &readings);
    if let Diagnosis::Fault { root, effects: _, others: _ } = &diagnosis {
        if path.last() == Some(&root.entity) {
            writer.path(&path, graph, &compared, subject.metric.as_deref());
        }
    }
    let (claims, mut hypotheses) = writer.finish();
    hypotheses.append(&mut readings.hypotheses);
    Evidence { claims, hypotheses, limitations: Vec::new() }
}

/// The walk from the symptom along the calls, and which symptom it follows.
fn locate(compared: &[Compared], subject: &Subject, graph: &Graph) -> (Vec<String>, Option<Meaning>) {
    let Some(start) = subject.names.iter().find(|name| graph.has(name)) else { return (Vec::new(), subject.symptom) };
    // The words of a question are a hint; what is measured decides.
    let deviates = |meaning: &Meaning| {
        let own = compared.iter().filter(|series| series.entity == *start && series.meaning() == *meaning);
        own.filter_map(Compared::deviation).any(|deviation| deviation.score >= CHANGED)
    };
    let asked = subject.symptom.filter(|meaning| subject.metric.is_some() || deviates(meaning));
    let symptom = asked.or_else(|| worst_symptom(compared, start)).or(subject.symptom);
    let mut weights: BTreeMap<String, Weight> = BTreeMap::new();
    for series in compared {
        let is_watched = match &subject.metric {
            Some(metric) => series.metric == *metric,
            None => Some(series.meaning()) == symptom,
        };
        let Some(deviation) = series.deviation().filter(|_| is_watched) else { continue };
        let weight = Weight { score: deviation.score, amount: deviation.amount, load: load(compared, &series.entity) };
        let known = weights.entry(series.entity.clone()).or_insert(weight);
        if weight.score > known.score {
            *known = weight;
        }
    }
    if weights.get(start).is_none_or(|weight| weight.score <= 0.0) {
        return (Vec::new(), symptom);
    }
    (graph.walk(start, &weights), symptom)
}

fn worst_symptom(compared: &[Compared], entity: &str) -> Option<Meaning> {
    let own = compared.iter().filter(|series| series.entity == entity && series.meaning().is_symptom());
    let scored = own.filter_map(|series| Some((series.deviation()?.score, series.meaning())));
    scored.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, meaning)| meaning)
}

/// How often an entity is called, where a metric counts that.
fn load(compared: &[Compared], entity: &str) -> Option<f64> {
    let counts =
        |metric: &str| ["request", "calls", "invocations", "workload"].iter().any(|word| metric.contains(word));
    let series = compared.iter().find(|series| {
        series.entity == entity && series.meaning() == Meaning::Load && counts(&series.metric.to_lowercase())
    })?;
    (series.after.n > 0).then_some(series.after.median)
}

/// What was not there to be read.
fn limitations(session: &Session<'_>, known: &[Tool]) -> Vec<String> {
    let mut limitations: Vec<String> = known
        .iter()
        .filter(|tool| plan::has_no_data(tool))
        .map(|tool| format!("the tool {} has no data for this incident", tool.name))
        .collect();
    for failure in &session.failures {
        if !limitations.contains(failure) && limitations.len() < 12 {
            limitations.push(failure.clone());
        }
    }
    limitations
}
