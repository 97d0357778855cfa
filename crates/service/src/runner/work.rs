//! One claimed step from start to end: run it, with retries and a time limit, and record how it ended.

use std::time::{Duration, Instant};

use auris_domain::error::ErrorCode;
use auris_domain::machine::Command;
use auris_domain::plan;
use auris_domain::step::{Cause, StepCode};
use auris_domain::usage::{Units, Usage};
use auris_engines::EngineError;
use auris_store::{ClaimedStep, StepOutput, crash_point};
use serde_json::Value;

use super::Effect;
use super::lease::{Signal, StopReason};
use super::operations;
use crate::error::audio_code;
use crate::{Service, ServiceError, metrics};

/// Waits between tries after a transient failure of a model's server.
const BACKOFF_MS: [u64; 3] = [500, 2_000, 8_000];

/// A database that is away this long takes the process with it.
const RECORD_TRIES: usize = 600;
const RECORD_WAIT: Duration = Duration::from_secs(1);

/// What a step made.
pub(super) struct Product {
    pub output: Value,
    pub response: Value,
    pub resolved_model: Option<String>,
    pub units: Units,
}

/// Why a step made nothing.
#[derive(Debug)]
pub(super) enum Trouble {
    Engine(EngineError),
    Service(ServiceError),
    Cause(Cause),
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<ServiceError> for Trouble {
    fn from(error: ServiceError) -> Self {
        Self::Service(error)
    }
}

impl Service {
    /// Runs a claimed step and records its end. What cannot be recorded now is left to the lease: the step runs again.
    pub(super) async fn work(&self, claimed: ClaimedStep, signal: &Signal) {
        let began = Instant::now();
        crash_point("step.before_run");
        let outcome = self.attempt(&claimed, signal).await;
        crash_point("step.after_run");
        let label = if outcome.is_ok() { "completed" } else { "failed" };
        metrics::step_ended(claimed.step.capability.as_str(), label, began.elapsed().as_secs_f64());
        if let Some((command, effect)) = ending(&claimed, outcome, signal) {
            self.record(&claimed, command, effect, signal).await;
        }
    }

    /// Records the end, however long the database is away, as long as the step is this worker's.
    async fn record(&self, claimed: &ClaimedStep, command: Command, effect: Effect, signal: &Signal) {
        for _ in 0..RECORD_TRIES {
            let Err(error) = self.advance(&claimed.job.id, command.clone(), effect.clone()).await else {
                return;
            };
            tracing::error!(%error, job.id = %claimed.job.id, step.id = %claimed.step.id, "cannot record a step's end");
            match signal.reason() {
                // Not ours any more, or the process ends: the lease does the rest.
                Some(StopReason::Lost | StopReason::Drain) => return,
                Some(StopReason::Cancelled) | None => {}
            }
            tokio::time::sleep(RECORD_WAIT).await;
        }
    }

    async fn attempt(&self, claimed: &ClaimedStep, signal: &Signal) -> Result<Product, Trouble> {
        let limit = self.settings.jobs.step_timeout;
        let run = self.with_retries(claimed, signal);
        match tokio::time::timeout(limit, run).await {
            Ok(outcome) => outcome,
            Err(_) => {
                signal.cancel.cancel();
                let message = format!("The step did not end within {} seconds.", limit.as_secs());
                Err(Trouble::Cause(Cause::new(StepCode::Timeout, message)))
            }
        }
    }

    async fn with_retries(&self, claimed: &ClaimedStep, signal: &Signal) -> Result<Product, Trouble> {
        for (tried, wait_ms) in BACKOFF_MS.into_iter().enumerate() {
            match operations::run(self, claimed, signal, tried).await {
                Err(trouble) if trouble.is_transient() => {
                    tracing::warn!(?trouble, step.id = %claimed.step.id, wait_ms, "a transient failure; trying again");
                }
                outcome => return outcome,
            }
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(wait_ms)) => {}
                () = signal.cancel.cancelled() => return Err(EngineError::Cancelled.into()),
            }
        }
        operations::run(self, claimed, signal, BACKOFF_MS.len()).await
    }
}

/// What is told of an attempt's end; nothing where the step is no longer this worker's.
fn ending(
    claimed: &ClaimedStep,
    outcome: Result<Product, Trouble>,
    signal: &Signal,
) -> Option<(Command, Effect)> {
    let (ordinal, attempt) = (claimed.step.ordinal, claimed.step.attempt);
    let command = match (outcome, signal.reason()) {
        (Ok(product), _) => return Some(completion(claimed, product)),
        (Err(_), Some(StopReason::Lost)) => return None,
        (Err(_), Some(StopReason::Cancelled)) => Command::Stop { ordinal, attempt },
        (Err(_), Some(StopReason::Drain)) => Command::HandBack { ordinal, attempt },
        // Storage that stays away is no fault of the step's: another worker may reach it.
        (Err(Trouble::Service(ServiceError::Unavailable(_))), None) => Command::Lose { ordinal, attempt },
        (Err(trouble), None) => {
            Command::Fail { ordinal, attempt, cause: cause_of(trouble, claimed), usage: None }
        }
    };
    Some((command, Effect::default()))
}

fn completion(claimed: &ClaimedStep, product: Product) -> (Command, Effect) {
    let step = &claimed.step;
    // Nobody is charged more than was promised, whatever a model used.
    let units = product.units.at_most(plan::bound_of(&step.spec));
    let command = Command::Complete {
        ordinal: step.ordinal,
        attempt: step.attempt,
        resolved_model: product.resolved_model,
        usage: Usage::priced(units, &step.rates),
    };
    let output = StepOutput { ordinal: step.ordinal, output: product.output, response: product.response };
    (command, Effect { output: Some(output), key: None })
}

impl Trouble {
    /// Whether the same may go well a moment later.
    fn is_transient(&self) -> bool {
        match self {
            Self::Engine(EngineError::Backend { transient, .. }) => *transient,
            Self::Engine(EngineError::Overloaded) | Self::Service(ServiceError::Unavailable(_)) => true,
            Self::Engine(
                EngineError::Cancelled
                | EngineError::BadAudio { .. }
                | EngineError::UnsupportedLanguage { .. }
                | EngineError::BadAnswer { .. }
                | EngineError::Internal(_),
            )
            | Self::Service(ServiceError::Refused(_) | ServiceError::Internal(_))
            | Self::Cause(_) => false,
        }
    }
}

/// What the step's error says; internal words stay in the log.
fn cause_of(trouble: Trouble, claimed: &ClaimedStep) -> Cause {
    match trouble {
        Trouble::Cause(cause) => cause,
        Trouble::Service(ServiceError::Refused(refusal)) => refusal.into(),
        Trouble::Service(error) => internal(&error, claimed),
        Trouble::Engine(error) => match error {
            EngineError::BadAudio { problem, ref message } => {
                Cause::from(auris_domain::error::ApiError::new(audio_code(problem), message.clone()))
            }
            EngineError::UnsupportedLanguage { .. } => Cause::from(auris_domain::error::ApiError::new(
                ErrorCode::UnsupportedLanguage,
                error.to_string(),
            )),
            EngineError::BadAnswer { message, truncated } => {
                let code =
                    if truncated { StepCode::OutputTruncated } else { StepCode::SchemaValidationFailed };
                Cause::new(code, message)
            }
            EngineError::Backend { message, .. } => Cause::new(StepCode::BackendError, message),
            EngineError::Overloaded => Cause::new(StepCode::BackendError, error.to_string()),
            EngineError::Cancelled | EngineError::Internal(_) => internal(&error, claimed),
        },
    }
}

fn internal(error: &dyn std::fmt::Display, claimed: &ClaimedStep) -> Cause {
    tracing::error!(%error, job.id = %claimed.job.id, step.id = %claimed.step.id, "a step failed by a defect");
    let message = format!("Something went wrong on our side; the step was `{}`.", claimed.step.id);
    Cause::new(StepCode::InternalError, message)
}
