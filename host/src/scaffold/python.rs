//! A project in Python, which componentize-py makes a component of.

use super::foreign::{Part, fill};
use super::{File, Name};
use portcullis_plugins::Role;

macro_rules! template {
    ($path:literal) => {
        include_str!(concat!("../../templates/python/", $path))
    };
}

const COMMON: [Part; 3] = [
    Part::plain("README.md", template!("README.md")),
    Part::plain(".gitignore", template!("gitignore")),
    Part::plain("requirements.txt", template!("requirements.txt")),
];

const STRICT_JSON: Part = Part::new(
    "strict_json.py",
    template!("strict_json.py"),
    "reads and writes JSON: no duplicate key, exact numbers, bounded depth",
);
const REPORT: Part =
    Part::new("report.py", template!("report.py"), "sends the words of an unexpected exception to the host's log");
const INPUT_PARTS: Part =
    Part::new("parts.py", template!("adapter/parts.py"), "the parts of an input that several adapters write");
const SANITIZE: Part =
    Part::new("sanitize.py", template!("parser/sanitize.py"), "finds the one document in an agent's text");
const CONTRACT: Part =
    Part::new("contract.py", template!("parser/contract.py"), "reads the four documents, field by field: begin here");
const SANITIZE_TESTS: Part = Part::plain("test_sanitize.py", template!("parser/test_sanitize.py"));

pub(super) fn files(role: Role, name: &Name) -> Vec<File> {
    let parts: Vec<Part> = COMMON.into_iter().chain(parts(role)).collect();
    fill(role, name, &parts, &[("{{Export}}", export(role))])
}

fn parts(role: Role) -> Vec<Part> {
    match role {
        Role::Planner => input(template!("adapter/planner.py"), template!("adapter/test_planner.py")),
        Role::Executor => input(template!("adapter/executor.py"), template!("adapter/test_executor.py")),
        Role::Verifier => input(template!("adapter/verifier.py"), template!("adapter/test_verifier.py")),
        Role::Composer => vec![
            adapter(template!("adapter/composer.py")),
            Part::plain("test_adapter.py", template!("adapter/test_composer.py")),
            app(template!("adapter/app.py")),
            REPORT,
            STRICT_JSON,
        ],
        Role::PlanParser => parser(template!("parser/app_plan.py"), template!("parser/test_plan.py")),
        Role::EvidenceParser => parser(template!("parser/app_evidence.py"), template!("parser/test_evidence.py")),
        Role::VerificationParser => {
            parser(template!("parser/app_verification.py"), template!("parser/test_verification.py"))
        }
        Role::AnswerParser => parser(template!("parser/app_answer.py"), template!("parser/test_answer.py")),
        Role::Thinker => vec![
            agent(template!("agent/thinker.py")),
            Part::plain("test_agent.py", template!("agent/test_thinker.py")),
            app(template!("agent/app_thinker.py")),
            REPORT,
        ],
        Role::Investigator => vec![
            agent(template!("agent/investigator.py")),
            Part::plain("test_agent.py", template!("agent/test_investigator.py")),
            app(template!("agent/app_investigator.py")),
            REPORT,
            STRICT_JSON,
        ],
    }
}

/// An adapter whose projection carries JSON text.
fn input(logic: &'static str, tests: &'static str) -> Vec<Part> {
    let tests = Part::plain("test_adapter.py", tests);
    vec![adapter(logic), tests, app(template!("adapter/app_with_json.py")), REPORT, INPUT_PARTS, STRICT_JSON]
}

fn parser(component: &'static str, tests: &'static str) -> Vec<Part> {
    let tests = Part::plain("test_contract.py", tests);
    vec![CONTRACT, tests, app(component), SANITIZE, SANITIZE_TESTS, STRICT_JSON]
}

const fn adapter(text: &'static str) -> Part {
    Part::new("adapter.py", text, "writes what the agent is given: begin here")
}

const fn agent(text: &'static str) -> Part {
    Part::new("agent.py", text, "answers an input with a document: begin here")
}

const fn app(text: &'static str) -> Part {
    Part::new("app.py", text, "the component around it, and all that knows of WebAssembly")
}

/// The class that componentize-py looks for.
const fn export(role: Role) -> &'static str {
    match role {
        Role::Planner => "PlannerAdapter",
        Role::Executor => "ExecutorAdapter",
        Role::Verifier => "VerifierAdapter",
        Role::Composer => "ComposerAdapter",
        Role::PlanParser => "PlanProtocol",
        Role::EvidenceParser => "EvidenceProtocol",
        Role::VerificationParser => "VerificationProtocol",
        Role::AnswerParser => "AnswerProtocol",
        Role::Thinker | Role::Investigator => "Agent",
    }
}
