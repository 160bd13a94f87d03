//! Schema and decoder accept and refuse the same documents.
//!
//! A schema can not say that the ids of a list of objects are unique; [`ids_are_unique`] says it for the oracle. The
//! other rules of the decoder alone (unique keys, depth) concern the text, not the document.

use super::examples::{Kind, documents, kinds};
use crate::limits::{
    BINDINGS_MAX, CLAIMS_MAX, FACTS_MAX, HEADLINE_CHARS_MAX, ID_CHARS_MAX, NAME_CHARS_MAX, PATH_CHARS_MAX,
    QUOTE_CHARS_MAX, SENTENCE_CHARS_MAX, SENTENCES_MAX, STEPS_MAX,
};
use proptest::prelude::*;
use proptest::{collection::vec, sample};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn check(kind: Kind, document: &Value) -> bool {
    let validator = jsonschema::draft202012::new(&kind.schema()).unwrap();
    let allowed = validator.is_valid(document) && ids_are_unique(document);
    let decoded = kind.decode(&document.to_string());
    assert_eq!(decoded.is_ok(), allowed, "{decoded:?} for {document}");
    allowed
}

fn ids_are_unique(document: &Value) -> bool {
    [("steps", "step_id"), ("claims", "claim_id")].iter().all(|(list, id)| {
        let mut seen = BTreeSet::new();
        let ids = document[list].as_array().into_iter().flatten().filter_map(|item| item[id].as_str());
        ids.into_iter().all(|id| seen.insert(id))
    })
}

/// One change to a document, at a place that is chosen among all its places.
#[derive(Debug, Clone)]
enum Mutation {
    Replace(Value),
    Remove(sample::Index),
    Rename(sample::Index, &'static str),
    Add(&'static str, Value),
    Repeat(sample::Index, usize),
}

fn mutations() -> impl Strategy<Value = (sample::Index, Mutation)> {
    let names = || {
        sample::select(vec![
            "answer_version",
            "claims",
            "confidence",
            "no_evidence",
            "hypotheses",
            "arguments",
            "Steps",
            "source_invocation_id",
        ])
    };
    let lengths = sample::select(vec![1, 63, 64, 65, 128, 129, 400, 401, 1_024, 1_025, 4_000, 4_001, 16_384, 16_385]);
    let words = sample::select(vec![
        "",
        " ",
        "\t\r\n",
        "\u{a0}",
        "\u{feff}",
        "a b",
        "claim/1",
        "PASS",
        "pass",
        "supported",
        "é",
        "ok\n",
        "composed_answer_v1",
    ]);
    let values = prop_oneof![
        sample::select(vec![json!(null), json!(true), json!(7), json!([]), json!({}), json!(["x"]), json!({"a": 1})]),
        (sample::select(vec!["x", "é", "\u{1f980}"]), lengths).prop_map(|(c, count)| json!(c.repeat(count))),
        words.prop_map(|word| json!(word)),
    ];
    let counts = sample::select(vec![1, 7, 8, 11, 12, 39, 40, 79, 80]);
    let mutation = prop_oneof![
        3 => values.clone().prop_map(Mutation::Replace),
        1 => any::<sample::Index>().prop_map(Mutation::Remove),
        1 => (any::<sample::Index>(), names()).prop_map(|(index, name)| Mutation::Rename(index, name)),
        1 => (names(), values).prop_map(|(name, value)| Mutation::Add(name, value)),
        1 => (any::<sample::Index>(), counts).prop_map(|(index, count)| Mutation::Repeat(index, count)),
    ];
    (any::<sample::Index>(), mutation)
}

fn mutate(document: &mut Value, (place, mutation): (sample::Index, Mutation)) {
    let places = places(document);
    let place = &places[place.index(places.len())];
    let target = document.pointer_mut(place).unwrap();
    match (mutation, target) {
        (Mutation::Replace(value), target) => *target = value,
        (Mutation::Remove(index), Value::Object(map)) if !map.is_empty() => {
            let name = map.keys().nth(index.index(map.len())).unwrap().clone();
            map.shift_remove(&name);
        }
        (Mutation::Rename(index, to), Value::Object(map)) if !map.is_empty() => {
            let name = map.keys().nth(index.index(map.len())).unwrap().clone();
            let value = map.shift_remove(&name).unwrap();
            map.insert(to.to_owned(), value);
        }
        (Mutation::Add(name, value), Value::Object(map)) => {
            map.insert(name.to_owned(), value);
        }
        (Mutation::Repeat(index, count), Value::Array(items)) if !items.is_empty() => {
            let item = index.get(items).clone();
            items.extend(std::iter::repeat_n(item, count));
        }
        (Mutation::Remove(_) | Mutation::Rename(..) | Mutation::Add(..) | Mutation::Repeat(..), _) => {}
    }
}

/// A JSON Pointer to each place of `value`.
fn places(value: &Value) -> Vec<String> {
    let segment = |key: &str| key.replace('~', "~0").replace('/', "~1");
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (segment(key), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    let inner = inner
        .into_iter()
        .flat_map(|(segment, value)| places(value).into_iter().map(move |place| format!("/{segment}{place}")));
    std::iter::once(String::new()).chain(inner).collect()
}

proptest! {
    #[test]
    fn schema_and_decoder_accept_legal_documents((kind, document) in documents()) {
        // R-PARSE-02
        prop_assert!(check(kind, &document));
    }

    #[test]
    fn schema_and_decoder_agree_on_changed_documents(
        (kind, mut document) in documents(),
        mutations in vec(mutations(), 1..3),
    ) {
        // R-PARSE-02
        for mutation in mutations {
            mutate(&mut document, mutation);
        }
        check(kind, &document);
    }

    #[test]
    fn no_document_is_another(kind in kinds(), (other, document) in documents()) {
        // R-PARSE-02
        let same = std::mem::discriminant(&kind) == std::mem::discriminant(&other);
        prop_assert_eq!(check(kind, &document), same);
    }
}

#[test]
fn every_limit_holds_in_schema_and_decoder() {
    // R-PARSE-02
    for (kind, place, chars_max) in [
        (Kind::Plan, "/steps/0/step_id", ID_CHARS_MAX),
        (Kind::Plan, "/steps/0/goal", SENTENCE_CHARS_MAX),
        (Kind::Plan, "/steps/0/tool_name", NAME_CHARS_MAX),
        (Kind::Evidence, "/claims/0/claim_id", ID_CHARS_MAX),
        (Kind::Evidence, "/claims/0/text", SENTENCE_CHARS_MAX),
        (Kind::Evidence, "/claims/0/evidence_bindings/0/source_invocation_id", NAME_CHARS_MAX),
        (Kind::Evidence, "/claims/0/evidence_bindings/0/tool_name", NAME_CHARS_MAX),
        (Kind::Evidence, "/claims/0/evidence_bindings/0/raw_path", PATH_CHARS_MAX),
        (Kind::Evidence, "/claims/0/evidence_bindings/0/matched_text", QUOTE_CHARS_MAX),
        (Kind::Evidence, "/hypotheses/0", SENTENCE_CHARS_MAX),
        (Kind::Evidence, "/limitations/0", SENTENCE_CHARS_MAX),
        (Kind::Verification, "/facts/0/fact", SENTENCE_CHARS_MAX),
        (Kind::Verification, "/facts/0/reason", SENTENCE_CHARS_MAX),
        (Kind::Verification, "/allowed_claims/0", ID_CHARS_MAX),
        (Kind::Verification, "/missing_information/0", SENTENCE_CHARS_MAX),
        (Kind::Verification, "/recommendations/0", SENTENCE_CHARS_MAX),
        (Kind::Answer, "/headline", HEADLINE_CHARS_MAX),
        (Kind::Answer, "/claim_order/0", ID_CHARS_MAX),
        (Kind::Answer, "/next_steps/0", SENTENCE_CHARS_MAX),
    ] {
        let with_length = |length: usize| {
            let mut document = kind.full();
            *document.pointer_mut(place).unwrap() = json!("x".repeat(length));
            check(kind, &document)
        };
        assert_eq!((with_length(chars_max), with_length(chars_max + 1)), (true, false), "{place}");
    }
    for (kind, place, items_max) in [
        (Kind::Plan, "/steps", STEPS_MAX),
        (Kind::Evidence, "/claims", CLAIMS_MAX),
        (Kind::Evidence, "/claims/0/evidence_bindings", BINDINGS_MAX),
        (Kind::Evidence, "/hypotheses", SENTENCES_MAX),
        (Kind::Evidence, "/limitations", SENTENCES_MAX),
        (Kind::Verification, "/facts", FACTS_MAX),
        (Kind::Verification, "/allowed_claims", CLAIMS_MAX),
        (Kind::Verification, "/missing_information", SENTENCES_MAX),
        (Kind::Verification, "/recommendations", SENTENCES_MAX),
        (Kind::Answer, "/claim_order", CLAIMS_MAX),
        (Kind::Answer, "/next_steps", SENTENCES_MAX),
    ] {
        let with_items = |count: usize| {
            let mut document = kind.full();
            let items = document.pointer_mut(place).and_then(Value::as_array_mut).unwrap();
            let item = items[0].clone();
            *items = (0..count).map(|index| numbered(&item, index)).collect();
            check(kind, &document)
        };
        assert_eq!((with_items(items_max), with_items(items_max + 1)), (true, false), "{place}");
        assert_eq!(with_items(0), place != "/steps", "{place}");
    }
}

/// `item` with a text or an id of its own.
fn numbered(item: &Value, index: usize) -> Value {
    let mut item = item.clone();
    if item.is_string() {
        return json!(format!("item-{index}"));
    }
    for id in ["step_id", "claim_id"] {
        if item.get(id).is_some() {
            item[id] = json!(format!("item-{index}"));
        }
    }
    item
}

#[test]
fn ids_occur_once() {
    // R-PARSE-02
    for (kind, place) in [
        (Kind::Plan, "/steps"),
        (Kind::Evidence, "/claims"),
        (Kind::Verification, "/allowed_claims"),
        (Kind::Answer, "/claim_order"),
    ] {
        let mut document = kind.full();
        let items = document.pointer_mut(place).and_then(Value::as_array_mut).unwrap();
        items.push(items[0].clone());
        let violation = kind.decode(&document.to_string()).unwrap_err();
        assert!(violation.path.starts_with(&format!("{place}/1")), "{violation:?}");
        assert!(violation.message.ends_with("occurs twice"), "{violation:?}");
    }
}

#[test]
fn no_evidence_must_not_contradict_the_claims() {
    // R-PARSE-02
    let with = |no_evidence: Value, claims: Value| {
        let document = json!({"answer_version": "executor_evidence_v2", "claims": claims, "no_evidence": no_evidence});
        check(Kind::Evidence, &document)
    };
    let claims = Kind::Evidence.full()["claims"].clone();
    assert!(with(json!(true), json!([])));
    assert!(with(json!(false), json!([])));
    assert!(with(json!(false), claims.clone()));
    assert!(!with(json!(true), claims.clone()));
    assert!(!with(json!("yes"), json!([])));
}
