//! Adapters and the agent behind them: the same bytes, the same run, and no belief in what a guest says of a failure.

use super::guests::{
    ASK, Agent, INPUT, MEMORY, component, engine, identity, load_planner, planner, planner_projection, query, run,
    source,
};
use portcullis_core::document::{Verdict, VerifiedClaim};
use portcullis_core::projection::ComposerProjection;
use portcullis_core::reason::ReasonCode;
use portcullis_plugins::{
    AttemptFailure, AttemptOutput, Composer, FailureClass, InvokeError, Invoker, Role, RunIdentity, Settings,
};
use std::sync::Arc;

async fn attempt_as(
    prepare: &str,
    attempt: &str,
    agent: Arc<dyn Invoker>,
    run: &Arc<RunIdentity>,
) -> Result<AttemptOutput, AttemptFailure> {
    let planner = load_planner(&planner(prepare, attempt), |_| {}).unwrap();
    planner.prepare(&planner_projection(&query()), run).await?.attempt(agent).await
}

async fn attempt(attempt: &str, agent: Arc<dyn Invoker>) -> Result<AttemptOutput, AttemptFailure> {
    attempt_as(INPUT, attempt, agent, &run()).await
}

fn reason(result: &Result<AttemptOutput, AttemptFailure>) -> (FailureClass, ReasonCode) {
    let failure = result.as_ref().unwrap_err();
    (failure.class, failure.reason)
}

const FATAL: FailureClass = FailureClass::NonRetryable;

#[tokio::test]
async fn every_attempt_gets_the_same_bytes_and_the_same_run() {
    // R-HOST-08 R-NODE-01
    let planner = load_planner(&planner(INPUT, ASK), |_| {}).unwrap();
    let (run, agent) = (run(), Agent::new(Ok("text")));
    let mut prepared = planner.prepare(&planner_projection(&query()), &run).await.unwrap();
    assert_eq!(prepared.input(), "input");
    assert_eq!(prepared.sha256(), "c96c6d5be8d08a12e7b5cdc1b207fa6b2430974c86803d8891675e76fd992c20");
    for _ in 0..3 {
        let output = prepared.attempt(agent.clone()).await.unwrap();
        assert_eq!(output, AttemptOutput { text: "text".into(), invocations: 1 });
    }
    assert_eq!(agent.inputs(), ["input"; 3]);
    assert!(agent.asked.lock().unwrap().iter().all(|(_, asked)| Arc::ptr_eq(asked, &run)));
}

#[tokio::test]
async fn a_guest_reads_the_identity_that_it_was_lent() {
    // R-NODE-01
    let say_run_id = "(i32.store (i32.const 80) (i32.const 0))
                      (call $run_id (local.get $config) (i32.const 84))
                      (call $drop (local.get $config)) (i32.const 80)";
    let said = attempt(say_run_id, Agent::new(Ok(""))).await.unwrap();
    assert_eq!(said, AttemptOutput { text: "run-1".into(), invocations: 0 });
}

#[tokio::test]
async fn without_an_identity_nobody_is_called() {
    // R-NODE-03
    for (run_id, session_id) in [("", "session"), ("run", ""), (" \t", "session"), ("run", "\n")] {
        let agent = Agent::new(Ok("text"));
        // The guest would trap if it were called.
        let said = attempt_as("unreachable", "unreachable", agent.clone(), &identity(run_id, session_id)).await;
        assert_eq!(reason(&said), (FATAL, ReasonCode::NoRunIdentity));
        assert!(agent.inputs().is_empty());
    }
}

#[tokio::test]
async fn the_kind_of_a_failure_is_what_the_host_saw() {
    // R-NODE-05 R-NODE-06
    use FailureClass::{Blocked, NonRetryable, Retryable};
    let say_ok = "(drop (call $ask (local.get $input) (local.get $length) (local.get $config)))
                  (call $drop (local.get $config)) (i32.const 64)";
    // err(transient("input")), whatever the agent said.
    let say_transient = "(drop (call $ask (local.get $input) (local.get $length) (local.get $config)))
                         (call $drop (local.get $config))
                         (i32.store (i32.const 80) (i32.const 1)) (i32.store (i32.const 84) (i32.const 0))
                         (i32.store (i32.const 88) (i32.const 1024)) (i32.store (i32.const 92) (i32.const 5))
                         (i32.const 80)";
    let component = || InvokeError::Component { reason: ReasonCode::GuestTrapped, detail: String::new() };
    for (seen, class, code) in [
        (InvokeError::TimedOut("t".into()), Retryable, ReasonCode::InvokeTimeout),
        (InvokeError::Transient("t".into()), Retryable, ReasonCode::InvokeTransient),
        (InvokeError::Permanent("p".into()), NonRetryable, ReasonCode::InvokePermanent),
        (InvokeError::Blocked("b".into()), Blocked, ReasonCode::ToolBlocked),
        (InvokeError::RunBudget("r".into()), NonRetryable, ReasonCode::RunBudget),
        (component(), NonRetryable, ReasonCode::GuestTrapped),
    ] {
        for guest in [ASK, say_ok, say_transient] {
            let said = attempt(guest, Agent::new(Err(seen.clone()))).await;
            assert_eq!(reason(&said), (class, code), "{seen:?} and {guest}");
        }
    }
    // The agent answered, so there is no failure that the guest could hand on.
    let said = attempt(say_transient, Agent::new(Ok("text"))).await;
    assert_eq!(reason(&said), (NonRetryable, ReasonCode::GuestRefused));
}

#[tokio::test]
async fn a_refusal_is_a_refusal() {
    let refuse = "(i32.store (i32.const 64) (i32.const 1)) (i32.const 64)";
    let said = attempt_as(refuse, ASK, Agent::new(Ok("text")), &run()).await;
    assert_eq!(reason(&said), (FATAL, ReasonCode::GuestRefused));
    assert_eq!(said.unwrap_err().detail, "input");
}

#[tokio::test]
async fn a_projection_arrives() {
    // R-NODE-02
    let say_question = "(i32.store (i32.const 68) (i32.load (local.get $projection)))
                        (i32.store (i32.const 72) (i32.load offset=4 (local.get $projection))) (i32.const 64)";
    let planner = load_planner(&planner(say_question, ASK), |_| {}).unwrap();
    let prepared = planner.prepare(&planner_projection(&query()), &run()).await.unwrap();
    assert_eq!(prepared.input(), "why is checkout slow?");
}

#[tokio::test]
async fn a_composer_sees_what_may_be_said() {
    // R-ANSWER-01
    // prepare says the text of the second claim.
    let wat = format!(
        r#"(module
            {MEMORY}
            (func (export "portcullis:node/composer-adapter@0.1.0#prepare")
                (param $verdict i32) (param $claims i32) (param $claim_count i32)
                (param $missing i32) (param $missing_count i32) (param $advice i32) (param $advice_count i32)
                (result i32)
                (if (i32.ne (local.get $verdict) (i32.const 1)) (then unreachable))
                (if (i32.ne (local.get $claim_count) (i32.const 2)) (then unreachable))
                (if (i32.ne (local.get $missing_count) (i32.const 1)) (then unreachable))
                (if (i32.ne (local.get $advice_count) (i32.const 0)) (then unreachable))
                (i32.store (i32.const 68) (i32.load offset=24 (local.get $claims)))
                (i32.store (i32.const 72) (i32.load offset=28 (local.get $claims)))
                (i32.const 64))
            (func (export "portcullis:node/composer-adapter@0.1.0#attempt") (param i32 i32 i32) (result i32)
                unreachable))"#
    );
    let composer =
        Composer::load(engine(), source(&component("composer", &wat)), Settings::of(Role::Composer)).unwrap();
    let claim = |id: &str, text: &str| VerifiedClaim { claim_id: id.into(), text: text.into() };
    let projection = ComposerProjection {
        effective_verdict: Verdict::LowConfid,
        claims: &[claim("c1", "one"), claim("c2", "größer")],
        missing_information: &["traces".into()],
        recommendations: &[],
    };
    assert_eq!(composer.prepare(&projection, &run()).await.unwrap().input(), "größer");
}
