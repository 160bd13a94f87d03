//! What a file holds, by a look at its outermost sections. Nothing is compiled and nothing is believed: a file that
//! says of itself what is not so fails later, at its validation.

use crate::componentize::TYPE_SECTION;
use crate::error::Problem;
use crate::guest_log::clean;
use wasmparser::{Encoding, Parser, Payload};

/// No world has as many, and a file may claim millions.
const NAMES: usize = 1_000;

pub(crate) struct Binary {
    pub(crate) kind: Kind,
    /// From the custom section `version`, as wasm-tools writes it.
    pub(crate) version: Option<String>,
}

pub(crate) enum Kind {
    Component(Names),
    /// What a plain build for wasm32-unknown-unknown gives; `typed` if it says which component it is to become.
    Module {
        typed: bool,
    },
}

/// The outermost names of a component.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) imports: Vec<String>,
    pub(crate) exports: Vec<String>,
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum: of its many sections these alone matter")]
pub(crate) fn read(bytes: &[u8]) -> Result<Binary, Problem> {
    if !bytes.starts_with(b"\0asm") {
        return Err(Problem::NotWasm { found: looks_like(bytes) });
    }
    let mut encoding = Encoding::Module;
    let mut names = Names::default();
    let mut typed = false;
    let mut version = None;
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            Payload::Version { encoding: found, .. } => encoding = found,
            Payload::ComponentImportSection(section) => {
                for import in section {
                    keep(&mut names.imports, import?.name.name)?;
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section {
                    keep(&mut names.exports, export?.name.name)?;
                }
            }
            Payload::CustomSection(section) => {
                typed |= section.name().starts_with(TYPE_SECTION);
                if section.name() == "version" {
                    version = std::str::from_utf8(section.data()).ok().map(|text| clean(text, 64));
                }
            }
            _ => {}
        }
    }
    let kind = match encoding {
        Encoding::Component => Kind::Component(names),
        Encoding::Module => Kind::Module { typed },
    };
    Ok(Binary { kind, version })
}

/// Adds a name, within the bound.
pub(crate) fn keep(names: &mut Vec<String>, name: &str) -> Result<(), Problem> {
    if names.len() == NAMES {
        return Err(Problem::Invalid { detail: format!("it has more than {NAMES} imports or exports") });
    }
    names.push(name.to_owned());
    Ok(())
}

fn looks_like(bytes: &[u8]) -> &'static str {
    match bytes.trim_ascii_start() {
        [] => "an empty file",
        [b'(', ..] => "WebAssembly text",
        _ => "something else than WebAssembly",
    }
}

impl From<wasmparser::BinaryReaderError> for Problem {
    fn from(error: wasmparser::BinaryReaderError) -> Self {
        Self::Invalid { detail: clean(&error.to_string(), 300) }
    }
}
