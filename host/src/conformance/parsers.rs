//! What is asked of a parser.

use super::report::{Examination, Flaw, Found, ended, shown, timed};
use super::vectors::{Expected, Vector, Vectors};
use super::{CANARY, Extent, hostile, lawful};
use crate::offline::wire::wire;
use portcullis_core::document::{ComposedAnswer, Evidence, Plan, VerificationReport, Violation};
use portcullis_plugins::{
    AnswerParser, AttemptFailure, EvidenceParser, PlanParser, PluginInfo, VerificationParser, WasiGrant,
};
use serde_json::{Value, json};

/// What an agent's text holds at most.
const TEXT_BYTES: usize = 1024 * 1024;
/// So many vectors that differ are told one by one.
const TOLD: usize = 3;

/// One of the four.
#[derive(Clone, Copy)]
pub(super) enum Parser<'a> {
    Plan(&'a PlanParser),
    Evidence(&'a EvidenceParser),
    Verification(&'a VerificationParser),
    Answer(&'a AnswerParser),
}

/// What a parser gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Document {
    Plan(Plan),
    Evidence(Evidence),
    Verification(VerificationReport),
    Answer(ComposedAnswer),
}

type Parsed = Result<Document, Violation>;

impl Parser<'_> {
    pub(super) async fn parse(self, text: &str) -> Result<Parsed, AttemptFailure> {
        Ok(match self {
            Self::Plan(it) => it.parse(text).await?.map(Document::Plan),
            Self::Evidence(it) => it.parse(text).await?.map(Document::Evidence),
            Self::Verification(it) => it.parse(text).await?.map(Document::Verification),
            Self::Answer(it) => it.parse(text).await?.map(Document::Answer),
        })
    }

    const fn version(self) -> &'static str {
        match self {
            Self::Plan(_) => "diagnosis_plan_v1",
            Self::Evidence(_) => "executor_evidence_v2",
            Self::Verification(_) => "verification_v1",
            Self::Answer(_) => "composed_answer_v1",
        }
    }

    fn info(&self) -> &PluginInfo {
        match self {
            Self::Plan(it) => it.info(),
            Self::Evidence(it) => it.info(),
            Self::Verification(it) => it.info(),
            Self::Answer(it) => it.info(),
        }
    }

    /// A document as large as a text may be, and a good deal of what its lists may hold.
    fn largest(self) -> Value {
        let sentence = "wörd ".repeat(660);
        let quote = "q".repeat(2_400);
        let ids = || (0..40).map(|n| format!("claim-{n}")).collect::<Vec<_>>();
        match self {
            Self::Plan(_) => {
                let step = |n| {
                    json!({"step_id": format!("s{n}"), "goal": &sentence, "tool_name": "query_logs",
                        "arguments": {"entity": &sentence, "ids": vec![7; 1_000]}})
                };
                json!({"answer_version": self.version(), "steps": (0..12).map(step).collect::<Vec<_>>()})
            }
            Self::Evidence(_) => {
                let binding = json!({"source_invocation_id": "inv-1", "tool_name": "query_logs", "raw_path": "/lines/0",
                    "matched_text": quote});
                let claim = |n| json!({"claim_id": format!("claim-{n}"), "text": "it broke", "evidence_bindings": vec![binding.clone(); 8]});
                json!({"answer_version": self.version(), "claims": (0..40).map(claim).collect::<Vec<_>>(),
                    "limitations": vec!["none"; 40]})
            }
            Self::Verification(_) => {
                let fact =
                    json!({"fact": sentence, "is_critical": true, "verification": "supported", "reason": sentence});
                json!({"answer_version": self.version(), "verdict": "LOW_CONFID", "facts": vec![fact; 80],
                    "allowed_claims": ids(), "missing_information": vec!["traces"; 40], "recommendations": vec!["look"; 40]})
            }
            Self::Answer(_) => json!({"answer_version": self.version(), "headline": "it broke", "claim_order": ids(),
                "next_steps": vec![sentence; 40]}),
        }
    }
}

/// A parser under examination, with what was unlawful in any document that it gave.
struct Examined<'a> {
    parser: Parser<'a>,
    unlawful: Option<String>,
}

impl Examined<'_> {
    async fn parse(&mut self, given: &str, text: &str) -> Result<Parsed, Flaw> {
        let parsed = self.parser.parse(text).await.map_err(|failure| ended(given, &failure))?;
        if let Ok(document) = &parsed
            && let Err(words) = lawful::check(document)
        {
            self.unlawful.get_or_insert(format!("given {given}: a document with {words}"));
        }
        Ok(parsed)
    }
}

pub(super) async fn examine(parser: Parser<'_>, extent: Extent<'_>, examination: &mut Examination) {
    examination.note("imports-nothing", imports_nothing(parser));
    let mut examined = Examined { parser, unlawful: None };
    match extent {
        Extent::Smoke => {
            examination.note("hostile-texts", hostile_texts(&mut examined).await);
            examination.note("same-document", same_document(&mut examined, &["", "this is no document"]).await);
            examination.note("no-document", no_document(&mut examined).await);
        }
        Extent::Full(reference) => {
            let vectors = reference.vectors;
            examination.note("vectors", all_vectors(&mut examined, vectors.all()).await);
            examination.note("hostile-texts", hostile_texts(&mut examined).await);
            examination.note("big-inputs", big_inputs(&mut examined, vectors).await);
            let texts: Vec<_> = vectors.all().iter().map(|vector| vector.text.as_str()).step_by(5).collect();
            examination.note("same-document", same_document(&mut examined, &texts).await);
            examination.note("keeps-nothing", keeps_nothing(&mut examined).await);
        }
    }
    examination.note("lawful-documents", examined.unlawful.map_or(Ok(()), |words| Err(Flaw::Failed(words))));
    if let Extent::Full(reference) = extent {
        let is_document = |vector: &&Vector| matches!(vector.expected, Expected::Document(_));
        let text = reference.vectors.all().iter().find(is_document).map_or("", |vector| vector.text.as_str());
        examination.cost(timed("parse", async || parser.parse(text).await.is_ok()).await);
    }
}

/// The interface of types holds no function, so it gives nothing.
fn imports_nothing(parser: Parser<'_>) -> Found {
    let is_types = |import: &str| import.split('@').next() == Some("portcullis:node/types");
    // WASI that it was granted is the budget's business.
    let is_granted = |import: &str| parser.info().wasi == WasiGrant::Sandboxed && import.starts_with("wasi:");
    match parser.info().imports.iter().find(|import| !is_types(import) && !is_granted(import)) {
        Some(import) => Err(Flaw::Failed(format!("it imports {}; a parser imports nothing", shown(import)))),
        None => Ok(()),
    }
}

/// No text format has a document where there is no text.
async fn no_document(examined: &mut Examined<'_>) -> Found {
    for (given, text) in [("the empty text", ""), ("white space", " \n\t\n")] {
        if examined.parse(given, text).await?.is_ok() {
            return Err(Flaw::Failed(format!("given {given}: it takes it for a document")));
        }
    }
    Ok(())
}

async fn all_vectors(examined: &mut Examined<'_>, vectors: &[Vector]) -> Found {
    let mut differing = Vec::new();
    for vector in vectors {
        let given = format!("vector {:?}", vector.name);
        let parsed = match examined.parse(&given, &vector.text).await {
            Ok(parsed) => parsed,
            // It did not come back: that is a difference too, and the next vectors may tell more.
            Err(Flaw::Failed(words)) => {
                differing.push(words);
                continue;
            }
            Err(flaw @ (Flaw::Limit(_) | Flaw::Skipped(_))) => return Err(flaw),
        };
        if let Err(words) = compare(examined.parser.version(), &vector.expected, &parsed) {
            differing.push(format!("given {given} {}: {words}", shown(&vector.text)));
        }
    }
    if vectors.is_empty() {
        return Err(Flaw::Failed("there are no vectors".to_owned()));
    }
    if differing.is_empty() {
        return Ok(());
    }
    let (count, all) = (differing.len(), vectors.len());
    differing.truncate(TOLD);
    Err(Flaw::Failed(format!("{count} of {all} differ: {}", differing.join("; "))))
}

fn compare(version: &str, expected: &Expected, parsed: &Parsed) -> Result<(), String> {
    match (expected, parsed) {
        (Expected::Document(expected), Ok(document)) => {
            let document = wire(version, value(document)?);
            if document == *expected {
                return Ok(());
            }
            Err(super::report::parted(&document.to_string(), &expected.to_string())
                + " part; expected the same document")
        }
        (Expected::Document(_), Err(violation)) => Err(format!("{}; expected a document", told(violation))),
        (Expected::Violation { .. }, Ok(document)) => {
            Err(format!("the document {}; expected a violation", shown(&value(document)?.to_string())))
        }
        (Expected::Violation { path: None, or_whole: _ }, Err(_)) => Ok(()),
        (Expected::Violation { path: Some(path), or_whole }, Err(violation)) => {
            let is_the_place = violation.path == *path || (*or_whole && violation.path.is_empty());
            if is_the_place { Ok(()) } else { Err(format!("{}; expected it at {}", told(violation), shown(path))) }
        }
    }
}

fn told(violation: &Violation) -> String {
    format!("a violation at {}: {}", shown(&violation.path), shown(&violation.message))
}

fn value(document: &Document) -> Result<Value, String> {
    let value = match document {
        Document::Plan(plan) => serde_json::to_value(plan),
        Document::Evidence(evidence) => serde_json::to_value(evidence),
        Document::Verification(report) => serde_json::to_value(report),
        Document::Answer(answer) => serde_json::to_value(answer),
    };
    value.map_err(|error| error.to_string())
}

/// Any text has a result.
async fn hostile_texts(examined: &mut Examined<'_>) -> Found {
    let fixed = [("an empty text", ""), ("prose", "this is no document"), ("a NUL", "\0"), ("white space", " \t\r\n")];
    for (name, text) in fixed {
        examined.parse(name, text).await.map(drop)?;
    }
    for (name, text) in hostile::texts() {
        examined.parse(name, &text).await.map(drop)?;
    }
    Ok(())
}

/// Texts as long as an agent's may be. What they mean is known only in the text format of the contract.
async fn big_inputs(examined: &mut Examined<'_>, vectors: &Vectors) -> Found {
    for unit in [" ", "{", "[", "\"", "\\", "{\"a\":", "[1,", "x", "é", "\n", "</think>"] {
        let text = unit.repeat(TEXT_BYTES / unit.len());
        examined.parse(&format!("{unit:?} for a whole MiB"), &text).await.map(drop)?;
    }
    if matches!(vectors, Vectors::Own(_)) {
        return Ok(());
    }
    let largest = examined.parser.largest();
    let given = "a document as large as may be";
    let parsed = examined.parse(given, &largest.to_string()).await?;
    if let Err(violation) = &parsed {
        return Err(Flaw::Failed(format!("given {given}: {}; expected a document", told(violation))));
    }
    let oversized = format!("{}{largest}", " ".repeat(TEXT_BYTES));
    let given = "a document in a text of more than a MiB";
    match examined.parse(given, &oversized).await? {
        Ok(_) => Err(Flaw::Failed(format!("given {given}: a document; expected a violation"))),
        Err(_) => Ok(()),
    }
}

async fn same_document(examined: &mut Examined<'_>, texts: &[&str]) -> Found {
    for text in texts {
        let given = shown(text);
        let (first, second) = (examined.parse(&given, text).await?, examined.parse(&given, text).await?);
        if first != second {
            let words = format!("given {given} twice: results that differ; expected the same");
            return Err(Flaw::Failed(words));
        }
    }
    Ok(())
}

async fn keeps_nothing(examined: &mut Examined<'_>) -> Found {
    let mut marked = examined.parser.largest();
    if let Some(fields) = marked.as_object_mut() {
        fields.insert(CANARY.to_owned(), CANARY.into());
    }
    for text in [marked.to_string(), format!("{CANARY} {CANARY}")] {
        examined.parse("a text with a canary", &text).await.map(drop)?;
        let after = examined.parse("a text after it", "this is no document").await?;
        let said = format!("{after:?}");
        if said.contains(CANARY) {
            let words = format!("given a text after one with a canary: {}, with the canary", shown(&said));
            return Err(Flaw::Failed(words));
        }
    }
    Ok(())
}
