//! Whole investigations over small made-up tools: what the first claim says, and that each quote stands where it says.

use crate::{ToolError, ToolReply, Tools, compose, investigate, plan, verify};
use portcullis_contract::document::{Evidence, PlanStep, Verdict, Verification};
use portcullis_contract::input::{
    AnswerVersion, Audit, ComposerInput, ComposerInputVersion, Constraints, EvidenceVersion, ExecutorInput,
    ExecutorInputVersion, Fact, Gap, Material, PlanMode, PlanSteps, PlanVersion, PlannerInput, PlannerInputVersion,
    Query, Retry, Tool, VerificationVersion, VerifiedClaim, VerifiedEvidence, VerifierInput, VerifierInputVersion,
};
use serde_json::{Value, json};

/// Tools with one answer each, whatever they are asked.
struct Recorded(Vec<(&'static str, Value)>);

impl Recorded {
    fn text(output: &Value) -> String {
        output.as_str().map_or_else(|| output.to_string(), str::to_owned)
    }
}

impl Tools for Recorded {
    fn available(&self) -> Vec<Tool> {
        let tool = |(name, _): &(&str, Value)| Tool {
            name: (*name).to_owned(),
            description: "There is some data.".into(),
            input_schema: json!({"examples": [{}], "properties": {"entity": {"examples": ["web", "cart", "db"]}}}),
        };
        self.0.iter().map(tool).collect()
    }

    fn call(&self, name: &str, _arguments: &str) -> Result<ToolReply, ToolError> {
        let (index, (_, output)) =
            self.0.iter().enumerate().find(|(_, (tool, _))| *tool == name).ok_or(ToolError::UnknownTool)?;
        Ok(ToolReply { invocation_id: format!("inv-{index}"), output: Self::text(output) })
    }
}

fn query(question: &str, facts: &[(&str, &str)]) -> Query {
    let fact = |(name, value): &(&str, &str)| Fact { name: (*name).to_owned(), value: (*value).to_owned() };
    Query { question: question.to_owned(), facts: facts.iter().map(fact).collect() }
}

fn executor_input(query: Query, steps: Vec<PlanStep>, retry: Option<Retry>) -> ExecutorInput {
    ExecutorInput {
        input_version: ExecutorInputVersion::Word,
        answer_version: EvidenceVersion::Word,
        query,
        plan: PlanSteps { steps },
        tools: Vec::new(),
        retry,
        instruction: None,
    }
}

/// Asks every tool once.
fn evidence(query: Query, tools: &Recorded) -> Evidence {
    let step = |(name, _): &(&str, Value)| PlanStep {
        step_id: (*name).to_owned(),
        goal: "look".into(),
        tool_name: Some((*name).to_owned()),
        arguments: Some(serde_json::Map::new()),
    };
    let steps = tools.0.iter().map(step).collect();
    let evidence = investigate(&executor_input(query, steps, None), tools).unwrap();
    for binding in evidence.claims.iter().flat_map(|claim| &claim.bindings) {
        let (_, output) = tools.0.iter().find(|(tool, _)| *tool == binding.tool_name).unwrap();
        let place = output.pointer(&binding.raw_path).unwrap();
        assert!(Recorded::text(place).split_whitespace().collect::<Vec<_>>().join(" ").contains(&binding.matched_text));
    }
    evidence
}

fn check(query: Query, tools: Vec<(&'static str, Value)>, expected: &str) {
    let evidence = evidence(query, &Recorded(tools));
    let first = evidence.claims.first().map_or("nothing", |claim| claim.text.as_str());
    assert_eq!(first, expected, "{:?}", evidence.hypotheses);
}

/// Series of three entities that got worse by these factors.
fn series(worse: [f64; 3]) -> Value {
    let entry = |(entity, factor): (&str, f64)| {
        let side = |value: f64| json!({"n": 5, "median": value, "mad": 0.01, "min": value, "max": value});
        json!({"entity": entity, "metric": "latency", "unit": "s", "before": side(0.5), "after": side(0.5 * factor)})
    };
    let entries: Vec<Value> = ["web", "cart", "db"].into_iter().zip(worse).map(entry).collect();
    json!({ "series": entries })
}

fn topology() -> Value {
    json!({"nodes": [], "edges": [{"from": "web", "to": "cart"}, {"from": "cart", "to": "db"}]})
}

const SLOW: &[(&str, &str)] = &[("alert_entity", "web"), ("alert_time", "2026-01-01T10:00:00Z")];

#[test]
fn a_symptom_is_followed_to_the_deepest_entity_that_explains_it() {
    let tools = |worse| vec![("get_topology", topology()), ("query_metrics", series(worse))];
    let cause = |entity: &str| format!("{entity}: its latency rose, and nothing that it calls explains it");
    check(query("Why is web slow?", SLOW), tools([4.0, 4.0, 4.0]), &cause("db"));
    check(query("Why is web slow?", SLOW), tools([4.0, 4.0, 1.0]), &cause("cart"));
    check(query("Why is web slow?", SLOW), tools([4.0, 1.0, 4.0]), &cause("web"));
}

#[test]
fn a_change_shortly_before_is_the_cause_and_an_old_one_is_not() {
    let change = |time: &str, entity: &str| json!({"changes": [{"time": time, "entity": entity, "kind": "deploy", "description": "new version"}]});
    let tools = |changes| {
        vec![("get_topology", topology()), ("query_metrics", series([4.0, 4.0, 1.0])), ("list_changes", changes)]
    };
    let slow = || query("Why is web slow?", SLOW);
    let blamed = "cart has high latency: a deploy shortly before: new version";
    let not_blamed = "cart: its latency rose, and nothing that it calls explains it";
    check(slow(), tools(change("2026-01-01T09:50:00Z", "cart")), blamed);
    check(slow(), tools(change("2026-01-01T03:00:00Z", "cart")), not_blamed);
    check(slow(), tools(change("2026-01-01T09:50:00Z", "mail")), not_blamed);
}

#[test]
fn what_explains_a_state_is_the_cause_of_it() {
    let pods = json!({"pods": [{"name": "web-1", "phase": "Running", "containers": [{"ready": false, "restart_count": 4,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}]});
    let events = json!({"events": [{"reason": "Failed", "message": "Error: secret \"db-login\" not found", "involved_object": "Pod/web-1"}]});
    let asked = || query("What is wrong with web-1?", &[]);
    check(
        asked(),
        vec![("list_pods", pods.clone())],
        "web-1: its container starts, crashes and is restarted again and again",
    );
    check(
        asked(),
        vec![("list_pods", pods), ("get_events", events)],
        "web-1 crashes in a loop (CrashLoopBackOff): the configuration object db-login does not exist (not found)",
    );
}

#[test]
fn healthy_and_recovered_systems_have_no_fault() {
    let ready = json!({"pods": [{"name": "web-1", "phase": "Running", "containers": [{"ready": true}]}]});
    let event = |message: &str| json!({"events": [{"reason": "FailedScheduling", "message": message, "involved_object": "Pod/web-1"}]});
    let asked = || query("Is web-1 broken?", &[("pod", "web-1")]);
    check(
        asked(),
        vec![("list_pods", ready.clone())],
        "No active fault found: web-1 is healthy and within normal bounds",
    );
    check(
        asked(),
        vec![("list_pods", ready), ("get_events", event("0/2 nodes are available: 2 Insufficient cpu."))],
        "No active fault found: what was seen on web-1 has recovered, and it is healthy now",
    );
}

#[test]
fn a_database_shows_a_symptom_and_its_driver() {
    let points = |values: &[u32]| -> Value {
        let point = |(minute, value)| json!({"time": format!("2026-01-01T10:{minute:02}:00Z"), "value": value});
        (0..).zip(values).map(point).collect()
    };
    let metrics = json!({"series": [{"entity": "db", "metric": "CPUUtilization", "unit": "Percent", "points": points(&[20, 93, 95, 96, 94])}]});
    let insights = json!({"db_instance_identifier": "db", "top_sql": [
        {"statement": "SELECT * FROM orders", "db_load_avg": 7, "wait_events": [{"name": "CPU", "db_load_avg": 6}]}]});
    check(
        query("CPU of db is high", &[("db_instance", "db")]),
        vec![("query_metrics", metrics), ("get_insights", insights)],
        "db has CPU saturation: the query SELECT * FROM orders takes most of the database load, as a full table scan or another plan without a fitting index does",
    );
}

#[test]
fn an_entity_that_no_output_names_is_called_by_what_can_be_proved() {
    let asked = query("What is wrong with web-1?", &[]);
    check(
        asked,
        vec![("fetch_logs", json!("FATAL: environment variable TOKEN is not set"))],
        "web: the environment variable TOKEN is not set (missing or undefined)",
    );
}

/// Latencies of a chain that break at one minute, listed or split as they are asked for.
struct Steps(u32);

impl Tools for Steps {
    fn available(&self) -> Vec<Tool> {
        Vec::new()
    }

    fn call(&self, name: &str, arguments: &str) -> Result<ToolReply, ToolError> {
        let asked: Value = serde_json::from_str(arguments).unwrap();
        let time = |minute: u32| format!("2026-01-01T10:{minute:02}:00Z");
        let values = |base: f64, rise: f64| {
            (0..30_u32).map(move |at| (at, base + f64::from(at % 3) + if at < self.0 { 0.0 } else { rise }))
        };
        let side = |values: Vec<f64>| {
            let mut sorted = values;
            sorted.sort_by(f64::total_cmp);
            let median = sorted.get(sorted.len() / 2).copied();
            json!({"n": sorted.len(), "median": median, "mad": 1.0, "min": sorted.first(), "max": sorted.last()})
        };
        let chain = [("frontend", 30.0, 120.0), ("orders", 22.0, 110.0), ("stock", 12.0, 100.0)];
        let series = |(entity, base, rise): (&str, f64, f64)| {
            let Some(split) = asked.get("split_at").and_then(Value::as_str) else {
                let point = |(at, value)| json!({"time": time(at), "value": value});
                let points: Vec<Value> = values(base, rise).map(point).collect();
                return json!({"entity": entity, "metric": "latency", "unit": "ms", "points": points});
            };
            let half = |is_after: bool| {
                let points = values(base, rise).filter(|(at, _)| (time(*at).as_str() >= split) == is_after);
                side(points.map(|(_, value)| value).collect())
            };
            json!({"entity": entity, "metric": "latency", "unit": "ms", "before": half(false), "after": half(true)})
        };
        let is_asked = |entity: &str| asked.get("entity").is_none_or(|wanted| wanted == entity);
        let output = if name == "get_topology" {
            json!({"edges": [{"from": "frontend", "to": "orders"}, {"from": "orders", "to": "stock"}]})
        } else {
            let asked = chain.into_iter().filter(|(entity, ..)| is_asked(entity));
            json!({"series": asked.map(series).collect::<Vec<_>>()})
        };
        Ok(ToolReply { invocation_id: format!("inv-{name}-{arguments}"), output: output.to_string() })
    }
}

#[test]
fn the_cause_is_found_wherever_in_the_window_trouble_began() {
    let step = |tool: &str, arguments: Option<Value>| PlanStep {
        step_id: tool.into(),
        goal: "look".into(),
        tool_name: Some(tool.into()),
        arguments: arguments.and_then(|arguments| arguments.as_object().cloned()),
    };
    for question in ["Why is frontend slow?", "Why is frontend failing?"] {
        for onset in 3..=17 {
            let facts = [("alert_entity", "frontend"), ("alert_time", "2026-01-01T10:15:00Z")];
            let steps = vec![
                step("get_topology", Some(json!({}))),
                step("query_metrics", Some(json!({"entity": "frontend"}))),
                step("query_metrics", None),
            ];
            let found = investigate(&executor_input(query(question, &facts), steps, None), &Steps(onset)).unwrap();
            let first = found.claims.first().map_or("nothing", |claim| claim.text.as_str());
            assert!(first.starts_with("stock: its latency rose"), "{question} {onset}: {first}");
        }
        let facts = [("alert_entity", "frontend"), ("alert_time", "2026-01-01T10:15:00Z")];
        let steps = vec![step("query_metrics", Some(json!({"entity": "frontend"}))), step("query_metrics", None)];
        let found = investigate(&executor_input(query(question, &facts), steps, None), &Steps(99)).unwrap();
        assert!(found.claims[0].text.starts_with("No active fault found"), "{:?}", found.claims);
    }
}

#[test]
fn an_error_of_a_callee_is_a_symptom() {
    let log = |entity: &str, message: &str| {
        json!({"entity": entity, "level": "error", "message": message, "count": 20,
        "first_time": "2026-01-01T10:00:00Z", "last_time": "2026-01-01T10:05:00Z"})
    };
    let calm = json!({"entity": "web", "level": "info", "message": "order is priced", "count": 90,
        "first_time": "2026-01-01T09:30:00Z", "last_time": "2026-01-01T10:05:00Z"});
    for message in ["upstream returned an error", "cart returned 503", "error: bad answer of cart"] {
        let logs = json!({"templates": [log("db", "no space left on device"), log("web", message)]});
        let tools = vec![("get_topology", topology()), ("query_logs", logs)];
        let found = evidence(query("Why does web fail?", &[("alert_entity", "web")]), &Recorded(tools));
        assert!(found.claims[0].claim_id.ends_with("disk_full"), "{message}: {:?}", found.claims[0]);
        let alone = vec![
            ("get_topology", topology()),
            ("query_logs", json!({"templates": [calm.clone(), log("web", message)]})),
        ];
        let found = evidence(query("Why does web fail?", &[("alert_entity", "web")]), &Recorded(alone));
        assert_eq!(found.claims[0].claim_id, "root-cause.app_errors.assumed", "{message}");
    }
}

#[test]
fn what_names_nobody_is_assumed_and_ranks_below_what_does() {
    let first = |tools| {
        let claims = evidence(query("Why does web fail?", &[("service", "web")]), &Recorded(tools)).claims;
        claims.first().map(|claim| claim.claim_id.clone()).unwrap_or_default()
    };
    let nobody = || ("fetch_logs", json!("error 5 OOMKilled"));
    let named = (
        "get_events",
        json!({"events": [{"reason": "Failed", "involved_object": "Pod/web-1",
        "message": "Error: secret \"login\" not found"}]}),
    );
    assert_eq!(first(vec![nobody()]), "root-cause.out_of_memory.assumed");
    assert_eq!(first(vec![("fetch_logs", json!("web: error 5 OOMKilled"))]), "root-cause.out_of_memory");
    assert_eq!(first(vec![nobody(), named]), "root-cause.missing_config");
}

#[test]
fn nothing_to_read_is_no_claim() {
    check(query("Why is web slow?", &[]), vec![("fetch_logs", json!({"no_data": "none"}))], "nothing");
}

/// Runs round 1 and its verification, then round 2 with the gap.
#[test]
fn a_gap_is_closed_in_round_2_with_what_is_new() {
    // R-RETRY-01 R-RETRY-02 R-RETRY-03
    let metrics = Recorded(vec![("get_topology", topology()), ("query_metrics", series([4.0, 4.0, 1.0]))]);
    let asked = || query("Why is web slow?", SLOW);
    let first = evidence(asked(), &metrics);
    let material = material(&first);
    let report = verify(&verifier_input(asked(), material.clone(), None));
    assert_eq!(report.verdict, Verdict::LowConfid);
    let root = &first.claims[0];
    let retry = Retry {
        prior: material,
        gaps: vec![Gap {
            claim_id: root.claim_id.clone(),
            fact: report.facts[0].fact.clone(),
            verification: Verification::IndirectSupport,
            reason: report.facts[0].reason.clone(),
        }],
        completed_queries: Vec::new(),
        constraints: Constraints {
            max_retry: 1,
            do_not_repeat_successful_queries: true,
            only_execute_incremental_queries: true,
            preserve_prior_verified_claims: true,
        },
    };
    let logs = Recorded(vec![("fetch_cart_logs", json!("ERROR query on cart_items took 9 s"))]);
    let steps = plan(&PlannerInput {
        input_version: PlannerInputVersion::Word,
        answer_version: PlanVersion::Word,
        query: asked(),
        mode: PlanMode::EvidenceGapOnly,
        tools: vec![Tool {
            name: "fetch_cart_logs".into(),
            description: String::new(),
            input_schema: json!({"examples": [{"pod": "cart"}]}),
        }],
        retry: Some(retry.clone()),
    });
    assert_eq!(steps.steps[0].tool_name.as_deref(), Some("fetch_cart_logs"));
    let second = investigate(&executor_input(asked(), steps.steps, Some(retry.clone())), &logs).unwrap();
    assert_eq!(second.claims[0].text, root.text, "prior claims keep their text");
    assert!(second.claims[0].bindings.iter().any(|binding| binding.tool_name == "fetch_cart_logs"));
    let report = verify(&verifier_input(asked(), self::material(&second), Some(retry)));
    assert_eq!(report.verdict, Verdict::Pass, "{:?}", report.facts);
    let answer = compose(&ComposerInput {
        input_version: ComposerInputVersion::Word,
        answer_version: AnswerVersion::Word,
        effective_verdict: Verdict::Pass,
        claims: self::material(&second).claims,
        missing_information: report.missing_information,
        recommendations: report.recommendations,
    });
    assert_eq!(answer.headline, format!("Root cause: {}", root.text));
}

fn material(evidence: &Evidence) -> Material {
    let claims = evidence
        .claims
        .iter()
        .map(|claim| VerifiedClaim { claim_id: claim.claim_id.clone(), text: claim.text.clone() });
    let quotes = evidence.claims.iter().flat_map(|claim| {
        claim.bindings.iter().map(|binding| VerifiedEvidence {
            claim_id: claim.claim_id.clone(),
            source_invocation_id: binding.source_invocation_id.clone().unwrap_or_default(),
            tool_name: binding.tool_name.clone(),
            raw_path: binding.raw_path.clone(),
            matched_text: binding.matched_text.clone(),
        })
    });
    Material { claims: claims.collect(), evidence: quotes.collect() }
}

fn verifier_input(query: Query, material: Material, retry: Option<Retry>) -> VerifierInput {
    VerifierInput {
        input_version: VerifierInputVersion::Word,
        answer_version: VerificationVersion::Word,
        query,
        audit: Audit { ceiling: Verdict::Pass, verified_binding_count: 1, failed_binding_count: 0 },
        material,
        retry,
    }
}
