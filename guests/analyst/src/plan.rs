//! The planner's agent: which signals exist, and in which order they are looked at.
//!
//! A step without arguments leaves them to the executor: a moment to compare around is known only after the first look.

use crate::finding::Source;
use crate::names;
use crate::sources::source_of;
use crate::subject::{Subject, argument_sets, known_names};
use portcullis_contract::document::{Plan, PlanStep};
use portcullis_contract::input::{PlanMode, PlannerInput, Retry, Tool};
use serde_json::{Map, Value, json};

pub(crate) const METRICS: &str = "query_metrics";
pub(crate) const LOGS: &str = "query_logs";
pub(crate) const TRACES: &str = "query_traces";
const CHANGES: &str = "list_changes";
const TOPOLOGY: &str = "get_topology";
const DOCUMENTS: &str = "search_documents";

/// Steps that a plan may have.
const STEPS: usize = 12;
/// Steps of a plan for gaps: a few, and new ones.
const GAP_STEPS: usize = 6;
/// Documents that are read whole.
const DOCUMENTS_READ: usize = 2;

/// Answers a planner's input.
pub fn plan(input: &PlannerInput) -> Plan {
    let mut draft = Draft::default();
    match (&input.mode, &input.retry) {
        (PlanMode::EvidenceGapOnly, Some(retry)) => fill_gaps(input, retry, &mut draft),
        (PlanMode::EvidenceGapOnly | PlanMode::Initial, _) => look(input, &mut draft),
    }
    if draft.steps.is_empty() {
        draft.push("conclude", "Say what is missing: no tool has data that could still be read.", None, None);
    }
    draft.steps.truncate(STEPS);
    Plan { steps: draft.steps }
}

/// Whether a tool says that it has nothing.
pub(crate) fn has_no_data(tool: &Tool) -> bool {
    tool.description.contains("There is no data.")
}

#[derive(Default)]
struct Draft {
    steps: Vec<PlanStep>,
}

impl Draft {
    fn push(&mut self, step_id: &str, goal: &str, tool: Option<&str>, arguments: Option<Map<String, Value>>) {
        let count = self.steps.iter().filter(|step| step.step_id.starts_with(step_id)).count();
        let step_id = if count == 0 { step_id.to_owned() } else { format!("{step_id}-{}", count + 1) };
        self.steps.push(PlanStep { step_id, goal: goal.to_owned(), tool_name: tool.map(str::to_owned), arguments });
    }
}

/// The first look: the shape of the system, the symptom, everything else compared with it, and what was recorded.
fn look(input: &PlannerInput, draft: &mut Draft) {
    let subject = Subject::of(&input.query, &input.tools);
    let usable =
        |name: &str| input.tools.iter().find(|tool| tool.name == name && !has_no_data(tool) && !is_recorded(tool));
    if usable(TOPOLOGY).is_some() {
        draft.push("topology", "Learn who calls whom.", Some(TOPOLOGY), Some(Map::new()));
    }
    if let Some(tool) = usable(METRICS) {
        for entity in watched(tool, &subject) {
            let arguments = object(&json!({ "entity": entity }));
            draft.push("symptom", "Find out when the symptom began and how bad it is.", Some(METRICS), Some(arguments));
        }
        draft.push("compare", "Compare every series before and after the symptom began.", Some(METRICS), None);
    }
    if usable(LOGS).is_some() {
        let arguments = object(&json!({ "view": "templates" }));
        draft.push("logs", "Tell new errors from those that were always there.", Some(LOGS), Some(arguments));
    }
    if usable(TRACES).is_some() {
        draft.push("traces", "Find failing spans, and those that became slow by themselves.", Some(TRACES), None);
    }
    if usable(CHANGES).is_some() {
        draft.push("changes", "See what was changed shortly before.", Some(CHANGES), Some(Map::new()));
    }
    if let Some(tool) = usable(DOCUMENTS) {
        let names = tool.input_schema.pointer("/properties/document/examples").and_then(Value::as_array);
        for name in names.into_iter().flatten().take(DOCUMENTS_READ) {
            let arguments = object(&json!({ "document": name, "limit": 100 }));
            draft.push("documents", "Read what the runbook says of this alert.", Some(DOCUMENTS), Some(arguments));
        }
    }
    let mut recorded: Vec<&Tool> = input.tools.iter().filter(|tool| is_recorded(tool)).collect();
    recorded.sort_by_key(|tool| usefulness(&tool.name));
    for tool in recorded {
        let goal = format!("Read what {} shows of the subject.", tool.name);
        draft.push(&step_id(&tool.name), &goal, Some(&tool.name), None);
    }
}

/// Entities of the metrics that the question is about; a star covers what is named after them, such as replicas.
fn watched(tool: &Tool, subject: &Subject) -> Vec<String> {
    let entities = tool.input_schema.pointer("/properties/entity/examples").and_then(Value::as_array);
    let entities: Vec<&str> = entities.into_iter().flatten().filter_map(Value::as_str).collect();
    let mut watched: Vec<String> = Vec::new();
    for name in &subject.names {
        let own: Vec<&str> = entities.iter().copied().filter(|entity| names::related(entity, name)).collect();
        let Some(first) = own.iter().min_by_key(|entity| entity.len()) else { continue };
        let all_begin_so = own.iter().all(|entity| entity.starts_with(first));
        let pattern = if own.len() > 1 && all_begin_so { format!("{first}*") } else { (*first).to_owned() };
        let covered = watched
            .iter()
            .any(|known| known.trim_end_matches('*') == *first || first.starts_with(known.trim_end_matches('*')));
        if !covered && watched.len() < 2 {
            watched.push(pattern);
        }
    }
    watched
}

/// Whether a tool lists the argument sets that it was called with.
pub(crate) fn is_recorded(tool: &Tool) -> bool {
    argument_sets(tool).next().is_some()
}

/// Lower is sooner: what shows state and events first, repetitions last.
fn usefulness(tool: &str) -> u8 {
    let order = match source_of(tool) {
        Source::Event | Source::Status => 0,
        Source::Log | Source::Load => 1,
        Source::Metric | Source::Trace | Source::Change | Source::Graph => 2,
        Source::Alert | Source::Document => 3,
    };
    if ["previous", "all_containers"].iter().any(|word| tool.contains(word)) { order + 4 } else { order }
}

/// Ids have few characters and 64 of them at most.
fn step_id(tool: &str) -> String {
    tool.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '-' }).take(60).collect()
}

/// Queries that are new and about what the gaps are about.
fn fill_gaps(input: &PlannerInput, retry: &Retry, draft: &mut Draft) {
    for entity in gap_entities(&input.tools, retry) {
        for tool in input.tools.iter().filter(|tool| !has_no_data(tool)) {
            for (goal, arguments) in incremental(tool, &entity) {
                let is_new = !is_completed(retry, &tool.name, &arguments)
                    && !draft.steps.iter().any(|step| {
                        step.tool_name.as_ref() == Some(&tool.name) && step.arguments.as_ref() == Some(&arguments)
                    });
                if is_new && draft.steps.len() < GAP_STEPS {
                    draft.push(&step_id(&format!("gap-{}", tool.name)), goal, Some(&tool.name), Some(arguments));
                }
            }
        }
    }
}

/// What a tool can still tell of an entity.
fn incremental(tool: &Tool, entity: &str) -> Vec<(&'static str, Map<String, Value>)> {
    if is_recorded(tool) {
        let about = |arguments: &&Map<String, Value>| {
            arguments.values().filter_map(Value::as_str).any(|value| names::related(value, entity))
        };
        let goal = "Look for direct evidence in what was recorded.";
        return argument_sets(tool).filter(about).map(|arguments| (goal, arguments.clone())).collect();
    }
    let (goal, arguments) = match tool.name.as_str() {
        LOGS => ("Look for direct evidence in its log.", json!({ "entity": entity, "limit": 60 })),
        TRACES => ("Look for its failing operations.", json!({ "entity": entity, "view": "operations" })),
        METRICS => ("Look at each of its series, point by point.", json!({ "entity": entity })),
        CHANGES => ("Look for changes to it at any time.", json!({ "entity": entity })),
        DOCUMENTS => ("Look for what is written about it.", json!({ "query": entity })),
        _ => return Vec::new(),
    };
    vec![(goal, object(&arguments))]
}

/// The known entities that the claims with gaps speak of.
pub(crate) fn gap_entities(tools: &[Tool], retry: &Retry) -> Vec<String> {
    let known = known_names(tools);
    let mut entities: Vec<String> = Vec::new();
    for gap in &retry.gaps {
        let claim = retry.prior.claims.iter().find(|claim| claim.claim_id == gap.claim_id);
        let text = claim.map_or(gap.fact.as_str(), |claim| claim.text.as_str());
        // The longest name at a place is meant, not a part of it.
        let mut named: Vec<&str> =
            known.iter().copied().filter(|name| name.len() >= 2 && text.contains(*name)).collect();
        named.sort_by_key(|name| std::cmp::Reverse(name.len()));
        for name in named {
            if !entities.iter().any(|longer| longer.contains(name)) {
                entities.push(name.to_owned());
            }
        }
    }
    entities.truncate(3);
    entities
}

fn is_completed(retry: &Retry, tool: &str, arguments: &Map<String, Value>) -> bool {
    retry
        .completed_queries
        .iter()
        .any(|query| query.tool_name == tool && query.arguments.as_object() == Some(arguments))
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_contract::document::Verification;
    use portcullis_contract::input::{CompletedQuery, Constraints, Fact, Gap, Material, Query, VerifiedClaim};
    use portcullis_contract::input::{PlanVersion, PlannerInputVersion};

    fn tool(name: &str, description: &str, schema: Value) -> Tool {
        Tool { name: name.into(), description: description.into(), input_schema: schema }
    }

    fn input(tools: Vec<Tool>, retry: Option<Retry>) -> PlannerInput {
        PlannerInput {
            input_version: PlannerInputVersion::Word,
            answer_version: PlanVersion::Word,
            query: Query {
                question: "Why is web slow?".into(),
                facts: vec![Fact { name: "alert_entity".into(), value: "web".into() }],
            },
            mode: if retry.is_some() { PlanMode::EvidenceGapOnly } else { PlanMode::Initial },
            tools,
            retry,
        }
    }

    fn metrics() -> Tool {
        tool(
            METRICS,
            "There are 2 series.",
            json!({"properties": {"entity": {"examples": ["web", "web-replica", "db"]}}}),
        )
    }

    fn steps(input: &PlannerInput) -> Vec<String> {
        let words = |step: &PlanStep| {
            let arguments = step.arguments.as_ref().map(|arguments| Value::Object(arguments.clone()).to_string());
            format!("{} {}", step.tool_name.as_deref().unwrap_or("-"), arguments.unwrap_or_default())
        };
        plan(input).steps.iter().map(words).collect()
    }

    #[test]
    fn only_signals_that_exist_are_planned() {
        let recorded = tool("kubectl_describe", "", json!({"examples": [{"name": "web"}]}));
        let tools = vec![metrics(), tool(LOGS, "Logs. There is no data.", json!({})), recorded];
        assert_eq!(
            steps(&input(tools, None)),
            [r#"query_metrics {"entity":"web*"}"#, "query_metrics ", "kubectl_describe "]
        );
        assert_eq!(steps(&input(Vec::new(), None)), ["- "]);
    }

    #[test]
    fn a_plan_has_at_most_twelve_steps_with_different_ids() {
        let tools = (0..40)
            .map(|index| tool(&format!("tool {index} {}", "x".repeat(90)), "", json!({"examples": [{}]})))
            .collect();
        let plan = plan(&input(tools, None));
        let ids: std::collections::BTreeSet<&String> = plan.steps.iter().map(|step| &step.step_id).collect();
        assert_eq!((plan.steps.len(), ids.len()), (12, 12));
        assert!(ids.iter().all(|id| id.len() <= 64 && !id.contains(' ')));
    }

    #[test]
    fn gaps_are_filled_with_new_queries_about_their_entity() {
        // R-RETRY-02
        let retry = Retry {
            prior: Material {
                claims: vec![VerifiedClaim {
                    claim_id: "root-cause.latency".into(),
                    text: "db: its latency rose".into(),
                }],
                evidence: Vec::new(),
            },
            gaps: vec![Gap {
                claim_id: "root-cause.latency".into(),
                fact: String::new(),
                verification: Verification::IndirectSupport,
                reason: String::new(),
            }],
            completed_queries: vec![CompletedQuery {
                tool_name: METRICS.into(),
                source_invocation_id: "inv-1".into(),
                raw_path: String::new(),
                arguments: json!({"entity": "db"}),
            }],
            constraints: Constraints {
                max_retry: 1,
                do_not_repeat_successful_queries: true,
                only_execute_incremental_queries: true,
                preserve_prior_verified_claims: true,
            },
        };
        let tools = vec![metrics(), tool("query_logs", "There are 9 lines.", json!({}))];
        assert_eq!(steps(&input(tools, Some(retry))), [r#"query_logs {"entity":"db","limit":60}"#]);
    }
}
