//! A new project for a component: its files, as text. It knows the ten worlds and the languages, and writes nothing.
//!
//! The templates are real files in `host/templates`. What they share with the program is embedded from where it stands:
//! the contract (`wit`) and, for Rust, the reading of agents' text (`guests/contract`).

mod foreign;
mod javascript;
mod name;
mod python;
mod rust;

pub use name::{Name, NameError};

use portcullis_plugins::Role;

/// A language that a project can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
}

/// One file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Relative to the project's folder, with `/` between its parts.
    pub path: String,
    pub text: String,
}

/// The contract with the host, by file name.
const WIT: [(&str, &str); 9] = [
    ("adapters.wit", include_str!("../../../wit/adapters.wit")),
    ("agent.wit", include_str!("../../../wit/agent.wit")),
    ("invoker.wit", include_str!("../../../wit/invoker.wit")),
    ("log.wit", include_str!("../../../wit/log.wit")),
    ("protocols.wit", include_str!("../../../wit/protocols.wit")),
    ("run.wit", include_str!("../../../wit/run.wit")),
    ("tools.wit", include_str!("../../../wit/tools.wit")),
    ("types.wit", include_str!("../../../wit/types.wit")),
    ("worlds.wit", include_str!("../../../wit/worlds.wit")),
];

impl Language {
    pub const ALL: [Self; 3] = [Self::Rust, Self::Python, Self::JavaScript];

    /// Its word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
            Self::JavaScript => "javascript",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.word() == word)
    }
}

/// All files of a new project, each path once.
pub fn project(role: Role, language: Language, name: &Name) -> Vec<File> {
    let mut files = match language {
        Language::Rust => rust::files(role, name),
        Language::Python => python::files(role, name),
        Language::JavaScript => javascript::files(role, name),
    };
    files.extend(WIT.map(|(name, text)| File { path: format!("wit/{name}"), text: text.to_owned() }));
    files
}

/// What a component of that role is put in place of, as `portcullis node use` names it; a thinker fits three places.
const fn place(role: Role) -> &'static str {
    match role {
        Role::Thinker => "planner-agent",
        Role::Investigator => "executor-agent",
        Role::Planner
        | Role::Executor
        | Role::Verifier
        | Role::Composer
        | Role::PlanParser
        | Role::EvidenceParser
        | Role::VerificationParser
        | Role::AnswerParser => role.world(),
    }
}

/// The two commands that lead to its component: those of the first block of its README.
pub fn commands(files: &[File]) -> Vec<&str> {
    let readme = files.iter().find(|file| file.path == "README.md").map_or("", |file| file.text.as_str());
    let block = readme.lines().skip_while(|line| !line.starts_with("```")).skip(1);
    block.take_while(|line| !line.starts_with("```")).map(|line| line.trim_start_matches("$ ")).collect()
}
