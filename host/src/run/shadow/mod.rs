//! The shadow: candidate components that get what the current ones got, and whose results are compared and reported,
//! and never used.
//!
//! A candidate acts after the run, not beside it. While the run is on its way the driver only writes down what each
//! current component was shown, gave and heard from its agent ([`Watch`]); when the answer is decided and stored, the
//! candidates repeat it, one call after the other ([`Rehearsal`]). So a candidate that is slow, spins, traps or lies
//! cannot change the answer, the route or the record: they are there before its first instruction. It takes nothing of
//! the run's wall time, no invocation and no tool call, and there is no moment at which a run waits for a candidate
//! while it holds a slot of the sandbox. The price is that the caller gets the answer later by the candidates' time.
//! That is bounded: by each candidate's own limits, by [`CALL_WALL`] for one call and by [`RUN_WALL`] for all of a run.
//!
//! A candidate's adapter never reaches an agent. It hears again what the agent said to the current one, in the same
//! order, and nothing when that is used up. It knows no tool, no store and no other run.

mod comparison;
mod rehearsal;
mod watch;

pub use comparison::{Comparison, Difference, Outcome, Side, Stage};
pub(super) use rehearsal::Rehearsal;
pub(super) use watch::{Take, Watch};

use portcullis_plugins::{
    AnswerParser, Composer, EvidenceParser, Executor, PlanParser, Planner, PluginInfo, VerificationParser, Verifier,
};
use std::time::Duration;

/// As long may one call of a candidate take, whatever its own limits say.
pub const CALL_WALL: Duration = Duration::from_secs(10);
/// As long may all candidates of one run take together.
pub const RUN_WALL: Duration = Duration::from_secs(30);

/// The candidates, at most one a node.
#[derive(Default)]
pub struct Shadows {
    pub planner: Option<Planner>,
    pub executor: Option<Executor>,
    pub verifier: Option<Verifier>,
    pub composer: Option<Composer>,
    pub plan_parser: Option<PlanParser>,
    pub evidence_parser: Option<EvidenceParser>,
    pub verification_parser: Option<VerificationParser>,
    pub answer_parser: Option<AnswerParser>,
}

impl Shadows {
    /// Each candidate with what is known of it, in the order of the graph.
    pub fn infos(&self) -> impl Iterator<Item = &PluginInfo> {
        [
            self.planner.as_ref().map(Planner::info),
            self.plan_parser.as_ref().map(PlanParser::info),
            self.executor.as_ref().map(Executor::info),
            self.evidence_parser.as_ref().map(EvidenceParser::info),
            self.verifier.as_ref().map(Verifier::info),
            self.verification_parser.as_ref().map(VerificationParser::info),
            self.composer.as_ref().map(Composer::info),
            self.answer_parser.as_ref().map(AnswerParser::info),
        ]
        .into_iter()
        .flatten()
    }
}
