//! What is asked of an agent. It stands where it stands in a run: between the default adapters, which prepare its
//! input, and the default parsers, which read its answer.

use super::adapters::Adapter;
use super::parsers::{Document, Parser};
use super::ports::{ToldTools, ToolCall};
use super::report::{Examination, Flaw, Found, agent_ended, ended, parted, shown, timed};
use super::scene::{self, Scene};
use super::{CANARY, Extent, Reference, hostile, identity};
use portcullis_core::document::Tool;
use portcullis_plugins::{Investigator, InvokeError, Thinker, ToolError};
use serde_json::{Map, Value, json};

/// One of the two.
#[derive(Clone, Copy)]
pub(super) enum Agent<'a> {
    Thinker(&'a Thinker),
    Investigator(&'a Investigator),
}

/// How it answered, and what it called for that.
struct Answer {
    said: Result<String, InvokeError>,
    calls: Vec<ToolCall>,
}

/// What it is asked, and what its answer has to be.
struct Question<'a> {
    given: String,
    input: String,
    tools: &'a [Tool],
    parser: Parser<'a>,
}

impl<'a> Agent<'a> {
    async fn respond(self, given: &str, input: &str, tools: &[Tool], reply: &ToolReply) -> Result<Answer, Flaw> {
        let told = ToldTools::new(tools, reply.clone());
        let said = match self {
            Self::Thinker(it) => it.respond(input, &identity()).await,
            Self::Investigator(it) => it.respond(input, &identity(), told.clone()).await,
        };
        match said.as_ref().err().and_then(|error| agent_ended(given, error)) {
            Some(flaw) => Err(flaw),
            None => Ok(Answer { said, calls: told.calls() }),
        }
    }

    /// The questions that a scene comes to: three for an agent without tools, one for one with tools.
    async fn questions(self, scene: &'a Scene, reference: &'a Reference<'a>) -> Result<Vec<Question<'a>>, Flaw> {
        let (adapters, parsers) = (&reference.nodes.adapters, &reference.nodes.parsers);
        let asked = match self {
            Self::Thinker(_) => vec![
                ("a planner", Adapter::Planner(&adapters.planner), Parser::Plan(&parsers.plan)),
                ("a verifier", Adapter::Verifier(&adapters.verifier), Parser::Verification(&parsers.verification)),
                ("a composer", Adapter::Composer(&adapters.composer), Parser::Answer(&parsers.answer)),
            ],
            Self::Investigator(_) => {
                vec![("an executor", Adapter::Executor(&adapters.executor), Parser::Evidence(&parsers.evidence))]
            }
        };
        let mut questions = Vec::new();
        for (node, adapter, parser) in asked {
            let prepared = adapter.prepare(scene, &identity()).await;
            let prepared = prepared.map_err(|failure| ended("the default adapter", &failure))?;
            let given = format!("{} of {node}", scene.name);
            questions.push(Question { given, input: prepared.input().to_owned(), tools: &scene.tools, parser });
        }
        Ok(questions)
    }

    /// The document that it answers with.
    async fn document(self, question: &Question<'_>, reply: &ToolReply) -> Result<(Document, Vec<ToolCall>), Flaw> {
        let Question { given, input, tools, parser } = question;
        let Answer { said, calls } = self.respond(given, input, tools, reply).await?;
        let text = said.map_err(|error| Flaw::Failed(format!("given {given}: {error}; expected an answer")))?;
        match parser.parse(&text).await.map_err(|failure| ended("the default parser", &failure))? {
            Ok(document) => Ok((document, calls)),
            Err(violation) => Err(Flaw::Failed(format!(
                "given {given}: {}, which the parser refuses at {}: {}",
                shown(&text),
                shown(&violation.path),
                violation.message
            ))),
        }
    }
}

/// What every tool replies.
type ToolReply = Result<String, ToolError>;

fn log_lines(message: &str) -> String {
    let line = json!({"time": "2026-03-01T10:02:00Z", "entity": "checkout", "level": "ERROR", "message": message});
    json!({ "lines": [line] }).to_string()
}

fn plain_reply() -> String {
    log_lines("pool exhausted: 100 of 100 connections in use")
}

const ANSWERS: &str = "answers";
const ODD_INPUTS: &str = "odd-inputs";
/// What is examined only of an agent that answers.
const FURTHER: [&str; 4] = ["hostile-texts", "big-inputs", "same-answer", "keeps-nothing"];
/// And of one that has tools.
const WITH_TOOLS: [&str; 3] = ["calls-given-tools", "cites-what-it-got", "tool-errors"];

pub(super) async fn examine(agent: Agent<'_>, extent: Extent<'_>, examination: &mut Examination) {
    examination.note(ODD_INPUTS, odd_inputs(agent).await);
    let Extent::Full(reference) = extent else { return };
    let answers = examination.note(ANSWERS, answers(agent, reference).await);
    let has_tools = matches!(agent, Agent::Investigator(_));
    if !answers {
        examination.skip(&FURTHER, ANSWERS);
        if has_tools {
            examination.skip(&WITH_TOOLS, ANSWERS);
        }
        return;
    }
    let [hostile, big, same, keeps] = FURTHER;
    examination.note(hostile, hostile_texts(agent, reference).await);
    examination.note(big, big_inputs(agent, reference).await);
    examination.note(same, same_answer(agent, reference).await);
    examination.note(keeps, keeps_nothing(agent, reference).await);
    if has_tools {
        let [calls, cites, errors] = WITH_TOOLS;
        examination.note(calls, calls_given_tools(agent, reference).await);
        examination.note(cites, cites_what_it_got(agent, reference).await);
        examination.note(errors, tool_errors(agent, reference).await);
    }
    let scene = scene::plain();
    if let Ok(questions) = agent.questions(&scene, reference).await
        && let Some(Question { given, input, tools, parser: _ }) = questions.first()
    {
        let reply = Ok(plain_reply());
        let call = async || agent.respond(given, input, tools, &reply).await.is_ok();
        examination.cost(timed("respond", call).await);
    }
}

/// What is no input has an answer or an error, and no trap.
async fn odd_inputs(agent: Agent<'_>) -> Found {
    let scene = scene::plain();
    for input in
        ["", "this is no input", "{}", "[]", "null", "\0", "{\"input_version\":\"other_v9\"}", "{\"input_version\":"]
    {
        agent.respond(&shown(input), input, &scene.tools, &Ok(plain_reply())).await.map(drop)?;
    }
    for (name, text) in hostile::texts() {
        agent.respond(name, &text, &scene.tools, &Ok(plain_reply())).await.map(drop)?;
    }
    Ok(())
}

async fn answers(agent: Agent<'_>, reference: &Reference<'_>) -> Found {
    for scene in scene::legal() {
        for question in agent.questions(&scene, reference).await? {
            agent.document(&question, &Ok(plain_reply())).await?;
        }
    }
    Ok(())
}

async fn hostile_texts(agent: Agent<'_>, reference: &Reference<'_>) -> Found {
    for scene in scene::hostile() {
        for question in agent.questions(&scene, reference).await? {
            agent.document(&question, &Ok(plain_reply())).await?;
        }
    }
    if matches!(agent, Agent::Thinker(_)) {
        return Ok(());
    }
    // What tools say is the least trusted of all.
    let scene = scene::plain();
    for question in agent.questions(&scene, reference).await? {
        for (name, text) in hostile::texts() {
            let given = format!("a tool that says {name}");
            let question = Question { given, input: question.input.clone(), ..question };
            for output in [text.clone(), log_lines(&text)] {
                agent.document(&question, &Ok(output)).await?;
            }
        }
    }
    Ok(())
}

async fn big_inputs(agent: Agent<'_>, reference: &Reference<'_>) -> Found {
    /// What the gateway hands on of one output, by default.
    const OUTPUT_BYTES: usize = 256 * 1024;
    let scene = scene::large();
    for question in agent.questions(&scene, reference).await? {
        agent.document(&question, &Ok(log_lines(&"x".repeat(OUTPUT_BYTES)))).await?;
    }
    Ok(())
}

async fn same_answer(agent: Agent<'_>, reference: &Reference<'_>) -> Found {
    for scene in scene::legal() {
        for Question { given, input, tools, parser: _ } in agent.questions(&scene, reference).await? {
            let mut texts = Vec::new();
            for _ in 0..2 {
                texts.push(agent.respond(&given, &input, tools, &Ok(plain_reply())).await?.said.unwrap_or_default());
            }
            if let [first, second] = texts.as_slice()
                && first != second
            {
                let words = format!("given {given} twice: {}; expected the same bytes", parted(first, second));
                return Err(Flaw::Failed(words));
            }
        }
    }
    Ok(())
}

async fn keeps_nothing(agent: Agent<'_>, reference: &Reference<'_>) -> Found {
    let (marked, plain) = (scene::marked(CANARY), scene::plain());
    for question in agent.questions(&marked, reference).await? {
        agent.document(&question, &Ok(log_lines(CANARY))).await?;
    }
    for Question { given, input, tools, parser: _ } in agent.questions(&plain, reference).await? {
        let text = agent.respond(&given, &input, tools, &Ok(plain_reply())).await?.said.unwrap_or_default();
        if text.contains(CANARY) {
            let words = format!("given {given}: {}, with a text of the call before", shown(&text));
            return Err(Flaw::Failed(words));
        }
    }
    Ok(())
}

async fn calls_given_tools(agent: Agent<'_>, reference: &Reference<'_>) -> Found {
    let mut called = 0_usize;
    for scene in scene::legal() {
        for question in agent.questions(&scene, reference).await? {
            let given = &question.given;
            for ToolCall { name, arguments, invocation_id: _ } in agent.document(&question, &Ok(plain_reply())).await?.1
            {
                called += 1;
                if !question.tools.iter().any(|tool| tool.name == name) {
                    let words = format!("given {given}: it called {}, which it was not given", shown(&name));
                    return Err(Flaw::Failed(words));
                }
                if serde_json::from_str::<Map<String, Value>>(&arguments).is_err() {
                    let words = format!("given {given}: arguments that are no JSON object: {}", shown(&arguments));
                    return Err(Flaw::Failed(words));
                }
            }
        }
    }
    if called == 0 { Err(Flaw::Skipped(CALLED_NONE.to_owned())) } else { Ok(()) }
}

const CALLED_NONE: &str = "it called no tool";

async fn cites_what_it_got(agent: Agent<'_>, reference: &Reference<'_>) -> Found {
    let mut cited = 0_usize;
    let scene = scene::plain();
    for question in agent.questions(&scene, reference).await? {
        let (document, calls) = agent.document(&question, &Ok(plain_reply())).await?;
        let Document::Evidence(evidence) = document else { continue };
        let bindings = evidence.claims.iter().flat_map(|claim| &claim.bindings);
        for id in bindings.filter_map(|binding| binding.source_invocation_id.as_ref()) {
            cited += 1;
            if !calls.iter().any(|call| call.invocation_id.as_ref() == Some(id)) {
                let words = format!("given {}: it cites {}, and no call gave that", question.given, shown(id));
                return Err(Flaw::Failed(words));
            }
        }
    }
    if cited == 0 { Err(Flaw::Skipped("it cites no invocation".to_owned())) } else { Ok(()) }
}

/// A tool that fails ends in an answer or an error, and no trap.
async fn tool_errors(agent: Agent<'_>, reference: &Reference<'_>) -> Found {
    let scene = scene::plain();
    let word = || "told so".to_owned();
    let mut called = 0_usize;
    for question in agent.questions(&scene, reference).await? {
        for error in [
            ToolError::UnknownTool(word()),
            ToolError::InvalidArguments(word()),
            ToolError::Blocked(word()),
            ToolError::Failed(word()),
            ToolError::TimedOut,
        ] {
            let given = format!("a tool with the error `{error}`");
            called += agent.respond(&given, &question.input, question.tools, &Err(error)).await?.calls.len();
        }
    }
    if called == 0 { Err(Flaw::Skipped(CALLED_NONE.to_owned())) } else { Ok(()) }
}
