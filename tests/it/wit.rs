//! The contract with the guests: it parses, each item of it is documented, and host and guests were built for the same
//! version of it.

use crate::support::nodes;
use portcullis_plugins::Role;
use std::path::Path;
use wit_parser::{Docs, Resolve, TypeDefKind};

fn contract() -> Resolve {
    let mut resolve = Resolve::default();
    resolve.push_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit")).unwrap();
    resolve
}

#[test]
fn each_item_is_documented() {
    // R-HOST-01
    let resolve = contract();
    let mut bare = Vec::new();
    let mut look = |docs: &Docs, name: String| {
        if docs.contents.as_ref().is_none_or(|text| text.trim().is_empty()) {
            bare.push(name);
        }
    };
    for (_, world) in &resolve.worlds {
        look(&world.docs, format!("world {}", world.name));
    }
    for (_, interface) in &resolve.interfaces {
        let interface_name = interface.name.clone().unwrap_or_default();
        look(&interface.docs, format!("interface {interface_name}"));
        for function in interface.functions.values() {
            look(&function.docs, format!("{interface_name}: {}", function.name));
        }
        for (name, id) in &interface.types {
            let item = &resolve.types[*id];
            // `use` and handles repeat what is documented where it is defined.
            if matches!(item.kind, TypeDefKind::Type(_) | TypeDefKind::Handle(_)) {
                continue;
            }
            look(&item.docs, format!("{interface_name}: {name}"));
            if let TypeDefKind::Variant(variant) = &item.kind {
                for case in &variant.cases {
                    look(&case.docs, format!("{interface_name}: {name}.{}", case.name));
                }
            }
        }
    }
    assert_eq!(bare, Vec::<String>::new());
}

#[test]
fn host_and_guests_agree_on_worlds_and_version() {
    // R-HOST-01 R-HOST-02
    let resolve = contract();
    let mut worlds: Vec<_> = resolve.worlds.iter().map(|(_, world)| world.name.clone()).collect();
    let mut roles: Vec<_> = Role::ALL.iter().map(|role| role.world().to_owned()).collect();
    worlds.sort();
    roles.sort();
    assert_eq!(worlds, roles);
    let package = resolve.packages.iter().next().unwrap().1.name.to_string();
    let version = package.split_once('@').unwrap().1;
    // The default components loaded for their worlds: what they import is of this very version.
    let nodes = nodes();
    for info in nodes.infos() {
        for import in &info.imports {
            assert!(import.ends_with(&format!("@{version}")), "{}: {import}", info.role);
        }
    }
}
