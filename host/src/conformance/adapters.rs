//! What is asked of an adapter.

use super::ports::ToldAgent;
use super::report::{Examination, Flaw, Found, ended, parted, shown, timed};
use super::scene::{self, Scene};
use super::{CANARY, Extent, identity};
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{
    AttemptFailure, AttemptOutput, Composer, Executor, InvokeError, Planner, Prepared, RunIdentity, Verifier,
};
use serde::de::IgnoredAny;
use std::sync::Arc;

/// One of the four.
#[derive(Clone, Copy)]
pub(super) enum Adapter<'a> {
    Planner(&'a Planner),
    Executor(&'a Executor),
    Verifier(&'a Verifier),
    Composer(&'a Composer),
}

impl Adapter<'_> {
    pub(super) async fn prepare(self, scene: &Scene, run: &Arc<RunIdentity>) -> Result<Prepared, AttemptFailure> {
        match self {
            Self::Planner(it) => it.prepare(&scene.planner(), run).await,
            Self::Executor(it) => it.prepare(&scene.executor(), run).await,
            Self::Verifier(it) => it.prepare(&scene.verifier(), run).await,
            Self::Composer(it) => it.prepare(&scene.composer(), run).await,
        }
    }

    /// The agent's input, in a guest of its own.
    async fn input(self, scene: &Scene) -> Result<String, Flaw> {
        let prepared = self.prepare(scene, &identity()).await.map_err(|failure| ended(&scene.name, &failure))?;
        Ok(prepared.input().to_owned())
    }

    /// What an agent of this node may well say. An adapter that reads it finds what it expects.
    fn reply(self) -> &'static str {
        match self {
            Self::Planner(_) => r#"{"answer_version":"diagnosis_plan_v1","steps":[{"step_id":"s1","goal":"look"}]}"#,
            Self::Executor(_) => r#"{"answer_version":"executor_evidence_v2","claims":[]}"#,
            Self::Verifier(_) => {
                r#"{"answer_version":"verification_v1","verdict":"PASS","facts":[],"allowed_claims":["claim-1"],"missing_information":[],"recommendations":[]}"#
            }
            Self::Composer(_) => {
                r#"{"answer_version":"composed_answer_v1","headline":"The pool is exhausted.","claim_order":["claim-1"],"next_steps":[]}"#
            }
        }
    }
}

const LEGAL_INPUTS: &str = "legal-inputs";
const SAME_BYTES: &str = "same-bytes";
const ASKS_ITS_AGENT: &str = "asks-its-agent";
/// What is examined only of an adapter that takes legal inputs.
const FURTHER: [&str; 7] =
    ["hostile-texts", "big-inputs", SAME_BYTES, ASKS_ITS_AGENT, "agent-errors", "same-on-retry", "keeps-nothing"];

pub(super) async fn examine(adapter: Adapter<'_>, extent: Extent<'_>, examination: &mut Examination) {
    match extent {
        Extent::Smoke => smoke(adapter, examination).await,
        Extent::Full(_) => full(adapter, examination).await,
    }
}

/// An adapter may write any input, and may refuse one that lacks what it needs. It may not refuse all.
async fn smoke(adapter: Adapter<'_>, examination: &mut Examination) {
    let mut taken = None;
    let mut refused = Ok(());
    for scene in scene::legal() {
        match adapter.prepare(&scene, &identity()).await {
            Ok(_) => taken = Some(taken.unwrap_or(scene)),
            Err(failure) => {
                let is_refusal = failure.reason == ReasonCode::GuestRefused;
                refused = Err(ended(&scene.name, &failure));
                if !is_refusal {
                    examination.note(LEGAL_INPUTS, refused);
                    return;
                }
            }
        }
    }
    let Some(scene) = taken else {
        examination.note(LEGAL_INPUTS, refused);
        return;
    };
    examination.note(LEGAL_INPUTS, Ok(()));
    examination.note(SAME_BYTES, same_bytes(adapter, std::slice::from_ref(&scene)).await);
    let agent = ToldAgent::new(Ok(adapter.reply().to_owned()));
    let found = match attempt(adapter, &scene, &agent).await {
        // It may expect another reply of its own agent.
        Err(AttemptFailure { reason: ReasonCode::GuestRefused, .. }) | Ok(_) => Ok(()),
        Err(failure) => Err(ended("an agent that answers", &failure)),
    };
    examination.note(ASKS_ITS_AGENT, found);
}

async fn full(adapter: Adapter<'_>, examination: &mut Examination) {
    if !examination.note(LEGAL_INPUTS, legal_inputs(adapter).await) {
        examination.skip(&FURTHER, LEGAL_INPUTS);
        return;
    }
    let [hostile, big, same, asks, errors, retry, keeps] = FURTHER;
    examination.note(hostile, hostile_texts(adapter).await);
    examination.note(big, adapter.input(&scene::large()).await.map(drop));
    examination.note(same, same_bytes(adapter, &scene::legal()).await);
    if examination.note(asks, asks_its_agent(adapter).await) {
        examination.note(errors, agent_errors(adapter).await);
        examination.note(retry, same_on_retry(adapter).await);
        examination.note(keeps, keeps_nothing(adapter).await);
    } else {
        examination.skip(&[errors, retry, keeps], asks);
    }

    let (scene, run) = (scene::plain(), identity());
    examination.cost(timed("prepare", async || adapter.prepare(&scene, &run).await.is_ok()).await);
}

async fn attempt(adapter: Adapter<'_>, scene: &Scene, agent: &Arc<ToldAgent>) -> Result<AttemptOutput, AttemptFailure> {
    let agent = Arc::clone(agent);
    adapter.prepare(scene, &identity()).await?.attempt(agent).await
}

async fn legal_inputs(adapter: Adapter<'_>) -> Found {
    for scene in scene::legal() {
        adapter.input(&scene).await?;
    }
    Ok(())
}

/// They are taken, and an adapter that writes JSON writes JSON of them too.
async fn hostile_texts(adapter: Adapter<'_>) -> Found {
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    let writes_json = is_json(&adapter.input(&scene::plain()).await?);
    for scene in scene::hostile() {
        let input = adapter.input(&scene).await?;
        if writes_json && !is_json(&input) {
            let words =
                format!("given {}: {}, which is no JSON, as it writes of plain texts", scene.name, shown(&input));
            return Err(Flaw::Failed(words));
        }
    }
    Ok(())
}

async fn same_bytes(adapter: Adapter<'_>, scenes: &[Scene]) -> Found {
    for scene in scenes {
        let (first, second) = (adapter.input(scene).await?, adapter.input(scene).await?);
        if first != second {
            let words = format!("given {} twice: {}; expected the same bytes", scene.name, parted(&first, &second));
            return Err(Flaw::Failed(words));
        }
    }
    Ok(())
}

const NEVER_ASKS: &str = "it never asks its agent, which is legal: docs/decisions/0015";

/// The agent hears the very bytes, of the very run. The host ends an attempt with other bytes and one that asks more
/// often than it may.
async fn asks_its_agent(adapter: Adapter<'_>) -> Found {
    let (scene, run) = (scene::plain(), identity());
    let mut prepared = adapter.prepare(&scene, &run).await.map_err(|failure| ended(&scene.name, &failure))?;
    let agent = ToldAgent::new(Ok(adapter.reply().to_owned()));
    let reported = prepared.attempt(Arc::<ToldAgent>::clone(&agent)).await;
    reported.map_err(|failure| ended("an agent that answers", &failure))?;
    let heard = agent.heard();
    if heard.is_empty() {
        return Err(Flaw::Skipped(NEVER_ASKS.to_owned()));
    }
    for heard in heard {
        if heard.input != prepared.input() {
            let words = format!("its agent heard {}, and not what it prepared", shown(&heard.input));
            return Err(Flaw::Failed(words));
        }
        if !Arc::ptr_eq(&heard.run, &run) {
            return Err(Flaw::Failed(format!("its agent was asked for the run {}", shown(&heard.run.run_id))));
        }
    }
    Ok(())
}

/// An agent's failure ends the attempt as that failure: no trap, and no second question. Trying again is the router's.
async fn agent_errors(adapter: Adapter<'_>) -> Found {
    let scene = scene::plain();
    for (error, reason) in [
        (InvokeError::TimedOut("t".to_owned()), ReasonCode::InvokeTimeout),
        (InvokeError::Transient("t".to_owned()), ReasonCode::InvokeTransient),
        (InvokeError::Permanent("p".to_owned()), ReasonCode::InvokePermanent),
        (InvokeError::Blocked("b".to_owned()), ReasonCode::ToolBlocked),
    ] {
        let given = format!("an agent that fails as {}", reason.as_str());
        let agent = ToldAgent::new(Err(error));
        let reported = attempt(adapter, &scene, &agent).await;
        let asked = agent.heard().len();
        if asked == 0 {
            return Err(Flaw::Skipped(NEVER_ASKS.to_owned()));
        }
        match reported {
            Err(failure) if failure.reason == reason => {}
            Err(failure) => return Err(ended(&given, &failure)),
            Ok(AttemptOutput { text, .. }) => {
                return Err(Flaw::Failed(format!("given {given}: the text {}; expected the error", shown(&text))));
            }
        }
        if asked > 1 {
            return Err(Flaw::Failed(format!("given {given}: it asked {asked} times; expected once")));
        }
    }
    Ok(())
}

/// The first attempt goes on in the guest that prepared; a retry runs in a new one. Both have to come to the same.
async fn same_on_retry(adapter: Adapter<'_>) -> Found {
    let scene = scene::plain();
    let mut prepared = adapter.prepare(&scene, &identity()).await.map_err(|failure| ended(&scene.name, &failure))?;
    let mut attempt = async |given: &str| {
        let agent = ToldAgent::new(Ok(adapter.reply().to_owned()));
        prepared.attempt(agent).await.map_err(|failure| ended(given, &failure))
    };
    let (first, retry) = (attempt("a first attempt").await?, attempt("a retry").await?);
    if first == retry {
        return Ok(());
    }
    let words = format!(
        "the first attempt and a retry with the same bytes differ: {}, {} and {} invocations; expected the same",
        parted(&first.text, &retry.text),
        first.invocations,
        retry.invocations
    );
    Err(Flaw::Failed(words))
}

async fn keeps_nothing(adapter: Adapter<'_>) -> Found {
    let agent = ToldAgent::new(Ok(adapter.reply().to_owned()));
    let marked = scene::marked(CANARY);
    attempt(adapter, &marked, &agent).await.map_err(|failure| ended(&marked.name, &failure))?;
    let plain = scene::plain();
    let output = attempt(adapter, &plain, &agent).await.map_err(|failure| ended(&plain.name, &failure))?;
    for text in [adapter.input(&plain).await?, output.text] {
        if text.contains(CANARY) {
            let words = format!("given {}: {}, with a text of the call before", plain.name, shown(&text));
            return Err(Flaw::Failed(words));
        }
    }
    Ok(())
}
