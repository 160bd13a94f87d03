//! What can be wrong with a system, as an on-call engineer would say it.
//!
//! A kind knows how causal it is, what it explains, and what is to be done. It knows no tool and no incident. `{object}`
//! in a cause stands for the thing that is implicated: an image, a host, a volume, a statement.

use super::meaning::Meaning;

/// How far down the chain of causes a kind is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// What users or dashboards see.
    Symptom,
    /// What state something is in.
    State,
    /// How it fails.
    Mechanism,
    /// Why.
    Cause,
}

pub(crate) struct Info {
    /// The word of claim ids.
    pub(crate) id: &'static str,
    pub(crate) rank: Rank,
    /// What something does or is when it has this.
    pub(crate) shows: &'static str,
    /// Why, with the implicated thing.
    pub(crate) cause: &'static str,
    /// Why, when that is not known.
    pub(crate) plain: &'static str,
    pub(crate) explains: &'static [Kind],
    pub(crate) advice: &'static str,
}

macro_rules! kinds {
    ($($name:ident $id:literal $rank:ident $shows:literal
        $cause:literal | $plain:literal
        explains [$($explains:ident)*]
        $advice:literal)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Kind { $($name,)+ }

        impl Kind {
            /// Each kind once.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name,)+];

            pub(crate) const fn info(self) -> &'static Info {
                match self {
                    $(Self::$name => &Info {
                        id: $id,
                        rank: Rank::$rank,
                        shows: $shows,
                        cause: $cause,
                        plain: $plain,
                        explains: &[$(Kind::$explains,)*],
                        advice: $advice,
                    },)+
                }
            }
        }
    };
}

impl Kind {
    /// The kind that a claim id ends with.
    pub(crate) fn of_claim_id(claim_id: &str) -> Option<Self> {
        let id = claim_id.split('.').nth(1)?;
        Self::ALL.iter().copied().find(|kind| kind.info().id == id)
    }

    pub(crate) fn explains(self, effect: Self) -> bool {
        self.info().explains.contains(&effect)
    }

    /// Whether it belongs into the sentence of a cause: what a reader of dashboards or users would say is wrong.
    pub(crate) const fn is_said(self) -> bool {
        !self.needs_an_effect()
            && !matches!(self, Self::AppErrors | Self::Restarts | Self::DatabaseLoad | Self::Unschedulable)
    }

    /// Whether an end is part of it: that a failover is complete does not undo it.
    pub(crate) const fn is_an_incident_by_itself(self) -> bool {
        matches!(self, Self::Failover | Self::InstanceRestart)
    }

    /// What would measure that it holds no more.
    pub(crate) const fn is_measured_by(self) -> Option<Meaning> {
        if matches!(self, Self::StorageFull) {
            Some(Meaning::FreeStorage)
        } else if matches!(self, Self::ReplicationLag) {
            Some(Meaning::ReplicaLag)
        } else {
            None
        }
    }

    /// A word that a message about its end has.
    pub(crate) fn topic(self) -> Option<&'static str> {
        const TOPICS: &[(Kind, &str)] = &[
            (Kind::StorageFull, "storage"),
            (Kind::DiskFull, "disk"),
            (Kind::ReplicationLag, "repli"),
            (Kind::ReplicationBroken, "repli"),
            (Kind::ConnectionsExhausted, "connection"),
            (Kind::ConnectionFailure, "connect"),
            (Kind::DatabaseConnection, "connect"),
            (Kind::NodeNotReady, "node"),
            (Kind::NodePressure, "pressure"),
            (Kind::AutoscalerMax, "scal"),
            (Kind::Dns, "resol"),
        ];
        TOPICS.iter().find(|(kind, _)| *kind == self).map(|(_, topic)| *topic)
    }

    /// Whether it says nothing by itself: a deploy, a busy statement or a policy is only a cause of something else.
    pub(crate) const fn needs_an_effect(self) -> bool {
        matches!(
            self,
            Self::Deploy
                | Self::ConfigChange
                | Self::JobStart
                | Self::Scaling
                | Self::Maintenance
                | Self::HeavyQuery
                | Self::WriteHeavy
                | Self::WriteSurge
                | Self::ReadSurge
                | Self::ConnectionLeak
                | Self::LockWaits
                | Self::CheckpointLoad
                | Self::NetworkPolicy
        )
    }
}

kinds! {
    // Containers and pods.
    ImagePull "image_pull" Cause "fails to pull its image (ImagePullBackOff)"
        "the image {object} cannot be pulled" | "its image cannot be pulled"
        explains [PodPending PodNotReady RolloutStuck Unavailable ContainerWaiting]
        "Check that the image name and tag exist in the registry and that the pull credentials are valid; roll back to the last image that worked."
    OutOfMemory "out_of_memory" Cause "is killed for lack of memory (OOMKilled)"
        "its container runs out of memory and is killed (OOMKilled) at its memory limit" | "its container runs out of memory and is killed (OOMKilled) at its memory limit"
        explains [CrashLoop Restarts ContainerError PodNotReady Unavailable RolloutStuck JobFailed]
        "Raise the memory limit, or find what uses the memory (a leak, a larger load) and bound it."
    LivenessProbe "liveness_probe" Cause "fails its liveness probe"
        "its liveness probe fails ({object}), so that the kubelet kills and restarts the container" | "its liveness probe fails, so that the kubelet kills and restarts the container"
        explains [CrashLoop Restarts PodNotReady Unavailable RolloutStuck ContainerError]
        "Compare the probe's path, port, timeout and initial delay with how long the application needs to answer."
    ReadinessProbe "readiness_probe" Cause "fails its readiness probe"
        "its readiness probe fails ({object}), so that it gets no traffic" | "its readiness probe fails, so that it gets no traffic"
        explains [PodNotReady Unavailable RolloutStuck NoEndpoints]
        "Call the probe's endpoint from within the pod and look at what the application waits for."
    MissingVariable "missing_variable" Cause "lacks an environment variable"
        "the environment variable {object} is not set (missing or undefined)" | "an environment variable that it needs is not set (missing or undefined)"
        explains [CrashLoop Restarts ContainerError JobFailed PodNotReady Unavailable RolloutStuck AppErrors]
        "Set the missing variable in the workload's definition, from a ConfigMap or a Secret."
    MissingConfig "missing_config" Cause "lacks a ConfigMap or Secret"
        "the configuration object {object} does not exist (not found)" | "a ConfigMap or Secret that it refers to does not exist (not found)"
        explains [PodPending PodNotReady ContainerWaiting RolloutStuck Unavailable VolumeMount CrashLoop]
        "Create the missing ConfigMap or Secret in the right namespace, or correct the reference."
    BadConfig "bad_config" Cause "has an invalid configuration"
        "its configuration is invalid: {object}" | "its configuration is invalid"
        explains [CrashLoop Restarts ContainerError JobFailed PodNotReady Unavailable RolloutStuck AppErrors]
        "Correct the configuration, or roll it back to the last version that worked."
    SyntaxError "syntax_error" Cause "has a syntax error"
        "its command or script has a syntax error ({object})" | "its command or script has a syntax error"
        explains [CrashLoop Restarts ContainerError JobFailed PodNotReady Unavailable]
        "Correct the command or script in the workload's definition and run it once by hand."
    BadCommand "bad_command" Cause "cannot run its command"
        "its command cannot be run: {object}" | "its command cannot be run"
        explains [CrashLoop Restarts ContainerError JobFailed PodNotReady Unavailable ContainerWaiting]
        "Check the command, its path in the image, and its execute permission."
    InsufficientResources "insufficient_resources" Cause "cannot be scheduled (FailedScheduling)"
        "no node has enough of what it requests (Insufficient {object}), so that it cannot be scheduled" | "no node has enough of what it requests, so that it cannot be scheduled"
        explains [PodPending PodNotReady Unavailable RolloutStuck Unschedulable]
        "Add nodes or free capacity, or lower the resource requests of the workload."
    NodeSelector "node_selector" Cause "cannot be scheduled (FailedScheduling)"
        "no node matches its node selector or node affinity ({object}), so that it cannot be scheduled" | "no node matches its node selector or node affinity, so that it cannot be scheduled"
        explains [PodPending PodNotReady Unavailable RolloutStuck Unschedulable]
        "Label a node to match, or correct the node selector or affinity of the pod."
    Taint "taint" Cause "cannot be scheduled (FailedScheduling)"
        "the nodes have a taint that it does not tolerate ({object}), so that it cannot be scheduled" | "the nodes have a taint that it does not tolerate, so that it cannot be scheduled"
        explains [PodPending PodNotReady Unavailable RolloutStuck Unschedulable]
        "Add a toleration to the pod, or remove the taint."
    StorageClass "storage_class" Cause "has a PersistentVolumeClaim that cannot be bound"
        "the storage class {object} of the PersistentVolumeClaim (PVC) does not exist: the claim is misconfigured" | "the storage class of the PersistentVolumeClaim (PVC) does not exist: the claim is misconfigured"
        explains [UnboundVolume PodPending PodNotReady Unavailable Unschedulable VolumeMount]
        "Point the claim to a storage class that exists, or create that class."
    UnboundVolume "unbound_volume" Mechanism "has an unbound PersistentVolumeClaim (PVC)"
        "its PersistentVolumeClaim (PVC) {object} is not bound, so that it cannot be scheduled" | "its PersistentVolumeClaim (PVC) is not bound, so that it cannot be scheduled"
        explains [PodPending PodNotReady Unavailable RolloutStuck Unschedulable]
        "Look at the events of the claim: its storage class, its size, and whether a volume can be provisioned."
    VolumeMount "volume_mount" Mechanism "cannot mount a volume"
        "a volume cannot be attached or mounted: {object}" | "a volume cannot be attached or mounted"
        explains [PodPending PodNotReady ContainerWaiting Unavailable RolloutStuck]
        "Check that the volume exists, that no other node holds it, and that the node's driver works."
    QuotaExceeded "quota_exceeded" Cause "exceeds a resource quota"
        "the namespace's resource quota is exceeded ({object}), so that new pods are refused" | "the namespace's resource quota is exceeded, so that new pods are refused"
        explains [PodPending Unavailable RolloutStuck PodNotReady]
        "Raise the quota, or lower what the namespace requests."
    PermissionDenied "permission_denied" Cause "is denied access (permission denied)"
        "access is denied by permissions (forbidden): {object}" | "access is denied by permissions (forbidden)"
        explains [CrashLoop Restarts ContainerError JobFailed AppErrors PodNotReady Unavailable ErrorRate]
        "Grant the missing permission to the identity named, by a role and its binding, or use an identity that has it."
    LoginFailure "login_failure" Cause "fails to authenticate"
        "authentication fails: credentials are wrong, rotated or expired ({object})" | "authentication fails: credentials are wrong, rotated or expired"
        explains [CrashLoop Restarts ContainerError JobFailed AppErrors ErrorRate Availability PodNotReady Unavailable ConnectionFailure ImagePull]
        "Compare the credentials in use with those that are valid now, above all after a rotation."
    Certificate "certificate" Cause "has a certificate that is not accepted"
        "a TLS certificate is expired or not trusted: {object}" | "a TLS certificate is expired or not trusted"
        explains [AppErrors ErrorRate Availability ConnectionFailure CrashLoop]
        "Renew the certificate, or correct the chain or host name that is trusted."
    CrashLoop "crash_loop" State "crashes in a loop (CrashLoopBackOff)"
        "its container starts, crashes and is restarted again and again" | "its container starts, crashes and is restarted again and again"
        explains [Restarts PodNotReady Unavailable RolloutStuck Availability ErrorRate]
        "Read the log of the container that crashed before (the previous one), and its exit code."
    ContainerError "container_error" State "ends with an error"
        "its container ends with an error ({object})" | "its container ends with an error"
        explains [Restarts PodNotReady Unavailable JobFailed RolloutStuck CrashLoop]
        "Read the container's log and its exit code."
    ContainerWaiting "container_waiting" State "does not start"
        "its container waits and does not start ({object})" | "its container waits and does not start"
        explains [PodPending PodNotReady Unavailable RolloutStuck]
        "Look at the events of the pod."
    Restarts "restarts" State "restarts"
        "its container restarts" | "its container restarts"
        explains [PodNotReady]
        "Read the reason of the last termination."
    PodPending "pod_pending" State "is Pending"
        "the pod is not scheduled or does not start" | "the pod is not scheduled or does not start"
        explains [Unavailable RolloutStuck PodNotReady]
        "Look at the scheduling events of the pod."
    Unschedulable "unschedulable" Mechanism "cannot be scheduled (FailedScheduling)"
        "the scheduler finds no node for it ({object})" | "the scheduler finds no node for it"
        explains [PodPending PodNotReady Unavailable RolloutStuck]
        "Look at the scheduler's message for what the nodes lack."
    PodNotReady "pod_not_ready" State "is not ready"
        "the pod runs but is not ready" | "the pod runs but is not ready"
        explains [Unavailable RolloutStuck NoEndpoints]
        "Look at the pod's conditions and events."
    JobFailed "job_failed" State "fails as a job"
        "the job's pods fail until its backoff limit is reached" | "the job's pods fail until its backoff limit is reached"
        explains [Unavailable]
        "Read the log of one of the job's pods, correct the cause and start the job again."
    RolloutStuck "rollout_stuck" State "is stuck in its rollout (ProgressDeadlineExceeded)"
        "the new version does not become ready within its deadline, so that the rollout is stuck" | "the new version does not become ready within its deadline, so that the rollout is stuck"
        explains [Unavailable]
        "Look at the new version's pods; roll back if users are affected."
    Unavailable "unavailable" Symptom "lacks replicas"
        "fewer replicas are available than wanted" | "fewer replicas are available than wanted"
        explains [Availability ErrorRate]
        "Look at the pods of the workload that are not ready."
    NotFound "not_found" Cause "does not exist (not found)"
        "no such resource exists there (not found): {object}" | "no such resource exists there (not found)"
        explains []
        "Check the name and the namespace; list where the resource does run."
    NoEndpoints "no_endpoints" Mechanism "has no endpoints"
        "the service has no endpoints: its selector matches no ready pod ({object})" | "the service has no endpoints: its selector matches no ready pod"
        explains [ConnectionFailure ErrorRate Availability AppErrors]
        "Compare the service's selector with the labels of the pods, and look whether these are ready."

    // Nodes and clusters.
    NodeNotReady "node_not_ready" Cause "is NotReady"
        "the kubelet of the node stopped reporting its heartbeat, so that the node is NotReady or Unknown and its pods are lost" | "the kubelet of the node stopped reporting its heartbeat, so that the node is NotReady or Unknown and its pods are lost"
        explains [PodNotReady PodUnknown Evicted Unavailable NodePressure PodPending]
        "Drain or replace the node, and look at its kubelet, memory and network."
    PodUnknown "pod_unknown" State "is in phase Unknown"
        "its node does not report any more" | "its node does not report any more"
        explains [PodNotReady Unavailable]
        "Look at the node of the pod."
    NodePressure "node_pressure" Cause "is under pressure"
        "the node reports pressure ({object})" | "the node reports pressure on memory, disk or processes"
        explains [Evicted PodPending Unavailable PodNotReady OutOfMemory]
        "Free or add memory, disk or processes on the node, and set requests so that it is not overcommitted."
    Evicted "evicted" Mechanism "has evicted pods"
        "pods are evicted from their node ({object})" | "pods are evicted from their node"
        explains [PodNotReady Unavailable PodPending]
        "Look at what the node ran out of."
    AutoscalerMax "autoscaler_max" Cause "is scaled to its maximum"
        "the autoscaler has reached its maximum of replicas, so that load is not followed any more" | "the autoscaler has reached its maximum of replicas, so that load is not followed any more"
        explains [CpuSaturation Latency ErrorRate Availability]
        "Raise the maximum of the autoscaler, or make one replica carry more."
    CpuThrottling "cpu_throttling" Cause "is throttled on CPU"
        "its container is throttled at its CPU limit" | "its container is throttled at its CPU limit"
        explains [Latency SlowOperation LivenessProbe ReadinessProbe]
        "Raise or remove the CPU limit, or lower the load."

    // Networks and calls.
    Dns "dns" Mechanism "fails to resolve names (DNS)"
        "the name {object} cannot be resolved (DNS name resolution fails)" | "names cannot be resolved (DNS name resolution fails)"
        explains [AppErrors ErrorRate Availability CrashLoop Restarts ContainerError JobFailed ConnectionFailure Unavailable PodNotReady Timeout]
        "Check that the name and its service exist, that the cluster's DNS answers, and that no network policy blocks DNS."
    NetworkPolicy "network_policy" Cause "has its traffic blocked"
        "the network policy {object} denies its traffic, DNS included" | "a network policy denies its traffic, DNS included"
        explains [Dns ConnectionFailure Timeout AppErrors ErrorRate Availability]
        "Allow the needed traffic in the network policy: DNS on its port first, then the services that are called."
    ConnectionFailure "connection_failure" Mechanism "fails to connect"
        "it cannot connect to {object} (connection failure)" | "it cannot connect to a service that it needs (connection failure)"
        explains [AppErrors ErrorRate Availability CrashLoop Restarts ContainerError JobFailed Unavailable PodNotReady ReadinessProbe LivenessProbe Latency]
        "Check that the target runs, listens on that port, and can be reached from there."
    DatabaseConnection "database_connection" Mechanism "fails to connect to its database"
        "it cannot connect to its database {object} (database connection failure)" | "it cannot connect to its database (database connection failure)"
        explains [AppErrors ErrorRate Availability CrashLoop Restarts ContainerError JobFailed Unavailable PodNotReady ReadinessProbe LivenessProbe ConnectionFailure]
        "Check that the database runs, accepts connections, and can be reached from there with these credentials."
    Timeout "timeout" Mechanism "has timeouts"
        "calls to {object} time out" | "calls time out"
        explains [AppErrors ErrorRate Availability Latency]
        "Look at what is called: whether it is slow, overloaded or unreachable."
    RateLimited "rate_limited" Cause "has its requests throttled"
        "requests are throttled by a rate limit or quota ({object})" | "requests are throttled by a rate limit or quota"
        explains [AppErrors ErrorRate Availability Latency]
        "Lower the request rate, spread it, or raise the limit."
    DependencyMissing "dependency_missing" Mechanism "lacks an instance of a service that it calls"
        "no instance of {object} is available to it" | "no instance of a service that it calls is available to it"
        explains [AppErrors ErrorRate Availability]
        "Look at the registration and the health of the service that has no instance."

    // Databases and storage.
    StorageFull "storage_full" Cause "has exhausted its storage"
        "it ran out of storage space (free storage fell to nearly nothing)" | "it ran out of storage space (free storage fell to nearly nothing)"
        explains [IoLatency ConnectionDrop Availability ErrorRate Latency CrashLoop AppErrors]
        "Enlarge the storage or turn on its autoscaling, and stop or purge what fills it."
    ReplicationLag "replication_lag" State "has replication lag (replica lag)"
        "the replica falls behind its source" | "the replica falls behind its source"
        explains []
        "Look at what the primary writes and whether the replica can replay it."
    ReplicationBroken "replication_broken" Cause "has broken replication"
        "replication has stopped or is terminated: {object}" | "replication has stopped or is terminated"
        explains [ReplicationLag]
        "Look at the replication error; recreate the replica if it cannot be resumed."
    WriteHeavy "write_heavy" Cause "has a write-heavy workload"
        "a write-heavy workload ({object}) generates transaction log (WAL) and writes faster than storage and replicas can follow" | "a write-heavy workload generates transaction log (WAL) and writes faster than storage and replicas can follow"
        explains [ReplicationLag StorageFull IoLatency WriteSurge CpuSaturation DatabaseLoad]
        "Split, slow down or reschedule the bulk write, and give the replica room to catch up."
    WriteSurge "write_surge" Cause "has a surge of writes"
        "writes and transaction log (WAL) generation rose strongly" | "writes and transaction log (WAL) generation rose strongly"
        explains [ReplicationLag StorageFull IoLatency]
        "Find which workload writes so much."
    ReadSurge "read_surge" Mechanism "has a surge of reads"
        "reads rose strongly" | "reads rose strongly"
        explains [CpuSaturation IoLatency]
        "Find which workload reads so much."
    HeavyQuery "heavy_query" Cause "has a heavy query"
        "the query {object} takes most of the database load, as a full table scan or another plan without a fitting index does" | "one query takes most of the database load, as a full table scan or another plan without a fitting index does"
        explains [CpuSaturation IoLatency Latency ReadSurge DatabaseLoad]
        "Read the query's plan, add or repair the index that it needs, and limit or stop it until then."
    ConnectionLeak "connection_leak" Cause "has leaked connections"
        "idle connections are held open while the database waits for their client (ClientRead): a connection leak in the client's pool" | "idle connections are held open while the database waits for their client (ClientRead): a connection leak in the client's pool"
        explains [ConnectionsExhausted CpuSaturation DatabaseLoad]
        "Find where the client does not give connections back, set an idle timeout and a smaller pool, and end the idle sessions."
    ConnectionsExhausted "connections_exhausted" Mechanism "has exhausted its connections (connection exhaustion)"
        "its connections have reached the maximum, so that new connections are refused" | "its connections have reached the maximum, so that new connections are refused"
        explains [ConnectionFailure DatabaseConnection AppErrors ErrorRate Availability]
        "Find which client holds the connections; pool them, or raise the maximum."
    PoolExhausted "pool_exhausted" Cause "has exhausted its connection pool"
        "its connection pool is exhausted, so that requests wait for a connection" | "its connection pool is exhausted, so that requests wait for a connection"
        explains [Latency ErrorRate Availability AppErrors Timeout SlowOperation]
        "Undo the change that shrank or drains the pool, or enlarge it, and look for connections that are not given back."
    LockWaits "lock_waits" Cause "has lock contention"
        "statements wait for locks ({object})" | "statements wait for locks"
        explains [Latency IoLatency DatabaseLoad ConnectionsExhausted Timeout]
        "Find and end the transaction that holds the lock, and shorten it."
    Deadlock "deadlock" Cause "has deadlocks"
        "transactions lock each other out (deadlock detected)" | "transactions lock each other out (deadlock detected)"
        explains [AppErrors ErrorRate Latency LockWaits IoLatency DatabaseLoad]
        "Let the transactions take their locks in one order."
    CheckpointLoad "checkpoint_load" Cause "has a storm of checkpoints"
        "checkpoints write so much at once that other input and output waits ({object})" | "checkpoints write so much at once that other input and output waits"
        explains [IoLatency Latency DatabaseLoad CpuSaturation WriteSurge]
        "Spread checkpoints: a larger log size and a higher completion target."
    Wraparound "wraparound" Cause "runs out of transaction ids"
        "vacuum does not keep up and transaction ids run out" | "vacuum does not keep up and transaction ids run out"
        explains [IoLatency Availability ErrorRate]
        "Vacuum the oldest tables and end the transactions that hold it back."
    Failover "failover" Cause "had a failover"
        "a failover moved it to another host ({object})" | "a failover moved it to another host"
        explains [ConnectionDrop Availability ErrorRate ConnectionFailure DatabaseConnection ReplicationLag AppErrors Unavailable Latency]
        "Look why the primary's health check failed, and let clients reconnect quickly after a failover."
    InstanceRestart "instance_restart" Cause "was restarted"
        "it was restarted ({object})" | "it was restarted"
        explains [ConnectionDrop Availability ErrorRate ConnectionFailure DatabaseConnection AppErrors]
        "Find out who or what restarted it."
    ConnectionDrop "connection_drop" Symptom "dropped its connections"
        "its connections dropped" | "its connections dropped"
        explains [ErrorRate Availability]
        "Look at the events of that moment."
    CreditsExhausted "credits_exhausted" Cause "has used up its burst credits"
        "its burst credits are used up, so that it is throttled to its baseline" | "its burst credits are used up, so that it is throttled to its baseline"
        explains [IoLatency Latency CpuSaturation]
        "Move to a size or storage type with enough baseline performance."
    IoLatency "io_latency" Mechanism "has slow storage"
        "reads or writes of its storage are slow" | "reads or writes of its storage are slow"
        explains [Latency DatabaseLoad Timeout]
        "Compare what is read and written with what the storage can do."
    DatabaseLoad "database_load" Symptom "has a higher database load"
        "more sessions are active at once" | "more sessions are active at once"
        explains [Latency]
        "Look at the statements with the highest load."
    DiskFull "disk_full" Cause "has a full disk"
        "no space is left on its disk or volume ({object})" | "no space is left on its disk or volume"
        explains [AppErrors CrashLoop ErrorRate Availability ContainerError JobFailed Evicted NodePressure]
        "Free space or enlarge the volume, and find what fills it."

    // Utilisation and what users see.
    CpuSaturation "cpu_saturation" Mechanism "has CPU saturation"
        "its CPU is saturated (CPU contention)" | "its CPU is saturated (CPU contention)"
        explains [Latency SlowOperation ErrorRate Availability Timeout DatabaseLoad]
        "Find what uses the CPU; add CPU or replicas, or limit that work."
    MemoryPressure "memory_pressure" Mechanism "is short of memory"
        "its memory is nearly used up" | "its memory is nearly used up"
        explains [Latency OutOfMemory IoLatency]
        "Find what uses the memory; add memory or bound it."
    MemoryLeak "memory_leak" Cause "leaks memory"
        "its memory use grows without end, as a memory leak does" | "its memory use grows without end, as a memory leak does"
        explains [OutOfMemory MemoryPressure CrashLoop Restarts Latency]
        "Take a heap profile, and restart it before it is killed until the leak is found."
    NetworkDelay "network_delay" Cause "has a slow or lossy network"
        "its network delays or drops packets (network delay)" | "its network delays or drops packets (network delay)"
        explains [Latency Timeout ErrorRate Availability SlowOperation]
        "Look at the network interface and the path of that host."
    AppErrors "app_errors" Mechanism "logs new errors"
        "it throws an exception or logs errors that were not there before: {object}" | "it throws an exception or logs errors that were not there before"
        explains [ErrorRate Availability Latency JobFailed CrashLoop ContainerError Restarts]
        "Read the code path of the logged error and what changed in it."
    SlowOperation "slow_operation" Mechanism "has slow operations"
        "an operation inside it is slow: {object}" | "operations inside it are slow"
        explains [Latency Timeout]
        "Profile the slow operation; look at the query or call that it waits for."
    Latency "latency" Symptom "has high latency"
        "its latency rose, and nothing that it calls explains it" | "its latency rose, and nothing that it calls explains it"
        explains []
        "Look at what the component does by itself: code, configuration, CPU, locks, and what it calls outside the graph."
    ErrorRate "error_rate" Symptom "has a higher error rate"
        "its error rate rose, and nothing that it calls explains it" | "its error rate rose, and nothing that it calls explains it"
        explains []
        "Look at the errors that the component answers with and at what changed in it."
    Availability "availability" Symptom "has lower availability"
        "its availability fell (requests fail), and nothing that it calls explains it" | "its availability fell (requests fail), and nothing that it calls explains it"
        explains []
        "Look at the errors that the component answers with and at what changed in it."

    // Changes.
    Deploy "deploy" Cause "was deployed"
        "a deploy shortly before: {object}" | "a deploy shortly before"
        explains [Latency ErrorRate Availability AppErrors SlowOperation CpuSaturation MemoryPressure PoolExhausted CrashLoop Timeout ConnectionFailure DatabaseConnection]
        "Roll the deploy back, then look at its difference."
    ConfigChange "config_change" Cause "had its configuration changed"
        "a configuration change shortly before: {object}" | "a configuration change shortly before"
        explains [Latency ErrorRate Availability AppErrors SlowOperation CpuSaturation MemoryPressure PoolExhausted CrashLoop Timeout ConnectionFailure DatabaseConnection LoginFailure]
        "Undo the configuration change, then look why it was made."
    JobStart "job_start" Cause "had a job started"
        "a job started shortly before: {object}" | "a job started shortly before"
        explains [Latency ErrorRate Availability CpuSaturation MemoryPressure SlowOperation Timeout IoLatency RateLimited]
        "Stop or slow down the job, and run it when there is room."
    Scaling "scaling" Cause "was scaled"
        "a scaling shortly before: {object}" | "a scaling shortly before"
        explains [Latency ErrorRate Availability CpuSaturation]
        "Compare the capacity before and after."
    Maintenance "maintenance" Cause "was in maintenance"
        "maintenance at that time: {object}" | "maintenance at that time"
        explains [ConnectionDrop Availability ErrorRate Latency IoLatency]
        "Compare the maintenance window with the symptoms."

    // No fault at all.
    AlwaysFiring "always_firing" Cause "always fires by design"
        "the alert is meant to be always firing, as a check that alerting works" | "the alert is meant to be always firing, as a check that alerting works"
        explains []
        "Nothing is to be done while it fires; act when it stops."
    ToolsMissing "tools_missing" Cause "cannot be looked at"
        "the tool groups that would show the cause are disabled: {object}" | "the tools that would show the cause are not available"
        explains []
        "Enable the tool groups that read the affected system, such as the Kubernetes or bash tools, and ask again."
}
