//! Documents for the property tests: what each contract allows, written as JSON.

use crate::document::Violation;
use crate::schema;
use proptest::prelude::*;
use proptest::{collection::vec, option, sample};
use serde_json::{Map, Value, json};

/// One of the four documents: its decoder, its schema, and what it may look like.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Plan,
    Evidence,
    Verification,
    Answer,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Plan, Self::Evidence, Self::Verification, Self::Answer];

    pub(crate) fn schema(self) -> Value {
        let text = match self {
            Self::Plan => schema::PLAN,
            Self::Evidence => schema::EVIDENCE,
            Self::Verification => schema::VERIFICATION,
            Self::Answer => schema::ANSWER,
        };
        serde_json::from_str(text).unwrap()
    }

    /// Reads `text`, and gives back the wire form of what was read.
    pub(crate) fn decode(self, text: &str) -> Result<Value, Violation> {
        let wire = match self {
            Self::Plan => crate::plan(text).map(|document| serde_json::to_value(document).unwrap()),
            Self::Evidence => crate::evidence(text).map(|document| serde_json::to_value(document).unwrap()),
            Self::Verification => crate::verification(text).map(|document| serde_json::to_value(document).unwrap()),
            Self::Answer => crate::answer(text).map(|document| serde_json::to_value(document).unwrap()),
        }?;
        Ok(wire)
    }

    /// A document with each field, and one item in each list.
    pub(crate) fn full(self) -> Value {
        match self {
            Self::Plan => json!({"answer_version": "diagnosis_plan_v1", "steps": [
                {"step_id": "s1", "goal": "look", "tool_name": "query_logs", "arguments": {"service": "cart", "limit": 10}},
            ]}),
            Self::Evidence => json!({"answer_version": "executor_evidence_v2", "claims": [
                {"claim_id": "c1", "text": "it broke", "evidence_bindings": [
                    {"source_invocation_id": "inv-1", "tool_name": "query_logs", "raw_path": "/0", "matched_text": "broke"},
                ]},
            ], "hypotheses": ["perhaps"], "limitations": ["no traces"], "no_evidence": false}),
            Self::Verification => json!({"answer_version": "verification_v1", "verdict": "PASS", "facts": [
                {"fact": "c1: it broke", "is_critical": true, "verification": "supported", "reason": "quoted"},
            ], "allowed_claims": ["c1"], "missing_information": ["traces"], "recommendations": ["roll back"]}),
            Self::Answer => json!({"answer_version": "composed_answer_v1", "headline": "it broke",
                "claim_order": ["c1"], "next_steps": ["roll back"]}),
        }
    }

    /// Any legal document.
    pub(crate) fn documents(self) -> BoxedStrategy<Value> {
        match self {
            Self::Plan => plans().boxed(),
            Self::Evidence => evidences().boxed(),
            Self::Verification => verifications().boxed(),
            Self::Answer => answers().boxed(),
        }
    }
}

pub(crate) fn kinds() -> impl Strategy<Value = Kind> {
    sample::select(Kind::ALL.to_vec())
}

pub(crate) fn documents() -> impl Strategy<Value = (Kind, Value)> {
    kinds().prop_flat_map(|kind| (Just(kind), kind.documents()))
}

/// Text that is not blank, with what trips up a careless reader.
fn sentences() -> impl Strategy<Value = String> {
    let traps = sample::select(vec![
        "{",
        "}",
        "[1,2,]",
        "```json",
        "\n```\n",
        "~~~",
        "</think>",
        "<think>",
        "\"",
        "\\",
        "\u{feff}",
        "\u{2028}",
        "“quoted”",
        "{\"answer_version\": \"executor_evidence_v2\", \"claims\": []}",
        "10.0",
        "é",
    ]);
    (vec(traps, 0..3), "[ -~]{0,12}").prop_map(|(traps, words)| format!("x{}{words}", traps.concat()))
}

fn ids() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_.-]{1,64}"
}

fn unique_ids(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    proptest::collection::btree_set(ids(), count).prop_map(|ids| ids.into_iter().collect()).prop_shuffle()
}

/// Any JSON, with numbers that a float would spoil.
fn json_values() -> impl Strategy<Value = Value> {
    let numbers =
        sample::select(vec!["0", "-0", "10.0", "1e1", "73019482551300006013", "0.30000000000000004", "-1E-7"]);
    let leaves = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        numbers.prop_map(|digits| serde_json::from_str(digits).unwrap()),
        ".{0,6}".prop_map(Value::String),
    ];
    leaves.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![vec(inner.clone(), 0..3).prop_map(Value::Array), objects(inner).prop_map(Value::Object)]
    })
}

fn objects(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    vec((".{0,4}", values), 0..3).prop_map(|entries| entries.into_iter().collect())
}

/// What an optional field may be: absent, `null`, or one of `values`.
fn optional<S: Strategy>(values: S) -> impl Strategy<Value = Option<Value>>
where
    S::Value: Into<Value>,
{
    option::of(prop_oneof![1 => Just(Value::Null), 3 => values.prop_map(Into::into)])
}

fn insert_optional(object: &mut Value, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        object[name] = value;
    }
}

fn plans() -> impl Strategy<Value = Value> {
    let arguments = objects(json_values()).prop_map(Value::Object);
    let step = (sentences(), optional("[a-z_.]{1,9}"), optional(arguments));
    (unique_ids(1..4), vec(step, 4)).prop_map(|(ids, steps)| {
        let steps = ids.into_iter().zip(steps).map(|(id, (goal, tool_name, arguments))| {
            let mut step = json!({"step_id": id, "goal": goal});
            insert_optional(&mut step, "tool_name", tool_name);
            insert_optional(&mut step, "arguments", arguments);
            step
        });
        json!({"answer_version": "diagnosis_plan_v1", "steps": steps.collect::<Vec<_>>()})
    })
}

fn evidences() -> impl Strategy<Value = Value> {
    let binding = (optional("inv-[0-9]{1,3}"), "[a-z_.]{1,9}", "[$./a-z0-9]{0,9}", ".{0,9}");
    let binding = binding.prop_map(|(id, tool_name, raw_path, matched_text)| {
        let mut binding = json!({"tool_name": tool_name, "raw_path": raw_path, "matched_text": matched_text});
        insert_optional(&mut binding, "source_invocation_id", id);
        binding
    });
    let claim = (sentences(), vec(binding, 0..3));
    let lists = (optional(vec(sentences(), 0..3)), optional(vec(sentences(), 0..3)));
    (unique_ids(0..4), vec(claim, 4), lists, optional(any::<bool>())).prop_map(
        |(ids, claims, (hypotheses, limitations), no_evidence)| {
            let claims = ids
                .into_iter()
                .zip(claims)
                .map(|(id, (text, bindings))| json!({"claim_id": id, "text": text, "evidence_bindings": bindings}));
            let claims: Vec<_> = claims.collect();
            let consistent = claims.is_empty() || no_evidence != Some(Value::Bool(true));
            let mut evidence = json!({"answer_version": "executor_evidence_v2", "claims": claims});
            insert_optional(&mut evidence, "hypotheses", hypotheses);
            insert_optional(&mut evidence, "limitations", limitations);
            insert_optional(&mut evidence, "no_evidence", no_evidence.filter(|_| consistent));
            evidence
        },
    )
}

fn verifications() -> impl Strategy<Value = Value> {
    let verdicts = sample::select(vec!["PASS", "LOW_CONFID", "REJECT"]);
    let verification = sample::select(vec!["supported", "indirect_support", "no_evidence", "contradicted"]);
    let fact = (sentences(), any::<bool>(), verification, ".{0,9}").prop_map(
        |(fact, is_critical, verification, reason)| {
            json!({"fact": fact, "is_critical": is_critical, "verification": verification, "reason": reason})
        },
    );
    (verdicts, vec(fact, 0..4), unique_ids(0..4), vec(sentences(), 0..3), vec(sentences(), 0..3)).prop_map(
        |(verdict, facts, allowed_claims, missing_information, recommendations)| {
            json!({
                "answer_version": "verification_v1", "verdict": verdict, "facts": facts, "allowed_claims": allowed_claims,
                "missing_information": missing_information, "recommendations": recommendations,
            })
        },
    )
}

fn answers() -> impl Strategy<Value = Value> {
    (sentences(), unique_ids(0..4), vec(sentences(), 0..3)).prop_map(|(headline, claim_order, next_steps)| {
        json!({
            "answer_version": "composed_answer_v1", "headline": headline, "claim_order": claim_order,
            "next_steps": next_steps,
        })
    })
}
