//! What a metric measures, by its name and unit, and so which direction is bad.

use super::kinds::Kind;

/// What a metric measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meaning {
    Latency,
    Errors,
    Availability,
    Cpu,
    Memory,
    /// What is left of something: free storage, free memory, burst credits.
    FreeStorage,
    FreeMemory,
    Credits,
    ReplicaLag,
    Connections,
    Writes,
    Reads,
    IoLatency,
    Queue,
    DatabaseLoad,
    Locks,
    Restarts,
    /// Requests, bytes and what else is neither good nor bad.
    Load,
}

/// The first row with a word of each group in the name decides. Names are compared in lower case without separators.
const NAMES: &[(Meaning, &[&[&str]])] = &[
    (Meaning::ReplicaLag, &[&["replicalag", "replicationlag", "secondsbehind", "slavelag"]]),
    (Meaning::FreeStorage, &[&["free", "available"], &["storage", "disk", "space", "filesystem"]]),
    (Meaning::FreeMemory, &[&["freeable", "free", "available"], &["memory", "mem"]]),
    (Meaning::Credits, &[&["credit", "burstbalance"], &["balance", "credit"]]),
    (Meaning::Locks, &[&["deadlock", "lockwait", "blockedtransactions", "lockcount"]]),
    (Meaning::IoLatency, &[&["read", "write", "commit", "disk", "io", "fsync"], &["latency", "await"]]),
    (
        Meaning::Queue,
        &[&["queue", "backlog", "pending"], &["depth", "length", "size", "messages", "queue", "tasks", "age"]],
    ),
    (
        Meaning::Errors,
        &[&[
            "error",
            "fault",
            "failure",
            "failed",
            "exception",
            "5xx",
            "4xx",
            "throttle",
            "timeout",
            "dropped",
            "rejected",
        ]],
    ),
    (
        Meaning::Availability,
        &[&["availability", "successrate", "successratio", "uptime", "healthyhost", "readyreplicas"]],
    ),
    (Meaning::Restarts, &[&["restart"]]),
    (Meaning::Latency, &[&["latency", "duration", "responsetime", "elapsed", "waittime", "p99", "p95", "p90"]]),
    (Meaning::Cpu, &[&["cpu", "processor"]]),
    (Meaning::DatabaseLoad, &[&["dbload", "activesessions", "databaseload"]]),
    (Meaning::Connections, &[&["connections", "connectioncount", "openconnections"]]),
    (
        Meaning::Writes,
        &[&[
            "writeiops",
            "transactionlogsgeneration",
            "walgeneration",
            "writethroughput",
            "writeops",
            "bytesgenerated",
        ]],
    ),
    (Meaning::Reads, &[&["readiops", "readthroughput", "readops"]]),
    (Meaning::Memory, &[&["memory", "mem", "heap", "rss", "workingset"]]),
    (Meaning::Latency, &[&["time"], &["response", "request", "query", "server", "service"]]),
];

/// Which way a metric goes when things get worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Worse {
    Higher,
    Lower,
    Neither,
}

impl Meaning {
    pub(crate) fn of(metric: &str) -> Self {
        let name: String = metric.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        let has = |group: &&[&str]| group.iter().any(|word| name.contains(word));
        NAMES.iter().find(|(_, groups)| groups.iter().all(has)).map_or(Self::Load, |(meaning, _)| *meaning)
    }

    pub(crate) const fn worse(self) -> Worse {
        match self {
            Self::Latency
            | Self::Errors
            | Self::Cpu
            | Self::Memory
            | Self::ReplicaLag
            | Self::Writes
            | Self::Reads
            | Self::IoLatency
            | Self::Queue
            | Self::DatabaseLoad
            | Self::Locks
            | Self::Restarts => Worse::Higher,
            Self::Availability | Self::FreeStorage | Self::FreeMemory | Self::Credits => Worse::Lower,
            Self::Connections | Self::Load => Worse::Neither,
        }
    }

    /// The kind that a change for the worse is a sign of.
    pub(crate) const fn kind(self) -> Option<Kind> {
        match self {
            Self::Latency | Self::Queue => Some(Kind::Latency),
            Self::Errors => Some(Kind::ErrorRate),
            Self::Availability => Some(Kind::Availability),
            Self::Cpu => Some(Kind::CpuSaturation),
            Self::Memory | Self::FreeMemory => Some(Kind::MemoryPressure),
            Self::FreeStorage => Some(Kind::StorageFull),
            Self::Credits => Some(Kind::CreditsExhausted),
            Self::ReplicaLag => Some(Kind::ReplicationLag),
            Self::Writes => Some(Kind::WriteSurge),
            Self::Reads => Some(Kind::ReadSurge),
            Self::IoLatency => Some(Kind::IoLatency),
            Self::DatabaseLoad => Some(Kind::DatabaseLoad),
            Self::Locks => Some(Kind::LockWaits),
            Self::Restarts => Some(Kind::Restarts),
            Self::Connections | Self::Load => None,
        }
    }

    /// Whether users see it: these are followed along the call graph.
    pub(crate) const fn is_symptom(self) -> bool {
        matches!(self, Self::Latency | Self::Errors | Self::Availability)
    }
}

#[cfg(test)]
mod tests {
    use super::Meaning;

    #[test]
    fn a_name_says_what_is_measured() {
        for (metric, meaning) in [
            ("latency.p99", Meaning::Latency),
            ("http_request_duration_seconds", Meaning::Latency),
            ("availability.Average", Meaning::Availability),
            ("SuccessRate", Meaning::Availability),
            ("http_5xx_total", Meaning::Errors),
            ("CPUUtilization", Meaning::Cpu),
            ("CpuUsageRate", Meaning::Cpu),
            ("container_memory_working_set_bytes", Meaning::Memory),
            ("FreeStorageSpace", Meaning::FreeStorage),
            ("FreeableMemory", Meaning::FreeMemory),
            ("BurstBalance", Meaning::Credits),
            ("ReplicaLag", Meaning::ReplicaLag),
            ("DatabaseConnections", Meaning::Connections),
            ("WriteIOPS", Meaning::Writes),
            ("WriteLatency", Meaning::IoLatency),
            ("DBLoad", Meaning::DatabaseLoad),
            ("DiskQueueDepth", Meaning::Queue),
            ("requests.Sum", Meaning::Load),
            ("NetworkReceiveBytes", Meaning::Load),
        ] {
            assert_eq!(Meaning::of(metric), meaning, "{metric}");
        }
    }
}
