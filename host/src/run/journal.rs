//! Writes down what a run does, as it happens, so that a killed process leaves a real partial trail.
//!
//! The store is synchronous and may wait for a disk: every call leaves the async threads.

use super::clock::Clock;
use crate::store::{
    BindingStatus, CheckedBinding, ClaimRecord, Evaluation, FinishedRun, NewRun, RunStore, Step, StoreError,
    ToolInvocation,
};
use crate::tools::{Recorder, Recording};
use async_trait::async_trait;
use portcullis_core::document::VerifiedMaterial;
use portcullis_core::gate::{BindingStatus as GateBindingStatus, GateReport};
use portcullis_core::trail::{Event, Trail};
use portcullis_core::verdict::AllowedMaterial;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The records of one run.
#[derive(Clone)]
pub(super) struct Journal {
    store: Arc<dyn RunStore>,
    clock: Arc<dyn Clock>,
    run_id: Arc<str>,
}

impl Journal {
    pub(super) fn new(store: Arc<dyn RunStore>, clock: Arc<dyn Clock>, run_id: &str) -> Self {
        Self { store, clock, run_id: run_id.into() }
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&dyn RunStore, &str) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (store, run_id) = (Arc::clone(&self.store), Arc::clone(&self.run_id));
        let written = tokio::task::spawn_blocking(move || write(&*store, &run_id)).await;
        written.unwrap_or_else(|lost| Err(StoreError::Backend(Box::new(lost))))
    }

    pub(super) async fn begin(&self, run: NewRun) -> Result<(), StoreError> {
        self.write(move |store, _| store.begin(&run)).await
    }

    pub(super) async fn event(&self, seq: u32, event: Event) -> Result<(), StoreError> {
        self.write(move |store, run| store.append_event(run, seq, &event)).await
    }

    pub(super) async fn step(&self, step: Step) -> Result<(), StoreError> {
        self.write(move |store, run| store.append_step(run, &step)).await
    }

    pub(super) async fn gate(&self, round: u8, report: &GateReport) -> Result<(), StoreError> {
        let bindings: Vec<_> = report
            .checked
            .iter()
            .map(|checked| CheckedBinding {
                claim_id: checked.claim_id.clone(),
                source_invocation_id: Some(checked.source_invocation_id.clone()).filter(|id| !id.is_empty()),
                tool_name: checked.tool_name.clone(),
                raw_path: checked.raw_path.clone(),
                matched_text: checked.matched_text.clone(),
                status: match checked.status {
                    GateBindingStatus::Pass => BindingStatus::Pass,
                    GateBindingStatus::Fail => BindingStatus::Fail,
                },
                reason_code: Some(checked.reason_code.as_str().to_owned()),
            })
            .collect();
        self.write(move |store, run| store.put_checked_bindings(run, round, &bindings)).await
    }

    pub(super) async fn verified(&self, round: u8, material: &VerifiedMaterial) -> Result<(), StoreError> {
        self.claims(round, material, |_| None).await
    }

    pub(super) async fn allowed(
        &self,
        round: u8,
        material: &VerifiedMaterial,
        allowed: &AllowedMaterial,
    ) -> Result<(), StoreError> {
        let ids: BTreeSet<&str> = allowed.claims.iter().map(|claim| claim.claim_id.as_str()).collect();
        self.claims(round, material, |id| Some(ids.contains(id))).await
    }

    async fn claims(
        &self,
        round: u8,
        material: &VerifiedMaterial,
        allowed: impl Fn(&str) -> Option<bool>,
    ) -> Result<(), StoreError> {
        let claims: Vec<_> = material
            .claims
            .iter()
            .map(|claim| ClaimRecord {
                claim_id: claim.claim_id.clone(),
                text: claim.text.clone(),
                allowed: allowed(&claim.claim_id),
            })
            .collect();
        self.write(move |store, run| store.put_claims(run, round, &claims)).await
    }

    /// Which of these ids another run recorded.
    pub(super) async fn foreign(&self, ids: BTreeSet<String>) -> Result<BTreeSet<String>, StoreError> {
        self.write(move |store, run| {
            let mut foreign = BTreeSet::new();
            for id in ids {
                if store.is_foreign_invocation(run, &id)? {
                    foreign.insert(id);
                }
            }
            Ok(foreign)
        })
        .await
    }

    /// What was stored of the trail.
    pub(super) async fn trail(&self) -> Result<Trail, StoreError> {
        let events = self.write(|store, run| store.events(run)).await?;
        let mut trail = Trail::default();
        for event in events {
            // A store holds no longer trail than a run has.
            trail
                .record(event)
                .map_err(|_full| StoreError::Invalid("the stored trail is longer than any legal run"))?;
        }
        Ok(trail)
    }

    pub(super) async fn finish(&self, finished: FinishedRun) -> Result<(), StoreError> {
        self.write(move |store, run| store.finish(run, &finished)).await
    }

    pub(super) async fn evaluation(&self, evaluation: Evaluation) -> Result<(), StoreError> {
        self.write(move |store, run| store.put_evaluation(run, &evaluation)).await
    }
}

#[async_trait]
impl Recorder for Journal {
    async fn record(&self, recording: Recording) -> Result<(), String> {
        let Recording { invocation, duration } = recording;
        let duration_ms = millis(duration);
        let invocation = ToolInvocation {
            original_bytes: invocation.output.len() as u64,
            invocation,
            started_ms: self.now_ms().saturating_sub_unsigned(duration_ms),
            duration_ms,
        };
        self.write(move |store, _| store.append_invocation(&invocation)).await.map_err(|error| error.to_string())
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
