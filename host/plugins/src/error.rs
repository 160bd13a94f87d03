//! Why a component is not loaded, and the way out. Each message stands alone: it names the file, the role, what is
//! wrong and what to do.

use crate::imports::serves;
use crate::role::{PACKAGE, Right, Role};
use crate::version::{WitVersion, supported};
use crate::wasi;
use std::fmt;

/// A component that was not loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("component `{component}` ({origin}) cannot serve as {role}: {problem}. Fix: {}", problem.fix(*role))]
pub struct LoadError {
    pub component: String,
    /// Where its bytes came from: a path, or that they are built in.
    pub origin: String,
    pub role: Role,
    pub problem: Problem,
}

/// What is wrong with a component.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("it has {bytes} bytes and {limit} are allowed")]
    TooLarge { bytes: usize, limit: usize },
    #[error("its sha256 is {found}, but {pinned} is pinned")]
    Digest { pinned: String, found: String },
    #[error("it is {found}")]
    NotWasm { found: &'static str },
    #[error("it is a core module and does not say which component it is to become")]
    CoreModule,
    #[error("it is a core module that does not fit its world: {detail}")]
    Componentize { detail: String },
    #[error("it is not valid: {detail}")]
    Invalid { detail: String },
    #[error("it imports `{import}`, but it was granted no WASI")]
    Wasi { import: String },
    #[error("it is a core module that imports `{import}`, and only a component can be granted WASI")]
    WasiOfModule { import: String },
    #[error("it imports `{import}`, which even sandboxed WASI does not offer")]
    BeyondSandbox { import: String },
    #[error("it imports `{}`, which is not among the rights that it was granted", right.as_str())]
    Right { right: Right },
    #[error("it imports `{import}`, which its world does not offer")]
    ForeignImport { import: String },
    #[error("it was built for {} of {PACKAGE} (`{interface}`), and this host supports {}", version_in_words(.built_for), supported())]
    Version { built_for: String, interface: String },
    #[error("it mixes versions of {PACKAGE}: `{one}` and `{other}`")]
    MixedVersions { one: String, other: String },
    #[error("it should export `{wanted}`, and exports {}", .found.as_deref().unwrap_or("nothing"))]
    MissingExport { wanted: String, found: Option<String> },
    #[error("its types are not those of its world: {detail}")]
    Types { detail: String },
    #[error("it consists of more than a component may: {detail}")]
    Parts { detail: String },
    #[error("it starts with {bytes} bytes of memory and {limit} are allowed")]
    InitialMemory { bytes: u64, limit: u64 },
    #[error("its memory limit is set to {limit} bytes and {most} can be granted")]
    MemorySetting { limit: u64, most: u64 },
}

impl Problem {
    /// What its author or operator can do.
    pub fn fix(&self, role: Role) -> impl fmt::Display {
        Fix { problem: self, role }
    }
}

pub(crate) struct Fix<'a> {
    problem: &'a Problem,
    role: Role,
}

const WITHOUT_WASI: &str = "Rust: target wasm32-unknown-unknown; Python: componentize-py with --stub-wasi; \
                            JavaScript: componentize-js with all features disabled";

impl fmt::Display for Fix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = self.role;
        match self.problem {
            Problem::TooLarge { .. } => write!(f, "strip debug information (wasm-tools strip) and build optimized"),
            Problem::Digest { .. } => write!(f, "put the pinned file back, or pin the new digest after a review"),
            Problem::NotWasm { .. } => write!(f, "give the binary component (`wasm-tools parse` turns text into one)"),
            Problem::CoreModule => write!(
                f,
                "core module, build a component: use wit-bindgen for world `{role}` (what it gives is accepted as it \
                 is), or `wasm-tools component embed` and `component new`"
            ),
            Problem::Componentize { .. } => write!(f, "build it without WASI ({WITHOUT_WASI})"),
            Problem::Invalid { .. } => write!(f, "see what `wasm-tools validate` says, and build it again"),
            Problem::Wasi { .. } => write!(
                f,
                "build it without WASI ({WITHOUT_WASI}), or set wasi = \"sandboxed\" for it; world `{role}` itself \
                 needs none"
            ),
            Problem::WasiOfModule { .. } => {
                write!(f, "make it a component with `wasm-tools component new`, or build it without WASI")
            }
            Problem::BeyondSandbox { .. } => {
                write!(f, "build it without that import; sandboxed WASI is {}", wasi::LINKED)
            }
            Problem::Right { right } => write!(f, "add \"{}\" to its `rights`, or build it without", right.as_str()),
            Problem::ForeignImport { .. } => {
                let offered: Vec<_> = role.imports().iter().map(|interface| interface.name()).collect();
                let offered = offered.join(", ");
                write!(
                    f,
                    "leave it out; world `{role}` offers {offered} of {PACKAGE}@{} and nothing else",
                    WitVersion::CURRENT
                )
            }
            Problem::Version { built_for, .. } => {
                write!(f, "build it again with the wit folder of this host, for world `{role}`")?;
                if built_for.is_empty() { Ok(()) } else { write!(f, ", or use a host that supports {built_for}") }
            }
            Problem::MixedVersions { .. } | Problem::Types { .. } => {
                write!(f, "build it again with the wit folder of this host, for world `{role}`")
            }
            Problem::MissingExport { found, .. } => match found.as_deref().and_then(serves_as) {
                Some(other) => write!(f, "configure it as {other}, or build it for world `{role}`"),
                None => write!(f, "build it for world `{role}`"),
            },
            Problem::Parts { .. } => write!(f, "build it of fewer core instances, memories and tables"),
            Problem::InitialMemory { .. } => write!(f, "raise limits.memory for it"),
            Problem::MemorySetting { .. } => write!(f, "lower limits.memory for it"),
        }
    }
}

/// The first role whose world has this export.
fn serves_as(export: &str) -> Option<Role> {
    Role::ALL.into_iter().find(|role| serves(*role, export))
}

fn version_in_words(version: &str) -> String {
    if version.is_empty() { "no version".to_owned() } else { format!("version {version}") }
}
