//! Leases: renewed while their steps run, and released when they are lost.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use auris_domain::id::JobId;
use auris_domain::job::JobStatus;
use auris_domain::machine::{ClaimedStep, Loss, StepHold};
use auris_store::HeldStep;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::lost_steps::LostSteps;
use crate::error::Outcome;
use crate::{Service, metrics};

/// Time between two renewals. A cancel reaches a running step with the next one, so within a second or two.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(1);

/// Why a running step must stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// Its job is being cancelled; the worker records that the step stopped.
    Cancelled,
    /// Another worker may have it now; this worker records nothing.
    Lost,
    /// The process shuts down; the worker hands the step back.
    Drain,
}

/// Which attempt of which step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RunningKey {
    job: JobId,
    hold: StepHold,
}

/// Stops one running step.
#[derive(Clone)]
pub(crate) struct StopSignal {
    pub(crate) cancel: CancellationToken,
    reason: Arc<Mutex<Option<StopReason>>>,
}

impl StopSignal {
    fn new() -> Self {
        Self { cancel: CancellationToken::new(), reason: Arc::default() }
    }

    pub(crate) fn reason(&self) -> Option<StopReason> {
        *self.reason.lock()
    }

    /// Stops the step. If it is stopped more than once, the first reason counts.
    pub(crate) fn stop(&self, reason: StopReason) {
        self.reason.lock().get_or_insert(reason);
        self.cancel.cancel();
    }
}

/// The registration of one running step, until it is dropped.
pub(crate) struct Registration {
    pub(crate) signal: StopSignal,
    key: RunningKey,
    running: Arc<RunningSteps>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.running.steps.lock().remove(&self.key);
        metrics::steps_running(self.running.len());
        self.running.ended.notify_one();
    }
}

/// The steps that this process runs.
#[derive(Default)]
pub(crate) struct RunningSteps {
    steps: Mutex<HashMap<RunningKey, StopSignal>>,
    /// Notified when a step has ended.
    ended: Notify,
}

impl RunningSteps {
    pub(crate) fn register(running: &Arc<Self>, claimed: &ClaimedStep) -> Registration {
        let key = RunningKey { job: claimed.job_id().clone(), hold: claimed.hold() };
        let signal = StopSignal::new();
        running.steps.lock().insert(key.clone(), signal.clone());
        metrics::steps_running(running.len());
        Registration { signal, key, running: Arc::clone(running) }
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.lock().len()
    }

    /// Returns when a step has ended since the last call.
    pub(crate) async fn step_ended(&self) {
        self.ended.notified().await;
    }

    pub(crate) fn stop_all(&self, reason: StopReason) {
        for signal in self.steps.lock().values() {
            signal.stop(reason);
        }
    }

    /// Stops the steps that the database no longer assigns to this worker, and those that are being cancelled.
    fn stop_lost_and_cancelled(&self, before: &[RunningKey], held: &[HeldStep]) {
        let running = self.steps.lock();
        for key in before {
            let Some(signal) = running.get(key) else { continue };
            let row = held.iter().find(|row| row.job_id == key.job && row.hold == key.hold);
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

    fn keys(&self) -> Vec<RunningKey> {
        self.steps.lock().keys().cloned().collect()
    }
}

/// Renews one worker's leases and collects lost steps, until it is stopped.
pub(super) struct LeaseKeeper {
    pub(super) service: Service,
    pub(super) worker: String,
    pub(super) running: Arc<RunningSteps>,
}

impl LeaseKeeper {
    pub(super) async fn run(self, stop: CancellationToken) {
        let mut not_running = Vec::new();
        let mut lost = LostSteps::new(self.service.clone());
        let mut interval = tokio::time::interval(RENEWAL_INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = interval.tick() => {}
                () = stop.cancelled() => return,
            }
            match self.renew(&not_running).await {
                Ok(seen) => not_running = seen,
                Err(error) => tracing::warn!(%error, "cannot renew leases now"),
            }
            if let Err(error) = lost.collect().await {
                tracing::warn!(%error, "cannot look for lost steps now");
            }
        }
    }

    /// Renews this worker's leases. If the database says that we hold a step that no task is running, its result was
    /// never recorded. A step seen like that twice is released; the first time it may just have been claimed. Returns
    /// the steps seen like that now.
    async fn renew(&self, seen_before: &[RunningKey]) -> Outcome<Vec<RunningKey>> {
        // Read before the query, so that a step claimed in the meantime does not look lost.
        let before = self.running.keys();
        let until = self.service.lease_end();
        let held = self.service.store().renew_leases(&self.worker, until).await?;
        self.running.stop_lost_and_cancelled(&before, &held);
        let running = self.running.keys();
        let keys = held.into_iter().map(|row| RunningKey { job: row.job_id, hold: row.hold });
        let not_running: Vec<RunningKey> =
            keys.filter(|key| !running.contains(key) && !before.contains(key)).collect();
        for key in not_running.iter().filter(|key| seen_before.contains(key)) {
            self.service.release_lost(&key.job, key.hold, Loss::Alone).await;
        }
        Ok(not_running)
    }
}
