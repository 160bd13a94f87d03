//! Writes down what the current components of one visit did, as far as a candidate is to repeat it. Where there is no
//! candidate, it is nothing but the calls themselves.

use super::Shadows;
use crate::run::stage::AgentNode;
use async_trait::async_trait;
use portcullis_core::document::{Tool, Violation};
use portcullis_core::reason::ReasonCode;
use portcullis_core::state::State;
use portcullis_plugins::{
    AttemptFailure, FailureClass, InvokeError, Invoker, Parsed, Prepared, Preparing, Role, RunIdentity,
};
use serde::Serialize;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// What the candidates of one visit are to repeat. What is missing was not done when the run's time was over.
#[derive(Default)]
pub(in crate::run) struct Take {
    pub(super) adapter: Option<AdapterTake>,
    pub(super) parser: Option<ParserTake>,
}

impl Take {
    pub(super) fn is_empty(&self) -> bool {
        let Self { adapter, parser } = self;
        adapter.is_none() && parser.is_none()
    }
}

pub(super) struct AdapterTake {
    pub(super) role: Role,
    /// The candidate's input, from the same projection. A technical retry has none: it goes on with the first one.
    pub(super) preparing: Option<Preparing>,
    pub(super) prepared: Option<Did>,
    pub(super) attempted: Option<Attempted>,
}

pub(super) struct Attempted {
    pub(super) did: Did,
    /// What the agent said, invocation by invocation.
    pub(super) replies: Vec<Result<String, InvokeError>>,
}

pub(super) struct ParserTake {
    pub(super) role: Role,
    /// The candidate's reading of the same text.
    pub(super) reading: Reading,
    pub(super) parsed: Option<Did>,
}

/// A document or a violation as JSON text, on its way.
pub(super) type Reading = Pin<Box<dyn Future<Output = Result<String, AttemptFailure>> + Send>>;

/// What a component gave, or why it gave nothing, and how long it took.
pub(super) struct Did {
    pub(super) result: Result<String, ReasonCode>,
    pub(super) time: Duration,
}

impl Did {
    fn since(begun: Instant, result: Result<String, &AttemptFailure>) -> Self {
        Self { result: result.map_err(|failure| failure.reason), time: begun.elapsed() }
    }
}

/// The current components of node `N` on one visit, and the candidates that they are watched for.
pub(in crate::run) struct Watch<'a, N: AgentNode> {
    adapter: Option<&'a N::Adapter>,
    parser: Option<&'a N::Parser>,
    take: Take,
}

impl<'a, N: AgentNode> Watch<'a, N> {
    pub(in crate::run) fn begin(shadows: &'a Shadows) -> Self {
        let (adapter, parser) = N::candidates(shadows);
        let to_repeat =
            adapter.map(|_| AdapterTake { role: N::ADAPTER, preparing: None, prepared: None, attempted: None });
        Self { adapter, parser, take: Take { adapter: to_repeat, parser: None } }
    }

    /// What there is to repeat.
    pub(in crate::run) fn end(self) -> Take {
        self.take
    }

    /// Has the current adapter prepare, and takes the same projection for the candidate. None: there is no projection.
    pub(in crate::run) async fn prepare(
        &mut self,
        current: &N::Adapter,
        state: &State,
        tools: &[Tool],
        run: &Arc<RunIdentity>,
    ) -> Option<Result<Prepared, AttemptFailure>> {
        let preparing = N::prepare(current, state, tools, run)?;
        let Some((candidate, take)) = self.adapter.zip(self.take.adapter.as_mut()) else {
            return Some(preparing.await);
        };
        take.preparing = N::prepare(candidate, state, tools, run);
        let begun = Instant::now();
        let prepared = preparing.await;
        take.prepared = Some(Did::since(begun, prepared.as_ref().map(|prepared| prepared.input().to_owned())));
        Some(prepared)
    }

    /// Has the current adapter ask its agent, and listens.
    pub(in crate::run) async fn attempt(
        &mut self,
        prepared: &mut Prepared,
        agent: &Arc<dyn Invoker>,
    ) -> Result<String, AttemptFailure> {
        let Some(take) = self.take.adapter.as_mut() else {
            return Ok(prepared.attempt(Arc::clone(agent)).await?.text);
        };
        let tap = Arc::new(Tap { agent: Arc::clone(agent), heard: Mutex::default() });
        let begun = Instant::now();
        let text = prepared.attempt(Arc::clone(&tap) as Arc<dyn Invoker>).await.map(|output| output.text);
        let mut did = Did::since(begun, text.as_ref().cloned());
        let Heard { replies, time } = tap.heard();
        did.time = did.time.saturating_sub(time);
        take.attempted = Some(Attempted { did, replies });
        text
    }

    /// Has the current parser read the text, and takes the text for the candidate.
    pub(in crate::run) async fn parse(&mut self, current: &N::Parser, text: &str) -> Parsed<N::Document> {
        let parsing = N::parse(current, text);
        let Some(candidate) = self.parser else { return parsing.await };
        let reading = N::parse(candidate, text);
        let take = self.take.parser.insert(ParserTake {
            role: N::PARSER,
            reading: Box::pin(async move { as_json(&reading.await) }),
            parsed: None,
        });
        let begun = Instant::now();
        let parsed = parsing.await;
        let time = begun.elapsed();
        take.parsed = Some(Did { result: as_json(&parsed).map_err(|failure| failure.reason), time });
        parsed
    }
}

/// What a parser gave, in a form that can be compared and pointed into.
fn as_json<D: Serialize>(parsed: &Parsed<D>) -> Result<String, AttemptFailure> {
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    enum Read<'a, D> {
        Document(&'a D),
        Violation(&'a Violation),
    }
    let read = match parsed {
        Ok(Ok(document)) => Read::Document(document),
        Ok(Err(violation)) => Read::Violation(violation),
        Err(failure) => return Err(failure.clone()),
    };
    serde_json::to_string(&read).map_err(|error| AttemptFailure {
        class: FailureClass::NonRetryable,
        reason: ReasonCode::GuestBadValue,
        detail: error.to_string(),
    })
}

/// An agent that is listened to.
struct Tap {
    agent: Arc<dyn Invoker>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    replies: Vec<Result<String, InvokeError>>,
    /// How long the agent took in all.
    time: Duration,
}

impl Tap {
    fn heard(&self) -> Heard {
        std::mem::take(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Invoker for Tap {
    async fn invoke(&self, input: &str, run: &Arc<RunIdentity>) -> Result<String, InvokeError> {
        let begun = Instant::now();
        let heard = || self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        // An invocation that the sandbox gives up never comes back here: that is what it says of it.
        let at = {
            let mut heard = heard();
            heard.replies.push(Err(InvokeError::TimedOut("the time for host calls is over".into())));
            heard.replies.len() - 1
        };
        let reply = self.agent.invoke(input, run).await;
        let mut heard = heard();
        heard.time += begun.elapsed();
        if let Some(said) = heard.replies.get_mut(at) {
            said.clone_from(&reply);
        }
        reply
    }
}
