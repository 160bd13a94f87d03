//! Misbehaving agents in whole runs: what they claim, call and cite, and how far it gets.

use super::act::Loaded;
use super::guest::Guest;
use crate::support::{Bench, Factory, Reply, nodes, plan};
use portcullis::agents::{AgentDescription, AgentFactory, AgentRole, InvestigatorAgent};
use portcullis::run::{Diagnosis, Generation};
use portcullis_plugins::{Investigator, Invoker, Role, ToolPort};
use std::fmt::Write;
use std::sync::Arc;

/// The test's agents, but the executor's: that one is the misbehaving component.
struct WithInvestigator {
    others: Factory,
    component: Arc<Investigator>,
}

impl AgentFactory for WithInvestigator {
    fn agent(&self, role: AgentRole, tools: Option<Arc<dyn ToolPort>>) -> Arc<dyn Invoker> {
        match role {
            AgentRole::Executor => Arc::new(InvestigatorAgent { component: Arc::clone(&self.component), tools }),
            AgentRole::Planner | AgentRole::Verifier | AgentRole::Composer => self.others.agent(role, tools),
        }
    }

    fn descriptions(&self) -> Vec<AgentDescription> {
        self.others.descriptions()
    }
}

/// What came of a run whose executor's agent is `guest`. It is told the id of an invocation of an earlier run.
pub(super) async fn transcript(guest: &Guest) -> String {
    let bench = Bench::new();
    let Diagnosis::Answered(earlier) = bench.good().run().await else { panic!("no answer") };
    let foreign = bench.store.invocations(&earlier.run_id).unwrap().remove(0).invocation_id;

    let loaded = Loaded::load(guest, Role::Investigator, &guest.build(Role::Investigator, &foreign)).unwrap();
    let Loaded::Investigator(component) = loaded else { panic!("{} is no investigator", guest.name) };
    let agents = WithInvestigator { others: Factory(Arc::clone(&bench.agents)), component };
    bench.host.catalog.publish(Generation { nodes: nodes(), agents: Arc::new(agents), shadows: Arc::default() });
    bench.reply(AgentRole::Planner, Reply::json(&plan()));
    let Diagnosis::Answered(answered) = bench.run().await else { panic!("no answer") };

    let mut text = "run\n".to_owned();
    for event in &answered.trace.events {
        let (node, outcome, reason) = (&event.node, &event.outcome, event.reason_code.as_str());
        writeln!(text, "  {node:<26} {outcome}, {reason}").unwrap();
    }
    for call in bench.store.invocations(&answered.run_id).unwrap() {
        writeln!(text, "  recorded call              {}, {:?}", call.tool_name, call.status).unwrap();
    }
    for binding in bench.store.rounds(&answered.run_id).unwrap().into_iter().flat_map(|round| round.checked_bindings) {
        writeln!(text, "  binding of {:<15} {}", binding.claim_id, binding.reason_code.unwrap_or_default()).unwrap();
    }
    writeln!(text, "  verdict                    {:?}", answered.verdict).unwrap();
    assert!(!answered.answer.text.contains("checkout is slow"), "{}: {}", guest.name, answered.answer.text);
    text
}
