//! Whether a component fits its world, by the names of what it imports and exports (R-HOST-02). Types are compared
//! later, when it is linked.

use crate::binary::Names;
use crate::error::Problem;
use crate::guest_log::clean;
use crate::limits::{Settings, WasiGrant};
use crate::role::{Interface, PACKAGE, Right, Role};
use crate::version::{self, WitVersion};
use crate::wasi;

const SHOWN_BYTES: usize = 128;

/// The names alone, and what they are granted.
pub(crate) fn check(role: Role, settings: &Settings, names: &Names) -> Result<WitVersion, Problem> {
    let version = check_names(role, settings.wasi, names)?;
    let Some(granted) = &settings.rights else { return Ok(version) };
    match rights(&names.imports).into_iter().find(|right| !granted.contains(right)) {
        Some(right) => Err(Problem::Right { right }),
        None => Ok(version),
    }
}

/// Whether a world has these names, whatever rights were granted. Gives the version that they are of.
pub(crate) fn check_names(role: Role, wasi: WasiGrant, names: &Names) -> Result<WitVersion, Problem> {
    let version = version::of(names)?;
    // First, because a component for another world has that world's imports too.
    check_exports(role, version, &names.exports)?;
    names.imports.iter().try_for_each(|import| check_import(role, wasi, import))?;
    Ok(version)
}

fn check_import(role: Role, granted: WasiGrant, name: &str) -> Result<(), Problem> {
    let import = clean(name, SHOWN_BYTES);
    let (interface, version) = split(name);
    if is_wasi(name) {
        return match granted {
            WasiGrant::None => Err(Problem::Wasi { import }),
            WasiGrant::Sandboxed if wasi::offers(interface, version) => Ok(()),
            WasiGrant::Sandboxed => Err(Problem::BeyondSandbox { import }),
        };
    }
    match self::interface(name) {
        Some(own) if role.imports().contains(&own) => Ok(()),
        Some(_) | None => Err(Problem::ForeignImport { import }),
    }
}

/// The rights that these imports take.
pub(crate) fn rights(imports: &[String]) -> Vec<Right> {
    let taken: Vec<_> = imports.iter().filter_map(|import| interface(import)?.right()).collect();
    Right::ALL.into_iter().filter(|right| taken.contains(right)).collect()
}

/// Which interface of the shared package an import names.
pub(crate) fn interface(import: &str) -> Option<Interface> {
    let name = own(split(import).0)?;
    Interface::ALL.into_iter().find(|interface| interface.name() == name)
}

/// More exports than wanted do no harm: nobody calls them.
fn check_exports(role: Role, version: WitVersion, exports: &[String]) -> Result<(), Problem> {
    if exports.iter().any(|name| serves(role, name)) {
        return Ok(());
    }
    let ours = |name: &&String| own(split(name).0).is_some();
    Err(Problem::MissingExport {
        wanted: version.qualified(role.export()),
        found: exports.iter().find(ours).or(exports.first()).map(|name| clean(name, SHOWN_BYTES)),
    })
}

/// Whether this is the export that the role's world asks for, of whichever version.
pub(crate) fn serves(role: Role, export: &str) -> bool {
    own(split(export).0) == Some(role.export())
}

pub(crate) fn is_wasi(import: &str) -> bool {
    import.starts_with("wasi:")
}

/// `wasi:io/poll@0.2.0` → `wasi:io/poll` and `0.2.0`.
pub(crate) fn split(name: &str) -> (&str, &str) {
    name.split_once('@').unwrap_or((name, ""))
}

/// The interface's own name, if it is of the package that host and guests share.
pub(crate) fn own(interface: &str) -> Option<&str> {
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
            "it mixes versions of portcullis:node: `portcullis:node/planner-adapter@0.1.0` and \
             `portcullis:node/log@0.1.1`",
        );
        planner(
            WasiGrant::None,
            "portcullis:node/log",
            "it mixes versions of portcullis:node: `portcullis:node/planner-adapter@0.1.0` and `portcullis:node/log`",
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
            super::check(Role::Planner, &settings, &Names { imports, exports: own(PLANNER) }).map(drop)
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
            "it was built for version 0.2.0 of portcullis:node (`portcullis:node/planner-adapter@0.2.0`), and this \
             host supports 0.1.0",
        );
    }
}
