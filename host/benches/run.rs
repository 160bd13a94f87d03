//! One scripted run through components beside the same documents through the same code compiled natively, in one
//! process, interleaved. Figures of one machine mean little: what counts is the ratio of the same minute.
//!
//! `cargo bench -p portcullis` (or `make bench`). The native side reads, checks and writes the same documents with the
//! same functions: contract, gatekeeper, builder, verdict and renderer. It has no sandbox, no ledger and no store.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints its figures, and a broken one may panic"
)]

use async_trait::async_trait;
use glob::Pattern;
use portcullis::agents::{AgentDescription, AgentFactory, AgentRole};
use portcullis::config::Config;
use portcullis::run::{Catalog, Diagnosis, GateFigures, Generation, Host, Request, RunLimits, SystemClock, Unwatched};
use portcullis::setup;
use portcullis::store::MemoryStore;
use portcullis::tools::{CallError, Policy, ToolAnswer, ToolProvider};
use portcullis_contract as contract;
use portcullis_contract::input;
use portcullis_core::document::{
    Binding, CheckedFact, Claim, ComposedAnswer, Evidence, Tool, Verdict, Verification, VerificationReport,
    VerifiedClaim, VerifiedEvidence, VerifiedMaterial,
};
use portcullis_core::gate::{self, GateInput, GateReport};
use portcullis_core::ledger::{Invocation, InvocationStatus};
use portcullis_core::{answer, compose, verdict, verified};
use portcullis_plugins::{InvokeError, Invoker, RunIdentity, ToolPort};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: usize = 21;
const RUNS_A_ROUND: u32 = 40;
const CLAIMS: usize = 12;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let host = host();
    let output = tool_output();
    // Both sides warm up before anything is measured.
    component_run(&runtime, &host);
    native_run(&output);
    let (mut component, mut native) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        component.push(each(|| component_run(&runtime, &host)));
        native.push(each(|| native_run(&output)));
    }
    let ratio = median(component.iter().zip(&native).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64()).collect());
    let in_ms = |times: &[Duration]| median(times.iter().map(|time| time.as_secs_f64() * 1e3).collect());
    println!(
        "one scripted run, {CLAIMS} claims, {} bytes of tool output, {ROUNDS} rounds of {RUNS_A_ROUND}",
        output.len()
    );
    println!("through components, memory store   {:.3} ms (median)", in_ms(&component));
    println!("native, no sandbox, no store       {:.3} ms (median)", in_ms(&native));
    println!("ratio                              {ratio:.2} (median of the rounds' ratios)");
}

fn each(mut run: impl FnMut()) -> Duration {
    let begun = Instant::now();
    for _ in 0..RUNS_A_ROUND {
        run();
    }
    begun.elapsed() / RUNS_A_ROUND
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// About 12 KB of log lines.
fn tool_output() -> String {
    let lines: Vec<_> = (0..100)
        .map(|n| json!({"time": "2026-03-01T10:00:00Z", "entity": "checkout", "message": format!("request {n} took {} ms: pool exhausted", 800 + n)}))
        .collect();
    json!({ "items": lines }).to_string()
}

fn plan() -> String {
    let steps: Vec<_> =
        (0..6).map(|n| json!({"step_id": format!("s{n}"), "goal": "look at the logs of checkout"})).collect();
    json!({"answer_version": "diagnosis_plan_v1", "steps": steps}).to_string()
}

fn evidence(invocation: &str) -> String {
    let claims: Vec<Value> = (0..CLAIMS)
        .map(|n| {
            json!({
                "claim_id": format!("c{n}"),
                "text": format!("A request to checkout took {} ms because its pool was exhausted.", 800 + n),
                "evidence_bindings": [{
                    "source_invocation_id": invocation,
                    "tool_name": "query_logs",
                    "raw_path": format!("$.items[{n}].message"),
                    "matched_text": format!("request {n} took {} ms: pool exhausted", 800 + n),
                }],
            })
        })
        .collect();
    json!({"answer_version": "executor_evidence_v2", "claims": claims}).to_string()
}

fn verification() -> String {
    let ids: Vec<_> = (0..CLAIMS).map(|n| format!("c{n}")).collect();
    let facts: Vec<_> = ids
        .iter()
        .map(|id| json!({"fact": format!("{id}: slow"), "is_critical": true, "verification": "supported", "reason": "quoted"}))
        .collect();
    json!({"answer_version": "verification_v1", "verdict": "PASS", "facts": facts, "allowed_claims": ids,
           "missing_information": ["traces"], "recommendations": ["raise the pool"]})
    .to_string()
}

fn composed() -> String {
    let ids: Vec<_> = (0..CLAIMS).map(|n| format!("c{n}")).collect();
    json!({"answer_version": "composed_answer_v1", "headline": "The pool of checkout was exhausted",
           "claim_order": ids, "next_steps": ["look at the deploy"]})
    .to_string()
}

fn tool() -> Tool {
    let description = "log lines of one entity in a window".into();
    Tool { name: "query_logs".into(), description, input_schema: r#"{"type":"object"}"#.into() }
}

// Through components.

struct Logs(String);

#[async_trait]
impl ToolProvider for Logs {
    fn tools(&self) -> Vec<Tool> {
        vec![tool()]
    }

    async fn call(&self, _name: &str, _arguments: &str) -> Result<ToolAnswer, CallError> {
        Ok(ToolAnswer { status: InvocationStatus::Ok, output: self.0.clone().into_bytes(), truncated: false })
    }
}

struct Scripted;

impl AgentFactory for Scripted {
    fn agent(&self, role: AgentRole, tools: Option<Arc<dyn ToolPort>>) -> Arc<dyn Invoker> {
        Arc::new(Agent { role, tools })
    }

    fn descriptions(&self) -> Vec<AgentDescription> {
        Vec::new()
    }
}

struct Agent {
    role: AgentRole,
    tools: Option<Arc<dyn ToolPort>>,
}

#[async_trait]
impl Invoker for Agent {
    async fn invoke(&self, _input: &str, _run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        Ok(match (self.role, &self.tools) {
            (AgentRole::Planner, _) => plan(),
            (AgentRole::Executor, Some(tools)) => {
                evidence(&tools.call("query_logs", "{}").await.unwrap().invocation_id)
            }
            (AgentRole::Executor, None) => return Err(InvokeError::Permanent("no tools".into())),
            (AgentRole::Verifier, _) => verification(),
            (AgentRole::Composer, _) => composed(),
        })
    }
}

fn host() -> Arc<Host> {
    Arc::new(Host {
        catalog: Arc::new(Catalog::new(Generation {
            nodes: Arc::new(setup::nodes(&Config::default()).unwrap()),
            agents: Arc::new(Scripted),
            shadows: Arc::default(),
        })),
        tools: Arc::new(Logs(tool_output())),
        policy: Policy {
            allow: vec![Pattern::new("*").unwrap()],
            calls: 40,
            identical_calls: 3,
            output: 256 * 1024,
            wall: Duration::from_mins(1),
        },
        limits: RunLimits { wall: Duration::from_mins(15), invocations: 32 },
        store: Arc::new(MemoryStore::default()),
        clock: Arc::new(SystemClock),
        evaluator: Arc::new(GateFigures),
        owner: "bench".into(),
    })
}

fn component_run(runtime: &tokio::runtime::Runtime, host: &Arc<Host>) {
    let request = Request { question: "why is checkout slow?".into(), facts: Vec::new(), session_id: None };
    let diagnosis = runtime.block_on(host.diagnose(request, Arc::new(Unwatched))).unwrap();
    assert!(matches!(diagnosis, Diagnosis::Answered(answered) if answered.verdict == Some(Verdict::Pass)));
}

// Natively.

fn native_run(output: &str) {
    let query = || input::Query { question: "why is checkout slow?".into(), facts: Vec::new() };
    let tools = || {
        let tool = tool();
        let input_schema = serde_json::from_str(&tool.input_schema).unwrap();
        vec![input::Tool { name: tool.name, description: tool.description, input_schema }]
    };
    let mut written = String::new();
    let mut keep = |text: String| writeln!(written, "{}", text.len()).unwrap();
    keep(
        input::write(&input::PlannerInput {
            input_version: input::PlannerInputVersion::Word,
            answer_version: input::PlanVersion::Word,
            query: query(),
            mode: input::PlanMode::Initial,
            tools: tools(),
            retry: None,
        })
        .unwrap(),
    );
    let plan = contract::plan(&plan()).unwrap();
    keep(
        input::write(&input::ExecutorInput {
            input_version: input::ExecutorInputVersion::Word,
            answer_version: input::EvidenceVersion::Word,
            query: query(),
            plan: input::PlanSteps { steps: plan.steps },
            tools: tools(),
            retry: None,
            instruction: None,
        })
        .unwrap(),
    );
    let invocation = Invocation {
        invocation_id: "inv-1".into(),
        run_id: "run-1".into(),
        tool_name: "query_logs".into(),
        arguments: "{}".into(),
        status: InvocationStatus::Ok,
        output: output.as_bytes().into(),
        truncated: false,
    };
    let evidence = core_evidence(contract::evidence(&evidence("inv-1")).unwrap());
    let report = gate::check(&GateInput {
        run_id: "run-1",
        evidence: &evidence,
        invocations: std::slice::from_ref(&invocation),
        tools: &["query_logs".to_owned()],
    });
    let material = verified::build(&evidence, &report).unwrap();
    keep(verifier_input(query(), &material, &report));
    let judged =
        verdict::judge(core_report(contract::verification(&verification()).unwrap()), &material, Verdict::Pass);
    let judged = judged.unwrap();
    keep(
        input::write(&input::ComposerInput {
            input_version: input::ComposerInputVersion::Word,
            answer_version: input::AnswerVersion::Word,
            effective_verdict: contract::document::Verdict::Pass,
            claims: claims(&judged.allowed.claims),
            missing_information: judged.allowed.missing_information.clone(),
            recommendations: judged.allowed.recommendations.clone(),
        })
        .unwrap(),
    );
    let composed = contract::answer(&composed()).unwrap();
    let composed = ComposedAnswer {
        headline: composed.headline,
        claim_order: composed.claim_order,
        next_steps: composed.next_steps,
    };
    compose::check(&composed, &judged.allowed).unwrap();
    let answer = answer::render(&composed, judged.effective_verdict, &judged.allowed);
    assert_eq!((answer.claims.len(), judged.effective_verdict), (CLAIMS, Verdict::Pass));
    std::hint::black_box((written, answer));
}

fn verifier_input(query: input::Query, material: &VerifiedMaterial, report: &GateReport) -> String {
    let quote = |quote: VerifiedEvidence| input::VerifiedEvidence {
        claim_id: quote.claim_id,
        source_invocation_id: quote.source_invocation_id,
        tool_name: quote.tool_name,
        raw_path: quote.raw_path,
        matched_text: quote.matched_text,
    };
    input::write(&input::VerifierInput {
        input_version: input::VerifierInputVersion::Word,
        answer_version: input::VerificationVersion::Word,
        query,
        material: input::Material {
            claims: claims(&material.claims),
            evidence: material.evidence.iter().cloned().map(quote).collect(),
        },
        audit: input::Audit {
            ceiling: contract::document::Verdict::Pass,
            verified_binding_count: report.verified_binding_count,
            failed_binding_count: report.failed_binding_count,
        },
        retry: None,
    })
    .unwrap()
}

fn claims(claims: &[VerifiedClaim]) -> Vec<input::VerifiedClaim> {
    claims.iter().cloned().map(|claim| input::VerifiedClaim { claim_id: claim.claim_id, text: claim.text }).collect()
}

fn core_evidence(evidence: contract::document::Evidence) -> Evidence {
    let binding = |binding: contract::document::Binding| Binding {
        source_invocation_id: binding.source_invocation_id,
        tool_name: binding.tool_name,
        raw_path: binding.raw_path,
        matched_text: binding.matched_text,
    };
    let claim = |claim: contract::document::Claim| Claim {
        claim_id: claim.claim_id,
        text: claim.text,
        bindings: claim.bindings.into_iter().map(binding).collect(),
    };
    Evidence {
        claims: evidence.claims.into_iter().map(claim).collect(),
        hypotheses: evidence.hypotheses,
        limitations: evidence.limitations,
    }
}

fn core_report(report: contract::document::VerificationReport) -> VerificationReport {
    use contract::document::{Verdict as Wire, Verification as Word};
    let verification = |word| match word {
        Word::Supported => Verification::Supported,
        Word::IndirectSupport => Verification::IndirectSupport,
        Word::NoEvidence => Verification::NoEvidence,
        Word::Contradicted => Verification::Contradicted,
    };
    VerificationReport {
        verdict: match report.verdict {
            Wire::Pass => Verdict::Pass,
            Wire::LowConfid => Verdict::LowConfid,
            Wire::Reject => Verdict::Reject,
        },
        facts: report
            .facts
            .into_iter()
            .map(|fact| CheckedFact {
                fact: fact.fact,
                is_critical: fact.is_critical,
                verification: verification(fact.verification),
                reason: fact.reason,
            })
            .collect(),
        allowed_claims: report.allowed_claims,
        missing_information: report.missing_information,
        recommendations: report.recommendations,
    }
}
