//! What sets a new version of a component apart from the old one, and whether it needs more.

use super::explain::{Need, explain};
use super::{FileKind, Inspection};
use crate::role::{Right, Role};
use crate::version;

/// From an old file to a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Imported by the new one alone.
    pub new_imports: Vec<String>,
    /// Imported by the old one alone.
    pub gone_imports: Vec<String>,
    /// What the new one needs that the old one did not. Empty: it can take the old one's place as it is.
    pub more: Vec<Change>,
}

/// One thing that the new file needs, and the old one did not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    Right(Right),
    /// `wasi = "sandboxed"`.
    Wasi,
    /// Imports that nothing grants.
    Refused,
    /// More bytes of memory at the start.
    Memory {
        from: u64,
        to: u64,
    },
    /// A host for other versions of the WIT package than this one supports.
    Wit {
        to: Vec<String>,
    },
    /// Another component for this role, which it no longer serves.
    Role(Role),
    /// To say which component it is to become.
    ComponentType,
}

impl Changes {
    pub fn between(old: &Inspection, new: &Inspection) -> Self {
        let only = |one: &Inspection, other: &Inspection| -> Vec<String> {
            one.imports.iter().filter(|import| !other.imports.contains(import)).cloned().collect()
        };
        let mut changes = Self { new_imports: only(new, old), gone_imports: only(old, new), more: Vec::new() };
        changes.more.extend(new_needs(old, new, &changes.new_imports));
        let (from, to) = (old.core.initial_memory, new.core.initial_memory);
        if to > from {
            changes.more.push(Change::Memory { from, to });
        }
        if new.wit != old.wit && version::of(&new.names).is_err() {
            changes.more.push(Change::Wit { to: new.wit.clone() });
        }
        let served = new.serves();
        changes.more.extend(old.serves().into_iter().filter(|role| !served.contains(role)).map(Change::Role));
        if new.kind == FileKind::BareModule && old.kind != FileKind::BareModule {
            changes.more.push(Change::ComponentType);
        }
        changes
    }
}

/// A right that the old one had is nothing new; an import that nothing grants is, each time.
fn new_needs(old: &Inspection, new: &Inspection, new_imports: &[String]) -> Vec<Change> {
    let needs = |one: &Inspection, imports: &[String]| -> Vec<Need> {
        let language = one.producers.language();
        imports.iter().map(|import| explain(import, language).need).collect()
    };
    let had = needs(old, &old.imports);
    let mut more: Vec<_> = needs(new, new_imports)
        .into_iter()
        .filter_map(|need| match need {
            Need::Nothing => None,
            Need::Right(right) => (!had.contains(&need)).then_some(Change::Right(right)),
            Need::Wasi => (!had.contains(&need)).then_some(Change::Wasi),
            Need::Refused => Some(Change::Refused),
        })
        .collect();
    more.sort();
    more.dedup();
    more
}
