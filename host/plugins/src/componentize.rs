//! Makes a component of a core module, as a plain build for wasm32-unknown-unknown gives it.
//!
//! Such a module carries the component types that its author built against. They are only compared with the host's own,
//! by the validator, which is made for hostile bytes; the component is then made after the host's own type. The tool
//! that makes components trusts the type that it is given, and damaged ones overflow its stack.

use crate::binary::{Names, keep};
use crate::bindings;
use crate::error::Problem;
use crate::guest_log::clean;
use crate::imports;
use crate::limits::WasiGrant;
use crate::role::{Interface, Role};
use crate::version::{self, WitVersion};
use std::fmt::Display;
use wasm_encoder::{ComponentBuilder, Module, RawSection};
use wasmparser::component_types::{
    ComponentAnyTypeId, ComponentEntityType, ComponentItem, ComponentType, ComponentTypeId, SubtypeCx,
};
use wasmparser::types::TypesRef;
use wasmparser::{Parser, Payload, Validator};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId, WorldItem, WorldKey};

/// How a section with a component type is named, up to its maker's own words.
pub(crate) const TYPE_SECTION: &str = "component-type";

/// A module has one type for each set of bindings that it was built with.
const TYPES: usize = 16;

/// The custom section of a component type that says how strings are encoded: a version, and that it is UTF-8.
const ENCODING_SECTION: (&str, &[u8]) = ("wit-component-encoding", &[4, 0]);

/// The component for `role` that the module was built to be.
///
/// Which rights it takes is not asked: its component type names all that its author might have used.
pub(crate) fn componentize(module: &[u8], role: Role, wasi: WasiGrant) -> Result<Vec<u8>, Problem> {
    let (mut bare, declared) = take_apart(module)?;
    let version = version::of(&declared_names(&declared)?)?;
    let (resolve, world) = world(version, role.imports(), Some(role.export()))?;
    check(&declared, version, &encode(&resolve, world)?, role, wasi)?;
    embed_component_metadata(&mut bare, &resolve, world, StringEncoding::UTF8).map_err(misfit)?;
    ComponentEncoder::default().module(&bare).and_then(|encoder| encoder.validate(true).encode()).map_err(misfit)
}

fn misfit(error: impl Display) -> Problem {
    Problem::Componentize { detail: clean(&format!("{error:#}"), 600) }
}

/// Whether a component has the types of the role's world. It is only validated.
pub(crate) fn check_types(component: &[u8], role: Role, version: WitVersion) -> Result<(), Problem> {
    let (resolve, world) = world(version, role.imports(), Some(role.export()))?;
    // Both in one component, because types can be compared only within one.
    let mut both = ComponentBuilder::default();
    both.component_raw(None, &encode(&resolve, world)?);
    both.component_raw(None, component);
    let types = Validator::new().validate_all(&both.finish())?;
    let types = types.as_ref();
    let wanted = described_world(types, 0).ok_or_else(no_world)?;
    fits(types, types.component_at(1), wanted)
}

/// What the module's component types import and export, all of them together.
pub(crate) fn names_of(module: &[u8]) -> Result<Names, Problem> {
    declared_names(&take_apart(module)?.1)
}

/// The module without its component types, and these.
fn take_apart(module: &[u8]) -> Result<(Vec<u8>, Vec<&[u8]>), Problem> {
    let mut bare = Module::new();
    let mut types = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        if let Payload::CustomSection(section) = &payload
            && section.name().starts_with(TYPE_SECTION)
        {
            types.push(section.data());
        } else if let Some((id, range)) = payload.as_section() {
            bare.section(&RawSection { id, data: module.get(range).unwrap_or_default() });
        }
    }
    if types.len() > TYPES {
        return Err(misfit(format_args!("it carries more than {TYPES} component types")));
    }
    Ok((bare.finish(), types))
}

/// A world of the host's own interfaces.
fn world(version: WitVersion, imports: &[Interface], export: Option<&str>) -> Result<(Resolve, WorldId), Problem> {
    let own_type = match version {
        WitVersion::V0_1_0 => bindings::COMPONENT_TYPE,
    };
    let (mut resolve, id) = wit_parser::decoding::decode_world(own_type).map_err(misfit)?;
    let qualified = |interface| version.qualified(interface);
    let name = |key: &WorldKey| resolve.name_world_key(key);
    let Some(mut world) = resolve.worlds.get(id).cloned() else { return Err(misfit("the host has no world")) };
    let imported = |key: &WorldKey, _: &mut WorldItem| imports.iter().any(|own| qualified(own.name()) == name(key));
    let exported = |key: &WorldKey, _: &mut WorldItem| export.is_some_and(|own| qualified(own) == name(key));
    world.imports.retain(imported);
    world.exports.retain(exported);
    if let Some(whole) = resolve.worlds.get_mut(id) {
        *whole = world;
    }
    Ok((resolve, id))
}

fn encode(resolve: &Resolve, world: WorldId) -> Result<Vec<u8>, Problem> {
    wit_component::metadata::encode(resolve, world, StringEncoding::UTF8, None).map_err(misfit)
}

fn declared_names(declared: &[&[u8]]) -> Result<Names, Problem> {
    let mut all = ComponentBuilder::default();
    for ty in declared {
        all.component_raw(None, ty);
    }
    let types = Validator::new().validate_all(&all.finish())?;
    let types = types.as_ref();
    let mut together = Names::default();
    for index in (0..).take(declared.len()) {
        let world = described_world(types, index).ok_or_else(no_world)?;
        let Names { imports, exports } = names(types.get(world));
        for (all, more) in [(&mut together.imports, imports), (&mut together.exports, exports)] {
            for name in more {
                if !all.contains(&name) {
                    keep(all, &name)?;
                }
            }
        }
    }
    Ok(together)
}

fn no_world() -> Problem {
    misfit("a component type describes no world")
}

/// A type that exports something must be that of the role's world, and one must be there. The others, of libraries, may
/// only speak of the host's interfaces.
fn check(declared: &[&[u8]], version: WitVersion, wanted: &[u8], role: Role, wasi: WasiGrant) -> Result<(), Problem> {
    let (resolve, library) = world(version, &Interface::ALL, None)?;
    let library = encode(&resolve, library)?;
    // All in one component, because types can be compared only within one.
    let mut all = ComponentBuilder::default();
    all.component_raw(None, wanted);
    all.component_raw(None, &library);
    for ty in declared {
        check_encoding(ty)?;
        all.component_raw(None, ty);
    }
    let types = Validator::new().validate_all(&all.finish())?;
    let types = types.as_ref();
    let described = |index| described_world(types, index).ok_or_else(no_world);
    let (wanted, library) = (described(0)?, described(1)?);

    let mut serves = false;
    for index in (2..).take(declared.len()) {
        let declared = described(index)?;
        let names = names(types.get(declared));
        if names.exports.is_empty() {
            fits(types, declared, library)?;
        } else {
            // Names first: they say better what is wrong.
            imports::check_names(role, wasi, &names)?;
            // A component type of WASI is not the host's own, so there is nothing to compare it with.
            if let Some(import) = names.imports.iter().find(|import| imports::is_wasi(import)) {
                return Err(Problem::WasiOfModule { import: import.clone() });
            }
            fits(types, declared, wanted)?;
            serves = true;
        }
    }
    if serves { Ok(()) } else { Err(Problem::MissingExport { wanted: version.qualified(role.export()), found: None }) }
}

fn check_encoding(ty: &[u8]) -> Result<(), Problem> {
    for payload in Parser::new(0).parse_all(ty) {
        if let Payload::CustomSection(section) = payload?
            && (section.name(), section.data()) == ENCODING_SECTION
        {
            return Ok(());
        }
    }
    Err(misfit("its strings are not UTF-8"))
}

/// The world of the component type at `index`: a component that exports the type of a component that exports the world.
fn described_world(types: TypesRef<'_>, index: u32) -> Option<ComponentTypeId> {
    let ComponentEntityType::Type { referenced: ComponentAnyTypeId::Component(outer), .. } =
        only_export(types.get(types.component_at(index))?)?.ty
    else {
        return None;
    };
    let ComponentEntityType::Component(world) = only_export(types.get(outer)?)?.ty else { return None };
    Some(world)
}

fn only_export(ty: &ComponentType) -> Option<&ComponentItem> {
    let mut exports = ty.exports.values();
    exports.next().filter(|_| exports.next().is_none())
}

fn names(world: Option<&ComponentType>) -> Names {
    world.map_or_else(Names::default, |world| Names {
        imports: world.imports.keys().cloned().collect(),
        exports: world.exports.keys().cloned().collect(),
    })
}

/// Whether a component of type `one` can stand where one of type `other` is wanted.
fn fits(types: TypesRef<'_>, one: ComponentTypeId, other: ComponentTypeId) -> Result<(), Problem> {
    SubtypeCx::new_with_refs(types, types)
        .component_entity_type(&ComponentEntityType::Component(one), &ComponentEntityType::Component(other), 0)
        .map_err(|error| Problem::Types { detail: clean(error.message(), 600) })
}
