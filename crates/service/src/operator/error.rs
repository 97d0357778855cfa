//! Why an operator's task failed, in words for the operator.

use std::error::Error;

use auris_domain::error::{ApiError, ErrorCode};
use auris_engines::InstallError;
use auris_store::StoreError;

use crate::ServiceError;
use crate::error::chain;

/// Why a task was not done.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// An input has no meaning; the message names it and says what to write.
    #[error("{0}")]
    Invalid(String),
    /// The same, about one parameter of a request.
    #[error("{message}")]
    InvalidParameter { param: &'static str, message: String },
    /// A project, key, endpoint, delivery or model does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The current state does not allow it; the message says what to do first.
    #[error("{0}")]
    Conflict(String),
    /// Something that the task depends on failed; the source says what.
    #[error("{context}")]
    Failed { context: String, source: Box<dyn Error + Send + Sync> },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error(transparent)]
    File(#[from] std::io::Error),
}

impl OperatorError {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    pub(super) fn invalid_parameter(param: &'static str, message: impl Into<String>) -> Self {
        Self::InvalidParameter { param, message: message.into() }
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::NotFound(message.into())
    }

    pub(super) fn conflict(message: impl Into<String>) -> Self {
        Self::Conflict(message.into())
    }
}

/// The answer of the operator API.
impl From<OperatorError> for ServiceError {
    fn from(error: OperatorError) -> Self {
        let code = match error {
            OperatorError::Invalid(_) => ErrorCode::InvalidValue,
            OperatorError::InvalidParameter { param, ref message } => {
                let refusal = ApiError::new(ErrorCode::InvalidValue, sentence(message));
                return Self::Refused(refusal.at(param));
            }
            OperatorError::NotFound(_) => ErrorCode::NotFound,
            OperatorError::Conflict(_) => ErrorCode::Conflict,
            OperatorError::Store(error) => return error.into(),
            OperatorError::Service(error) => return error,
            OperatorError::Failed { .. } | OperatorError::Install(_) | OperatorError::File(_) => {
                return Self::Internal(chain(&error));
            }
        };
        Self::refused(code, sentence(&error.to_string()))
    }
}

impl OperatorError {
    /// The answer of the operator API, about this parameter of the request unless the error names another one.
    pub fn at(self, param: &str) -> ServiceError {
        match ServiceError::from(self) {
            ServiceError::Refused(error) if error.param.is_none() => ServiceError::Refused(error.at(param)),
            error @ (ServiceError::Refused(_) | ServiceError::Unavailable(_) | ServiceError::Internal(_)) => {
                error
            }
        }
    }
}

/// Messages for the command line begin in lower case and have no full stop.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// Adds what was being done to a failure.
pub(super) trait Context<T> {
    fn context(self, describe: impl FnOnce() -> String) -> Result<T, OperatorError>;
}

impl<T, E: Error + Send + Sync + 'static> Context<T> for Result<T, E> {
    fn context(self, describe: impl FnOnce() -> String) -> Result<T, OperatorError> {
        self.map_err(|error| OperatorError::Failed { context: describe(), source: Box::new(error) })
    }
}
