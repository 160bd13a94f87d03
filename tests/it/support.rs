//! What the layers share: real components, agents that say what a test tells them, and a tool that always answers.

use async_trait::async_trait;
use glob::Pattern;
use portcullis::agents::{AgentDescription, AgentFactory, AgentRole};
use portcullis::config::Config;
use portcullis::run::shadow::Shadows;
use portcullis::run::{
    Catalog, Diagnosis, GateFigures, Generation, Host, NodeSet, Request, RunLimits, SystemClock, Unwatched,
};
use portcullis::setup;
use portcullis::store::{MemoryStore, RunStore};
use portcullis::tools::{CallError, Policy, ToolAnswer, ToolProvider};
use portcullis_core::document::Tool;
use portcullis_core::ledger::InvocationStatus;
use portcullis_plugins::{InvokeError, Invoker, RunIdentity, ToolError, ToolPort};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// The default components, loaded once a process.
pub(crate) fn nodes() -> Arc<NodeSet> {
    static NODES: OnceLock<Arc<NodeSet>> = OnceLock::new();
    Arc::clone(NODES.get_or_init(|| Arc::new(setup::nodes(&Config::default()).unwrap())))
}

/// `../shared`, or none with a word about it: what is read in place is not copied.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    if !root.is_dir() {
        eprintln!("skipped: ../shared is absent");
        return None;
    }
    Some(root.join(path))
}

/// A guest as the build left it: a core module that says which component it is to become.
pub(crate) fn guest(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/guests").join(format!("{name}.wasm"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run `make guests`", path.display()))
}

/// The same guest under another digest: it has a custom section more, which nobody reads.
pub(crate) fn marked_guest(name: &str, mark: &str) -> Vec<u8> {
    const CUSTOM: u8 = 0;
    let mark_bytes = u8::try_from(mark.len()).unwrap();
    assert!(mark_bytes < 100, "one byte of length is enough");
    [&guest(name)[..], &[CUSTOM, mark_bytes + 1, mark_bytes], mark.as_bytes()].concat()
}

/// What an agent does when it is asked.
#[derive(Clone)]
pub(crate) enum Reply {
    Text(String),
    Fails(InvokeError),
    /// Calls tools in order, then says a text made of the ids that it got; a refused call gives the refusal.
    Calls(Vec<(&'static str, Value)>, fn(&[Result<String, ToolError>]) -> String),
}

impl Reply {
    pub(crate) fn json(value: &Value) -> Self {
        Self::Text(value.to_string())
    }

    pub(crate) fn transient() -> Self {
        Self::Fails(InvokeError::Transient("connection reset".into()))
    }

    pub(crate) fn permanent() -> Self {
        Self::Fails(InvokeError::Permanent("no such model".into()))
    }
}

/// One question that an agent was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) role: AgentRole,
    pub(crate) input: String,
    pub(crate) run: RunIdentity,
}

/// Agents that reply as told and remember what they were asked.
#[derive(Default)]
pub(crate) struct TestAgents {
    replies: Mutex<BTreeMap<AgentRole, VecDeque<Reply>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl TestAgents {
    pub(crate) fn reply(&self, role: AgentRole, reply: Reply) {
        self.replies.lock().unwrap().entry(role).or_default().push_back(reply);
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn inputs(&self, role: AgentRole) -> Vec<String> {
        self.asked().into_iter().filter(|asked| asked.role == role).map(|asked| asked.input).collect()
    }

    pub(crate) fn unused(&self) -> usize {
        self.replies.lock().unwrap().values().map(VecDeque::len).sum()
    }
}

/// Shares [`TestAgents`] with the host.
pub(crate) struct Factory(pub(crate) Arc<TestAgents>);

impl AgentFactory for Factory {
    fn agent(&self, role: AgentRole, tools: Option<Arc<dyn ToolPort>>) -> Arc<dyn Invoker> {
        Arc::new(TestAgent { role, tools, all: Arc::clone(&self.0) })
    }

    fn descriptions(&self) -> Vec<AgentDescription> {
        AgentRole::ALL
            .map(|role| AgentDescription { role, name: "test".into(), version: None, sha256: String::new() })
            .into()
    }
}

struct TestAgent {
    role: AgentRole,
    tools: Option<Arc<dyn ToolPort>>,
    all: Arc<TestAgents>,
}

#[async_trait]
impl Invoker for TestAgent {
    async fn invoke(&self, input: &str, run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        let asked = Asked { role: self.role, input: input.to_owned(), run: (**run).clone() };
        self.all.asked.lock().unwrap().push(asked);
        let reply = self.all.replies.lock().unwrap().get_mut(&self.role).and_then(VecDeque::pop_front);
        match reply {
            None => Err(InvokeError::Permanent(format!("the test has no reply left for {}", self.role.as_str()))),
            Some(Reply::Text(text)) => Ok(text),
            Some(Reply::Fails(error)) => Err(error),
            Some(Reply::Calls(calls, say)) => {
                let tools = self.tools.as_ref().expect("only the executor's agent has tools");
                let mut ids = Vec::new();
                for (name, arguments) in calls {
                    ids.push(tools.call(name, &arguments.to_string()).await.map(|reply| reply.invocation_id));
                }
                Ok(say(&ids))
            }
        }
    }
}

/// What [`FakeTools`] returns for `look`.
pub(crate) const LOOKED: &str = r#"{"status":"checkout is slow","p50_ms":8061,"rest":"CANARY-output"}"#;

/// `look` and `peek` answer, `forbidden` is known and not allowed, `nothing` has no data.
pub(crate) struct FakeTools;

#[async_trait]
impl ToolProvider for FakeTools {
    fn tools(&self) -> Vec<Tool> {
        ["look", "peek", "nothing", "forbidden"]
            .map(|name| Tool { name: name.into(), description: format!("{name} at it"), input_schema: "{}".into() })
            .into()
    }

    async fn call(&self, name: &str, _arguments: &str) -> Result<ToolAnswer, CallError> {
        let (status, output) = match name {
            "look" => (InvocationStatus::Ok, LOOKED),
            "peek" => (InvocationStatus::Ok, "CANARY-unreferenced"),
            "nothing" => (InvocationStatus::NoData, "[]"),
            _ => return Err(CallError::UnknownTool(name.to_owned())),
        };
        Ok(ToolAnswer { status, output: output.into(), truncated: false })
    }
}

/// A host over the default components with a test's agents.
pub(crate) struct Bench {
    pub(crate) agents: Arc<TestAgents>,
    pub(crate) store: Arc<dyn RunStore>,
    pub(crate) host: Arc<Host>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(nodes(), Arc::new(MemoryStore::default()))
    }

    pub(crate) fn with(nodes: Arc<NodeSet>, store: Arc<dyn RunStore>) -> Self {
        Self::shadowed(nodes, store, Shadows::default())
    }

    /// With candidates beside the components that serve.
    pub(crate) fn shadowed(nodes: Arc<NodeSet>, store: Arc<dyn RunStore>, shadows: Shadows) -> Self {
        let agents = Arc::new(TestAgents::default());
        let allow = ["look", "peek", "nothing"].map(|name| Pattern::new(name).unwrap()).into();
        let host = Arc::new(Host {
            catalog: Arc::new(Catalog::new(Generation {
                nodes,
                agents: Arc::new(Factory(Arc::clone(&agents))),
                shadows: Arc::new(shadows),
            })),
            tools: Arc::new(FakeTools),
            policy: Policy { allow, calls: 12, identical_calls: 3, output: 4096, wall: Duration::from_secs(5) },
            limits: RunLimits { wall: Duration::from_mins(5), invocations: 32 },
            store: Arc::clone(&store),
            clock: Arc::new(SystemClock),
            evaluator: Arc::new(GateFigures),
            owner: "test".into(),
        });
        Self { agents, store, host }
    }

    pub(crate) fn reply(&self, role: AgentRole, reply: Reply) -> &Self {
        self.agents.reply(role, reply);
        self
    }

    /// Replies of a run in which everything goes well.
    pub(crate) fn good(&self) -> &Self {
        self.reply(AgentRole::Planner, Reply::json(&plan()))
            .reply(AgentRole::Executor, Reply::Calls(vec![("look", json!({}))], |ids| evidence(ids).to_string()))
            .reply(AgentRole::Verifier, Reply::json(&verification("PASS", &["c1"])))
            .reply(AgentRole::Composer, Reply::json(&composed()))
    }

    pub(crate) async fn run(&self) -> Diagnosis {
        self.run_in("session-1").await
    }

    pub(crate) async fn run_in(&self, session: &str) -> Diagnosis {
        let request = Request {
            question: "why is checkout slow?".into(),
            facts: Vec::new(),
            session_id: Some(session.to_owned()),
        };
        self.host.diagnose(request, Arc::new(Unwatched)).await.unwrap()
    }
}

pub(crate) fn plan() -> Value {
    json!({"answer_version": "diagnosis_plan_v1", "steps": [{"step_id": "s1", "goal": "look at checkout"}]})
}

/// One claim that the first call proves.
pub(crate) fn evidence(ids: &[Result<String, ToolError>]) -> Value {
    json!({
        "answer_version": "executor_evidence_v2",
        "claims": [claim("c1", "checkout is slow", &id(ids, 0), "$.status", "checkout is slow")],
    })
}

pub(crate) fn id(ids: &[Result<String, ToolError>], position: usize) -> String {
    ids.get(position).and_then(|id| id.as_ref().ok()).cloned().unwrap_or_else(|| "inv-none".into())
}

pub(crate) fn claim(claim_id: &str, text: &str, invocation: &str, path: &str, quote: &str) -> Value {
    json!({
        "claim_id": claim_id,
        "text": text,
        "evidence_bindings": [
            {"source_invocation_id": invocation, "tool_name": "look", "raw_path": path, "matched_text": quote}
        ],
    })
}

pub(crate) fn verification(verdict: &str, allowed: &[&str]) -> Value {
    json!({
        "answer_version": "verification_v1",
        "verdict": verdict,
        "facts": [],
        "allowed_claims": allowed,
        "missing_information": ["traces of checkout"],
        "recommendations": ["look at traces"],
    })
}

pub(crate) fn composed() -> Value {
    json!({
        "answer_version": "composed_answer_v1",
        "headline": "Checkout is slow",
        "claim_order": ["c1"],
        "next_steps": ["look again"],
    })
}
