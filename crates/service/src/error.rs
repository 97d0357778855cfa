//! The error of a use case: a refusal for the caller, or a fault for the log.

use auris_domain::error::{ApiError, ErrorCode};
use auris_engines::{AudioProblem, EngineError};
use auris_store::StoreError;

/// Why a use case failed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// An invalid request, or a state that will pass; sent to the caller as it is.
    #[error(transparent)]
    Refused(#[from] ApiError),
    /// The database or the blob store cannot be reached now.
    #[error("storage is unavailable: {0}")]
    Unavailable(String),
    /// A defect; the caller gets only the request id.
    #[error("{0}")]
    Internal(String),
}

pub(crate) type Outcome<T> = Result<T, ServiceError>;

impl ServiceError {
    pub fn refused(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Refused(ApiError::new(code, message))
    }

    pub fn internal(error: impl std::fmt::Display) -> Self {
        Self::Internal(error.to_string())
    }

    /// The process stops before it could complete a request.
    pub fn shutting_down() -> Self {
        let message = "The service is shutting down; send the request again.";
        ApiError::new(ErrorCode::ShuttingDown, message).retry_after(5).into()
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unavailable(chain(&error)),
            StoreError::Corrupt(_) | StoreError::Conflict | StoreError::Internal(_) => {
                Self::Internal(chain(&error))
            }
        }
    }
}

impl From<std::io::Error> for ServiceError {
    fn from(error: std::io::Error) -> Self {
        Self::Unavailable(format!("file system: {error}"))
    }
}

/// An error with its whole source chain, for the log.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}

/// The error of a synchronous call whose engine failed.
pub(crate) fn refusal_of(error: EngineError) -> ServiceError {
    match error {
        EngineError::BadAudio { problem, message } => {
            ApiError::new(audio_code(problem), message).at("file").into()
        }
        EngineError::UnsupportedLanguage { .. } => {
            ApiError::new(ErrorCode::UnsupportedLanguage, error.to_string()).at("language").into()
        }
        EngineError::Overloaded => overloaded().into(),
        EngineError::Cancelled => ServiceError::shutting_down(),
        EngineError::BadAnswer { message, .. } => {
            ApiError::new(ErrorCode::BackendUnavailable, message).retry_after(10).into()
        }
        EngineError::Backend { transient, .. } => {
            tracing::warn!(%error, transient, "a model failed");
            let message = "The model's server did not answer; try again later.";
            ApiError::new(ErrorCode::BackendUnavailable, message).retry_after(10).into()
        }
        EngineError::Internal(message) => ServiceError::Internal(message),
    }
}

pub(crate) fn audio_code(problem: AudioProblem) -> ErrorCode {
    match problem {
        AudioProblem::UnsupportedAudio => ErrorCode::UnsupportedAudio,
        AudioProblem::NoAudioStream => ErrorCode::NoAudioStream,
        AudioProblem::AudioTooLong => ErrorCode::AudioTooLong,
    }
}

pub(crate) fn overloaded() -> ApiError {
    let message = "All slots for synchronous transcription are in use; try again later, or send async=true.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5)
}
