//! What a component was written in, from its custom sections `producers`. A build may strip them, and anybody may
//! write anything there: it explains, and decides nothing that matters.

use wasmparser::{BinaryReader, Parser, Payload, ProducersSectionReader};

/// As many entries are looked at.
const ENTRIES: usize = 256;

/// What the author wrote it in, as far as the producers tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
    Go,
    C,
}

impl Language {
    /// From the most particular to the least: an interpreter was itself made of C and Rust.
    const ALL: [Self; 5] = [Self::JavaScript, Self::Python, Self::Go, Self::Rust, Self::C];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::Go => "Go",
            Self::C => "C",
        }
    }

    /// Reads it off a file. `None`: the file does not tell.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut names = Vec::new();
        collect(bytes, 0, &mut names);
        let is_there = |mark: &&str| names.iter().any(|name| name == *mark);
        Self::ALL.into_iter().find(|language| language.marks().iter().any(is_there))
    }

    /// The words that give it away, as languages, tools and kits name themselves.
    const fn marks(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["Rust", "rustc", "wit-bindgen-rust"],
            // component-init-transform is the last step of componentize-py, and the only one that signs.
            Self::Python => &["Python", "componentize-py", "component-init-transform"],
            Self::JavaScript => &["JavaScript", "ComponentizeJS", "componentize-js"],
            Self::Go => &["Go", "TinyGo", "wit-bindgen-go"],
            Self::C => &["C", "C11", "C17", "C_plus_plus_14", "C_plus_plus_17", "clang", "wit-bindgen-c"],
        }
    }
}

/// The names in all `producers` sections, also in the component type that a core module carries. A file that cannot be
/// read to its end gives what came before.
fn collect(bytes: &[u8], depth: u8, names: &mut Vec<String>) {
    for payload in Parser::new(0).parse_all(bytes).map_while(Result::ok) {
        let Payload::CustomSection(section) = payload else { continue };
        if section.name() == "producers" {
            collect_section(section.data(), names);
        } else if section.name().starts_with(crate::componentize::TYPE_SECTION) && depth == 0 {
            collect(section.data(), depth + 1, names);
        }
    }
}

fn collect_section(section: &[u8], names: &mut Vec<String>) {
    let Ok(fields) = ProducersSectionReader::new(BinaryReader::new(section, 0)) else { return };
    for field in fields.into_iter().map_while(Result::ok) {
        for value in field.values.into_iter().map_while(Result::ok) {
            if names.len() == ENTRIES {
                return;
            }
            names.push(value.name.to_owned());
        }
    }
}
