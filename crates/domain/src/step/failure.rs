//! Why a step did not complete.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::error::{ApiError, ErrorType};
use crate::id::StepId;

/// Codes that only errors of steps have. Their other codes are those of `ErrorCode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum StepCode {
    Timeout,
    WorkerLost,
    BackendError,
    SchemaValidationFailed,
    OutputTruncated,
    SourceNotFound,
    DependencyFailed,
    FailFast,
    BudgetExceeded,
    Cancelled,
    InternalError,
}

impl StepCode {
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    fn kind(self) -> ErrorType {
        match self {
            Self::Timeout
            | Self::WorkerLost
            | Self::BackendError
            | Self::SchemaValidationFailed
            | Self::OutputTruncated
            | Self::InternalError => ErrorType::ApiError,
            Self::SourceNotFound
            | Self::DependencyFailed
            | Self::FailFast
            | Self::BudgetExceeded
            | Self::Cancelled => ErrorType::InvalidRequestError,
        }
    }
}

/// Maximum characters of a message. Other servers can send long ones, and the body of a webhook must stay under 64 KiB.
const MESSAGE_CHARACTERS: usize = 1_000;

/// The reason for a failure, before the step and its attempt are added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    message: String,
    kind: ErrorType,
    param: Option<String>,
    code: &'static str,
}

impl Cause {
    pub fn new(code: StepCode, message: impl Into<String>) -> Self {
        Self { message: shortened(message.into()), kind: code.kind(), param: None, code: code.as_str() }
    }

    pub(crate) fn at_step(self, step: StepPlace) -> Failure {
        Failure {
            message: self.message,
            kind: self.kind,
            param: self.param,
            code: self.code.to_owned(),
            step_id: step.id,
            step_key: step.key,
            attempts: step.attempts,
        }
    }
}

impl From<ApiError> for Cause {
    fn from(error: ApiError) -> Self {
        Self {
            message: shortened(error.message),
            kind: error.code.kind(),
            param: error.param,
            code: error.code.as_str(),
        }
    }
}

fn shortened(mut message: String) -> String {
    let end = message.char_indices().nth(MESSAGE_CHARACTERS).map(|(end, _)| end);
    if let Some(end) = end {
        message.truncate(end);
        message.push('…');
    }
    message
}

/// Which step failed, and on which attempt.
pub(crate) struct StepPlace {
    pub(crate) id: StepId,
    pub(crate) key: String,
    pub(crate) attempts: i64,
}

/// The `error` of a job or step: the API's error object, the step and the number of attempts.
///
/// The code is text, because rows written by other versions may have a code that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub message: String,
    #[serde(rename = "type")]
    pub kind: ErrorType,
    pub param: Option<String>,
    pub code: String,
    pub step_id: StepId,
    pub step_key: String,
    pub attempts: i64,
}
