//! Who made a file, from the custom sections `producers` in it and in what is nested in it. A build may strip them, and
//! anybody may write anything there: it explains, and decides nothing.

use crate::guest_log::clean;
use wasmparser::{BinaryReader, Parser, Payload, ProducersSectionReader};

/// A name or a version, in bytes.
const SHOWN_BYTES: usize = 64;
/// As many are kept.
const ENTRIES: usize = 32;

/// One entry of a `producers` section.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Producer {
    /// `language`, `processed-by` or `sdk`.
    pub field: String,
    pub name: String,
    pub version: String,
}

/// The entries of all sections, sorted, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Producers(Vec<Producer>);

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

impl Producers {
    pub fn all(&self) -> &[Producer] {
        &self.0
    }

    pub fn language(&self) -> Option<Language> {
        let named = |mark: &&str| self.0.iter().any(|producer| producer.name == **mark);
        Language::ALL.into_iter().find(|language| language.marks().iter().any(named))
    }

    /// A section that cannot be read to its end gives what came before: it is not what makes a file valid.
    pub(super) fn read(&mut self, section: &[u8]) {
        let Ok(fields) = ProducersSectionReader::new(BinaryReader::new(section, 0)) else { return };
        for field in fields.into_iter().map_while(Result::ok) {
            for value in field.values.into_iter().map_while(Result::ok) {
                if self.0.len() == ENTRIES {
                    return;
                }
                let shown = |text| clean(text, SHOWN_BYTES);
                let producer =
                    Producer { field: shown(field.name), name: shown(value.name), version: shown(value.version) };
                if !self.0.contains(&producer) {
                    self.0.push(producer);
                }
            }
        }
    }

    /// The sections of a file within a custom section.
    pub(super) fn read_nested(&mut self, bytes: &[u8]) {
        for payload in Parser::new(0).parse_all(bytes).map_while(Result::ok) {
            if let Payload::CustomSection(section) = payload
                && section.name() == "producers"
            {
                self.read(section.data());
            }
        }
    }

    pub(super) fn settle(&mut self) {
        self.0.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{ProducersField, ProducersSection, Section};

    fn section(fields: &[(&str, &[(&str, &str)])]) -> Vec<u8> {
        let mut section = ProducersSection::new();
        for (name, values) in fields {
            let mut field = ProducersField::new();
            for (name, version) in *values {
                field.value(name, version);
            }
            section.field(name, &field);
        }
        let mut bytes = Vec::new();
        section.append_to(&mut bytes);
        bytes
    }

    /// Of a whole module that holds the section.
    fn read(section: &[u8]) -> Producers {
        let mut producers = Producers::default();
        producers.read_nested(&[&b"\0asm\x01\0\0\0"[..], section].concat());
        producers.settle();
        producers
    }

    #[test]
    fn the_language_is_the_authors_and_not_that_of_the_interpreter() {
        let check = |values: &[(&str, &str)], expected| {
            assert_eq!(read(&section(&[("processed-by", values)])).language(), expected, "{values:?}");
        };
        check(&[], None);
        check(&[("wat", "1")], None);
        check(&[("rustc", "1.95.0")], Some(Language::Rust));
        check(&[("clang", "21"), ("rustc", "1.88.0"), ("ComponentizeJS", "0.23.0")], Some(Language::JavaScript));
        check(&[("rustc", "1.75.0"), ("component-init-transform", "0.2.0")], Some(Language::Python));
        check(&[("clang", "21"), ("TinyGo", "0.39")], Some(Language::Go));
        check(&[("clang", "21")], Some(Language::C));
    }

    #[test]
    fn foreign_words_are_cleaned_and_bounded() {
        let long = "x".repeat(1_000);
        let many: Vec<_> = (0..100).map(|n| n.to_string()).collect();
        let values: Vec<_> = many.iter().map(|version| ("tool", version.as_str())).collect();
        let producers = read(&section(&[("language", &[("Ru\nst\x1b[2J", &long), ("Ru\nst\x1b[2J", &long)])]));
        let [producer] = producers.all() else { panic!("{producers:?}") };
        assert_eq!(producer.name, "Ru st [2J");
        assert!(producer.version.len() <= SHOWN_BYTES + '…'.len_utf8());
        assert_eq!(read(&section(&[("sdk", &values)])).all().len(), ENTRIES);
    }

    #[test]
    fn a_broken_section_gives_what_came_before() {
        let whole = section(&[("language", &[("Rust", "2024")]), ("processed-by", &[("rustc", "1")])]);
        for cut in 0..whole.len() {
            assert!(read(&whole[..cut]).all().len() <= 2);
        }
        assert_eq!(read(&section(&[("language", &[("Rust", "")]), ("poem", &[("a", "b")])])).all().len(), 1);
    }
}
