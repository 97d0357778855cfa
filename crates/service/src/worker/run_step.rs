//! One claimed step from start to end: run it with retries and a time limit, and record how it ended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use auris_domain::id::{JobId, StepId};
use auris_domain::machine::{ClaimedStep, Command};
use auris_domain::step::{Cause, StepCode};
use auris_engines::EngineError;
use auris_store::crash_point;
use backon::{BackoffBuilder, ExponentialBuilder};

use super::lease::{StopReason, StopSignal};
use super::operations::StepCall;
use super::step_outcome::{StepError, StepProduct, cause_of};
use crate::jobs::{CompletedStep, Effect};
use crate::{Service, ServiceError, metrics};

/// The end of an attempt, to be recorded.
struct StepEnd {
    job: JobId,
    step: StepId,
    command: Command,
    effect: Effect,
}

/// Waits between calls of an engine after a transient failure: 0.5, 2 and 8 seconds. All are part of one attempt. Engines
/// themselves do not repeat calls.
fn call_delays() -> impl Iterator<Item = Duration> {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(500))
        .with_factor(4.0)
        .with_max_times(3)
        .build()
}

/// The wait between attempts to record a step's end.
const RECORD_INTERVAL: Duration = Duration::from_secs(1);

impl Service {
    /// Runs a claimed step and records its end.
    pub(super) async fn run_step(&self, claimed: ClaimedStep, signal: &StopSignal) {
        let started = Instant::now();
        crash_point("step.before_run");
        let outcome = self.run_within_limit(&claimed, signal).await;
        crash_point("step.after_run");
        let label = if outcome.is_ok() { "completed" } else { "failed" };
        metrics::step_ended(claimed.step().capability().as_str(), label, started.elapsed().as_secs_f64());
        if let Some(end) = step_end(claimed, outcome, signal.reason()) {
            self.record_end(end, signal).await;
        }
    }

    /// Records the end, as long as the step belongs to this worker. A database that stays away ends the process: its
    /// leases have long expired, and what it computed cannot be stored. Not a policy of `backon`: that limits the number
    /// of attempts or the sum of the delays, but here an attempt itself can wait long for the database.
    async fn record_end(&self, end: StepEnd, signal: &StopSignal) {
        let started = Instant::now();
        while started.elapsed() < self.settings().jobs.record_end {
            let applied = self.apply_command(&end.job, end.command.clone(), end.effect.clone()).await;
            let Err(error) = applied else { return };
            tracing::error!(%error, job.id = %end.job, step.id = %end.step, "cannot record the end of a step");
            match signal.reason() {
                // The step is another worker's, or this process is stopping: the lease expires and the step runs again.
                Some(StopReason::Lost | StopReason::Drain) => return,
                Some(StopReason::Cancelled) | None => {}
            }
            tokio::time::sleep(RECORD_INTERVAL).await;
        }
        tracing::error!(step.id = %end.step, "the end of a step could not be recorded for too long; this process stops, so that others run its steps");
        self.shutdown().cancel();
    }

    async fn run_within_limit(
        &self,
        claimed: &ClaimedStep,
        signal: &StopSignal,
    ) -> Result<StepProduct, StepError> {
        let limit = self.settings().jobs.step_timeout;
        match tokio::time::timeout(limit, self.run_with_retries(claimed, signal)).await {
            Ok(outcome) => outcome,
            Err(_) => {
                signal.cancel.cancel();
                let message = format!("The step did not end within {} seconds.", limit.as_secs());
                Err(StepError::Cause(Cause::new(StepCode::Timeout, message)))
            }
        }
    }

    async fn run_with_retries(
        &self,
        claimed: &ClaimedStep,
        signal: &StopSignal,
    ) -> Result<StepProduct, StepError> {
        let mut delays = call_delays();
        let mut failed_calls = 0;
        loop {
            let error = match (StepCall { service: self, claimed, signal, failed_calls }.run().await) {
                Err(error) if error.is_transient() => error,
                outcome => return outcome,
            };
            let Some(delay) = delays.next() else { return Err(error) };
            failed_calls += 1;
            tracing::warn!(?error, step.id = %claimed.step().id, ?delay, "a transient failure; trying again");
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = signal.cancel.cancelled() => return Err(EngineError::Cancelled.into()),
            }
        }
    }
}

/// What to record of an attempt's end; nothing if the step no longer belongs to this worker.
fn step_end(
    claimed: ClaimedStep,
    outcome: Result<StepProduct, StepError>,
    stopped: Option<StopReason>,
) -> Option<StepEnd> {
    let job = claimed.job_id().clone();
    let step = claimed.step().id.clone();
    let (command, effect) = match (outcome, stopped) {
        (Ok(product), _) => completion(claimed, product),
        (Err(_), Some(StopReason::Lost)) => return None,
        (Err(_), Some(StopReason::Cancelled)) => (claimed.stop(), Effect::default()),
        (Err(_), Some(StopReason::Drain)) => (claimed.hand_back(), Effect::default()),
        // Storage that cannot be reached is not the step's fault: another worker may reach it.
        (Err(StepError::Service(ServiceError::Unavailable(_))), None) => (claimed.lose(), Effect::default()),
        (Err(error), None) => {
            let cause = cause_of(error, &claimed);
            (claimed.fail(cause), Effect::default())
        }
    };
    Some(StepEnd { job, step, command, effect })
}

fn completion(claimed: ClaimedStep, product: StepProduct) -> (Command, Effect) {
    let completed =
        CompletedStep { ordinal: claimed.step().ordinal, output: product.output, response: product.response };
    let command = claimed.complete(product.resolved_model, product.units);
    (command, Effect { completed: Some(Arc::new(completed)), key: None })
}
