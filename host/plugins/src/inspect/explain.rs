//! What an import lets a component do, what it needs for that, and, for WASI, where it usually comes from.
//!
//! The origins are experience, not proof: which library pulls an import in is not written in the file.

use super::producers::Language;
use crate::imports::{interface, is_wasi, split};
use crate::limits::{Settings, WasiGrant};
use crate::role::{Interface, Right};
use crate::wasi;

/// What an import needs to be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// It carries no authority.
    Nothing,
    Right(Right),
    /// `wasi = "sandboxed"`.
    Wasi,
    /// Nothing grants it.
    Refused,
}

/// What is known of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    pub need: Need,
    /// What it lets the component do.
    pub allows: &'static str,
    /// Of WASI alone.
    pub origin: Option<Origin>,
}

/// Where WASI usually comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub usual: &'static str,
    /// How to build without it.
    pub without: &'static str,
}

impl Need {
    /// The word of the configuration for what it needs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Right(right) => right.as_str(),
            Self::Wasi => "wasi",
            Self::Refused => "refused",
        }
    }

    /// Whether these settings grant it.
    pub fn granted(self, settings: &Settings) -> bool {
        match self {
            Self::Nothing => true,
            Self::Right(right) => settings.rights.as_ref().is_none_or(|granted| granted.contains(&right)),
            Self::Wasi => settings.wasi == WasiGrant::Sandboxed,
            Self::Refused => false,
        }
    }
}

/// Explains an import of a component whose author used this language, as far as that is known.
pub fn explain(import: &str, language: Option<Language>) -> Explanation {
    if let Some(own) = interface(import) {
        let need = own.right().map_or(Need::Nothing, Need::Right);
        return Explanation { need, allows: of_own(own), origin: None };
    }
    let (name, version) = split(import);
    if is_wasi(import) {
        let need = if wasi::offers(name, version) { Need::Wasi } else { Need::Refused };
        return Explanation { need, allows: of_wasi(name), origin: Some(origin(language, name)) };
    }
    let is_old_wasi = name == "wasi_snapshot_preview1" || name == "wasi_unstable";
    Explanation {
        need: Need::Refused,
        allows: if is_old_wasi {
            "is WASI as core modules import it: files, clocks, random numbers and more in one"
        } else {
            "is unknown to this host"
        },
        origin: is_old_wasi.then(|| origin(language, name)),
    }
}

const fn of_own(interface: Interface) -> &'static str {
    match interface {
        Interface::Types => "holds types and no function",
        Interface::Run => "reads the id, the session and the metadata of the run that a call was lent",
        Interface::Log => "tells the operator something: a bounded number of lines, in no answer and in no store",
        Interface::Invoker => "has its agent asked, with the very bytes that it prepared, as often as its limit says",
        Interface::Tools => "lists and calls the tools of the run: policy checks each call, and each is recorded",
    }
}

fn of_wasi(interface: &str) -> &'static str {
    let (package, name) = interface.split_once('/').unwrap_or((interface, ""));
    match (package, name) {
        ("wasi:cli", "environment") => "reads environment variables and arguments: the sandbox has none",
        ("wasi:cli", "exit") => "ends the call, as a trap does",
        ("wasi:cli", "stdin") => "reads standard input: the sandbox has none",
        ("wasi:cli", "stdout" | "stderr") => "prints: in the sandbox, to its log",
        ("wasi:cli", _) => "asks about a terminal: the sandbox has none",
        ("wasi:clocks", _) => "reads the time, so that the same input need not give the same result",
        ("wasi:filesystem", _) => "opens files: the sandbox has no folder",
        ("wasi:io", _) => "waits for, reads and writes the streams of other WASI interfaces",
        ("wasi:random", _) => "draws random numbers, so that the same input need not give the same result",
        ("wasi:sockets" | "wasi:http", _) => "reaches the network, which no grant covers",
        _ => "is of a part of WASI that the sandbox does not have",
    }
}

fn origin(language: Option<Language>, interface: &str) -> Origin {
    match language {
        Some(Language::Rust) => Origin {
            usual: "the standard library for wasm32-wasip1 or wasm32-wasip2: its start, printing and panics, Instant, \
                    the seeds of HashMap",
            without: "build for wasm32-unknown-unknown",
        },
        Some(Language::Python) => Origin {
            usual: "the Python interpreter and the C library under it, whatever the program itself uses",
            without: "componentize-py … componentize --stub-wasi",
        },
        Some(Language::JavaScript) => Origin {
            usual: javascript_feature(interface),
            without: "componentize-js with disableFeatures: ['random', 'stdio', 'clocks', 'http', 'fetch-event'], or \
                      jco componentize --disable all",
        },
        Some(Language::Go) => Origin {
            usual: "TinyGo's runtime for wasip1 or wasip2: its scheduler, maps, print and os",
            without: "tinygo build -target=wasm-unknown, then `wasm-tools component embed` and `component new`",
        },
        Some(Language::C) => Origin {
            usual: "wasi-libc, for printing, time, files and the program's start",
            without: "clang --target=wasm32-unknown-unknown -nostdlib with the bindings of `wit-bindgen c`",
        },
        None => Origin {
            usual: "the standard library of a target such as wasm32-wasip1 or wasm32-wasip2",
            without: "choose a target without WASI (Rust: wasm32-unknown-unknown), or an option that stubs it",
        },
    }
}

/// componentize-js links its engine's features one by one.
fn javascript_feature(interface: &str) -> &'static str {
    match interface.split('/').next() {
        Some("wasi:random") => "the feature `random`: Math.random, crypto, the seeds of the engine's tables",
        Some("wasi:clocks") => "the feature `clocks`: Date, performance.now, setTimeout",
        Some("wasi:http") => "the features `http` and `fetch-event`: fetch and serving requests",
        Some("wasi:cli" | "wasi:filesystem") => "the feature `stdio`: console and the engine's own messages",
        _ => "a feature of the JavaScript engine that others need",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::Role;

    fn check(import: &str, language: Option<Language>, need: Need, words: &str) {
        let explained = explain(import, language);
        assert_eq!(explained.need, need, "{import}");
        let origin = explained.origin.map(|origin| format!("{} / {}", origin.usual, origin.without));
        let said = format!("{} / {}", explained.allows, origin.unwrap_or_default());
        assert!(said.contains(words), "{import}: {said}");
    }

    #[test]
    fn each_import_is_explained() {
        // R-HOST-02
        check("portcullis:node/types@0.1.0", None, Need::Nothing, "no function");
        check("portcullis:node/run@0.1.0", None, Need::Nothing, "session");
        check("portcullis:node/log@0.1.0", None, Need::Right(Right::Log), "operator");
        check("portcullis:node/invoker@0.1.0", None, Need::Right(Right::Invoker), "agent asked");
        check("portcullis:node/tools@0.1.0", None, Need::Right(Right::Tools), "policy");
        check("portcullis:node/secrets@0.1.0", None, Need::Refused, "unknown to this host");
        check("env", None, Need::Refused, "unknown to this host");
        check("wasi:clocks/wall-clock@0.2.0", Some(Language::Rust), Need::Wasi, "wasm32-unknown-unknown");
        check("wasi:clocks/wall-clock@0.3.0", Some(Language::C), Need::Refused, "wasi-libc");
        check("wasi:cli/stdout@0.2.0", Some(Language::Python), Need::Wasi, "--stub-wasi");
        check("wasi:random/random@0.2.0", Some(Language::JavaScript), Need::Wasi, "Math.random");
        check("wasi:http/types@0.2.0", Some(Language::JavaScript), Need::Refused, "the network");
        check("wasi:io/poll@0.2.0", Some(Language::Go), Need::Wasi, "wasm-unknown");
        check("wasi_snapshot_preview1", None, Need::Refused, "wasm32-wasip1");
    }

    #[test]
    fn what_is_granted_is_what_loading_grants() {
        // R-HOST-02
        let none = Settings { rights: Some(vec![]), ..Settings::of(Role::Planner) };
        let log = Settings { rights: Some(vec![Right::Log]), ..Settings::of(Role::Planner) };
        let wasi = Settings { wasi: WasiGrant::Sandboxed, ..none.clone() };
        let granted = |need: Need| [&Settings::of(Role::Planner), &none, &log, &wasi].map(|it| need.granted(it));
        assert_eq!(granted(Need::Nothing), [true; 4]);
        assert_eq!(granted(Need::Right(Right::Log)), [true, false, true, false]);
        assert_eq!(granted(Need::Right(Right::Invoker)), [true, false, false, false]);
        assert_eq!(granted(Need::Wasi), [false, false, false, true]);
        assert_eq!(granted(Need::Refused), [false; 4]);
    }
}
