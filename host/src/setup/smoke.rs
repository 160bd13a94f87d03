//! What a component has to stand before it serves: the quick part of the conformance suite.

use super::Serving;
use crate::conformance::{Extent, Subject, examine};
use tokio::runtime::Handle;
use tokio::task::JoinError;

impl Serving {
    /// Recorded replies are no component.
    fn subject(&self) -> Option<Subject<'_>> {
        Some(match self {
            Self::Planner(it) => Subject::Planner(it),
            Self::Executor(it) => Subject::Executor(it),
            Self::Verifier(it) => Subject::Verifier(it),
            Self::Composer(it) => Subject::Composer(it),
            Self::PlanParser(it) => Subject::PlanParser(it),
            Self::EvidenceParser(it) => Subject::EvidenceParser(it),
            Self::VerificationParser(it) => Subject::VerificationParser(it),
            Self::AnswerParser(it) => Subject::AnswerParser(it),
            Self::Thinker(it) => Subject::Thinker(it),
            Self::Investigator(it) => Subject::Investigator(it),
            Self::Script { .. } => return None,
        })
    }
}

/// Calls it a few times, within its own limits. The inner error says in words what it did wrong.
///
/// # Errors
/// The outer one: the examination itself was lost.
pub(super) async fn try_out(serving: Serving) -> Result<Result<(), String>, JoinError> {
    // The futures of the suite stay on one thread; the caller's need not.
    let here = Handle::current();
    tokio::task::spawn_blocking(move || here.block_on(examined(&serving))).await
}

async fn examined(serving: &Serving) -> Result<(), String> {
    let Some(subject) = serving.subject() else { return Ok(()) };
    let report = examine(&subject, Extent::Smoke).await;
    if report.passed() {
        return Ok(());
    }
    let failures: Vec<_> = report.failures().map(|(check, words)| format!("{check}: {words}")).collect();
    Err(failures.join("; "))
}
