//! A component that was checked, compiled and linked: everything that can be done before the first call.

use crate::binary::{self, Kind, Names};
use crate::bindings::{invoker, log, run, tools, types};
use crate::cache::CodeCache;
use crate::componentize::componentize;
use crate::digest::sha256;
use crate::engine::{Engine, Shared};
use crate::error::{LoadError, Problem};
use crate::guest_log::clean;
use crate::imports;
use crate::limits::{Settings, WasiGrant, store};
use crate::patience::told_if_long;
use crate::role::{Interface, Right, Role};
use crate::state::StoreState;
use crate::version::WitVersion;
use crate::wasi;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{
    Component, ComponentExportIndex, ComponentNamedList, HasSelf, InstancePre, Lift, Linker, Lower,
};

/// The target of what is told of work that takes long, by `tracing` at level info.
pub const PROGRESS: &str = "portcullis::progress";

/// From so many bytes on, a person is told that a component is being compiled, if it takes longer than [`PATIENCE`]:
/// a cached one does not.
const BIG: usize = 2 << 20;
const PATIENCE: Duration = Duration::from_millis(500);

/// A component's bytes and where they came from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// What it is called in the configuration and in the record of a run.
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// A path, or that they are built in. For people.
    pub origin: &'a str,
}

/// Which component serves (R-HOST-06).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginInfo {
    pub role: Role,
    pub name: String,
    /// From the file itself, if it says.
    pub version: Option<String>,
    /// The version of the WIT package that it was built for.
    pub wit: WitVersion,
    /// Of the file as it was given, in hex.
    pub sha256: String,
    /// Bytes of the file.
    pub size: usize,
    /// The rights that its imports take.
    pub rights: Vec<Right>,
    /// What it imports, in its own order.
    pub imports: Vec<String>,
    pub origin: String,
    pub wasi: WasiGrant,
}

pub(crate) struct Plugin {
    pub(crate) info: PluginInfo,
    pub(crate) settings: Settings,
    pub(crate) pre: InstancePre<StoreState>,
    pub(crate) engine: Arc<Shared>,
}

/// An exported function, found and type-checked.
pub(crate) struct Export<Params, Results> {
    pub(crate) index: ComponentExportIndex,
    signature: PhantomData<fn(Params) -> Results>,
}

impl<Params, Results> Clone for Export<Params, Results> {
    fn clone(&self) -> Self {
        Self { index: self.index, signature: PhantomData }
    }
}

impl Plugin {
    /// Checks, compiles and links. Compiling takes from milliseconds to half a minute: not on a thread that runs
    /// futures.
    pub(crate) fn load(engine: &Engine, role: Role, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
        Self::prepare(&engine.0, role, source, settings).map_err(|problem| LoadError {
            component: source.name.to_owned(),
            origin: source.origin.to_owned(),
            role,
            problem,
        })
    }

    fn prepare(engine: &Arc<Shared>, role: Role, source: Source<'_>, settings: Settings) -> Result<Self, Problem> {
        check_settings(engine, &settings)?;
        check_size(engine, source.bytes)?;
        let digest = sha256(source.bytes);
        check_pin(settings.sha256.as_deref(), &digest)?;

        let binary = binary::read(source.bytes)?;
        let (component, names) = as_component(source.bytes, binary.kind, role, settings.wasi)?;
        let wit = imports::check(role, &settings, &names)?;
        let component = compile(engine, &source, &component)?;
        check_parts(&component, settings.limits.memory)?;
        let pre = link(role, wit, settings.wasi, &component).map_err(|error| types_differ(&error))?;

        let info = PluginInfo {
            role,
            name: source.name.to_owned(),
            version: binary.version,
            wit,
            sha256: digest,
            size: source.bytes.len(),
            rights: imports::rights(&names.imports),
            imports: names.imports,
            origin: source.origin.to_owned(),
            wasi: settings.wasi,
        };
        Ok(Self { info, settings, pre, engine: Arc::clone(engine) })
    }

    /// A function of the interface that its world exports.
    pub(crate) fn export<Params, Results>(&self, function: &str) -> Result<Export<Params, Results>, LoadError>
    where
        Params: ComponentNamedList + Lower,
        Results: ComponentNamedList + Lift,
    {
        self.find(&self.info.wit.qualified(self.info.role.export()), function).map_err(|problem| LoadError {
            component: self.info.name.clone(),
            origin: self.info.origin.clone(),
            role: self.info.role,
            problem,
        })
    }

    fn find<Params, Results>(&self, interface: &str, function: &str) -> Result<Export<Params, Results>, Problem>
    where
        Params: ComponentNamedList + Lower,
        Results: ComponentNamedList + Lift,
    {
        let missing =
            || Problem::MissingExport { wanted: format!("{interface}#{function}"), found: Some(interface.to_owned()) };
        let (component, engine) = (self.pre.component(), self.pre.engine());
        let instance = component.get_export_index(None, interface).ok_or_else(missing)?;
        let index = component.get_export_index(Some(&instance), function).ok_or_else(missing)?;

        let ty = component.component_type();
        let Some(ComponentItem::ComponentInstance(instance)) = ty.get_export(engine, interface).map(|it| it.ty) else {
            return Err(missing());
        };
        let Some(ComponentItem::ComponentFunc(signature)) = instance.get_export(engine, function).map(|it| it.ty)
        else {
            return Err(missing());
        };
        signature
            .typecheck::<Params, Results>(&self.pre.instance_type())
            .map_err(|error| types_differ(&error.context(format!("`{interface}#{function}`"))))?;
        Ok(Export { index, signature: PhantomData })
    }
}

fn check_settings(engine: &Shared, settings: &Settings) -> Result<(), Problem> {
    let (limit, most) = (settings.limits.memory, engine.settings.memory);
    if limit > most { Err(Problem::MemorySetting { limit, most }) } else { Ok(()) }
}

fn check_size(engine: &Shared, bytes: &[u8]) -> Result<(), Problem> {
    let (bytes, limit) = (bytes.len(), engine.settings.component_bytes);
    if bytes > limit { Err(Problem::TooLarge { bytes, limit }) } else { Ok(()) }
}

fn check_pin(pinned: Option<&str>, found: &str) -> Result<(), Problem> {
    match pinned {
        Some(pinned) if !pinned.eq_ignore_ascii_case(found) => {
            Err(Problem::Digest { pinned: clean(pinned, 64), found: found.to_owned() })
        }
        Some(_) | None => Ok(()),
    }
}

/// A component as it is, or made from a core module that carries its component type.
fn as_component(bytes: &[u8], kind: Kind, role: Role, wasi: WasiGrant) -> Result<(Cow<'_, [u8]>, Names), Problem> {
    match kind {
        Kind::Component(names) => Ok((Cow::Borrowed(bytes), names)),
        Kind::Module { typed: false } => Err(Problem::CoreModule),
        Kind::Module { typed: true } => {
            let made = componentize(bytes, role, wasi)?;
            match binary::read(&made)?.kind {
                Kind::Component(names) => Ok((Cow::Owned(made), names)),
                Kind::Module { .. } => Err(Problem::CoreModule),
            }
        }
    }
}

/// Takes the code from the cache, or compiles it.
fn compile(engine: &Shared, source: &Source<'_>, bytes: &[u8]) -> Result<Component, Problem> {
    let invalid = |error: wasmtime::Error| {
        let detail = clean(&format!("{error:#}"), 600);
        // The pool looks before anything is made; wasmtime gives no type for what it says.
        if detail.contains("pooling allocator") { Problem::Parts { detail } } else { Problem::Invalid { detail } }
    };
    let work = || Component::from_binary(&engine.wasm, bytes).map_err(invalid);
    // One at a time, so a hit of the cache is this one's.
    let mut tally = engine.compiling.lock().unwrap_or_else(PoisonError::into_inner);
    let hits = engine.cache_hits();
    let component = if bytes.len() < BIG { work() } else { told_if_long(PATIENCE, || tell(engine, source), work) }?;
    if engine.cache_hits() > hits {
        tally.from_cache += 1;
    } else {
        tally.compiled += 1;
    }
    drop(tally);
    component.initialize_copy_on_write_image().map_err(invalid)?;
    Ok(component)
}

/// For the person who waits.
fn tell(engine: &Shared, source: &Source<'_>) {
    let Source { name, bytes, origin } = source;
    let megabytes = bytes.len() / 1_000_000;
    let next = match &engine.code_cache {
        CodeCache::OnDisk(_) => "the next start finds it in the cache",
        CodeCache::Off { .. } => "and there is no cache, so each start does",
    };
    tracing::info!(
        target: PROGRESS,
        "compiling `{name}` ({origin}, {megabytes} MB): it can take half a minute; {next}"
    );
}

/// Of memory, the largest alone: whether all together fit is seen when they are made. The others are those that a pool
/// would have refused.
fn check_parts(component: &Component, memory: u64) -> Result<(), Problem> {
    const WASM_PAGE: u64 = 64 << 10;
    let Some(needed) = component.resources_required() else { return Ok(()) };
    let bytes = needed.max_initial_memory_size.unwrap_or(0).saturating_mul(WASM_PAGE);
    if bytes > memory {
        return Err(Problem::InitialMemory { bytes, limit: memory });
    }
    let parts = [
        ("memories", u64::from(needed.num_memories), u64::from(store::MEMORIES)),
        ("tables", u64::from(needed.num_tables), u64::from(store::TABLES)),
        ("elements of a table", needed.max_initial_table_size.unwrap_or(0), store::TABLE_ELEMENTS as u64),
    ];
    match parts.into_iter().find(|(_, count, most)| count > most) {
        Some((what, count, most)) => Err(Problem::Parts { detail: format!("{count} {what}; {most} are allowed") }),
        None => Ok(()),
    }
}

/// Gives the component what its world imports and nothing else, and compares all types.
fn link(
    role: Role,
    wit: WitVersion,
    wasi: WasiGrant,
    component: &Component,
) -> wasmtime::Result<InstancePre<StoreState>> {
    type Host = HasSelf<StoreState>;
    let mut linker = Linker::<StoreState>::new(component.engine());
    for interface in role.imports() {
        match (wit, interface) {
            (WitVersion::V0_1_0, Interface::Types) => types::add_to_linker::<_, Host>(&mut linker, |state| state)?,
            (WitVersion::V0_1_0, Interface::Run) => run::add_to_linker::<_, Host>(&mut linker, |state| state)?,
            (WitVersion::V0_1_0, Interface::Log) => log::add_to_linker::<_, Host>(&mut linker, |state| state)?,
            (WitVersion::V0_1_0, Interface::Invoker) => invoker::add_to_linker::<_, Host>(&mut linker, |state| state)?,
            (WitVersion::V0_1_0, Interface::Tools) => tools::add_to_linker::<_, Host>(&mut linker, |state| state)?,
        }
    }
    match wasi {
        WasiGrant::None => {}
        WasiGrant::Sandboxed => wasi::link(&mut linker)?,
    }
    linker.instantiate_pre(component)
}

fn types_differ(error: &wasmtime::Error) -> Problem {
    Problem::Types { detail: clean(&format!("{error:#}"), 600) }
}
