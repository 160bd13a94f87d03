//! What one line gets back, and how all of them together came out.

use super::super::error::Exit;
use super::super::run::answered_exit;
use crate::run::{Diagnosis, RunError};
use portcullis_core::document::Verdict;
use serde::Serialize;
use serde_json::Value;

/// One line of the output: an answer, or an error.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    line: u64,
    /// As the question called itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(flatten)]
    ended: Ended,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Ended {
    Answered { verdict: Option<Verdict>, degraded: bool, answer: String },
    Failed { error: String },
}

impl Answer {
    /// A line that asks nothing, or a run that gave nothing.
    pub(super) fn error(line: u64, id: Option<Value>, error: impl Into<String>) -> (Exit, Self) {
        let ended = Ended::Failed { error: error.into() };
        (Exit::Failed, Self { line, id, run_id: None, session_id: None, ended })
    }

    pub(super) fn of(line: u64, id: Option<Value>, ended: Result<Diagnosis, RunError>) -> (Exit, Self) {
        match ended {
            Ok(Diagnosis::Answered(answered)) => {
                let exit = answered_exit(&answered);
                let ended = Ended::Answered {
                    verdict: answered.verdict,
                    degraded: answered.trace.degraded,
                    answer: answered.answer.text,
                };
                let (run_id, session_id) = (Some(answered.run_id), Some(answered.session_id));
                (exit, Self { line, id, run_id, session_id, ended })
            }
            Ok(Diagnosis::Failed { run_id, reason }) => {
                let (exit, answer) =
                    Self::error(line, id, format!("line {line}: the run failed ({reason}); there is no answer"));
                (exit, Self { run_id: Some(run_id), ..answer })
            }
            Err(error) => Self::error(line, id, format!("line {line}: {error}")),
        }
    }

    /// For a person who watches.
    pub(super) fn in_words(&self) -> String {
        match &self.ended {
            Ended::Answered { verdict, degraded, answer: _ } => {
                let verdict = verdict.map_or("no verdict", Verdict::as_str);
                format!("line {}: {verdict}{}", self.line, if *degraded { ", degraded" } else { "" })
            }
            Ended::Failed { error } => error.clone(),
        }
    }
}

/// How many came out how.
#[derive(Debug, Default)]
pub(super) struct Tally {
    verified: u64,
    reserved: u64,
    failed: u64,
}

impl Tally {
    pub(super) fn count(&mut self, exit: Exit) {
        let counter = match exit {
            Exit::Success => &mut self.verified,
            Exit::Degraded => &mut self.reserved,
            Exit::Failed | Exit::Usage => &mut self.failed,
        };
        *counter = counter.saturating_add(1);
    }

    /// The worst of them.
    pub(super) const fn exit(&self) -> Exit {
        match (self.failed, self.reserved) {
            (0, 0) => Exit::Success,
            (0, _) => Exit::Degraded,
            (_, _) => Exit::Failed,
        }
    }

    pub(super) fn in_words(&self) -> String {
        let Self { verified, reserved, failed } = self;
        format!("done: {verified} verified, {reserved} of low confidence or degraded, {failed} failed")
    }
}
