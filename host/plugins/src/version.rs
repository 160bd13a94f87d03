//! The versions of the WIT package that this host speaks.
//!
//! Records, variants and enums are closed in the component model, so each version is a contract of its own, and a
//! component is of one version in all that it imports and exports. A further version begins as a variant of
//! [`WitVersion`]: the matches over it lead to whatever else it needs. `docs/wit-versions.md` has the policy.

use crate::binary::Names;
use crate::error::Problem;
use crate::guest_log::clean;
use crate::imports::{own, split};
use crate::role::PACKAGE;
use std::fmt;

/// A version of `portcullis:node`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WitVersion {
    V0_1_0,
}

impl WitVersion {
    pub const ALL: [Self; 1] = [Self::V0_1_0];
    /// That of the `wit` folder.
    pub const CURRENT: Self = Self::V0_1_0;

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V0_1_0 => "0.1.0",
        }
    }

    /// An interface of the package as components name it: `portcullis:node/log@0.1.0`.
    pub(crate) fn qualified(self, interface: &str) -> String {
        format!("{PACKAGE}/{interface}@{self}")
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }
}

impl fmt::Display for WitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What this host supports, in words.
pub(crate) fn supported() -> String {
    WitVersion::ALL.map(WitVersion::as_str).join(", ")
}

/// The versions that these names are of, as they stand there: the first name of each, exports before imports, and no
/// more than a few. One without a version gives an empty text.
pub(crate) fn named(names: &Names) -> Vec<(&str, &str)> {
    /// More than one is wrong already.
    const TOLD: usize = 8;
    let mut found: Vec<(&str, &str)> = Vec::new();
    for name in names.exports.iter().chain(&names.imports) {
        let (interface, version) = split(name);
        if found.len() < TOLD && own(interface).is_some() && found.iter().all(|(known, _)| *known != version) {
            found.push((version, name));
        }
    }
    found
}

/// The version that a component with these names was built for. One that names nothing of the package counts as
/// current: what it lacks is said better by what is asked next.
pub(crate) fn of(names: &Names) -> Result<WitVersion, Problem> {
    const SHOWN_BYTES: usize = 128;
    match named(names).as_slice() {
        [] => Ok(WitVersion::CURRENT),
        [(version, name)] => WitVersion::parse(version).ok_or_else(|| Problem::Version {
            built_for: clean(version, SHOWN_BYTES),
            interface: clean(name, SHOWN_BYTES),
        }),
        [(_, one), (_, other), ..] => {
            Err(Problem::MixedVersions { one: clean(one, SHOWN_BYTES), other: clean(other, SHOWN_BYTES) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(exports: &[&str], imports: &[&str], expected: &str) {
        let own = |names: &[&str]| names.iter().copied().map(str::to_owned).collect();
        let names = Names { imports: own(imports), exports: own(exports) };
        let said = of(&names).map_or_else(|problem| problem.to_string(), |version| version.to_string());
        assert_eq!(said, expected);
    }

    #[test]
    fn a_file_of_many_versions_is_not_compared_with_itself() {
        // R-HOST-02
        let imports: Vec<_> = (0..100_000).map(|patch| format!("portcullis:node/log@0.0.{patch}")).collect();
        let names = Names { imports, exports: Vec::new() };
        assert_eq!(named(&names).len(), 8);
        assert!(matches!(of(&names), Err(Problem::MixedVersions { .. })));
    }

    #[test]
    fn a_component_is_of_one_version() {
        // R-HOST-02
        check(&["portcullis:node/agent@0.1.0"], &["portcullis:node/log@0.1.0", "wasi:io/poll@0.2.0"], "0.1.0");
        check(&["run"], &["wasi:io/poll@0.2.0", "portcullis:nodes/log@7.0.0"], "0.1.0");
        check(
            &["portcullis:node/agent@0.2.0"],
            &["portcullis:node/log@0.2.0"],
            "it was built for version 0.2.0 of portcullis:node (`portcullis:node/agent@0.2.0`), and this host supports \
             0.1.0",
        );
        check(
            &["portcullis:node/agent"],
            &[],
            "it was built for no version of portcullis:node (`portcullis:node/agent`), and this host supports 0.1.0",
        );
        check(
            &["portcullis:node/agent@0.1.0"],
            &["portcullis:node/run@0.1.0", "portcullis:node/log@0.1.1"],
            "it mixes versions of portcullis:node: `portcullis:node/agent@0.1.0` and `portcullis:node/log@0.1.1`",
        );
    }

    #[test]
    fn a_version_is_its_word() {
        for version in WitVersion::ALL {
            assert_eq!(WitVersion::parse(version.as_str()), Some(version));
        }
        assert_eq!(WitVersion::parse("0.1"), None);
    }
}
