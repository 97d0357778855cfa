//! How a call of an engine for a step ends: with a product, or with an error that becomes the step's error.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::machine::ClaimedStep;
use auris_domain::step::{Cause, StepCode, StepOutput};
use auris_domain::usage::Units;
use auris_domain::wire::JsonText;
use auris_engines::EngineError;

use crate::ServiceError;
use crate::error::audio_code;

/// What a step produced.
pub(super) struct StepProduct {
    pub(super) output: StepOutput,
    pub(super) response: JsonText,
    pub(super) resolved_model: Option<String>,
    pub(super) units: Units,
}

/// Why a step produced nothing.
#[derive(Debug)]
pub(super) enum StepError {
    Engine(EngineError),
    Service(ServiceError),
    Cause(Cause),
}

impl From<EngineError> for StepError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<ServiceError> for StepError {
    fn from(error: ServiceError) -> Self {
        Self::Service(error)
    }
}

impl StepError {
    /// Whether the same step may succeed a moment later.
    pub(super) fn is_transient(&self) -> bool {
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

/// The step's error for the caller. Internal details go to the log only.
pub(super) fn cause_of(error: StepError, claimed: &ClaimedStep) -> Cause {
    match error {
        StepError::Cause(cause) => cause,
        StepError::Service(ServiceError::Refused(refusal)) => refusal.into(),
        StepError::Service(error) => internal(&error, claimed),
        StepError::Engine(error) => engine_cause(error, claimed),
    }
}

fn engine_cause(error: EngineError, claimed: &ClaimedStep) -> Cause {
    match error {
        EngineError::BadAudio { problem, message } => ApiError::new(audio_code(problem), message).into(),
        EngineError::UnsupportedLanguage { .. } => {
            ApiError::new(ErrorCode::UnsupportedLanguage, error.to_string()).into()
        }
        EngineError::BadAnswer { message, truncated: true } => Cause::new(StepCode::OutputTruncated, message),
        EngineError::BadAnswer { message, truncated: false } => {
            Cause::new(StepCode::SchemaValidationFailed, message)
        }
        EngineError::Backend { message, .. } => Cause::new(StepCode::BackendError, message),
        EngineError::Overloaded => Cause::new(StepCode::BackendError, error.to_string()),
        EngineError::Cancelled | EngineError::Internal(_) => internal(&error, claimed),
    }
}

fn internal(error: &dyn std::fmt::Display, claimed: &ClaimedStep) -> Cause {
    let step = claimed.step();
    tracing::error!(%error, job.id = %claimed.job_id(), step.id = %step.id, "a step failed because of a defect");
    let message = format!("Something went wrong on our side; the step was `{}`.", step.id);
    Cause::new(StepCode::InternalError, message)
}
