//! A project in Rust: one crate that a plain `cargo build` makes a component of.
//!
//! What a parser does with a text before it knows the document is not written twice: those files are the default
//! parsers' own, without their tests.

use super::{File, Name, place};
use portcullis_plugins::Role;

const MANIFEST: &str = include_str!("../../templates/rust/Cargo.toml");
const README: &str = include_str!("../../templates/rust/README.md");
const GITIGNORE: &str = include_str!("../../templates/rust/gitignore");
const RUSTFMT: &str = include_str!("../../../rustfmt.toml");

const ADAPTER: &str = include_str!("../../templates/rust/adapter/component.rs");
const PARSER: &str = include_str!("../../templates/rust/parser/component.rs");
const THINKER: &str = include_str!("../../templates/rust/agent/component-thinker.rs");
const INVESTIGATOR: &str = include_str!("../../templates/rust/agent/component-investigator.rs");

/// How the inputs of three agents are written.
const INPUT: Module = Module {
    name: "input",
    text: include_str!("../../templates/rust/adapter/input.rs"),
    purpose: "what the inputs of several agents share",
};

/// How any document is read, before it is known which.
const READING: [Module; 4] = [
    Module {
        name: "sanitize",
        text: include_str!("../../../guests/contract/src/sanitize.rs"),
        purpose: "finds the one document in an agent's text",
    },
    Module {
        name: "json",
        text: include_str!("../../../guests/contract/src/json.rs"),
        purpose: "strict JSON: no duplicate keys, exact numbers, bounded depth",
    },
    Module {
        name: "fields",
        text: include_str!("../../../guests/contract/src/fields.rs"),
        purpose: "takes an object apart and says where it breaks its contract",
    },
    Module {
        name: "limits",
        text: include_str!("../../../guests/contract/src/limits.rs"),
        purpose: "how large the parts of a document may be",
    },
];

const QUOTE: Module = Module {
    name: "quote",
    text: include_str!("../../templates/rust/agent/quote.rs"),
    purpose: "finds the line of a tool output that speaks of a failure",
};

/// A dependency of the projects that read JSON into types.
const SERDE: &str = "serde = { version = \"1\", features = [\"derive\"] }\n";

/// A file of `src` beside `lib.rs` and `component.rs`.
#[derive(Clone, Copy)]
struct Module {
    name: &'static str,
    text: &'static str,
    purpose: &'static str,
}

/// What the project of one role differs in from the others.
struct Template {
    lib: &'static str,
    component: &'static str,
    modules: &'static [Module],
    /// Taken over from the default parsers.
    reading: &'static [Module],
    /// The interface that its world exports, as a module of Rust.
    interface: &'static str,
    /// The type that a parser gives.
    document: &'static str,
    serde: &'static str,
    purpose: &'static str,
}

pub(super) fn files(role: Role, name: &Name) -> Vec<File> {
    let template = template(role);
    let fill = |text: &str| fill(text, role, name, &template);
    let source = |module: &str, text: &str| (format!("src/{module}.rs"), text.to_owned());
    let mut files = vec![
        ("README.md".to_owned(), fill(README)),
        ("Cargo.toml".to_owned(), fill(MANIFEST)),
        ("rustfmt.toml".to_owned(), RUSTFMT.to_owned()),
        (".gitignore".to_owned(), GITIGNORE.to_owned()),
        source("lib", template.lib),
        source("component", &fill(template.component)),
    ];
    files.extend(template.modules.iter().map(|module| source(module.name, module.text)));
    files.extend(template.reading.iter().map(|module| source(module.name, without_tests(module.text))));
    files.into_iter().map(|(path, text)| File { path, text }).collect()
}

fn fill(text: &str, role: Role, name: &Name, template: &Template) -> String {
    let Template { modules, reading, interface, document, serde, purpose, .. } = *template;
    let row = |module: &Module| format!("| `src/{}.rs` | {} |\n", module.name, module.purpose);
    let modules: String = modules.iter().chain(reading).map(row).collect();
    [
        ("{{name}}", name.kebab()),
        ("{{snake}}", &name.snake()),
        ("{{world}}", role.world()),
        ("{{place}}", place(role)),
        ("{{purpose}}", purpose),
        ("{{modules}}", &modules),
        ("{{interface}}", interface),
        ("{{document}}", document),
        ("{{serde}}", serde),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (placeholder, value)| text.replace(placeholder, value))
}

/// The code of a file whose tests stand at its end.
fn without_tests(text: &str) -> &str {
    text.split_once("\n#[cfg(test)]\nmod tests {").map_or(text, |(code, _tests)| code)
}

const fn template(role: Role) -> Template {
    match role {
        Role::Planner => adapter(
            include_str!("../../templates/rust/adapter/planner.rs"),
            "planner_adapter",
            &[INPUT],
            "it writes what a planner may see as `planner_input_v1` and asks the planner's agent",
        ),
        Role::Executor => adapter(
            include_str!("../../templates/rust/adapter/executor.rs"),
            "executor_adapter",
            &[INPUT],
            "it writes what an executor may see as `executor_input_v1` and asks the executor's agent",
        ),
        Role::Verifier => adapter(
            include_str!("../../templates/rust/adapter/verifier.rs"),
            "verifier_adapter",
            &[INPUT],
            "it writes what a verifier may see as `verifier_input_v1` and asks the verifier's agent",
        ),
        Role::Composer => adapter(
            include_str!("../../templates/rust/adapter/composer.rs"),
            "composer_adapter",
            &[],
            "it writes what a composer may see as `composer_input_v1` and asks the composer's agent",
        ),
        Role::PlanParser => parser(
            include_str!("../../templates/rust/parser/plan.rs"),
            "plan_protocol",
            "Plan",
            "it reads a planner's text as `diagnosis_plan_v1`",
        ),
        Role::EvidenceParser => parser(
            include_str!("../../templates/rust/parser/evidence.rs"),
            "evidence_protocol",
            "Evidence",
            "it reads an executor's text as `executor_evidence_v2`",
        ),
        Role::VerificationParser => parser(
            include_str!("../../templates/rust/parser/verification.rs"),
            "verification_protocol",
            "VerificationReport",
            "it reads a verifier's text as `verification_v1`",
        ),
        Role::AnswerParser => parser(
            include_str!("../../templates/rust/parser/answer.rs"),
            "answer_protocol",
            "Answer",
            "it reads a composer's text as `composed_answer_v1`",
        ),
        Role::Thinker => agent(
            include_str!("../../templates/rust/agent/thinker.rs"),
            THINKER,
            &[],
            "an agent without tools, which can answer for planner, verifier and composer (`planner-agent`, \
             `verifier-agent`, `composer-agent`)",
        ),
        Role::Investigator => agent(
            include_str!("../../templates/rust/agent/investigator.rs"),
            INVESTIGATOR,
            &[QUOTE],
            "an agent with tools, which answers for the executor (`executor-agent`)",
        ),
    }
}

const fn adapter(
    lib: &'static str,
    interface: &'static str,
    modules: &'static [Module],
    purpose: &'static str,
) -> Template {
    Template { lib, component: ADAPTER, modules, reading: &[], interface, document: "", serde: "", purpose }
}

const fn parser(lib: &'static str, interface: &'static str, document: &'static str, purpose: &'static str) -> Template {
    Template { lib, component: PARSER, modules: &[], reading: &READING, interface, document, serde: SERDE, purpose }
}

const fn agent(
    lib: &'static str,
    component: &'static str,
    modules: &'static [Module],
    purpose: &'static str,
) -> Template {
    Template { lib, component, modules, reading: &[], interface: "", document: "", serde: SERDE, purpose }
}
