//! Recorded replies in place of an agent: the test double, and a way to replay what a model once said.
//!
//! A script is one JSON file with a list of replies for each role. Each reply is used once, in order.

use crate::bounded::{self, ReadError};
use crate::digest::sha256_hex;
use async_trait::async_trait;
use portcullis_plugins::{InvokeError, Invoker, RunIdentity, ToolPort};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Larger files are refused before they are read.
const SIZE_LIMIT: u64 = 16 * 1024 * 1024;

/// The replies of all roles, as the file has them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Script {
    pub planner: Vec<Reply>,
    pub executor: Vec<Reply>,
    pub verifier: Vec<Reply>,
    pub composer: Vec<Reply>,
}

/// One reply: first the tool calls, then a text, a document or an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reply {
    /// Made in order through the tool gateway. A refused call does not end the reply.
    pub tool_calls: Vec<ToolCall>,
    /// The agent's words. `{{invocation N}}` becomes the id of the run's N-th successful call by this script, from 1.
    pub text: Option<String>,
    /// A document, in place of a text; the same placeholders hold.
    pub json: Option<Value>,
    pub error: Option<Failure>,
    /// How long the agent takes, in milliseconds.
    pub delay_ms: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    pub name: String,
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

/// How an agent can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    TimedOut,
    Transient,
    Permanent,
    Blocked,
}

/// Why a script cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("cannot read the script {}: {source}; `script` in portcullis.toml names it", path.display())]
    Unreadable { path: PathBuf, source: ReadError },
    #[error("the script {} is no object with a list of replies for each role: {source}", path.display())]
    Invalid { path: PathBuf, source: serde_json::Error },
    #[error("the script {}: {role} reply {position} must have exactly one of `text`, `json` and `error`", path.display())]
    NotOneEnding { path: PathBuf, role: &'static str, position: usize },
}

impl Script {
    /// The replies, and the digest of the file.
    ///
    /// # Errors
    /// A [`ScriptError`] that names the file and the place.
    pub fn read(path: &Path) -> Result<(Self, String), ScriptError> {
        let bytes = bounded::file(path, SIZE_LIMIT)
            .map_err(|source| ScriptError::Unreadable { path: path.to_owned(), source })?;
        let invalid = |source| ScriptError::Invalid { path: path.to_owned(), source };
        // A struct would be read from an array too.
        serde_json::from_slice::<Map<String, Value>>(&bytes).map_err(invalid)?;
        let script: Self = serde_json::from_slice(&bytes).map_err(invalid)?;
        for (role, replies) in script.roles() {
            let endings = |reply: &Reply| {
                usize::from(reply.text.is_some())
                    + usize::from(reply.json.is_some())
                    + usize::from(reply.error.is_some())
            };
            if let Some(position) = replies.iter().position(|reply| endings(reply) != 1) {
                return Err(ScriptError::NotOneEnding { path: path.to_owned(), role, position: position + 1 });
            }
        }
        Ok((script, sha256_hex(&bytes)))
    }

    fn roles(&self) -> [(&'static str, &[Reply]); 4] {
        let Self { planner, executor, verifier, composer } = self;
        [("planner", planner), ("executor", executor), ("verifier", verifier), ("composer", composer)]
    }
}

/// One role's replies, for one run.
pub struct ScriptedAgent {
    replies: Mutex<VecDeque<Reply>>,
    tools: Option<Arc<dyn ToolPort>>,
    invocations: Mutex<Vec<String>>,
    unused: Arc<AtomicUsize>,
}

impl ScriptedAgent {
    /// Replies that nobody asked for are added to `unused` when the run is over: a test that expects them to be used
    /// has gone wrong.
    pub fn new(replies: Vec<Reply>, tools: Option<Arc<dyn ToolPort>>, unused: Arc<AtomicUsize>) -> Self {
        Self { replies: Mutex::new(replies.into()), tools, invocations: Mutex::default(), unused }
    }

    fn fill(&self, text: String) -> String {
        let invocations = self.invocations.lock().unwrap_or_else(PoisonError::into_inner);
        invocations
            .iter()
            .enumerate()
            .fold(text, |text, (position, id)| text.replace(&format!("{{{{invocation {}}}}}", position + 1), id))
    }
}

impl Drop for ScriptedAgent {
    fn drop(&mut self) {
        let left = self.replies.get_mut().unwrap_or_else(PoisonError::into_inner).len();
        self.unused.fetch_add(left, Ordering::Relaxed);
    }
}

#[async_trait]
impl Invoker for ScriptedAgent {
    async fn invoke(&self, _input: &str, _run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        let next = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(reply) = next else {
            return Err(InvokeError::Permanent("the script has no reply left for this node".into()));
        };
        for call in &reply.tool_calls {
            let Some(tools) = &self.tools else {
                return Err(InvokeError::Permanent("the script calls a tool, but this node has none".into()));
            };
            let arguments = Value::Object(call.arguments.clone()).to_string();
            match tools.call(&call.name, &arguments).await {
                Ok(done) => self.invocations.lock().unwrap_or_else(PoisonError::into_inner).push(done.invocation_id),
                Err(error) => tracing::warn!(tool = call.name, %error, "a scripted tool call failed"),
            }
        }
        if reply.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(reply.delay_ms)).await;
        }
        let words = || "as the script says".to_owned();
        match (reply.text, reply.json, reply.error) {
            (Some(text), _, _) => Ok(self.fill(text)),
            (None, Some(json), _) => Ok(self.fill(json.to_string())),
            (None, None, Some(Failure::TimedOut)) => Err(InvokeError::TimedOut(words())),
            (None, None, Some(Failure::Transient)) => Err(InvokeError::Transient(words())),
            (None, None, Some(Failure::Blocked)) => Err(InvokeError::Blocked(words())),
            (None, None, Some(Failure::Permanent) | None) => Err(InvokeError::Permanent(words())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Script, ScriptError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("script.json");
        std::fs::write(&path, text).unwrap();
        Script::read(&path).map(|(script, _)| script)
    }

    #[test]
    fn a_broken_script_is_refused_with_its_place() {
        // R-TEST-01
        for (text, words) in [
            (r#"{"planner": [{}]}"#, "planner reply 1"),
            (r#"{"executor": [{"text": "a"}, {"text": "a", "error": "transient"}]}"#, "executor reply 2"),
            (r#"{"plannner": []}"#, "unknown field `plannner`"),
            (r#"{"planner": [{"error": "maybe"}]}"#, "line 1 column"),
            ("", "line 1 column 0"),
            ("[]", "invalid type: sequence"),
        ] {
            let error = read(text).unwrap_err();
            let words_of_it = match &error {
                ScriptError::Invalid { source, .. } => format!("{error} {source}"),
                ScriptError::Unreadable { .. } | ScriptError::NotOneEnding { .. } => error.to_string(),
            };
            assert!(words_of_it.contains(words), "{words_of_it}");
        }
    }

    #[tokio::test]
    async fn replies_are_used_once_in_order_and_then_there_is_none() {
        // R-TEST-01
        let script = read(r#"{"planner": [{"text": "one"}, {"error": "transient"}, {"text": "unused"}]}"#).unwrap();
        let unused = Arc::new(AtomicUsize::new(0));
        let agent = ScriptedAgent::new(script.planner, None, Arc::clone(&unused));
        let run = Arc::new(RunIdentity {
            run_id: "run-1".into(),
            session_id: "session-1".into(),
            metadata: std::collections::BTreeMap::new(),
        });
        assert_eq!(agent.invoke("", &run).await, Ok("one".into()));
        assert!(matches!(agent.invoke("", &run).await, Err(InvokeError::Transient(_))));
        drop(agent);
        assert_eq!(unused.load(Ordering::Relaxed), 1);
        let empty = ScriptedAgent::new(Vec::new(), None, unused);
        assert!(matches!(empty.invoke("", &run).await, Err(InvokeError::Permanent(_))));
    }
}
