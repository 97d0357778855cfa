//! Leases: renewed while their steps run, given up when they are lost, and taken from workers that died.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use auris_domain::id::JobId;
use auris_domain::job::JobStatus;
use auris_domain::machine::Command;
use auris_store::{ClaimedStep, HeldStep};
use tokio_util::sync::CancellationToken;

use super::Effect;
use crate::error::Outcome;
use crate::{Service, metrics};

/// A cancel must reach a running step within a second or two.
const BEAT: Duration = Duration::from_secs(1);
const LOST_BATCH: u32 = 100;

/// Why a running step was told to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// Its job is being cancelled: say so when stopped.
    Cancelled,
    /// It is not this worker's any more: say nothing.
    Lost,
    /// The process ends: give it back.
    Drain,
}

/// The line to one running step.
#[derive(Clone)]
pub(crate) struct Signal {
    pub(crate) cancel: CancellationToken,
    reason: Arc<Mutex<Option<StopReason>>>,
    place: Place,
}

type Place = (JobId, i64, i64);

impl Signal {
    pub(crate) fn reason(&self) -> Option<StopReason> {
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first reason stands.
    pub(crate) fn stop(&self, reason: StopReason) {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.cancel.cancel();
    }
}

/// One step that is being run, until dropped.
pub(crate) struct Hold {
    pub(crate) signal: Signal,
    held: Arc<Held>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.held.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.signal.place);
        metrics::steps_running(self.held.len());
    }
}

/// The steps that this process runs.
#[derive(Default)]
pub(crate) struct Held(Mutex<HashMap<Place, Signal>>);

impl Held {
    pub(crate) fn take(held: &Arc<Self>, claimed: &ClaimedStep) -> Hold {
        let place = (claimed.job.id.clone(), claimed.step.ordinal, claimed.step.attempt);
        let signal =
            Signal { cancel: CancellationToken::new(), reason: Arc::default(), place: place.clone() };
        held.0.lock().unwrap_or_else(PoisonError::into_inner).insert(place, signal.clone());
        Hold { signal, held: Arc::clone(held) }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(crate) fn stop_all(&self, reason: StopReason) {
        for signal in self.0.lock().unwrap_or_else(PoisonError::into_inner).values() {
            signal.stop(reason);
        }
    }

    /// Stops what the database no longer knows as ours, and what is being cancelled.
    fn compare(&self, before: &[Place], known: &[HeldStep]) {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for place in before {
            let Some(signal) = held.get(place) else { continue };
            let (job, ordinal, attempt) = place;
            let row = known
                .iter()
                .find(|row| row.job_id == *job && row.ordinal == *ordinal && row.attempt == *attempt);
            match row.map(|row| row.job_status) {
                None => signal.stop(StopReason::Lost),
                Some(JobStatus::Cancelling) => signal.stop(StopReason::Cancelled),
                Some(
                    JobStatus::Queued
                    | JobStatus::InProgress
                    | JobStatus::Completed
                    | JobStatus::Failed
                    | JobStatus::Cancelled,
                ) => {}
            }
        }
    }

    fn places(&self) -> Vec<Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

/// Beats until told to stop: renews this worker's leases and collects those of dead ones.
pub(super) async fn keep(service: Service, worker: String, held: Arc<Held>, stop: CancellationToken) {
    let mut unheld = Vec::new();
    let mut interval = tokio::time::interval(BEAT);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = interval.tick() => {}
            () = stop.cancelled() => return,
        }
        match service.renew(&worker, &held, &unheld).await {
            Ok(now_unheld) => unheld = now_unheld,
            Err(error) => tracing::warn!(%error, "cannot renew leases now"),
        }
        if let Err(error) = service.collect_lost().await {
            tracing::warn!(%error, "cannot look for lost steps now");
        }
    }
}

impl Service {
    /// Renews this worker's leases. A step that the database counts as ours and nobody here runs was not recorded at its
    /// end; seen so twice (the first time it may just have been claimed), it is given up. Returns those seen now.
    async fn renew(&self, worker: &str, held: &Held, unheld_before: &[Place]) -> Outcome<Vec<Place>> {
        // Taken before the query: a step claimed meanwhile is no lost one.
        let before = held.places();
        let now = self.clock.now();
        let until = now.plus_ms(self.settings.jobs.lease.as_millis() as i64);
        let known = self.store.renew_leases(worker, now, until).await?;
        held.compare(&before, &known);
        let running = held.places();
        let places = known.into_iter().map(|row| (row.job_id, row.ordinal, row.attempt));
        let unheld: Vec<Place> =
            places.filter(|place| !running.contains(place) && !before.contains(place)).collect();
        for (job, ordinal, attempt) in unheld.iter().filter(|place| unheld_before.contains(place)) {
            self.give_up(job, *ordinal, *attempt).await;
        }
        Ok(unheld)
    }

    async fn collect_lost(&self) -> Outcome<()> {
        for lost in self.store.lost_steps(self.clock.now(), LOST_BATCH).await? {
            self.give_up(&lost.job_id, lost.ordinal, lost.attempt).await;
        }
        Ok(())
    }

    /// One step that cannot be given up now must not keep the others waiting.
    async fn give_up(&self, job: &JobId, ordinal: i64, attempt: i64) {
        tracing::warn!(job.id = %job, step = ordinal, "a worker was lost; its step goes back");
        let command = Command::Lose { ordinal, attempt };
        if let Err(error) = self.advance(job, command, Effect::default()).await {
            tracing::error!(%error, job.id = %job, step = ordinal, "cannot give up a lost step now");
        }
    }
}
