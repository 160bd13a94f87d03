//! Entities compared by their spans: failing ones, and those that became slow by themselves.

use super::Readings;
use crate::evidence::{Observation, Quote};
use crate::finding::{Finding, Health, Source, State};
use crate::knowledge::Kind;
use crate::subject::Subject;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// So many spans on each side make a comparison.
const LEAST_SPANS: u64 = 5;
/// The own time must grow so much to count, in its middle or at its worst.
const SLOWER: f64 = 1.6;
const MUCH_SLOWER: f64 = 5.0;
/// Spans that take at most so much longer take as long as before.
const STEADY: f64 = 1.5;
/// Milliseconds below which nobody waits.
const NEGLIGIBLE: f64 = 20.0;

pub(crate) fn read(of: usize, observation: &Observation, subject: &Subject, readings: &mut Readings) {
    let entries = observation.at("/entities").and_then(Value::as_array).map_or(0, Vec::len);
    for index in 0..entries {
        let path = format!("/entities/{index}");
        let number = |place: &str| observation.at(&format!("{path}/{place}")).and_then(Value::as_f64);
        let count = |side: &str| observation.at(&format!("{path}/{side}/count")).and_then(Value::as_u64).unwrap_or(0);
        let Some(entity) = Quote::value(of, observation, &format!("{path}/entity")) else { continue };
        let quote = |place: &str| Quote::value(of, observation, &format!("{path}/{place}"));
        let mut push = |kind: Kind, text: String, strength: f64, places: &[&str]| {
            let mut quotes: Vec<Quote> = places.iter().filter_map(|place| quote(place)).collect();
            quotes.push(entity.clone());
            readings.findings.push(Finding {
                kind,
                entity: entity.text.clone(),
                object: None,
                source: Source::Trace,
                state: State::Active,
                strength,
                time: None,
                text,
                quotes,
            });
        };
        let words = |place: &str| quote(place).map(|quote| quote.text).unwrap_or_default();
        let (errors_before, errors_after) =
            (number("before/errors").unwrap_or(0.0), number("after/errors").unwrap_or(0.0));
        if errors_after > 0.0 && errors_after > 2.0 * errors_before {
            let text = format!("{} of {} spans failed after the onset", words("after/errors"), words("after/count"));
            push(Kind::ErrorRate, text, 0.6, &["after/errors", "after/count"]);
        }
        if count("before") < LEAST_SPANS || count("after") < LEAST_SPANS {
            continue;
        }
        let rise = |name: &str| {
            let (before, after) =
                (number(&format!("before/self_ms/{name}"))?, number(&format!("after/self_ms/{name}"))?);
            (after > NEGLIGIBLE || name == "median").then(|| after / before.max(0.1))
        };
        let (middle, worst) = (rise("median").unwrap_or(1.0), rise("max").unwrap_or(1.0));
        if worst >= MUCH_SLOWER || middle >= MUCH_SLOWER || middle >= SLOWER && worst >= SLOWER {
            let text = format!(
                "its own time rose from a median of {} ms (at most {} ms) to a median of {} ms (at most {} ms)",
                words("before/self_ms/median"),
                words("before/self_ms/max"),
                words("after/self_ms/median"),
                words("after/self_ms/max")
            );
            let places = ["before/self_ms/median", "before/self_ms/max", "after/self_ms/median", "after/self_ms/max"];
            push(Kind::SlowOperation, text, if worst >= MUCH_SLOWER && middle >= SLOWER { 0.8 } else { 0.5 }, &places);
            continue;
        }
        let duration = |side: &str, name: &str| number(&format!("{side}/duration_ms/{name}"));
        let durations = ["median", "max"].map(|name| duration("before", name).zip(duration("after", name)));
        let is_as_fast = durations.iter().all(|pair| pair.is_some_and(|(before, after)| after <= STEADY * before));
        let quotes = ["before/duration_ms/median", "after/duration_ms/median"].map(quote);
        if let ([Some(before), Some(after)], true, true) =
            (quotes, is_as_fast && errors_after <= 0.0, subject.covers(&entity.text))
        {
            readings.health.push(Health {
                text: format!(
                    "spans of {} took a median of {} ms before and {} ms after, and none failed",
                    entity.text, before.text, after.text
                ),
                entity: entity.text.clone(),
                is_recovery: false,
                time: None,
                quotes: vec![before, after],
            });
        }
    }
}

/// So many calls on each side make a comparison.
const LEAST_CALLS: u64 = 3;

/// Calls whose way there and back became slow: of the entities at their ends, the one with most of them is to blame.
pub(crate) fn read_calls(of: usize, observation: &Observation, readings: &mut Readings) {
    let entries = observation.at("/calls").and_then(Value::as_array).map_or(0, Vec::len);
    let mut slow: BTreeMap<String, Vec<(f64, usize)>> = BTreeMap::new();
    for index in 0..entries {
        let path = format!("/calls/{index}");
        let number = |place: &str| observation.at(&format!("{path}/{place}")).and_then(Value::as_f64);
        let count = |side: &str| observation.at(&format!("{path}/{side}/count")).and_then(Value::as_u64).unwrap_or(0);
        let (Some(before), Some(after)) = (number("before/gap_ms/median"), number("after/gap_ms/median")) else {
            continue;
        };
        let is_slow = after >= NEGLIGIBLE && after >= MUCH_SLOWER * before.max(0.1);
        if !is_slow || count("before") < LEAST_CALLS || count("after") < LEAST_CALLS {
            continue;
        }
        for end in ["from", "to"] {
            if let Some(entity) = Quote::value(of, observation, &format!("{path}/{end}")) {
                slow.entry(entity.text).or_default().push((after - before, index));
            }
        }
    }
    let total = |calls: &[(f64, usize)]| calls.iter().map(|(rise, _)| rise).sum::<f64>();
    let worst = slow.iter().max_by(|(_, a), (_, b)| a.len().cmp(&b.len()).then(total(a).total_cmp(&total(b))));
    let Some((entity, calls)) = worst else { return };
    let Some((_, index)) = calls.iter().max_by(|(a, _), (b, _)| a.total_cmp(b)) else { return };
    let path = format!("/calls/{index}");
    let quote = |place: &str| Quote::value(of, observation, &format!("{path}/{place}"));
    if !is_shared(entity, calls, observation) {
        // A caller that works longer beside its calls looks the same.
        let ends = ["from", "to"].map(|end| quote(end).map(|quote| quote.text).unwrap_or_default());
        readings.hypotheses.push(format!(
            "calls of {} to {} wait longer: either the network between them is slow, or {} itself is",
            ends[0], ends[1], ends[0]
        ));
        return;
    }
    let quotes: Vec<Quote> =
        ["before/gap_ms/median", "after/gap_ms/median", "from", "to"].iter().filter_map(|place| quote(place)).collect();
    let [before, after, from, to] = quotes.as_slice() else { return };
    let text = format!(
        "calls of {} to {} spent a median of {} ms on the way before, and {} ms after",
        from.text, to.text, before.text, after.text
    );
    readings.findings.push(Finding {
        kind: Kind::NetworkDelay,
        entity: entity.clone(),
        object: None,
        source: Source::Trace,
        state: State::Active,
        strength: 0.8,
        time: None,
        text,
        quotes,
    });
}

/// Whether slow calls show that the network of their common end is slow, not the work of one that calls: at least two
/// calls with different other ends, one of which comes in.
fn is_shared(entity: &str, calls: &[(f64, usize)], observation: &Observation) -> bool {
    let end = |index: usize, end: &str| observation.at(&format!("/calls/{index}/{end}")).and_then(Value::as_str);
    let comes_in = |index: usize| end(index, "to") == Some(entity);
    let others: BTreeSet<&str> =
        calls.iter().filter_map(|(_, index)| end(*index, if comes_in(*index) { "from" } else { "to" })).collect();
    others.len() >= 2 && calls.iter().any(|(_, index)| comes_in(*index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Body;
    use serde_json::{Map, json};

    fn found(before: &Value, after: &Value) -> Vec<Kind> {
        let observation = Observation {
            invocation_id: "inv-1".into(),
            tool: "query_traces".into(),
            arguments: Map::new(),
            body: Body::Json(json!({"entities": [{"entity": "web", "before": before, "after": after}]})),
        };
        let mut readings = Readings::default();
        read(0, &observation, &Subject::default(), &mut readings);
        readings.findings.into_iter().map(|finding| finding.kind).collect()
    }

    #[test]
    fn a_slow_network_is_blamed_on_the_end_that_slow_calls_share() {
        let side = |median: f64| json!({"count": 9, "errors": 0, "gap_ms": {"median": median, "max": 2.0 * median}});
        let call = |from: &str, to: &str, after: f64| json!({"from": from, "to": to, "before": side(2.0), "after": side(after)});
        let observation = Observation {
            invocation_id: "inv-1".into(),
            tool: "query_traces".into(),
            arguments: Map::new(),
            body: Body::Json(
                json!({"calls": [call("web", "cart", 90.0), call("cart", "db", 80.0), call("web", "pay", 2.5)]}),
            ),
        };
        let mut readings = Readings::default();
        read_calls(0, &observation, &mut readings);
        let found: Vec<_> = readings.findings.iter().map(|finding| (finding.kind, finding.entity.as_str())).collect();
        assert_eq!(found, [(Kind::NetworkDelay, "cart")]);
    }

    #[test]
    fn a_longer_wait_of_one_caller_is_not_yet_a_slow_network() {
        let side = |median: f64| json!({"count": 9, "errors": 0, "gap_ms": {"median": median, "max": median}});
        let call = |from: &str, to: &str| json!({"from": from, "to": to, "before": side(2.0), "after": side(90.0)});
        for (calls, expected) in [
            (vec![call("web", "db")], 0),
            (vec![call("web", "cart"), call("web", "db")], 0),
            (vec![call("web", "db"), call("cart", "db")], 1),
        ] {
            let observation = Observation {
                invocation_id: "inv-1".into(),
                tool: "query_traces".into(),
                arguments: Map::new(),
                body: Body::Json(json!({ "calls": calls })),
            };
            let mut readings = Readings::default();
            read_calls(0, &observation, &mut readings);
            assert_eq!((readings.findings.len(), readings.hypotheses.len()), (expected, 1 - expected), "{calls:?}");
        }
    }

    #[test]
    fn spans_that_took_as_long_as_before_are_well() {
        let side = |median: f64, errors: u64| {
            json!({"count": 20, "errors": errors, "self_ms": {"median": 2.0, "max": 3.0},
            "duration_ms": {"median": median, "max": 2.0 * median}})
        };
        for (after, expected) in [(side(11.0, 0), 1), (side(30.0, 0), 0), (side(10.0, 1), 0)] {
            let observation = Observation {
                invocation_id: "inv-1".into(),
                tool: "query_traces".into(),
                arguments: Map::new(),
                body: Body::Json(json!({"entities": [{"entity": "web", "before": side(10.0, 0), "after": after}]})),
            };
            let mut readings = Readings::default();
            read(0, &observation, &Subject::default(), &mut readings);
            assert_eq!(readings.health.len(), expected, "{after}");
        }
    }

    #[test]
    fn failing_and_slow_spans() {
        let side = |errors: u64, median: f64, max: f64| json!({"count": 20, "errors": errors, "self_ms": {"median": median, "max": max}});
        assert!(found(&side(0, 2.0, 4.0), &side(0, 2.1, 6.0)).is_empty());
        assert_eq!(found(&side(0, 2.0, 4.0), &side(7, 2.0, 4.0)), [Kind::ErrorRate]);
        assert_eq!(found(&side(0, 2.0, 4.0), &side(0, 4.0, 190.0)), [Kind::SlowOperation]);
        assert!(found(&json!({"count": 0, "errors": 0}), &side(0, 4.0, 190.0)).is_empty(), "nothing to compare with");
    }
}
