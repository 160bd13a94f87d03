//! What a file is, told without running and without compiling it: what it was built for, what it takes, and whether it
//! fits. It asks the same questions as loading does, with the same words, up to the compiler.
//!
//! It knows no configuration: what a component would be granted comes in as [`Settings`].

mod changes;
mod core;
mod explain;
mod producers;

pub use changes::{Change, Changes};
pub use core::{CoreFacts, StoreLimits};
pub use explain::{Explanation, Need, Origin, explain};
pub use producers::{Language, Producer, Producers};

use crate::binary::{self, Kind, Names};
use crate::componentize::{self, componentize};
use crate::digest::sha256;
use crate::error::Problem;
use crate::guest_log::clean;
use crate::imports;
use crate::limits::{Settings, WasiGrant};
use crate::role::{Right, Role};
use crate::version;

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    pub kind: FileKind,
    /// Of the file, in hex.
    pub sha256: String,
    /// Bytes of the file.
    pub size: usize,
    /// From the file itself, if it says.
    pub version: Option<String>,
    /// The versions of the WIT package that it names. One that fits has one.
    pub wit: Vec<String>,
    /// What it imports; of a core module, what it will import as a component, as far as that is known.
    pub imports: Vec<String>,
    pub exports: Vec<String>,
    pub core: CoreFacts,
    pub producers: Producers,
    /// Why the component types of a core module cannot be read. Such a module fits nowhere.
    pub broken: Option<Problem>,
    names: Names,
    shapes: Vec<Shape>,
}

/// How it fits a role whose export it has, were all granted that can be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shape {
    role: Role,
    outcome: Result<Compared, Problem>,
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Component,
    /// What a plain build for wasm32-unknown-unknown gives. The host makes a component of it.
    TypedModule,
    /// A core module that does not say which component it is to become.
    BareModule,
}

/// How far a component was compared with its world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// Names and types.
    Types,
    /// Names alone: WASI's types are compared when it is loaded.
    Names,
}

/// Looks at a file.
///
/// # Errors
/// [`Problem`] when it cannot be read as WebAssembly. That it fits nowhere is no error.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, Problem> {
    let binary = binary::read(bytes)?;
    let walked = core::walk(bytes)?;
    let mut facts = walked.facts;
    let mut broken = None;
    let (kind, names, shapes) = match binary.kind {
        Kind::Component(names) => {
            let shape = |role| Shape { role, outcome: compare(bytes, role, &names) };
            let shapes = candidates(&names).map(shape).collect();
            (FileKind::Component, names, shapes)
        }
        Kind::Module { typed: false } => {
            let names = Names { imports: walked.imports, exports: Vec::new() };
            (FileKind::BareModule, names, Vec::new())
        }
        Kind::Module { typed: true } => {
            let module = typed_module(bytes, walked.imports);
            facts = module.facts.unwrap_or(facts);
            broken = module.broken;
            (FileKind::TypedModule, module.names, module.shapes)
        }
    };
    Ok(Inspection {
        kind,
        sha256: sha256(bytes),
        size: bytes.len(),
        version: binary.version,
        wit: version::named(&names).into_iter().map(|(version, _)| shown(version)).collect(),
        imports: names.imports.iter().map(|name| shown(name)).collect(),
        exports: names.exports.iter().map(|name| shown(name)).collect(),
        core: facts,
        producers: walked.producers,
        broken,
        names,
        shapes,
    })
}

impl Inspection {
    /// The roles whose export it has.
    pub fn roles(&self) -> Vec<Role> {
        self.shapes.iter().map(|shape| shape.role).collect()
    }

    /// The roles that it can serve, were all granted that can be.
    pub fn serves(&self) -> Vec<Role> {
        self.shapes.iter().filter(|shape| shape.outcome.is_ok()).map(|shape| shape.role).collect()
    }

    /// The rights that its imports take.
    pub fn rights(&self) -> Vec<Right> {
        imports::rights(&self.names.imports)
    }

    /// Whether it imports WASI.
    pub fn is_wasi(&self) -> bool {
        self.names.imports.iter().any(|import| imports::is_wasi(import))
    }

    /// Whether it fits a role with what these settings grant. A pinned digest is not asked for.
    ///
    /// Types are compared by the validator, which is a little stricter than the linker: the names of types count.
    ///
    /// # Errors
    /// The [`Problem`] that loading it would meet, as far as that is seen without compiling.
    pub fn fits(&self, role: Role, settings: &Settings) -> Result<Compared, Problem> {
        if self.kind == FileKind::BareModule {
            return Err(Problem::CoreModule);
        }
        if let Some(problem) = &self.broken {
            return Err(problem.clone());
        }
        imports::check(role, settings, &self.names)?;
        let compared = match self.shapes.iter().find(|shape| shape.role == role) {
            Some(shape) => shape.outcome.clone()?,
            // Its export was found by the names, so this is not reached; were it, nothing was compared.
            None => Compared::Names,
        };
        let (bytes, limit) = (self.core.initial_memory, settings.limits.memory);
        if bytes > limit { Err(Problem::InitialMemory { bytes, limit }) } else { Ok(compared) }
    }
}

fn shown(name: &str) -> String {
    clean(name, 128)
}

fn candidates(names: &Names) -> impl Iterator<Item = Role> {
    Role::ALL.into_iter().filter(|role| names.exports.iter().any(|export| imports::serves(*role, export)))
}

/// The names are judged for all that could be granted: what really is granted is asked later.
fn compare(component: &[u8], role: Role, names: &Names) -> Result<Compared, Problem> {
    let version = imports::check_names(role, WasiGrant::Sandboxed, names)?;
    if names.imports.iter().any(|import| imports::is_wasi(import)) {
        return Ok(Compared::Names);
    }
    componentize::check_types(component, role, version)?;
    Ok(Compared::Types)
}

/// A core module, as the component that the host makes of it.
#[derive(Default)]
struct TypedModule {
    names: Names,
    /// Of the component; absent if none can be made.
    facts: Option<CoreFacts>,
    shapes: Vec<Shape>,
    broken: Option<Problem>,
}

fn typed_module(bytes: &[u8], core_imports: Vec<String>) -> TypedModule {
    let declared = match componentize::names_of(bytes) {
        Ok(declared) => declared,
        Err(problem) => {
            let names = Names { imports: core_imports, exports: Vec::new() };
            return TypedModule { names, broken: Some(problem), ..TypedModule::default() };
        }
    };
    let mut imports = Vec::new();
    let mut facts = None;
    let mut shape = |role| {
        let (made, made_facts) = facts_of(&componentize(bytes, role, WasiGrant::Sandboxed)?)?;
        imports.extend(made.imports);
        facts = Some(made_facts);
        Ok(Compared::Types)
    };
    let shapes = candidates(&declared).map(|role| Shape { role, outcome: shape(role) }).collect();
    if facts.is_none() {
        // It declares all that its author might have used, so what it does import is known from the code alone.
        imports = core_imports;
    }
    imports.sort();
    imports.dedup();
    TypedModule { names: Names { imports, exports: declared.exports }, facts, shapes, broken: None }
}

fn facts_of(component: &[u8]) -> Result<(Names, CoreFacts), Problem> {
    match binary::read(component)?.kind {
        Kind::Component(names) => Ok((names, core::walk(component)?.facts)),
        Kind::Module { .. } => Err(Problem::CoreModule),
    }
}
