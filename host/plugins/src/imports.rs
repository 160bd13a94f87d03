//! Whether a component fits its world, by the names of what it imports and exports (R-HOST-02). Types are compared
//! later, when it is linked.

use crate::binary::Names;
use crate::error::Problem;
use crate::guest_log::clean;
use crate::limits::{Settings, WasiGrant};
use crate::role::{PACKAGE, Right, Role, VERSION, qualified};
use crate::wasi;

const SHOWN_BYTES: usize = 128;

pub(crate) fn check(role: Role, settings: &Settings, names: &Names) -> Result<(), Problem> {
    // First, because a component for another world has that world's imports too.
    check_exports(role, &names.exports)?;
    names.imports.iter().try_for_each(|import| check_import(role, settings, import))
}

fn check_import(role: Role, settings: &Settings, name: &str) -> Result<(), Problem> {
    let import = clean(name, SHOWN_BYTES);
    let (interface, version) = split(name);
    if interface.starts_with("wasi:") {
        return match settings.wasi {
            WasiGrant::None => Err(Problem::Wasi { import }),
            WasiGrant::Sandboxed if wasi::offers(interface, version) => Ok(()),
            WasiGrant::Sandboxed => Err(Problem::BeyondSandbox { import }),
        };
    }
    let offered = |name| role.imports().iter().find(|offered| offered.name() == name);
    let Some(interface) = own(interface).and_then(offered) else { return Err(Problem::ForeignImport { import }) };
    check_version(name, version)?;
    match (interface.right(), &settings.rights) {
        (Some(right), Some(granted)) if !granted.contains(&right) => Err(Problem::Right { right }),
        (Some(_) | None, _) => Ok(()),
    }
}

/// The rights that these imports take.
pub(crate) fn rights(imports: &[String]) -> Vec<Right> {
    let named = |right: &Right| imports.iter().any(|import| own(split(import).0) == Some(right.as_str()));
    Right::ALL.into_iter().filter(named).collect()
}

/// More exports than wanted do no harm: nobody calls them.
fn check_exports(role: Role, exports: &[String]) -> Result<(), Problem> {
    let ours = |name: &&String| own(split(name).0).is_some();
    let same = |name: &&String| own(split(name).0) == Some(role.export());
    match exports.iter().find(same) {
        Some(name) => check_version(name, split(name).1),
        None => Err(Problem::MissingExport {
            wanted: qualified(role.export()),
            found: exports.iter().find(ours).or(exports.first()).map(|name| clean(name, SHOWN_BYTES)),
        }),
    }
}

fn check_version(name: &str, version: &str) -> Result<(), Problem> {
    if version == VERSION { Ok(()) } else { Err(Problem::Version { interface: clean(name, SHOWN_BYTES) }) }
}

/// `wasi:io/poll@0.2.0` → `wasi:io/poll` and `0.2.0`.
fn split(name: &str) -> (&str, &str) {
    name.split_once('@').unwrap_or((name, ""))
}

/// The interface's own name, if it is of the package that host and guests share.
fn own(interface: &str) -> Option<&str> {
    interface.strip_prefix(PACKAGE)?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(role: Role, wasi: WasiGrant, imports: &[&str], exports: &[&str], expected: &str) {
        let own = |names: &[&str]| names.iter().copied().map(str::to_owned).collect();
        let names = Names { imports: own(imports), exports: own(exports) };
        let settings = Settings { wasi, ..Settings::of(role) };
        let said = super::check(role, &settings, &names).err().map_or("fits".to_owned(), |problem| problem.to_string());
        assert_eq!(said, expected);
    }

    const PLANNER: &[&str] = &["portcullis:node/planner-adapter@0.1.0"];

    #[test]
    fn imports_are_a_subset_of_the_world() {
        // R-HOST-02
        let planner = |wasi, import, expected| check(Role::Planner, wasi, &[import], PLANNER, expected);
        planner(WasiGrant::None, "portcullis:node/log@0.1.0", "fits");
        planner(WasiGrant::None, "portcullis:node/invoker@0.1.0", "fits");
        planner(
            WasiGrant::None,
            "portcullis:node/tools@0.1.0",
            "it imports `portcullis:node/tools@0.1.0`, which its world does not offer",
        );
        planner(
            WasiGrant::None,
            "portcullis:node/log@0.1.1",
            "it speaks of `portcullis:node/log@0.1.1`, but this host speaks version 0.1.0",
        );
        planner(
            WasiGrant::None,
            "portcullis:node/log",
            "it speaks of `portcullis:node/log`, but this host speaks version 0.1.0",
        );
        planner(
            WasiGrant::None,
            "portcullis:nodex/log@0.1.0",
            "it imports `portcullis:nodex/log@0.1.0`, which its world does not offer",
        );
        planner(WasiGrant::None, "open", "it imports `open`, which its world does not offer");
        planner(
            WasiGrant::None,
            "wasi:clocks/wall-clock@0.2.3",
            "it imports `wasi:clocks/wall-clock@0.2.3`, but it was granted no WASI",
        );
        planner(WasiGrant::Sandboxed, "wasi:clocks/wall-clock@0.2.3", "fits");
        planner(
            WasiGrant::Sandboxed,
            "wasi:clocks/wall-clock@0.3.0",
            "it imports `wasi:clocks/wall-clock@0.3.0`, which even sandboxed WASI does not offer",
        );
        planner(
            WasiGrant::Sandboxed,
            "wasi:http/outgoing-handler@0.2.3",
            "it imports `wasi:http/outgoing-handler@0.2.3`, which even sandboxed WASI does not offer",
        );
        planner(
            WasiGrant::Sandboxed,
            "env:secrets/all",
            "it imports `env:secrets/all`, which its world does not offer",
        );
        check(
            Role::AnswerParser,
            WasiGrant::None,
            &["portcullis:node/log@0.1.0"],
            &["portcullis:node/answer-protocol@0.1.0"],
            "it imports `portcullis:node/log@0.1.0`, which its world does not offer",
        );
    }

    #[test]
    fn a_right_that_was_not_granted_is_refused() {
        // R-HOST-02
        let check = |rights: Option<&[Right]>| {
            let settings = Settings { rights: rights.map(<[_]>::to_vec), ..Settings::of(Role::Planner) };
            let own = |names: &[&str]| -> Vec<String> { names.iter().copied().map(str::to_owned).collect() };
            let imports = own(&["portcullis:node/run@0.1.0", "portcullis:node/invoker@0.1.0"]);
            assert_eq!(super::rights(&imports), [Right::Invoker]);
            super::check(Role::Planner, &settings, &Names { imports, exports: own(PLANNER) })
        };
        assert_eq!(check(None), Ok(()));
        assert_eq!(check(Some(&[Right::Log, Right::Invoker])), Ok(()));
        assert_eq!(check(Some(&[Right::Log])), Err(Problem::Right { right: Right::Invoker }));
        assert_eq!(check(Some(&[])), Err(Problem::Right { right: Right::Invoker }));
    }

    #[test]
    fn the_export_of_the_world_is_there() {
        let planner = |exports: &[&str], expected| check(Role::Planner, WasiGrant::None, &[], exports, expected);
        planner(PLANNER, "fits");
        planner(&["extra", PLANNER[0]], "fits");
        planner(&[], "it should export `portcullis:node/planner-adapter@0.1.0`, and exports nothing");
        planner(
            &["run", "portcullis:node/verifier-adapter@0.1.0"],
            "it should export `portcullis:node/planner-adapter@0.1.0`, and exports portcullis:node/verifier-adapter@0.1.0",
        );
        planner(
            &["portcullis:node/planner-adapter@0.2.0"],
            "it speaks of `portcullis:node/planner-adapter@0.2.0`, but this host speaks version 0.1.0",
        );
    }
}
