//! Who calls whom, and the walk from where users see a symptom to the deepest entity that explains it.

use crate::evidence::{Observation, Quote};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A call in the graph, with the place that says so.
#[derive(Debug, Clone)]
struct Call {
    to: String,
    quotes: Vec<Quote>,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    calls: BTreeMap<String, Vec<Call>>,
    /// Entities that are only a caller's view of something: they cannot be a cause while something behind is known.
    views: BTreeSet<String>,
    known: BTreeSet<String>,
}

/// Kinds of nodes that stand for the other end of a call that nobody instruments.
const VIEW_KINDS: [&str; 6] = ["remote", "client", "external", "unknown", "loadbalancer", "load_balancer"];

/// How much worse an entity got, in the unit of the symptom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weight {
    pub(crate) score: f64,
    pub(crate) amount: f64,
    /// How often it is called.
    pub(crate) load: Option<f64>,
}

/// Below this an entity counts as unchanged.
pub(crate) const CHANGED: f64 = 0.45;
/// A callee must explain this part of what its caller got worse by.
const EXPLAINED: f64 = 0.2;

impl Graph {
    /// Adds the edges of an output: `edges`, or `calls` that were derived from traces.
    pub(crate) fn read(&mut self, of: usize, observation: &Observation) {
        for list in ["edges", "calls"] {
            let path = format!("/{list}");
            let entries = observation.at(&path).and_then(Value::as_array);
            for index in 0..entries.map_or(0, Vec::len) {
                let end = |name: &str| Quote::value(of, observation, &format!("{path}/{index}/{name}"));
                let (Some(from), Some(to)) = (end("from"), end("to")) else { continue };
                self.known.extend([from.text.clone(), to.text.clone()]);
                let calls = self.calls.entry(from.text.clone()).or_default();
                if !calls.iter().any(|call| call.to == to.text) {
                    calls.push(Call { to: to.text.clone(), quotes: vec![from, to] });
                }
            }
        }
        for node in observation.at("/nodes").and_then(Value::as_array).into_iter().flatten() {
            let text = |name: &str| node.get(name).and_then(Value::as_str);
            if let (Some(id), Some(kind)) = (text("id"), text("kind")) {
                if VIEW_KINDS.contains(&kind.to_lowercase().as_str()) {
                    self.views.insert(id.to_owned());
                }
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    pub(crate) fn has(&self, entity: &str) -> bool {
        self.known.contains(entity)
    }

    pub(crate) fn callees(&self, entity: &str) -> impl Iterator<Item = &str> {
        self.calls.get(entity).into_iter().flatten().map(|call| call.to.as_str())
    }

    /// The places that say that one entity calls another.
    pub(crate) fn quotes(&self, from: &str, to: &str) -> Vec<Quote> {
        let calls = self.calls.get(from).into_iter().flatten();
        calls.filter(|call| call.to == to).flat_map(|call| call.quotes.clone()).collect()
    }

    /// From `start` along the callee that explains most, as long as one does. The last entity is the deepest.
    pub(crate) fn walk(&self, start: &str, weights: &BTreeMap<String, Weight>) -> Vec<String> {
        let mut path = vec![start.to_owned()];
        while let Some(current) = path.last() {
            let own = weights.get(current).copied();
            let mut best: Option<(f64, &str)> = None;
            for next in self.callees(current) {
                let Some(weight) = weights.get(next).filter(|weight| weight.score >= CHANGED) else { continue };
                if path.iter().any(|visited| visited == next) {
                    continue;
                }
                // Another view of the same call never beats what is behind it.
                let view = if self.views.contains(next) { 1e-6 } else { 1.0 };
                let part = view * explained(own, weight);
                if best.is_none_or(|(most, _)| part > most) {
                    best = Some((part, next));
                }
            }
            let Some((part, next)) = best else { break };
            let is_view = self.views.contains(next);
            let is_enough = own.is_none_or(|own| is_view || part >= EXPLAINED * own.amount);
            if !is_enough || is_view && path.len() > 1 {
                break;
            }
            path.push(next.to_owned());
        }
        path
    }
}

/// How much of what a caller got worse by is the doing of what it calls: that one's own change, once for each call.
fn explained(own: Option<Weight>, called: &Weight) -> f64 {
    let calls = own.and_then(|own| own.load).filter(|load| *load > 0.0);
    let share = calls.zip(called.load).map_or(1.0, |(own, called)| (called / own).min(1.0));
    called.amount * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Body;
    use serde_json::json;

    fn walk(edges: &[(&str, &str)], weights: &[(&str, f64, f64)]) -> String {
        let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
        let observation = Observation {
            invocation_id: "inv-1".into(),
            tool: "get_topology".into(),
            arguments: serde_json::Map::new(),
            body: Body::Json(json!({"edges": edges, "nodes": [{"id": "lb", "kind": "remote"}]})),
        };
        let mut graph = Graph::default();
        graph.read(0, &observation);
        let weights = weights
            .iter()
            .map(|(name, score, amount)| ((*name).to_owned(), Weight { score: *score, amount: *amount, load: None }))
            .collect();
        graph.walk("web", &weights).join(" > ")
    }

    #[test]
    fn the_walk_ends_at_the_deepest_entity_that_explains_the_symptom() {
        let edges = [("web", "cart"), ("web", "pay"), ("cart", "db"), ("pay", "db")];
        let deep = [("web", 0.9, 0.5), ("cart", 0.9, 0.45), ("db", 0.9, 0.4)];
        assert_eq!(walk(&edges, &deep), "web > cart > db");
        let middle = [("web", 0.9, 0.5), ("cart", 0.9, 0.45), ("db", 0.2, 0.01)];
        assert_eq!(walk(&edges, &middle), "web > cart", "the database did not change");
        let little = [("web", 0.9, 0.5), ("cart", 0.9, 0.45), ("db", 0.9, 0.01)];
        assert_eq!(walk(&edges, &little), "web > cart", "the database changed, but explains too little");
        assert_eq!(walk(&edges, &[("web", 0.9, 0.5)]), "web");
    }

    #[test]
    fn a_callers_view_does_not_hide_what_is_behind_it() {
        let edges = [("web", "lb"), ("web", "cart")];
        assert_eq!(walk(&edges, &[("web", 0.9, 0.5), ("lb", 0.9, 2.0), ("cart", 0.9, 0.4)]), "web > cart");
        assert_eq!(walk(&edges, &[("web", 0.9, 0.5), ("lb", 0.9, 2.0)]), "web > lb", "nothing behind it is known");
    }

    #[test]
    fn a_circle_ends() {
        assert_eq!(walk(&[("web", "a"), ("a", "web")], &[("web", 0.9, 1.0), ("a", 0.9, 1.0)]), "web > a");
    }
}
