//! The conformance suite: what the host asks of a component of each role, as checks that anybody can run.
//!
//! A check calls the component through the same doors as a run does, and only through them: what it shows is what a
//! run would meet. [`Extent::Smoke`] is a few quick calls that every legal component passes, whatever format it writes
//! or reads; [`Extent::Full`] compares with the default components and with vectors.
//!
//! It knows no configuration, no command line and no store, and it runs nothing but the component and the
//! [`Reference`].

mod adapters;
mod agents;
mod budget;
mod hostile;
mod lawful;
mod parsers;
mod ports;
mod report;
mod scene;
mod subject;
mod vectors;

pub use budget::within_budget;
pub use report::{CallCost, Check, CheckResult, Report};
pub use subject::{Loaded, Subject};
pub use vectors::{Expected, Vector, Vectors, VectorsError};

use crate::run::NodeSet;
use adapters::Adapter;
use agents::Agent;
use parsers::Parser;
use portcullis_plugins::RunIdentity;
use report::Examination;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How much is examined.
#[derive(Clone, Copy)]
pub enum Extent<'a> {
    /// A few quick calls, before a component serves.
    Smoke,
    Full(&'a Reference<'a>),
}

/// What the full suite compares with.
pub struct Reference<'a> {
    /// What a parser is held against. The other roles have none.
    pub vectors: &'a Vectors,
    /// The default nodes: an agent answers what they prepare, and they read what it answers.
    pub nodes: &'a NodeSet,
}

/// Examines a component. What it does wrong is in the report; nothing it does is an error here.
pub async fn examine(subject: &Subject<'_>, extent: Extent<'_>) -> Report {
    let mut examination = Examination::new(subject.info());
    match *subject {
        Subject::Planner(it) => adapters::examine(Adapter::Planner(it), extent, &mut examination).await,
        Subject::Executor(it) => adapters::examine(Adapter::Executor(it), extent, &mut examination).await,
        Subject::Verifier(it) => adapters::examine(Adapter::Verifier(it), extent, &mut examination).await,
        Subject::Composer(it) => adapters::examine(Adapter::Composer(it), extent, &mut examination).await,
        Subject::PlanParser(it) => parsers::examine(Parser::Plan(it), extent, &mut examination).await,
        Subject::EvidenceParser(it) => parsers::examine(Parser::Evidence(it), extent, &mut examination).await,
        Subject::VerificationParser(it) => parsers::examine(Parser::Verification(it), extent, &mut examination).await,
        Subject::AnswerParser(it) => parsers::examine(Parser::Answer(it), extent, &mut examination).await,
        Subject::Thinker(it) => agents::examine(Agent::Thinker(it), extent, &mut examination).await,
        Subject::Investigator(it) => agents::examine(Agent::Investigator(it), extent, &mut examination).await,
    }
    examination.conclude()
}

/// The run that a component is lent.
fn identity() -> Arc<RunIdentity> {
    Arc::new(RunIdentity {
        run_id: "conformance-run".to_owned(),
        session_id: "conformance-session".to_owned(),
        metadata: BTreeMap::new(),
    })
}

/// What must not be seen again in the call after the one that it was given to.
const CANARY: &str = "canary-7f3a91c2";
