//! What a run could have come to: everything that the four adapters' projections are taken from.

use super::lawful::limits::{BINDINGS, CLAIMS, FACTS, PATH_CHARS, QUOTE_CHARS, SENTENCE_CHARS, SENTENCES, STEPS};
use portcullis_core::document::{
    Fact, Gap, Plan, PlanMode, PlanStep, Query, QueryRef, RetryConstraints, RetryContext, Tool, Verdict, Verification,
    VerifiedClaim, VerifiedEvidence, VerifiedMaterial,
};
use portcullis_core::projection::{
    ComposerProjection, ExecutorProjection, GatekeeperAudit, PlannerProjection, VerifierProjection,
};
use serde_json::json;

/// The names of the tools that a scene has.
pub(super) const TOOLS: [&str; 2] = ["query_logs", "list_changes"];

/// A moment of a run, seen by the host.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    /// For the words of a check.
    pub(super) name: String,
    query: Query,
    mode: PlanMode,
    plan: Plan,
    pub(super) tools: Vec<Tool>,
    retry: Option<RetryContext>,
    material: VerifiedMaterial,
    audit: GatekeeperAudit,
    verdict: Verdict,
    missing: Vec<String>,
    recommendations: Vec<String>,
}

impl Scene {
    pub(super) fn planner(&self) -> PlannerProjection<'_> {
        PlannerProjection { query: &self.query, mode: self.mode, tools: &self.tools, retry: self.retry.as_ref() }
    }

    pub(super) fn executor(&self) -> ExecutorProjection<'_> {
        ExecutorProjection { query: &self.query, plan: &self.plan, tools: &self.tools, retry: self.retry.as_ref() }
    }

    pub(super) fn verifier(&self) -> VerifierProjection<'_> {
        VerifierProjection {
            query: &self.query,
            material: &self.material,
            audit: self.audit,
            retry: self.retry.as_ref(),
        }
    }

    pub(super) fn composer(&self) -> ComposerProjection<'_> {
        ComposerProjection {
            effective_verdict: self.verdict,
            claims: &self.material.claims,
            missing_information: &self.missing,
            recommendations: &self.recommendations,
        }
    }
}

/// Round 1, with something of everything.
pub(super) fn plain() -> Scene {
    Scene { name: "a plain input".to_owned(), ..first_round(&str::to_owned) }
}

/// A plain scene whose texts all hold `mark`.
pub(super) fn marked(mark: &str) -> Scene {
    Scene { name: "an input with a canary".to_owned(), ..first_round(&|text: &str| format!("{text} {mark}")) }
}

/// Every kind of input that a run can come to.
pub(super) fn legal() -> Vec<Scene> {
    let plain = plain();
    let named = |name: &str, scene: Scene| Scene { name: name.to_owned(), ..scene };
    let second = || second_round(&str::to_owned);
    let bare = Scene {
        query: Query { question: "Why?".to_owned(), facts: Vec::new() },
        plan: Plan { steps: vec![step("s", "look", None, None)] },
        tools: Vec::new(),
        material: VerifiedMaterial::default(),
        audit: GatekeeperAudit { ceiling: Verdict::Pass, verified_binding_count: 0, failed_binding_count: 0 },
        missing: Vec::new(),
        recommendations: Vec::new(),
        ..plain.clone()
    };
    let empty_retry = RetryContext {
        prior: VerifiedMaterial::default(),
        gaps: Vec::new(),
        completed_queries: Vec::new(),
        constraints: constraints(),
    };
    let low = Scene {
        audit: GatekeeperAudit { ceiling: Verdict::LowConfid, verified_binding_count: 1, failed_binding_count: 7 },
        verdict: Verdict::LowConfid,
        ..plain.clone()
    };
    vec![
        plain,
        named("an input with empty lists", bare),
        named("an input of low confidence", low),
        named("an input of round 2", second()),
        named("an input of round 2 with an empty retry context", Scene { retry: Some(empty_retry), ..second() }),
    ]
}

/// Both rounds, filled with each hostile text.
pub(super) fn hostile() -> Vec<Scene> {
    let filled = |(name, text): (&str, String)| {
        let text = |_: &str| text.clone();
        [
            Scene { name: format!("{name} in round 1"), ..first_round(&text) },
            Scene { name: format!("{name} in round 2"), ..second_round(&text) },
        ]
    };
    super::hostile::texts().into_iter().flat_map(filled).collect()
}

/// As many of everything as the contract allows, and each text once as long as it may be. All together it stays well
/// below what a component may hand over in one call: lists that are all full of longest texts would not.
pub(super) fn large() -> Scene {
    /// What the host takes of a question and of facts.
    const QUESTION: usize = crate::run::QUESTION_BYTES_MAX;
    const GIVEN_FACTS: usize = 64;

    let sentence = |n: usize| if n == 0 { "é".repeat(SENTENCE_CHARS) } else { format!("{n}: {}", "word ".repeat(20)) };
    let claim = |n: usize| VerifiedClaim { claim_id: format!("claim-{n}"), text: sentence(n) };
    let evidence = |n: usize| VerifiedEvidence {
        claim_id: format!("claim-{}", n / BINDINGS),
        source_invocation_id: format!("inv-{n}"),
        tool_name: "query_logs".to_owned(),
        raw_path: format!("/lines/{n}/message"),
        matched_text: if n == 0 {
            "q".repeat(QUOTE_CHARS)
        } else {
            format!("\"quote\" {n} {}", "of a line ".repeat(6))
        },
    };
    let material = VerifiedMaterial {
        claims: (0..CLAIMS).map(claim).collect(),
        evidence: (0..CLAIMS * BINDINGS).map(evidence).collect(),
    };
    let gap = |n: usize| Gap {
        claim_id: String::new(),
        fact: sentence(n),
        verification: Verification::NoEvidence,
        reason: sentence(n + 1),
    };
    let query = |n: usize| QueryRef {
        tool_name: "query_logs".to_owned(),
        source_invocation_id: format!("inv-{n}"),
        raw_path: format!("/lines/{n}"),
        arguments: json!({ "entity": format!("service-{n}") }).to_string(),
    };
    let second = second_round(&str::to_owned);
    Scene {
        name: "an input as large as a run makes it".to_owned(),
        query: Query {
            question: "why? ".repeat(QUESTION / 5),
            facts: (0..GIVEN_FACTS).map(|n| Fact { name: format!("fact-{n}"), value: "v".repeat(900) }).collect(),
        },
        plan: Plan {
            steps: (0..STEPS)
                .map(|n| step(&format!("step-{n}"), &sentence(n), Some("query_logs"), Some(r#"{"entity":"checkout"}"#)))
                .collect(),
        },
        tools: (0..SENTENCES)
            .map(|n| Tool {
                name: if n == 0 { TOOLS[0].to_owned() } else { format!("tool_{n}") },
                description: sentence(n + 1),
                input_schema: r#"{"type":"object"}"#.to_owned(),
            })
            .collect(),
        retry: Some(RetryContext {
            prior: material.clone(),
            gaps: (0..FACTS).map(gap).collect(),
            completed_queries: (0..CLAIMS * BINDINGS).map(query).collect(),
            constraints: constraints(),
        }),
        material,
        audit: GatekeeperAudit { ceiling: Verdict::LowConfid, verified_binding_count: 320, failed_binding_count: 0 },
        missing: (0..SENTENCES).map(sentence).collect(),
        recommendations: (0..SENTENCES).map(sentence).collect(),
        ..second
    }
}

/// Every free text is what `fill` makes of it, within the bounds of the contract. Ids and JSON keep their form: the host
/// hands in no others.
fn first_round(fill: &dyn Fn(&str) -> String) -> Scene {
    let schema = json!({
        "type": "object",
        "properties": { "entity": { "type": "string", "description": fill("the service") } },
    });
    let tool = |name: &str| Tool {
        name: name.to_owned(),
        description: fill("Lines of a log."),
        input_schema: schema.to_string(),
    };
    let arguments = json!({ "entity": fill("checkout"), "limit": 5 }).to_string();
    let look = fill("Read the errors of checkout.");
    Scene {
        name: String::new(),
        query: Query {
            question: fill("Why is checkout slow?"),
            facts: vec![
                Fact { name: fill("service"), value: fill("checkout") },
                Fact { name: fill("alert"), value: fill("latency") },
            ],
        },
        mode: PlanMode::Initial,
        plan: Plan {
            steps: vec![
                step("logs", &look, Some(TOOLS[0]), Some(&arguments)),
                step("changes", &look, Some(TOOLS[1]), None),
                step("think", &look, None, None),
            ],
        },
        tools: TOOLS.map(tool).into(),
        retry: None,
        material: material(fill),
        audit: GatekeeperAudit { ceiling: Verdict::Pass, verified_binding_count: 2, failed_binding_count: 0 },
        verdict: Verdict::Pass,
        missing: vec![fill("traces of checkout")],
        recommendations: vec![fill("Look at the pool.")],
    }
}

fn second_round(fill: &dyn Fn(&str) -> String) -> Scene {
    let gap = |claim_id: &str, verification| Gap {
        claim_id: claim_id.to_owned(),
        fact: fill("since when"),
        verification,
        reason: fill("nobody asked"),
    };
    let completed = QueryRef {
        tool_name: TOOLS[0].to_owned(),
        source_invocation_id: "inv-1".to_owned(),
        raw_path: "/lines/0".to_owned(),
        arguments: json!({ "entity": fill("checkout") }).to_string(),
    };
    let retry = RetryContext {
        prior: material(fill),
        gaps: vec![gap("", Verification::NoEvidence), gap("claim-1", Verification::IndirectSupport)],
        completed_queries: vec![completed],
        constraints: constraints(),
    };
    let audit = GatekeeperAudit { ceiling: Verdict::LowConfid, verified_binding_count: 2, failed_binding_count: 1 };
    Scene {
        mode: PlanMode::EvidenceGapOnly,
        retry: Some(retry),
        audit,
        verdict: Verdict::LowConfid,
        ..first_round(fill)
    }
}

fn material(fill: &dyn Fn(&str) -> String) -> VerifiedMaterial {
    let claim =
        |n: u32| VerifiedClaim { claim_id: format!("claim-{n}"), text: fill("The pool of checkout is exhausted.") };
    let evidence = |n: u32| VerifiedEvidence {
        claim_id: format!("claim-{n}"),
        source_invocation_id: format!("inv-{n}"),
        tool_name: TOOLS[0].to_owned(),
        raw_path: fill("/lines/0/message").chars().take(PATH_CHARS).collect(),
        matched_text: fill("pool exhausted"),
    };
    VerifiedMaterial { claims: vec![claim(1), claim(2)], evidence: vec![evidence(1), evidence(2)] }
}

fn step(step_id: &str, goal: &str, tool_name: Option<&str>, arguments: Option<&str>) -> PlanStep {
    PlanStep {
        step_id: step_id.to_owned(),
        goal: goal.to_owned(),
        tool_name: tool_name.map(str::to_owned),
        arguments: arguments.map(str::to_owned),
    }
}

const fn constraints() -> RetryConstraints {
    RetryConstraints {
        max_retry: 1,
        do_not_repeat_successful_queries: true,
        only_execute_incremental_queries: true,
        preserve_prior_verified_claims: true,
    }
}
