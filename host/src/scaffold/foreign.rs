//! What projects in Python and JavaScript share: parts that are put together by role, and the words of their README.
//!
//! No template is known here.

use super::{File, Name, place};
use portcullis_plugins::Role;

/// A file of a project.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Relative to the project's folder.
    pub(super) path: &'static str,
    pub(super) text: &'static str,
    /// What it holds, for the README; absent for what explains itself.
    pub(super) purpose: Option<&'static str>,
}

impl Part {
    pub(super) const fn new(path: &'static str, text: &'static str, purpose: &'static str) -> Self {
        Self { path, text, purpose: Some(purpose) }
    }

    pub(super) const fn plain(path: &'static str, text: &'static str) -> Self {
        Self { path, text, purpose: None }
    }
}

/// The files of a project, with each placeholder filled. `own` are the placeholders of one language.
pub(super) fn fill(role: Role, name: &Name, parts: &[Part], own: &[(&str, &str)]) -> Vec<File> {
    let row = |part: &Part| part.purpose.map(|purpose| format!("| `{}` | {purpose} |\n", part.path));
    let rows: String = parts.iter().filter_map(row).collect();
    let common = [
        ("{{name}}", name.kebab()),
        ("{{world}}", role.world()),
        ("{{place}}", place(role)),
        ("{{purpose}}", purpose(role)),
        ("{{limits}}", if is_parser(role) { " --compute 20s" } else { "" }),
        ("{{advice}}", if is_parser(role) { SLOW } else { "" }),
        ("{{files}}", &rows),
    ];
    let fill = |text: &str| {
        common.iter().chain(own).fold(text.to_owned(), |text, (placeholder, value)| text.replace(placeholder, value))
    };
    parts.iter().map(|part| File { path: part.path.to_owned(), text: fill(part.text) }).collect()
}

/// An interpreter inside of an interpreter: measured with a MiB of brackets, it took 6 s.
const SLOW: &str = "
A hostile text of a whole MiB can take it some seconds, more than a call gets by default. Where that shall be a violation
and not the end of the attempt, give it the time in `portcullis.toml`: `limits = { compute = \"20s\" }`.
";

const fn is_parser(role: Role) -> bool {
    match role {
        Role::PlanParser | Role::EvidenceParser | Role::VerificationParser | Role::AnswerParser => true,
        Role::Planner | Role::Executor | Role::Verifier | Role::Composer | Role::Thinker | Role::Investigator => false,
    }
}

const fn purpose(role: Role) -> &'static str {
    match role {
        Role::Planner => "it writes what a planner may see as `planner_input_v1` and asks the planner's agent",
        Role::Executor => "it writes what an executor may see as `executor_input_v1` and asks the executor's agent",
        Role::Verifier => "it writes what a verifier may see as `verifier_input_v1` and asks the verifier's agent",
        Role::Composer => "it writes what a composer may see as `composer_input_v1` and asks the composer's agent",
        Role::PlanParser => "it reads a planner's text as `diagnosis_plan_v1`",
        Role::EvidenceParser => "it reads an executor's text as `executor_evidence_v2`",
        Role::VerificationParser => "it reads a verifier's text as `verification_v1`",
        Role::AnswerParser => "it reads a composer's text as `composed_answer_v1`",
        Role::Thinker => {
            "an agent without tools, which can answer for planner, verifier and composer (`planner-agent`, \
             `verifier-agent`, `composer-agent`)"
        }
        Role::Investigator => "an agent with tools, which answers for the executor (`executor-agent`)",
    }
}
