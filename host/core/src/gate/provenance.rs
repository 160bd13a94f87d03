//! Which invocation a binding means, and whether this run made it (R-PARSE-03, R-GATE-05).

use super::{GateInput, GateReason, Inconsistency};
use crate::document::Binding;
use crate::ledger::Invocation;
use std::collections::{BTreeMap, BTreeSet};

/// The recorded invocations, by what a binding says of them.
pub(super) struct Ledger<'a> {
    /// Of this run.
    own: BTreeMap<&'a str, &'a Invocation>,
    /// Ids of other runs. They only serve to say so.
    foreign: BTreeSet<&'a str>,
    duplicates: BTreeSet<&'a str>,
    /// Tools of this run, with their only invocation; `None` when there are several.
    by_tool: BTreeMap<&'a str, Option<&'a Invocation>>,
    known_tools: BTreeSet<&'a str>,
}

/// What a binding says of its source, completed, and the invocation that it leads to.
pub(super) struct Source<'a> {
    /// Empty when none was stated and none could be completed.
    pub(super) invocation_id: &'a str,
    pub(super) tool_name: &'a str,
    pub(super) invocation: Result<&'a Invocation, GateReason>,
}

impl<'a> Ledger<'a> {
    pub(super) fn of(input: &GateInput<'a>) -> Self {
        let mut ledger = Self {
            own: BTreeMap::new(),
            foreign: BTreeSet::new(),
            duplicates: BTreeSet::new(),
            by_tool: BTreeMap::new(),
            known_tools: input.tools.iter().map(String::as_str).collect(),
        };
        let mut ids = BTreeSet::new();
        for invocation in input.invocations {
            let id = invocation.invocation_id.as_str();
            if !ids.insert(id) {
                ledger.duplicates.insert(id);
            }
            if invocation.run_id != input.run_id {
                ledger.foreign.insert(id);
                continue;
            }
            ledger.own.insert(id, invocation);
            ledger.known_tools.insert(&invocation.tool_name);
            ledger.by_tool.entry(&invocation.tool_name).and_modify(|only| *only = None).or_insert(Some(invocation));
        }
        ledger
    }

    pub(super) fn inconsistencies(&self) -> impl Iterator<Item = Inconsistency> {
        self.duplicates.iter().map(|&id| Inconsistency::DuplicateInvocation(id.to_owned()))
    }

    pub(super) fn source(&self, binding: &'a Binding) -> Source<'a> {
        let tool_name = self.tool_name(&binding.tool_name);
        let only =
            || self.by_tool.get(tool_name).copied().flatten().map(|invocation| invocation.invocation_id.as_str());
        let invocation_id = binding.source_invocation_id.as_deref().or_else(only).unwrap_or_default();
        Source { invocation_id, tool_name, invocation: self.invocation(invocation_id, tool_name) }
    }

    fn invocation(&self, id: &str, tool_name: &str) -> Result<&'a Invocation, GateReason> {
        // An id that two invocations have identifies neither.
        if self.duplicates.contains(id) {
            return Err(GateReason::UnknownInvocation);
        }
        match self.own.get(id) {
            Some(invocation) if invocation.tool_name != tool_name => Err(GateReason::ToolMismatch),
            Some(invocation) if !invocation.status.succeeded() => Err(GateReason::InvocationFailed),
            Some(invocation) => Ok(invocation),
            None if self.foreign.contains(id) => Err(GateReason::ForeignRun),
            None => Err(GateReason::UnknownInvocation),
        }
    }

    /// Drops a namespace prefix, such as `functions.`, when the rest names exactly one known tool.
    fn tool_name(&self, stated: &'a str) -> &'a str {
        if self.known_tools.contains(stated) {
            return stated;
        }
        let rests = stated.match_indices('.').filter_map(|(dot, _)| stated.get(dot + 1..));
        let mut known = rests.filter(|rest| self.known_tools.contains(rest));
        match (known.next(), known.next()) {
            (Some(only), None) => only,
            (Some(_), Some(_)) | (None, _) => stated,
        }
    }
}
