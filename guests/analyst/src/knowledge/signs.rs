//! Words that give a kind of fault away, wherever they stand: in a log line, an event, a reason, a status.
//!
//! The first sign that fits decides, so the more telling ones come first.

use super::kinds::Kind;

/// A kind is meant when all groups have a word in the text. Everything is in lower case.
struct Sign {
    kind: Kind,
    groups: &'static [&'static [&'static str]],
}

macro_rules! signs {
    ($($kind:ident: $([$($word:literal)+])+;)+) => {
        const SIGNS: &[Sign] = &[$(Sign { kind: Kind::$kind, groups: &[$(&[$($word),+]),+] },)+];
    };
}

signs! {
    // Kubernetes: scheduling and volumes.
    StorageClass: ["storageclass" "storage class"] ["not found" "does not exist" "no volume plugin"];
    NodeSelector: ["match pod's node affinity" "match node selector" "didn't match node selector" "node affinity/selector"];
    Taint: ["untolerated taint" "taints that the pod didn't tolerate" "had taint"];
    UnboundVolume: ["unbound immediate persistentvolumeclaim" "unbound persistentvolumeclaim" "waiting for a volume to be created"];
    UnboundVolume: ["persistentvolumeclaim"] ["not found"];
    InsufficientResources: ["nodes are available" "node(s)" "failedscheduling" "unschedulable"] ["insufficient "];
    InsufficientResources: ["insufficient cpu" "insufficient memory" "insufficient nvidia.com" "insufficient ephemeral-storage" "too many pods"];
    QuotaExceeded: ["exceeded quota" "quota exceeded" "resourcequota" "exceeds quota"];
    VolumeMount: ["failedmount" "failedattachvolume" "unable to attach or mount" "mountvolume.setup failed" "multi-attach error"];
    Unschedulable: ["failedscheduling" "unschedulable" "nodes are available:"];

    // Kubernetes: images, containers, probes.
    ImagePull: ["errimagepull" "imagepullbackoff" "errimageneverpull" "invalidimagename" "failed to pull image" "back-off pulling image" "manifest unknown" "pull access denied"];
    ImagePull: ["image"] ["can't be pulled" "cannot be pulled" "failed to pull" "failed to resolve reference"];
    OutOfMemory: ["oomkilled" "out of memory" "outofmemoryerror" "oom-kill" "oom kill" "cannot allocate memory" "memory cgroup out of memory" "heap space" "container exceeded memory limit"];
    LivenessProbe: ["liveness probe failed" "failed liveness probe" "liveness probe errored" "killing unhealthy container"];
    ReadinessProbe: ["readiness probe failed" "readiness probe errored" "startup probe failed" "failed startup probe"];
    MissingConfig: ["createcontainerconfigerror" "configmap" "secret"] ["not found" "couldn't find key" "does not exist"];
    BadCommand: ["executable file not found" "no such file or directory: unknown" "exec format error" "runcontainererror" "createcontainererror" "starterror" "containercannotrun" "command not found"];

    // Nodes.
    NodeNotReady: ["nodenotready" "node is not ready" "nodelost" "kubelet stopped posting node status" "nodestatusunknown"];
    NodePressure: ["nodehasdiskpressure" "nodehasinsufficientmemory" "nodehasinsufficientpid" "evictionthresholdmet" "node had condition: [diskpressure]" "node had condition: [memorypressure]" "node had condition: [pidpressure]" "freediskspacefailed"];
    Evicted: ["evicted" "nodecontrollereviction" "taintmanagereviction" "the node was low on resource"];
    AutoscalerMax: ["toomanyreplicas" "more than the maximum replica count" "maxreplicas reached" "reached max replicas" "at maximum replicas" "already at max"];
    CpuThrottling: ["cputhrottling" "cpu throttling" "throttled_periods" "cfs_throttled"];

    // Names, networks, calls.
    Dns: ["enotfound" "nameresolutionerror" "name resolution" "name or service not known" "no such host" "could not resolve host" "could not resolve" "unable to resolve" "failed to resolve" "nodename nor servname" "nxdomain" "servfail" "eai_again" "unknownhostexception" "getaddrinfo" "dns lookup failed" "lookup failed"];
    NetworkPolicy: ["networkpolicy" "network policy"] ["deny" "denies" "denied" "block"];
    DependencyMissing: ["no instances available for" "no healthy upstream" "no live upstreams" "no available server" "no servers available for service"];
    NoEndpoints: ["no endpoints available" "has no endpoints" "no endpoints found"];
    Certificate: ["certificate has expired" "certificate expired" "certificate verify failed" "x509:" "tls handshake failed" "certificate is not valid" "pkix path"];
    ConnectionLeak: ["idle in transaction" "connection leak" "leaked connection"];
    ConnectionsExhausted: ["too many connections" "too many clients" "remaining connection slots" "max_connections" "approaching the maximum" "connection limit" "new connections may be refused" "exceeded maximum connections"];
    PoolExhausted: ["pool exhausted" "pool is exhausted" "connection pool timeout" "connection pool exhausted" "connection is not available, request timed out" "queuepool limit" "timed out waiting for a connection from the pool" "timeout waiting for connection from pool" "unable to acquire a connection" "no free connections in pool" "pool empty"];
    LoginFailure: ["authentication failed" "invalid credentials" "access token expired" "token has expired" "token is expired" "expiredtoken" "invalid password" "login failed" "unauthenticated" "authenticationfailure" "credentials have been rotated" "401 unauthorized" "access denied for user" "role \"" ] ["fail" "invalid" "expired" "unauth" "denied" "rotated" "does not exist"];
    PermissionDenied: ["forbidden" "permission denied" "access denied" "accessdenied" "not authorized to" "unauthorizedoperation" "operation not permitted" "rbac" "eacces"] ["forbidden" "denied" "not authorized" "unauthorized" "not permitted" "cannot" "eacces"];
    RateLimited: ["throttlingexception" "throttled" "rate exceeded" "rate limit" "too many requests" "provisionedthroughputexceeded" "quota exhausted" "429 too many" "toomanyrequests"];
    DatabaseConnection: ["database" "postgres" "mysql" "mongodb" "redis" "db query" "jdbc" "sqlstate"] ["connection failed" "failed to connect" "could not connect" "unable to connect" "cannot connect" "can't connect" "connection refused" "econnrefused" "connection timed out" "connection timeout" "etimedout" "no available connection" "unable to establish" "unavailable" "connection terminated" "connection reset"];
    ConnectionFailure: ["connection refused" "econnrefused" "failed to connect" "could not connect" "unable to connect" "cannot connect" "can't connect" "connection failed" "no available connection" "connection timed out" "etimedout" "no route to host" "network is unreachable" "connection reset" "econnreset" "host unreachable" "failed to establish a new connection" "connection error" "all host(s) tried" "connect timeout" "upstream connect error"];

    // Programs and their configuration.
    SyntaxError: ["syntax error" "syntaxerror" "unexpected token" "unexpected end of file" "parse error"];
    MissingVariable: ["environment variable" "env var" "environ"] ["undefined" "not set" "unset" "missing" "is required" "not defined" "must be set" "not provided"];
    MissingVariable: ["keyerror: '" "missing required environment" "missing required env"];
    BadConfig: ["invalid config" "configuration error" "config error" "failed to load config" "failed to parse config" "invalid value for" "missing required config" "invalidconfiguration" "configuration is invalid" "misconfigur" "unknown configuration"];
    DiskFull: ["no space left on device" "disk full" "disk is full" "enospc" "filesystem is full"];

    // Databases.
    StorageFull: ["ran out of storage" "critically low" "is getting low" "is low at" "capacity is low" "insufficient storage" "storage-full" "storage full" "free storage space" "has been exhausted"] ["storage"];
    ReplicationBroken: ["replication has stopped" "replication stopped" "read replica has been disconnected" "replication terminated" "replication error" "replication slot was invalidated"];
    ReplicationLag: ["replication lag" "replica lag" "behind the source" "behind the primary" "behind primary" "seconds_behind_master"];
    Deadlock: ["deadlock"];
    LockWaits: ["lock wait timeout" "could not obtain lock" "canceling statement due to lock timeout" "still waiting for" "lock timeout"];
    Wraparound: ["wraparound" "database is not accepting commands to avoid"];
    CheckpointLoad: ["checkpoints are occurring too frequently" "checkpoint starting" "checkpoint complete"];
    Failover: ["failover" "promoted to primary" "is being promoted"];
    Maintenance: ["maintenance" "minor version upgrade" "applying pending" "patching" "backing up" "backup"];
    InstanceRestart: ["instance restarted" "instance restarting" "db instance shutdown" "rebooted" "restarted in recovery" "instance was restarted" "crash recovery" "recovery of the db instance"];
    ConfigChange: ["parameter group" "configuration change" "modification of"] ["updated" "changed" "applied" "modif" "finished"];

    // States and symptoms.
    CrashLoop: ["crashloopbackoff" "crashloop" "crash loop" "back-off restarting failed container" "is crash looping"];
    JobFailed: ["backofflimitexceeded" "job has reached the specified backoff limit" "kubejobfailed" "job failed" "deadlineexceeded: job"];
    RolloutStuck: ["progressdeadlineexceeded" "timed out progressing" "exceeded its progress deadline"];
    Unavailable: ["minimumreplicasunavailable" "does not have minimum availability" "has not matched the expected number of replicas" "replicas mismatch" "pod(s) are not ready"];
    PodNotReady: ["containersnotready" "containers with unready status"];
    Timeout: ["timed out" "timeout" "deadline exceeded" "context deadline"];
    Latency: ["taking longer than" "takes longer than" "high latency" "latency is high" "slow response" "response time is high"];
    SlowOperation: ["slow query" "slow sql" "slow request"];
    NotFound: ["no resources found" "(notfound)" "not found in namespace" "no pods found" "no matching resources" "does not exist in namespace"];
}

/// Words that a failing program writes when it says no more.
const ERROR_WORDS: [&str; 8] = ["error", "exception", "fatal", "panic", "traceback", "failed", "failure", "segfault"];
/// Words of a good end: what was wrong is over, or nothing is.
const RECOVERY_WORDS: [&str; 19] = [
    "recovered",
    "resolved",
    "successfully",
    "completed",
    "complete.",
    "is available",
    "reconnected",
    "back to normal",
    "accepting connections",
    "has finished",
    "scaled to 0",
    "scale-up",
    "scaled up",
    "startup complete",
    "succeeded",
    "restored",
    "is now running",
    "graceful shutdown",
    "healthy again",
];
/// Words of a pod that is going away on purpose.
const TERMINATING_WORDS: [&str; 3] = ["terminating", "graceful shutdown", "scaled to 0"];

/// The kind of fault that a text speaks of, if it speaks of one.
pub(crate) fn classify(text: &str) -> Option<Kind> {
    let text = text.to_lowercase();
    let says = |word: &&str| {
        text.match_indices(word).any(|(start, _)| {
            let (before, after) = (text.get(..start), text.get(start + word.len()..));
            !is_denied(before.unwrap_or_default(), after.unwrap_or_default())
        })
    };
    let has = |group: &&[&str]| group.iter().any(says);
    SIGNS.iter().find(|sign| sign.groups.iter().all(has)).map(|sign| sign.kind)
}

/// Whether the words around a sign say that there is none: `no recent OOMKilled`, `0 x no such host`, `deadlocks: 0`.
/// A denial is near and in the same clause; a sign itself may hold a `no`.
fn is_denied(before: &str, after: &str) -> bool {
    // A table's columns are no sentence, and neither is what a program prints in parts.
    let is_border = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '(' | '[' | '"' | '|' | '\n' | '\t');
    let clause = before.rsplit("  ").next().unwrap_or_default().rsplit(is_border).next().unwrap_or_default();
    // A sign may begin in the middle of a word, as in `reason=OOMKilled`: that word says nothing.
    let whole =
        if clause.ends_with(char::is_whitespace) { clause } else { clause.rsplit_once(' ').map_or("", |it| it.0) };
    let mut near = whole.split_whitespace().rev();
    let denies = match (near.next(), near.next(), near.next()) {
        (Some("not" | "never" | "0" | "zero"), _, _) | (Some("x" | "times"), Some("0" | "zero"), _) => true,
        (one, two, three) => {
            [one, two, three].into_iter().flatten().any(|word| matches!(word, "no" | "none" | "without"))
        }
    };
    denies || whole.contains("none of ") || counts_none(after)
}

/// Whether what follows a sign is a count or flag that says none: `: 0`, `=false`, ` count: none`.
fn counts_none(after: &str) -> bool {
    let Some((label, value)) = after.split_once([':', '=']) else { return false };
    let value = value.trim_start();
    let end = value.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '}' | ')')).unwrap_or(value.len());
    let is_label = label.len() <= 12 && label.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, ' ' | '_' | '"'));
    is_label && matches!(value.get(..end).unwrap_or_default().trim_end_matches('.'), "0" | "none" | "false")
}

/// Whether a text complains without saying of what.
pub(crate) fn complains(text: &str) -> bool {
    let text = text.to_lowercase();
    ERROR_WORDS.iter().any(|word| contains_word(&text, word))
}

/// Whether a text says that something ended well.
pub(crate) fn recovers(text: &str) -> bool {
    let text = text.to_lowercase();
    !text.contains("unsuccessful") && RECOVERY_WORDS.iter().any(|word| text.contains(word))
}

/// Whether a text speaks of a pod that is shut down on purpose.
pub(crate) fn terminates(text: &str) -> bool {
    let text = text.to_lowercase();
    TERMINATING_WORDS.iter().any(|word| text.contains(word))
}

/// `0 errors` and `no error` are no complaint, and neither is `error_rate`.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(start, _)| {
        let before = text.get(..start).unwrap_or_default().trim_end();
        let after = text.get(start + word.len()..).unwrap_or_default();
        let denied = ["no", "0", "without", "zero"]
            .iter()
            .any(|no| before.strip_suffix(no).is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric())));
        !denied && !after.starts_with(['_', '-', '/', '%'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_gives_its_kind_away() {
        for (text, kind) in [
            ("0/3 nodes are available: 3 Insufficient memory.", Some(Kind::InsufficientResources)),
            ("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.", Some(Kind::NodeSelector)),
            ("0/3 nodes are available: 3 node(s) had untolerated taint {gpu: true}.", Some(Kind::Taint)),
            ("pod has unbound immediate PersistentVolumeClaims", Some(Kind::UnboundVolume)),
            ("storageclass.storage.k8s.io \"fast\" not found", Some(Kind::StorageClass)),
            ("pods \"web-1\" is forbidden: exceeded quota: team, requested: cpu=2", Some(Kind::QuotaExceeded)),
            ("Failed to pull image \"web:9\": manifest unknown", Some(Kind::ImagePull)),
            ("OOMKilled", Some(Kind::OutOfMemory)),
            ("java.lang.OutOfMemoryError: Java heap space", Some(Kind::OutOfMemory)),
            ("Liveness probe failed: HTTP probe failed with statuscode: 503", Some(Kind::LivenessProbe)),
            ("Readiness probe failed: dial tcp: connect: connection refused", Some(Kind::ReadinessProbe)),
            ("configmap \"web-config\" not found", Some(Kind::MissingConfig)),
            ("exec: \"serve\": executable file not found in $PATH", Some(Kind::BadCommand)),
            ("Node worker-2 status is now: NodeNotReady", Some(Kind::NodeNotReady)),
            ("The node was low on resource: ephemeral-storage.", Some(Kind::Evicted)),
            ("dial tcp: lookup ledger on 10.0.0.10:53: no such host", Some(Kind::Dns)),
            ("connect ECONNREFUSED 10.1.1.1:8080", Some(Kind::ConnectionFailure)),
            ("could not connect to postgres: connection refused", Some(Kind::DatabaseConnection)),
            ("FATAL: password authentication failed for user \"app\"", Some(Kind::LoginFailure)),
            ("User \"dev\" cannot list resource \"pods\": forbidden", Some(Kind::PermissionDenied)),
            ("HikariPool-1 - Connection is not available, request timed out after 30000ms", Some(Kind::PoolExhausted)),
            ("FATAL: sorry, too many clients already", Some(Kind::ConnectionsExhausted)),
            ("/bin/sh: syntax error near unexpected token", Some(Kind::SyntaxError)),
            ("Environment variable TOKEN is not set", Some(Kind::MissingVariable)),
            ("write /data/wal: no space left on device", Some(Kind::DiskFull)),
            ("DB instance ran out of storage space.", Some(Kind::StorageFull)),
            ("Multi-AZ instance failover started.", Some(Kind::Failover)),
            ("ERROR: deadlock detected", Some(Kind::Deadlock)),
            ("Deployment web exceeded its progress deadline", Some(Kind::RolloutStuck)),
            ("x509: certificate has expired or is not yet valid", Some(Kind::Certificate)),
            ("429 Too Many Requests", Some(Kind::RateLimited)),
            ("No resources found in web namespace.", Some(Kind::NotFound)),
            ("GET / 200 in 3 ms", None),
            ("Started HTTP server", None),
            ("", None),
        ] {
            assert_eq!(classify(text), kind, "{text}");
        }
    }

    #[test]
    fn what_is_denied_is_no_sign() {
        for (text, kind) in [
            ("No OOMKilled containers found. All pods healthy.", None),
            ("DNS: ok, 0 x no such host, 0 x nxdomain", None),
            ("none of the pods were OOMKilled", None),
            ("no pod was OOMKilled", None),
            ("the container was not OOMKilled", None),
            ("it ran without out of memory events", None),
            ("never evicted", None),
            ("deadlocks: 0, evicted=false", None),
            ("oom kill count: 0", None),
            ("No errors at first. Then OOMKilled", Some(Kind::OutOfMemory)),
            ("no answer from ledger: connection refused", Some(Kind::ConnectionFailure)),
            ("dial tcp: lookup ledger: no such host", Some(Kind::Dns)),
            ("Connection refused: no further information", Some(Kind::ConnectionFailure)),
            ("web-1   0   OOMKilled", Some(Kind::OutOfMemory)),
            ("could not connect, connection timed out", Some(Kind::ConnectionFailure)),
            ("0/3 nodes are available: 3 Insufficient cpu", Some(Kind::InsufficientResources)),
        ] {
            assert_eq!(classify(text), kind, "{text}");
        }
    }

    #[test]
    fn complaints_and_recoveries() {
        for (text, complaint) in [
            ("NullPointerException at line 3", true),
            ("request failed", true),
            ("finished with 0 errors", false),
            ("no error", false),
            ("error_rate is fine", false),
            ("hello", false),
        ] {
            assert_eq!(complains(text), complaint, "{text}");
        }
        assert!(recovers("The failover has completed"));
        assert!(!recovers("the backup was unsuccessful"));
        assert!(terminates("pod is terminating during rollout"));
    }
}
