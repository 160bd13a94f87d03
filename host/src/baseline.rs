//! The design baseline as the command line shows it: the core's tables with the limits of the rooms that hold them.

use crate::config::Config;
use portcullis_core::baseline::{LimitRow, markdown as core_markdown};
use portcullis_core::graph;
use portcullis_core::route::{LONGEST_RUN, Node, Route};
use portcullis_plugins::{Limits, Role};
use serde::Serialize;

/// One arrow of the graph, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Arrow {
    pub from: &'static str,
    pub outcomes: Vec<String>,
    /// A node, the same node again, or `end`.
    pub to: &'static str,
    pub retry: bool,
}

pub fn arrows() -> Vec<Arrow> {
    graph::arrows()
        .into_iter()
        .map(|arrow| {
            let (to, retry) = match arrow.to {
                Route::Enter(node) => (node.as_str(), false),
                Route::Retry(node) => (node.as_str(), true),
                Route::Finish => ("end", false),
            };
            Arrow { from: arrow.from.as_str(), outcomes: arrow.outcomes, to, retry }
        })
        .collect()
}

/// Every node path that a run can take, shortest first.
pub fn paths() -> Vec<String> {
    graph::paths().iter().map(ToString::to_string).collect()
}

pub const fn longest_run() -> usize {
    LONGEST_RUN
}

/// The routing table for a terminal.
pub fn text() -> String {
    let mut lines = Vec::new();
    let mut from = "";
    for arrow in arrows() {
        if arrow.from != from {
            from = arrow.from;
            lines.push(from.to_owned());
        }
        let again = if arrow.retry { " again, same bytes" } else { "" };
        lines.push(format!("  -> {}{again}", arrow.to));
        lines.extend(arrow.outcomes.iter().map(|outcome| format!("       {outcome}")));
    }
    lines.push(format!("longest run: {LONGEST_RUN} visits, {} distinct paths", graph::paths().len()));
    lines.join("\n")
}

/// The graph for a Mermaid renderer.
pub fn mermaid() -> String {
    let mut lines = vec!["flowchart TD".to_owned()];
    lines.extend(Node::ALL.iter().map(|node| format!("  {}", node.as_str())));
    for arrow in arrows() {
        let line = if arrow.retry { "-.->" } else { "-->" };
        lines.push(format!("  {} {line} {}", arrow.from, arrow.to));
    }
    lines.join("\n")
}

/// `docs/baseline.md`.
pub fn markdown() -> String {
    core_markdown(&limits())
}

/// Every default limit, from the rooms that hold them.
fn limits() -> Vec<LimitRow> {
    let row = |name: &str, value: String| LimitRow { name: name.to_owned(), value };
    let seconds = |duration: std::time::Duration| format!("{} s", duration.as_secs_f64());
    let config = Config::default();
    let attempt = Limits::of(Role::Planner);
    let executor = Limits::of(Role::Executor);
    vec![
        row("nodes a run visits at most", LONGEST_RUN.to_string()),
        row("technical retries of planner, verifier and composer, a round", "1 each".into()),
        row("evidence retries a run", "1".into()),
        row("wall time of a run", seconds(config.run.wall)),
        row("agent invocations of a run", config.run.invocations.to_string()),
        row("tool calls of a run", config.tools.limits.calls.to_string()),
        row("identical tool calls of a run", config.tools.limits.identical_calls.to_string()),
        row("bytes of one tool output", config.tools.limits.output.to_string()),
        row("memory of an attempt, bytes", attempt.memory.to_string()),
        row("guest compute time of an attempt", seconds(attempt.compute)),
        row("wall time of an attempt", seconds(attempt.wall)),
        row("wall time of an executor attempt", seconds(executor.wall)),
        row("output of an attempt, bytes", attempt.output.to_string()),
        row("invocations of an attempt", attempt.invocations.to_string()),
    ]
}
