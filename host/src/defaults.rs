//! The default components, embedded in the program.

use portcullis_plugins::Role;

/// The component that serves a role when the configuration names none.
pub(crate) const fn component(role: Role) -> &'static [u8] {
    macro_rules! embedded {
        ($name:literal) => {
            include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".wasm"))
        };
    }
    match role {
        Role::Planner => embedded!("planner"),
        Role::Executor => embedded!("executor"),
        Role::Verifier => embedded!("verifier"),
        Role::Composer => embedded!("composer"),
        Role::PlanParser => embedded!("plan-parser"),
        Role::EvidenceParser => embedded!("evidence-parser"),
        Role::VerificationParser => embedded!("verification-parser"),
        Role::AnswerParser => embedded!("answer-parser"),
        Role::Thinker => embedded!("thinker"),
        Role::Investigator => embedded!("investigator"),
    }
}
