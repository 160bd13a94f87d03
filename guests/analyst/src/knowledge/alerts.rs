//! What an alert complains of, by the words of its title. That is what a diagnosis has to explain first.

use super::kinds::Kind;
use super::signs;

/// The first row with a word in the title decides; a title may name more than one thing.
const TITLES: &[(Kind, &[&str])] = &[
    (Kind::ReplicationLag, &["replication lag", "replica lag", "replicalag"]),
    (Kind::ConnectionDrop, &["connection drop", "connections drop"]),
    (
        Kind::ConnectionsExhausted,
        &["connection exhaustion", "connection count", "connections high", "too many connections"],
    ),
    (Kind::StorageFull, &["storage", "disk space", "free space"]),
    (Kind::CpuSaturation, &["cpu"]),
    (Kind::MemoryPressure, &["memory"]),
    (Kind::Latency, &["latency", "slow", "response time"]),
    (Kind::ErrorRate, &["error rate", "5xx", "errors"]),
    (Kind::Availability, &["availability", "is down", "appdown", "outage"]),
    (Kind::PodPending, &["pending"]),
    (Kind::NodeNotReady, &["node unhealthy", "notready", "not ready"]),
    (Kind::Restarts, &["restart"]),
];

/// The kinds that a title names.
pub(crate) fn kinds(title: &str) -> Vec<Kind> {
    let lower = title.to_lowercase();
    let named = TITLES.iter().filter(|(_, words)| words.iter().any(|word| lower.contains(word))).map(|(kind, _)| *kind);
    let mut kinds: Vec<Kind> = signs::classify(title).into_iter().chain(named).collect();
    kinds.dedup();
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_names_what_is_to_be_explained() {
        for (title, expected) in [
            ("Replication lag critical on reports", &[Kind::ReplicationLag][..]),
            ("Connection exhaustion and CPU saturation", &[Kind::ConnectionsExhausted, Kind::CpuSaturation]),
            ("CrashLoopBackOff of web", &[Kind::CrashLoop]),
            ("What is the issue with web?", &[]),
        ] {
            assert_eq!(kinds(title), expected, "{title}");
        }
    }
}
