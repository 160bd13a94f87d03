//! What guests and agents agree on: the four answer documents, how a model's text is read as one of them, and the
//! inputs that the default adapters hand to agents. It knows neither the host nor WIT.
//!
//! # How a text is read
//!
//! Wrapping is removed, nothing is repaired (R-PARSE-01). After one leading BOM is dropped, the text is walked once,
//! from left to right:
//!
//! - **Values.** At a `{` or `[` a strict JSON value is read: no duplicate key, no NaN, no raw control character,
//!   depth at most [`limits::DEPTH_MAX`], numbers kept digit for digit. A whole text, the content of a fence and an
//!   object in prose are all found by this one rule. Nothing *inside* a value is looked at: an object in an array or
//!   in another object, a fence or a tag in a string are content. An object is the document when its `answer_version`
//!   is the wanted one. The same value found twice counts once; two that differ are ambiguous.
//! - **Reasoning.** A closing `</think>`, `</thinking>`, `</reasoning>` or `</thought>` outside of a value drops all
//!   that came before it. An opening tag that is never closed is cut-off reasoning, and so a violation.
//! - **What is broken.** A bracket that begins no strict value reaches to its closing bracket, to the end of the
//!   reasoning that it is part of, or else to the end of the text. Nothing within it is ever a candidate. If it names
//!   the wanted `answer_version` it was meant as the document, and the violation says why and where it breaks; else it
//!   is prose. Two leniences for prose: a brace that no key follows (`{x}`) reaches to the next fence at most, and a
//!   square bracket that no value with quotes or brackets follows (`[0, 5)`, `[link](url)`) reaches no further than it
//!   could be read.
//! - **A closing brace too many** is a violation when nothing but white space, a fence, `]` or `,` stands between it and
//!   the end of the document: the document may be part of something broken. Any other closing brace is prose.
//!
//! No byte is read more than a few times, so the time is linear in the length of the text.
//!
//! # How a document is read
//!
//! Each document has a JSON Schema (`schemas/*.json`, [`schema`]); decoder and schema accept and refuse the same
//! documents, with the same numbers ([`limits`]). Three rules can not be said in a schema and are the decoder's alone:
//! step ids and claim ids are unique, keys are unique, and the depth is bounded. An optional field may be `null`,
//! because some model servers can not leave a field out; it then counts as absent. `executor_evidence_v2` has an
//! optional `no_evidence`: agents say with it that they looked and found nothing. It carries no information of its
//! own, and must not be `true` beside claims.

mod decode;
pub mod document;
mod fields;
pub mod input;
mod json;
pub mod limits;
mod sanitize;
pub mod schema;
#[cfg(test)]
mod tests;

use document::{ANSWER_VERSION, EVIDENCE_VERSION, PLAN_VERSION, VERIFICATION_VERSION};
use document::{ComposedAnswer, Evidence, Plan, VerificationReport, Violation};

/// Reads a planner's text as `diagnosis_plan_v1`.
pub fn plan(text: &str) -> Result<Plan, Violation> {
    decode::plan(sanitize::document(text, PLAN_VERSION)?)
}

/// Reads an executor's text as `executor_evidence_v2`.
pub fn evidence(text: &str) -> Result<Evidence, Violation> {
    decode::evidence(sanitize::document(text, EVIDENCE_VERSION)?)
}

/// Reads a verifier's text as `verification_v1`.
pub fn verification(text: &str) -> Result<VerificationReport, Violation> {
    decode::verification(sanitize::document(text, VERIFICATION_VERSION)?)
}

/// Reads a composer's text as `composed_answer_v1`.
pub fn answer(text: &str) -> Result<ComposedAnswer, Violation> {
    decode::answer(sanitize::document(text, ANSWER_VERSION)?)
}
