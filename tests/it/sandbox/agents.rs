//! Agents that are components: what they can reach, and what is believed of their failures.

use super::guests::{MEMORY, Tools, component, engine, identity, run, source};
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{Investigator, InvokeError, Role, Settings, ToolError};
use std::sync::Arc;

/// An agent with tools. `respond` has `$input`, `$length` and `$config`; the name `query_logs` is at 1024 and `{}` at
/// 1040; `$call` calls that tool and puts the reply at 80.
fn investigator(respond: &str) -> Vec<u8> {
    component(
        "investigator",
        &format!(
            r#"(module
                (import "portcullis:node/run@0.1.0" "[resource-drop]run-config" (func $drop (param i32)))
                (import "portcullis:node/tools@0.1.0" "available" (func $available (param i32)))
                (import "portcullis:node/tools@0.1.0" "call" (func $tool (param i32 i32 i32 i32 i32 i32)))
                {MEMORY}
                (data (i32.const 64) "\00\00\00\00" "\00\04\00\00" "\0a\00\00\00")
                (data (i32.const 1024) "query_logs")
                (data (i32.const 1040) "{{}}")
                (func $call (param $config i32)
                    (call $tool (i32.const 1024) (i32.const 10) (i32.const 1040) (i32.const 2) (local.get $config)
                        (i32.const 80)))
                ;; err of this case of invoke-error, with the text at 1024.
                (func $fail (param $case i32) (result i32)
                    (i32.store (i32.const 128) (i32.const 1)) (i32.store (i32.const 132) (local.get $case))
                    (i32.store (i32.const 136) (i32.const 1024)) (i32.store (i32.const 140) (i32.const 10))
                    (i32.const 128))
                (func (export "portcullis:node/agent@0.1.0#respond")
                    (param $input i32) (param $length i32) (param $config i32) (result i32)
                    {respond}))"#
        ),
    )
}

async fn respond(respond: &str, tools: Tools) -> Result<String, InvokeError> {
    let settings = Settings::of(Role::Investigator);
    let agent = Investigator::load(engine(), source(&investigator(respond)), settings).unwrap();
    agent.respond("input", &run(), Arc::new(tools)).await
}

const CALL: &str = "(call $call (local.get $config)) (call $drop (local.get $config))";

#[tokio::test]
async fn a_tool_is_called_and_its_record_comes_back() {
    // ok(invocation-id), which the test's tools make of name and arguments.
    let say_id = format!(
        "{CALL}
         (i32.store (i32.const 68) (i32.load (i32.const 84))) (i32.store (i32.const 72) (i32.load (i32.const 88)))
         (i32.const 64)"
    );
    assert_eq!(respond(&say_id, Tools(Ok("{}"))).await.unwrap(), "query_logs({})");

    // ok(name of the first tool that is available).
    let say_tool = "(call $drop (local.get $config)) (call $available (i32.const 80))
                    (i32.store (i32.const 68) (i32.load (i32.load (i32.const 80))))
                    (i32.store (i32.const 72) (i32.load offset=4 (i32.load (i32.const 80)))) (i32.const 64)";
    assert_eq!(respond(say_tool, Tools(Ok("{}"))).await.unwrap(), "query_logs");
}

#[tokio::test]
async fn a_failure_is_believed_as_far_as_the_host_saw_its_cause() {
    // R-NODE-05 R-NODE-06
    let fail = |case: u32| format!("{CALL} (call $fail (i32.const {case}))");
    let (transient, permanent, blocked) = (fail(0), fail(1), fail(2));
    let word = "query_logs".to_owned();
    let ok = || Tools(Ok("{}"));
    let failed = || Tools(Err(ToolError::Failed("f".into())));
    let denied = || Tools(Err(ToolError::Blocked("b".into())));
    for (guest, tools, expected) in [
        (&transient, failed(), InvokeError::Transient(word.clone())),
        (&transient, Tools(Err(ToolError::TimedOut)), InvokeError::Transient(word.clone())),
        (&transient, ok(), InvokeError::Permanent(word.clone())),
        (&transient, denied(), InvokeError::Permanent(word.clone())),
        (&blocked, denied(), InvokeError::Blocked(word.clone())),
        (&blocked, ok(), InvokeError::Permanent(word.clone())),
        (&blocked, failed(), InvokeError::Permanent(word.clone())),
        (&permanent, failed(), InvokeError::Permanent(word.clone())),
    ] {
        assert_eq!(respond(guest, tools).await.unwrap_err(), expected, "{guest}");
    }
}

#[tokio::test]
async fn without_an_identity_no_tool_is_called() {
    // R-NODE-03
    let settings = Settings::of(Role::Investigator);
    let agent = Investigator::load(engine(), source(&investigator("unreachable")), settings).unwrap();
    let failed = agent.respond("input", &identity("", "session"), Arc::new(Tools(Ok("{}")))).await.unwrap_err();
    let InvokeError::Component { reason, .. } = failed else { panic!("{failed}") };
    assert_eq!(reason, ReasonCode::NoRunIdentity);
}
