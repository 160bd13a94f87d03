//! The one way from an agent to a tool: policy first, then the call, then the record, then the agent.
//!
//! The gateway belongs to one run. It mints every invocation id, so an id that an agent or a provider made up never
//! identifies anything.

use super::{CallError, ToolAnswer, ToolProvider};
use async_trait::async_trait;
use glob::Pattern;
use portcullis_core::document::Tool;
use portcullis_core::json;
use portcullis_core::ledger::{Invocation, InvocationStatus};
use portcullis_plugins::{ToolError, ToolPort, ToolReply};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use uuid::Uuid;

/// Arguments larger than this are refused before the tool sees them.
const ARGUMENTS_LIMIT: usize = 64 * 1024;

/// What an agent may do with tools.
#[derive(Debug, Clone)]
pub struct Policy {
    /// A tool is allowed when one of these matches its name.
    pub allow: Vec<Pattern>,
    /// Calls a run.
    pub calls: u32,
    /// Calls a run with the same tool and the same arguments.
    pub identical_calls: u32,
    /// Bytes of one output. A larger one is refused, never cut.
    pub output: usize,
    /// How long one call may take.
    pub wall: Duration,
}

/// Takes each invocation as it happens, before the agent sees its output.
#[async_trait]
pub trait Recorder: Send + Sync {
    /// # Errors
    /// Words for the log. What cannot be recorded cannot be evidence: the agent does not get the output.
    async fn record(&self, recording: Recording) -> Result<(), String>;
}

/// One finished tool call with its cost.
#[derive(Debug, Clone)]
pub struct Recording {
    pub invocation: Invocation,
    pub duration: Duration,
}

/// The tools of one run. The list is fixed when the run begins.
pub struct Gateway {
    run_id: String,
    provider: Arc<dyn ToolProvider>,
    tools: Vec<Tool>,
    policy: Policy,
    recorder: Arc<dyn Recorder>,
    ledger: Mutex<Ledger>,
}

#[derive(Default)]
struct Ledger {
    invocations: Vec<Invocation>,
    calls: u32,
    /// Calls that policy refused.
    blocked: u32,
    /// Calls that were not made, for whatever reason.
    refused: u32,
    identical: BTreeMap<(String, String), u32>,
}

impl Gateway {
    pub fn new(run_id: String, provider: Arc<dyn ToolProvider>, policy: Policy, recorder: Arc<dyn Recorder>) -> Self {
        let mut tools = provider.tools();
        tools.retain(|tool| policy.allow.iter().any(|pattern| pattern.matches(&tool.name)));
        Self { run_id, provider, tools, policy, recorder, ledger: Mutex::default() }
    }

    /// Every call of this run so far, in order.
    pub fn invocations(&self) -> Vec<Invocation> {
        self.ledger().invocations.clone()
    }

    /// The tools that the run has, by name.
    pub fn tool_names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    /// How many calls policy refused so far.
    pub fn blocked_calls(&self) -> u32 {
        self.ledger().blocked
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // The ledger is only ever appended to, so what a panicking thread left is whole.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the call, and says why it is refused.
    fn admit(&self, name: &str, arguments: &str) -> Result<(), ToolError> {
        let Policy { calls, identical_calls, .. } = self.policy;
        let mut ledger = self.ledger();
        ledger.calls = ledger.calls.saturating_add(1);
        if ledger.calls > calls {
            return Err(ToolError::Blocked(format!("the run has used its {calls} tool calls")));
        }
        if !self.tools.iter().any(|tool| tool.name == name) {
            let known = self.provider.tools().iter().any(|tool| tool.name == name);
            return Err(if known {
                ToolError::Blocked(format!("`{name}` is not on the allow list"))
            } else {
                ToolError::UnknownTool(name.to_owned())
            });
        }
        let same = ledger.identical.entry((name.to_owned(), arguments.to_owned())).or_default();
        *same = same.saturating_add(1);
        if *same > identical_calls {
            return Err(ToolError::Blocked(format!(
                "`{name}` was called {identical_calls} times with these arguments"
            )));
        }
        Ok(())
    }

    /// Writes one call down, for the store and for the gatekeeper. Gives back its id.
    async fn record(
        &self,
        name: &str,
        arguments: &str,
        answer: ToolAnswer,
        duration: Duration,
    ) -> Result<String, ToolError> {
        let invocation = Invocation {
            invocation_id: format!("inv-{}", Uuid::now_v7()),
            run_id: self.run_id.clone(),
            tool_name: name.to_owned(),
            arguments: arguments.to_owned(),
            status: answer.status,
            output: answer.output.into(),
            truncated: answer.truncated,
        };
        let id = invocation.invocation_id.clone();
        let recording = Recording { invocation: invocation.clone(), duration };
        self.recorder.record(recording).await.map_err(|error| {
            tracing::error!(run_id = self.run_id, tool = name, %error, "a tool call could not be recorded");
            ToolError::Failed("the call could not be recorded".into())
        })?;
        self.ledger().invocations.push(invocation);
        Ok(id)
    }

    async fn refuse(&self, name: &str, arguments: &str, error: ToolError) -> ToolError {
        let record = {
            let mut ledger = self.ledger();
            // A tool that does not exist is the agent's mistake, not a refusal of policy (R-NODE-06).
            ledger.blocked = ledger.blocked.saturating_add(u32::from(matches!(error, ToolError::Blocked(_))));
            ledger.refused = ledger.refused.saturating_add(1);
            // An agent that never stops must not fill the store: as many refusals are kept as calls are allowed.
            ledger.refused <= self.policy.calls
        };
        if record {
            let answer = ToolAnswer {
                status: InvocationStatus::Blocked,
                output: error.to_string().into_bytes(),
                truncated: false,
            };
            let bounded = arguments.get(..ARGUMENTS_LIMIT.min(arguments.len())).unwrap_or("{}");
            if let Err(error) = self.record(name, bounded, answer, Duration::ZERO).await {
                return error;
            }
        }
        error
    }

    /// Makes the call within its time, and refuses an output that is too large: a part of it would mislead.
    async fn run(&self, name: &str, arguments: &str) -> Result<ToolAnswer, CallError> {
        let failed = |status, words: String| ToolAnswer { status, output: words.into_bytes(), truncated: false };
        let Ok(answer) = tokio::time::timeout(self.policy.wall, self.provider.call(name, arguments)).await else {
            return Ok(failed(InvocationStatus::TimedOut, "the tool did not answer in time".into()));
        };
        let answer = answer?;
        let (size, limit) = (answer.output.len(), self.policy.output);
        if size > limit {
            return Ok(failed(
                InvocationStatus::Error,
                format!("the output has {size} bytes, more than the limit of {limit}: narrow the query"),
            ));
        }
        Ok(answer)
    }
}

#[async_trait]
impl ToolPort for Gateway {
    fn available(&self) -> Vec<Tool> {
        self.tools.clone()
    }

    async fn call(&self, name: &str, arguments: &str) -> Result<ToolReply, ToolError> {
        if arguments.len() > ARGUMENTS_LIMIT {
            let words = format!("the arguments have more than {ARGUMENTS_LIMIT} bytes");
            return Err(self.refuse(name, arguments, ToolError::InvalidArguments(words)).await);
        }
        let arguments = normal_form(arguments).map_err(ToolError::InvalidArguments)?;
        if let Err(error) = self.admit(name, &arguments) {
            return Err(self.refuse(name, &arguments, error).await);
        }
        let begun = tokio::time::Instant::now();
        let answer = match self.run(name, &arguments).await {
            Ok(answer) => answer,
            Err(CallError::UnknownTool(name)) => {
                return Err(self.refuse(&name.clone(), &arguments, ToolError::UnknownTool(name)).await);
            }
            Err(CallError::InvalidArguments(words)) => {
                let answer = ToolAnswer {
                    status: InvocationStatus::Error,
                    output: words.clone().into_bytes(),
                    truncated: false,
                };
                self.record(name, &arguments, answer, begun.elapsed()).await?;
                return Err(ToolError::InvalidArguments(words));
            }
        };
        let status = answer.status;
        let text = String::from_utf8_lossy(&answer.output).into_owned();
        let invocation_id = self.record(name, &arguments, answer, begun.elapsed()).await?;
        match status {
            // No data is an answer: the agent may say that there was none, the gatekeeper lets no quote of it through.
            InvocationStatus::Ok | InvocationStatus::NoData => Ok(ToolReply { invocation_id, output: text }),
            InvocationStatus::Error | InvocationStatus::Cancelled => Err(ToolError::Failed(text)),
            InvocationStatus::Blocked => Err(ToolError::Blocked(text)),
            InvocationStatus::TimedOut => Err(ToolError::TimedOut),
        }
    }
}

/// One spelling for equal arguments, so that identical calls are seen as such: keys sorted, no space.
fn normal_form(arguments: &str) -> Result<String, String> {
    let text = if arguments.trim().is_empty() { "{}" } else { arguments };
    // Arguments that name a key twice mean one thing to a tool and another to a reader of the ledger.
    let mut value = json::read(text).map_err(|error| format!("the arguments are no strict JSON: {error}"))?;
    if !value.is_object() {
        return Err("the arguments are no JSON object".into());
    }
    value.sort_all_objects();
    Ok(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    #[async_trait]
    impl ToolProvider for Echo {
        fn tools(&self) -> Vec<Tool> {
            ["echo", "secret", "huge", "never"]
                .map(|name| Tool { name: name.into(), description: String::new(), input_schema: "{}".into() })
                .into()
        }

        async fn call(&self, name: &str, arguments: &str) -> Result<ToolAnswer, CallError> {
            let output = match name {
                "huge" => vec![b'x'; 2000],
                "never" => std::future::pending().await,
                _ if arguments.contains("bad") => return Err(CallError::InvalidArguments("`bad` is no key".into())),
                _ => arguments.as_bytes().to_vec(),
            };
            Ok(ToolAnswer { status: InvocationStatus::Ok, output, truncated: false })
        }
    }

    #[derive(Default)]
    struct Seen(Mutex<Vec<Recording>>);

    #[async_trait]
    impl Recorder for Seen {
        async fn record(&self, recording: Recording) -> Result<(), String> {
            self.0.lock().unwrap().push(recording);
            Ok(())
        }
    }

    fn gateway() -> (Gateway, Arc<Seen>) {
        let allow = ["echo", "huge", "never"].map(|name| Pattern::new(name).unwrap()).into();
        let policy = Policy { allow, calls: 12, identical_calls: 3, output: 1000, wall: Duration::from_millis(20) };
        let seen = Arc::new(Seen::default());
        (Gateway::new("run-1".into(), Arc::new(Echo), policy, Arc::clone(&seen) as Arc<dyn Recorder>), seen)
    }

    #[tokio::test]
    async fn each_call_is_recorded_under_the_run_before_the_agent_sees_it() {
        // R-GATE-01 R-NODE-01
        let (gateway, seen) = gateway();
        let reply = gateway.call("echo", r#"{"b": 1, "a": 2}"#).await.unwrap();
        let ledger = gateway.invocations();
        assert_eq!(ledger.len(), 1);
        assert_eq!(ledger[0].invocation_id, reply.invocation_id);
        assert_eq!((ledger[0].run_id.as_str(), ledger[0].arguments.as_str()), ("run-1", r#"{"a":2,"b":1}"#));
        assert_eq!(seen.0.lock().unwrap()[0].invocation, ledger[0]);
    }

    #[tokio::test]
    async fn what_cannot_be_recorded_is_not_handed_on() {
        // R-GATE-01
        struct Broken;
        #[async_trait]
        impl Recorder for Broken {
            async fn record(&self, _: Recording) -> Result<(), String> {
                Err("disk full".into())
            }
        }
        let (gateway, _) = gateway();
        let gateway = Gateway { recorder: Arc::new(Broken), ..gateway };
        assert!(matches!(gateway.call("echo", "{}").await, Err(ToolError::Failed(_))));
        assert!(gateway.invocations().is_empty());
    }

    #[tokio::test]
    async fn policy_refuses_and_the_refusal_is_in_the_ledger() {
        // R-NODE-06
        let (gateway, _) = gateway();
        assert!(matches!(gateway.call("secret", "{}").await, Err(ToolError::Blocked(_))));
        assert!(matches!(gateway.call("none", "{}").await, Err(ToolError::UnknownTool(_))));
        for arguments in ["[]", r#"{"a":1,"a":2}"#, r#"{"a":{"b":1,"\u0062":2}}"#] {
            assert!(
                matches!(gateway.call("echo", arguments).await, Err(ToolError::InvalidArguments(_))),
                "{arguments}"
            );
        }
        assert!(matches!(gateway.call("echo", r#"{"bad":1}"#).await, Err(ToolError::InvalidArguments(_))));
        let statuses: Vec<_> = gateway.invocations().iter().map(|invocation| invocation.status).collect();
        assert_eq!(statuses, [InvocationStatus::Blocked, InvocationStatus::Blocked, InvocationStatus::Error]);
        assert_eq!(gateway.available().len(), 3);
    }

    #[tokio::test]
    async fn identical_calls_and_all_calls_are_bounded() {
        // R-NODE-06 R-HOST-04
        let (gateway, _) = gateway();
        for spelling in [r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, r#"{ "a": 1, "b": 2 }"#] {
            assert!(gateway.call("echo", spelling).await.is_ok());
        }
        assert!(matches!(gateway.call("echo", r#"{"a":1,"b":2}"#).await, Err(ToolError::Blocked(_))));
        for n in 0..100 {
            let result = gateway.call("echo", &format!(r#"{{"n":{n}}}"#)).await;
            assert_eq!(result.is_ok(), n < 8, "{n}: {result:?}");
        }
        assert!(gateway.invocations().len() <= 24, "refusals are bounded too");
    }

    #[tokio::test]
    async fn an_output_that_is_too_large_or_too_late_is_refused_and_recorded() {
        // R-HOST-04 R-GATE-08
        let (gateway, _) = gateway();
        let Err(ToolError::Failed(words)) = gateway.call("huge", "{}").await else { panic!("not refused") };
        assert!(words.contains("narrow the query"), "{words}");
        assert_eq!(gateway.call("never", "{}").await, Err(ToolError::TimedOut));
        let statuses: Vec<_> = gateway.invocations().iter().map(|invocation| invocation.status).collect();
        assert_eq!(statuses, [InvocationStatus::Error, InvocationStatus::TimedOut]);
    }
}
