//! The types of `wit/` in Rust, generated. No type of this module occurs in a signature that leaves the crate.
//!
//! One made-up world covers all real ones, so that each interface is generated once and [`crate::convert`] is written
//! once. Which interfaces a component really gets is decided by its role, never by this world.

use crate::port::RunIdentity;
use std::sync::Arc;

#[expect(unreachable_pub, reason = "the generated code re-exports it")]
/// What stands behind a guest's `run-config` handle.
pub type RunConfig = Arc<RunIdentity>;

wasmtime::component::bindgen!({
    path: "../../wit",
    inline: "
        package portcullis:host;

        world everything {
            import portcullis:node/log@0.1.0;
            import portcullis:node/invoker@0.1.0;
            import portcullis:node/tools@0.1.0;
            export portcullis:node/planner-adapter@0.1.0;
            export portcullis:node/executor-adapter@0.1.0;
            export portcullis:node/verifier-adapter@0.1.0;
            export portcullis:node/composer-adapter@0.1.0;
            export portcullis:node/plan-protocol@0.1.0;
            export portcullis:node/evidence-protocol@0.1.0;
            export portcullis:node/verification-protocol@0.1.0;
            export portcullis:node/answer-protocol@0.1.0;
            export portcullis:node/agent@0.1.0;
        }
    ",
    world: "portcullis:host/everything",
    imports: { default: async | trappable },
    exports: { default: async },
    with: { "portcullis:node/run.run-config": RunConfig },
    include_component_type: true,
});

pub(crate) use exports::portcullis::node::{composer_adapter, executor_adapter, planner_adapter, verifier_adapter};
pub(crate) use portcullis::node::{invoker, log, run, tools, types};
