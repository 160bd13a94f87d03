//! What sort of evidence a tool gives, by its name.

use crate::finding::Source;

/// The first row with a word in the name decides.
const WORDS: &[(Source, &[&str])] = &[
    (Source::Graph, &["topology", "service_map", "call_graph", "dependency_graph"]),
    (Source::Document, &["document", "webpage", "runbook", "wiki", "confluence"]),
    (Source::Change, &["change", "deploys", "rollout", "release", "commit", "pull_request", "history"]),
    (Source::Trace, &["trace", "span", "tempo", "jaeger"]),
    (Source::Load, &["insight", "top_sql", "slow_quer"]),
    (Source::Alert, &["finding", "alert", "monitor", "issue", "rule"]),
    (Source::Event, &["event"]),
    (Source::Log, &["log"]),
    (Source::Metric, &["metric", "promql", "cloudwatch", "timeseries"]),
];

/// Anything else shows the state of something: pods, nodes, claims.
pub(crate) fn source_of(tool: &str) -> Source {
    let name = tool.to_lowercase();
    WORDS
        .iter()
        .find(|(_, words)| words.iter().any(|word| name.contains(word)))
        .map_or(Source::Status, |(source, _)| *source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_name_says_what_sort_of_evidence_it_gives() {
        for (tool, source) in [
            ("query_logs", Source::Log),
            ("fetch_pod_logs", Source::Log),
            ("query_metrics", Source::Metric),
            ("get_rds_events", Source::Event),
            ("get_performance_insights", Source::Load),
            ("list_changes", Source::Change),
            ("fetch_configuration_changes_metadata", Source::Change),
            ("query_traces", Source::Trace),
            ("kubectl_describe", Source::Status),
            ("list_eks_deployments", Source::Status),
            ("search_documents", Source::Document),
            ("get_topology", Source::Graph),
            ("query_datadog_monitors", Source::Alert),
        ] {
            assert_eq!(source_of(tool), source, "{tool}");
        }
    }
}
