//! Everything that can go wrong with a component, listed: for the table of `docs/failures.md`, and for tests that walk
//! all of it.

use crate::cause::Cause;
use crate::error::Problem;
use crate::failure::{FailureClass, Halt};
use crate::role::{Right, Role};
use crate::version::WitVersion;
use portcullis_core::reason::ReasonCode;
use wasmtime::Trap;

/// One way in which an attempt can end without a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFailure {
    /// In words.
    pub cause: String,
    pub class: FailureClass,
    pub reason: ReasonCode,
}

/// Values of each variant. A variant that is not listed does not compile.
macro_rules! each {
    ($kind:ident: $($variant:ident => $values:expr;)+) => {{
        let is_listed = |one: &$kind| match one { $($kind::$variant { .. } => true,)+ };
        let mut all: Vec<$kind> = Vec::new();
        $(all.extend($values);)+
        all.retain(is_listed);
        all
    }};
}

/// Each way in which an attempt can end without a text, with what it means.
pub fn known_failures() -> Vec<KnownFailure> {
    let halts = each! { Halt:
        Deadline => [Halt::Deadline];
        InvokeLimit => [Halt::InvokeLimit];
        InputMismatch => [Halt::InputMismatch];
    };
    let own = each! { Cause:
        Halted => halts.into_iter().map(Cause::Halted);
        MemoryRefused => [Cause::MemoryRefused];
        TooManyHandles => [Cause::TooManyHandles];
        Trapped => (0..=u8::MAX).filter_map(Trap::from_u8).map(Cause::Trapped);
        Exited => [Cause::Exited];
        CopiedTooMuch => [Cause::CopiedTooMuch];
        TextTooLong => [Cause::TextTooLong];
        BadValue => [Cause::BadValue];
        Refused => [Cause::Refused];
        Unavailable => [Cause::Unavailable];
        WallTime => [Cause::WallTime];
        NoRunIdentity => [Cause::NoRunIdentity];
        AgentTimedOut => [Cause::AgentTimedOut];
        AgentTransient => [Cause::AgentTransient];
        AgentPermanent => [Cause::AgentPermanent];
        AgentBlocked => [Cause::AgentBlocked];
        AgentRunBudget => [Cause::AgentRunBudget];
        // Made below, of those that are not about an agent.
        AgentComponent => Vec::<Cause>::new();
    };
    let ended = own.iter().filter(|cause| !cause.is_of_an_agent());
    let mut of_agents: Vec<_> = ended.map(|cause| Cause::AgentComponent(cause.classify().1)).collect();
    of_agents.dedup();
    own.into_iter().chain(of_agents).map(KnownFailure::of).collect()
}

impl KnownFailure {
    fn of(cause: Cause) -> Self {
        let (class, reason) = cause.classify();
        Self { cause: cause.to_string(), class, reason }
    }
}

/// Each reason not to load a component, with telling values, and what its owner can do.
pub fn known_problems() -> Vec<(String, String)> {
    let text = |text: &str| text.to_owned();
    let detail = || "what the validator says".to_owned();
    let problems = each! { Problem:
        TooLarge => [Problem::TooLarge { bytes: 67_108_865, limit: 67_108_864 }];
        Digest => [Problem::Digest { pinned: text("00…"), found: text("3a…") }];
        NotWasm => [Problem::NotWasm { found: "WebAssembly text" }];
        CoreModule => [Problem::CoreModule];
        Componentize => [Problem::Componentize { detail: detail() }];
        Invalid => [Problem::Invalid { detail: detail() }];
        Wasi => [Problem::Wasi { import: text("wasi:clocks/wall-clock@0.2.0") }];
        WasiOfModule => [Problem::WasiOfModule { import: text("wasi:clocks/wall-clock@0.2.0") }];
        BeyondSandbox => [Problem::BeyondSandbox { import: text("wasi:sockets/network@0.2.0") }];
        Right => [Problem::Right { right: Right::Invoker }];
        ForeignImport => [Problem::ForeignImport { import: text("portcullis:node/tools@0.1.0") }];
        Version => [Problem::Version { built_for: text("9.9.9"), interface: text("portcullis:node/log@9.9.9") }];
        MixedVersions => [Problem::MixedVersions {
            one: text("portcullis:node/planner-adapter@0.1.0"),
            other: text("portcullis:node/log@9.9.9"),
        }];
        MissingExport => [Problem::MissingExport {
            wanted: WitVersion::CURRENT.qualified(Role::Planner.export()),
            found: None,
        }];
        Types => [Problem::Types { detail: detail() }];
        Parts => [Problem::Parts { detail: text("17 memories; 16 are allowed") }];
        InitialMemory => [Problem::InitialMemory { bytes: 67_174_400, limit: 67_108_864 }];
        MemorySetting => [Problem::MemorySetting { limit: 536_870_912, most: 268_435_456 }];
    };
    problems.iter().map(|problem| (problem.to_string(), problem.fix(Role::Planner).to_string())).collect()
}
