//! The table of error codes: each code has one type and one HTTP status.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// The `type` of an error body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ErrorType {
    InvalidRequestError,
    AuthenticationError,
    PermissionError,
    NotFoundError,
    ConflictError,
    RateLimitError,
    InsufficientBalanceError,
    ApiError,
}

impl ErrorType {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

macro_rules! codes {
    ($($kind:ident $status:literal { $($name:ident = $text:literal),* $(,)? })*) => {
        /// The `code` of an error body.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($($name,)*)* }

        impl ErrorCode {
            pub const ALL: &'static [Self] = &[$($(Self::$name,)*)*];

            pub fn as_str(self) -> &'static str {
                match self { $($(Self::$name => $text,)*)* }
            }

            pub fn kind(self) -> ErrorType {
                match self { $($(Self::$name => ErrorType::$kind,)*)* }
            }

            /// The HTTP status of a response with this code.
            pub fn status(self) -> u16 {
                match self { $($(Self::$name => $status,)*)* }
            }
        }
    };
}

codes! {
    InvalidRequestError 400 {
        InvalidJson = "invalid_json",
        InvalidMultipart = "invalid_multipart",
        InvalidContentType = "invalid_content_type",
        BodyTooLarge = "body_too_large",
        MissingRequiredParameter = "missing_required_parameter",
        UnknownParameter = "unknown_parameter",
        InvalidType = "invalid_type",
        InvalidValue = "invalid_value",
        ValueTooLong = "value_too_long",
        ValueTooShort = "value_too_short",
        TooManyItems = "too_many_items",
        InvalidId = "invalid_id",
        InvalidCursor = "invalid_cursor",
        InvalidCombination = "invalid_combination",
        FileTooLarge = "file_too_large",
        EmptyFile = "empty_file",
        UnsupportedAudio = "unsupported_audio",
        NoAudioStream = "no_audio_stream",
        AudioTooLong = "audio_too_long",
        UnsupportedLanguage = "unsupported_language",
        AudioRequired = "audio_required",
        ModelCapabilityMismatch = "model_capability_mismatch",
        InvalidSource = "invalid_source",
        SourceCycle = "source_cycle",
        DuplicateTaskId = "duplicate_task_id",
        NothingToProcess = "nothing_to_process",
        MaxCostTooLow = "max_cost_too_low",
        InvalidJsonSchema = "invalid_json_schema",
        InvalidWebhookUrl = "invalid_webhook_url",
        MetadataTooLarge = "metadata_too_large",
        IdempotencyKeyRequired = "idempotency_key_required",
        InvalidIdempotencyKey = "invalid_idempotency_key",
        InvalidLastEventId = "invalid_last_event_id",
    }
    AuthenticationError 401 {
        MissingApiKey = "missing_api_key",
        InvalidApiKey = "invalid_api_key",
        RevokedApiKey = "revoked_api_key",
        ExpiredApiKey = "expired_api_key",
        MissingSession = "missing_session",
        ExpiredSession = "expired_session",
        InvalidSignIn = "invalid_sign_in",
        InvalidOperatorKey = "invalid_operator_key",
    }
    PermissionError 403 {
        InsufficientScope = "insufficient_scope",
        PlanRequired = "plan_required",
        SignatureInvalid = "signature_invalid",
        SignatureExpired = "signature_expired",
        MissingConsoleHeader = "missing_console_header",
        ForeignOrigin = "foreign_origin",
        OperatorOnly = "operator_only",
    }
    InsufficientBalanceError 403 {
        InsufficientBalance = "insufficient_balance",
    }
    NotFoundError 404 {
        UnknownPath = "unknown_path",
        MethodNotAllowed = "method_not_allowed",
        JobNotFound = "job_not_found",
        StepNotFound = "step_not_found",
        ArtifactNotFound = "artifact_not_found",
        ArtifactDeleted = "artifact_deleted",
        WebhookEndpointNotFound = "webhook_endpoint_not_found",
        ModelNotFound = "model_not_found",
        NotFound = "not_found",
    }
    ConflictError 409 {
        IdempotencyKeyInUse = "idempotency_key_in_use",
        IdempotencyKeyReused = "idempotency_key_reused",
        JobNotFinished = "job_not_finished",
        ContentUnavailable = "content_unavailable",
        EndpointLimitReached = "endpoint_limit_reached",
        Conflict = "conflict",
    }
    RateLimitError 429 {
        RateLimitExceeded = "rate_limit_exceeded",
        ConcurrencyLimitExceeded = "concurrency_limit_exceeded",
        TooManySignIns = "too_many_sign_ins",
    }
    ApiError 500 {
        InternalError = "internal_error",
    }
    ApiError 503 {
        EngineOverloaded = "engine_overloaded",
        ShuttingDown = "shutting_down",
        StorageUnavailable = "storage_unavailable",
        BackendUnavailable = "backend_unavailable",
    }
}

/// An error as the caller sees it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    pub code: ErrorCode,
    pub message: String,
    pub param: Option<String>,
    /// Seconds after which the client should retry: for 429, 503 and `idempotency_key_in_use`.
    pub retry_after: Option<u32>,
    /// Whether a client library must not repeat the request by itself, because it would fail in the same way.
    pub never_retry: bool,
}

/// The result of checking a part of a request.
pub type Checked<T> = Result<T, ApiError>;

impl ApiError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), param: None, retry_after: None, never_retry: false }
    }

    /// Names the parameter that is wrong by its path, such as `processing.tasks[0].id`.
    pub fn at(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// Sets when the client should retry, within 1 to 120 seconds.
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds.clamp(1, 120));
        self
    }

    /// Asks client libraries not to repeat the request by themselves.
    pub fn never_retry(mut self) -> Self {
        self.never_retry = true;
        self
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_one_of_the_contract() {
        for code in ErrorCode::ALL {
            assert!([400, 401, 403, 404, 409, 429, 500, 503].contains(&code.status()), "{code}");
        }
    }

    #[test]
    fn every_code_has_its_own_text() {
        let mut texts: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
    }

    #[test]
    fn retry_after_is_between_one_second_and_two_minutes() {
        assert_eq!(ApiError::new(ErrorCode::ShuttingDown, "").retry_after(0).retry_after, Some(1));
        assert_eq!(ApiError::new(ErrorCode::ShuttingDown, "").retry_after(999).retry_after, Some(120));
    }
}
