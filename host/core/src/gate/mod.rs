//! The gatekeeper: lets a claim through only when it quotes a place in an output that this very run recorded.
//!
//! [`check`] is a function of the executor's evidence and the recorded invocations. It knows no model and no file, and
//! it reads nothing but what it is given. What counts as a match is stated in `docs/matching-contract.md`, whose
//! examples are tests. Each output is read once, however many bindings quote it, and the cost of a check is that of
//! the outputs and the quotes.

mod claim;
mod decimal;
mod escape;
mod fold;
mod path;
mod provenance;
mod quote;
mod reason;
mod recorded;
mod report;
mod search;
mod token;

#[cfg(test)]
mod tests;

pub(crate) use claim::Support;
pub(crate) use fold::fold;
pub use reason::GateReason;
pub use report::{
    BindingStatus, CheckedBinding, GateReport, GateStatus, Inconsistency, RawGate, RawResult, Severity, normalise,
};

use crate::document::{Binding, Claim, Evidence};
use crate::ledger::Invocation;
use path::{Path, PathError};
use provenance::{Ledger, Source};
use quote::{Placed, Quote, compare};
use recorded::{Matched, Output};
use std::collections::{BTreeMap, BTreeSet};

/// What a check is made over.
#[derive(Debug, Clone, Copy)]
pub struct GateInput<'a> {
    pub run_id: &'a str,
    pub evidence: &'a Evidence,
    /// Those of this run. Those of other runs may be among them, so that a report can say where an id belongs.
    pub invocations: &'a [Invocation],
    /// The names of the registered tools.
    pub tools: &'a [String],
}

/// A stated binding on its way through the checks.
struct Candidate<'a> {
    claim: usize,
    stated: &'a Binding,
    source: Source<'a>,
    path: Result<Path, GateReason>,
}

/// Checks each binding of the evidence against the recorded invocations.
pub fn check(input: &GateInput<'_>) -> GateReport {
    let claims = &input.evidence.claims;
    let ledger = Ledger::of(input);
    let candidates: Vec<Candidate<'_>> = claims
        .iter()
        .enumerate()
        .flat_map(|(claim, of)| of.bindings.iter().map(move |stated| (claim, stated)))
        .map(|(claim, stated)| Candidate::of(claim, stated, ledger.source(stated)))
        .collect();
    let outputs = read_outputs(&candidates);
    let mut results = match_quotes(&candidates, &outputs);
    check_claims(claims, &candidates, &mut results);
    let checked = candidates
        .iter()
        .zip(results)
        .filter_map(|(candidate, result)| Some(candidate.checked(claims.get(candidate.claim)?, result)))
        .collect();
    let unbound = claims.iter().filter(|claim| claim.bindings.is_empty()).map(|claim| claim.claim_id.clone()).collect();
    let inconsistencies = inconsistencies(input, &ledger);
    GateReport::new(checked, unbound, inconsistencies)
}

fn inconsistencies(input: &GateInput<'_>, ledger: &Ledger<'_>) -> Vec<Inconsistency> {
    let mut ids = BTreeSet::new();
    let claims = input.evidence.claims.iter().map(|claim| &claim.claim_id);
    let repeated: BTreeSet<&String> = claims.filter(|id| !ids.insert(*id)).collect();
    let anonymous = input.run_id.trim().is_empty().then_some(Inconsistency::NoRunIdentity);
    let repeated = repeated.into_iter().cloned().map(Inconsistency::DuplicateClaim);
    anonymous.into_iter().chain(ledger.inconsistencies()).chain(repeated).collect()
}

/// Reads each output that a binding leads to, once.
fn read_outputs<'a>(candidates: &[Candidate<'a>]) -> BTreeMap<&'a str, Output<'a>> {
    let mut outputs = BTreeMap::new();
    for candidate in candidates {
        if let (Ok(invocation), Ok(_)) = (candidate.source.invocation, &candidate.path) {
            outputs.entry(invocation.invocation_id.as_str()).or_insert_with(|| Output::read(&invocation.output));
        }
    }
    outputs
}

/// How the checks of one candidate ended.
#[derive(Clone, Copy)]
struct Outcome<'v> {
    /// What the quote matched, which a later check may still refuse.
    matched: Option<Matched<'v>>,
    reason: GateReason,
}

/// All checks but the last: those that look at one binding alone.
fn match_quotes<'v>(candidates: &'v [Candidate<'_>], outputs: &'v BTreeMap<&str, Output<'_>>) -> Vec<Outcome<'v>> {
    let mut placed = Vec::new();
    let mut results: Vec<Result<usize, GateReason>> = Vec::new();
    for candidate in candidates {
        results.push(candidate.place(outputs).map(|place| {
            placed.push(place);
            placed.len() - 1
        }));
    }
    let compared = compare(&placed, outputs);
    let outcome = |place: usize| compared.get(place).copied().unwrap_or(Err(GateReason::TextNotFound));
    candidates
        .iter()
        .zip(results)
        .map(|(candidate, place)| match place.and_then(outcome) {
            Ok(matched) => Outcome { matched: Some(matched), reason: candidate.success() },
            Err(reason) => Outcome { matched: None, reason },
        })
        .collect()
}

/// The last check: what a claim says in numbers and names must be in what its bindings matched, taken together.
fn check_claims(claims: &[Claim], candidates: &[Candidate<'_>], results: &mut [Outcome<'_>]) {
    let mut supports: BTreeMap<usize, Support> = BTreeMap::new();
    for (candidate, result) in candidates.iter().zip(&*results) {
        if let Some(matched) = result.matched {
            supports.entry(candidate.claim).or_default().add(matched);
        }
    }
    let covered = |claim: &usize, support: &Support| claims.get(*claim).is_some_and(|of| support.covers(&of.text));
    supports.retain(|claim, support| !covered(claim, support));
    for (candidate, result) in candidates.iter().zip(results) {
        if result.matched.is_some() && supports.contains_key(&candidate.claim) {
            result.reason = GateReason::ClaimNumberUnsupported;
        }
    }
}

impl<'a> Candidate<'a> {
    fn of(claim: usize, stated: &'a Binding, source: Source<'a>) -> Self {
        let path = Path::parse(&stated.raw_path).map_err(|error| match error {
            PathError::Syntax => GateReason::PathSyntax,
            PathError::NotSingular => GateReason::PathNotSingular,
        });
        Self { claim, stated, source, path }
    }

    /// The checks up to the value, in the order of the contract.
    fn place<'v>(&'v self, outputs: &'v BTreeMap<&str, Output<'_>>) -> Result<Placed<'v>, GateReason> {
        let invocation = self.source.invocation?;
        let path = self.path.as_ref().map_err(|reason| *reason)?;
        let output = outputs.get(invocation.invocation_id.as_str()).ok_or(GateReason::UnknownInvocation)?;
        let value = output.value(path)?;
        let quote = Quote::read(&self.stated.matched_text)?;
        Ok(Placed { quote, value, invocation_id: &invocation.invocation_id })
    }

    fn success(&self) -> GateReason {
        match self.source.invocation {
            Ok(invocation) if invocation.truncated => GateReason::TruncatedSource,
            Ok(_) => GateReason::Ok,
            Err(reason) => reason,
        }
    }

    fn checked(&self, claim: &Claim, outcome: Outcome<'_>) -> CheckedBinding {
        let passed = outcome.reason.severity().is_none();
        CheckedBinding {
            claim_id: claim.claim_id.clone(),
            source_invocation_id: self.source.invocation_id.to_owned(),
            tool_name: self.source.tool_name.to_owned(),
            raw_path: self.stated.raw_path.clone(),
            matched_text: outcome.matched.map_or_else(|| self.stated.matched_text.clone(), Matched::to_text),
            status: if passed { BindingStatus::Pass } else { BindingStatus::Fail },
            reason_code: outcome.reason,
        }
    }
}
