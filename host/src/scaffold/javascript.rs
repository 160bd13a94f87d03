//! A project in JavaScript, which componentize-js makes a component of.

use super::foreign::{Part, fill};
use super::{File, Name};
use portcullis_plugins::Role;

macro_rules! template {
    ($path:literal) => {
        include_str!(concat!("../../templates/javascript/", $path))
    };
}

const COMMON: [Part; 3] = [
    Part::plain("README.md", template!("README.md")),
    Part::plain(".gitignore", template!("gitignore")),
    Part::plain("package.json", template!("package.json")),
];

const STRICT_JSON: Part = Part::new(
    "strict-json.js",
    template!("strict-json.js"),
    "reads and writes JSON: no duplicate key, exact numbers, bounded depth",
);
const REPORT: Part =
    Part::new("report.js", template!("report.js"), "sends the words of an unexpected error to the host's log");
const INPUT_PARTS: Part =
    Part::new("parts.js", template!("adapter/parts.js"), "the parts of an input that several adapters write");
const SANITIZE: Part =
    Part::new("sanitize.js", template!("parser/sanitize.js"), "finds the one document in an agent's text");
const CONTRACT: Part =
    Part::new("contract.js", template!("parser/contract.js"), "reads the four documents, field by field: begin here");
const SANITIZE_TESTS: Part = Part::plain("sanitize.test.js", template!("parser/sanitize.test.js"));

pub(super) fn files(role: Role, name: &Name) -> Vec<File> {
    let parts: Vec<Part> = COMMON.into_iter().chain(parts(role)).collect();
    let (export, document) = words(role);
    fill(role, name, &parts, &[("{{export}}", export), ("{{document}}", document)])
}

fn parts(role: Role) -> Vec<Part> {
    match role {
        Role::Planner => input(template!("adapter/planner.js"), template!("adapter/planner.test.js")),
        Role::Executor => input(template!("adapter/executor.js"), template!("adapter/executor.test.js")),
        Role::Verifier => input(template!("adapter/verifier.js"), template!("adapter/verifier.test.js")),
        Role::Composer => vec![
            adapter(template!("adapter/composer.js")),
            Part::plain("adapter.test.js", template!("adapter/composer.test.js")),
            app(template!("adapter/app.js")),
            REPORT,
        ],
        Role::PlanParser => parser(template!("parser/plan.test.js")),
        Role::EvidenceParser => parser(template!("parser/evidence.test.js")),
        Role::VerificationParser => parser(template!("parser/verification.test.js")),
        Role::AnswerParser => parser(template!("parser/answer.test.js")),
        Role::Thinker => vec![
            agent(template!("agent/thinker.js")),
            Part::plain("agent.test.js", template!("agent/thinker.test.js")),
            app(template!("agent/app-thinker.js")),
            REPORT,
        ],
        Role::Investigator => vec![
            agent(template!("agent/investigator.js")),
            Part::plain("agent.test.js", template!("agent/investigator.test.js")),
            app(template!("agent/app-investigator.js")),
            REPORT,
            STRICT_JSON,
        ],
    }
}

/// An adapter whose projection carries JSON text.
fn input(logic: &'static str, tests: &'static str) -> Vec<Part> {
    let tests = Part::plain("adapter.test.js", tests);
    vec![adapter(logic), tests, app(template!("adapter/app-with-json.js")), REPORT, INPUT_PARTS, STRICT_JSON]
}

fn parser(tests: &'static str) -> Vec<Part> {
    let tests = Part::plain("contract.test.js", tests);
    vec![CONTRACT, tests, app(template!("parser/app.js")), SANITIZE, SANITIZE_TESTS, STRICT_JSON]
}

const fn adapter(text: &'static str) -> Part {
    Part::new("adapter.js", text, "writes what the agent is given: begin here")
}

const fn agent(text: &'static str) -> Part {
    Part::new("agent.js", text, "answers an input with a document: begin here")
}

const fn app(text: &'static str) -> Part {
    Part::new("app.js", text, "the component around it, and all that knows of WebAssembly")
}

/// What componentize-js looks for among the exports of the module, and the document that a parser reads.
const fn words(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Planner => ("plannerAdapter", ""),
        Role::Executor => ("executorAdapter", ""),
        Role::Verifier => ("verifierAdapter", ""),
        Role::Composer => ("composerAdapter", ""),
        Role::PlanParser => ("planProtocol", "plan"),
        Role::EvidenceParser => ("evidenceProtocol", "evidence"),
        Role::VerificationParser => ("verificationProtocol", "verification"),
        Role::AnswerParser => ("answerProtocol", "answer"),
        Role::Thinker | Role::Investigator => ("agent", ""),
    }
}
