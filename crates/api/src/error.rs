//! Error responses: the error body, its status and its headers.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_domain::wire;
use auris_service::ServiceError;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::view;

const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// What a handler returns.
pub(crate) type HandlerResult = Result<Response, HandlerError>;

/// The error of a handler or extractor, on its way to an error response.
#[derive(Debug)]
pub(crate) struct HandlerError(ServiceError);

/// Attached to a response whose cause must not reach the client. `middleware::access_log` logs it with the request id.
#[derive(Debug, Clone)]
pub(crate) struct InternalCause(pub(crate) String);

impl<E: Into<ServiceError>> From<E> for HandlerError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for HandlerError {
    fn into_response(self) -> Response {
        service_error(self.0)
    }
}

/// The response to a request that the service could not complete.
pub(crate) fn service_error(error: ServiceError) -> Response {
    match error {
        ServiceError::Refused(error) => api_error(&error),
        ServiceError::Unavailable(cause) => {
            let message = "The storage of this service is unavailable; try again in a few seconds.";
            let error = ApiError::new(ErrorCode::StorageUnavailable, message).retry_after(5);
            with_cause(api_error(&error), cause)
        }
        ServiceError::Internal(cause) => internal_error(cause),
    }
}

/// A 500 with a cause for the log. The access log replaces the body with `internal_error_of`, because only it knows the
/// request id.
pub(crate) fn internal_error(cause: String) -> Response {
    let message = "Something went wrong on our side.";
    with_cause(api_error(&ApiError::new(ErrorCode::InternalError, message)), cause)
}

/// The 500 that a client receives.
pub(crate) fn internal_error_of(request: &RequestId) -> Response {
    let message =
        format!("Something went wrong on our side. If it happens again, report the request id `{request}`.");
    api_error(&ApiError::new(ErrorCode::InternalError, message))
}

/// The response for an error, with its body and headers.
pub(crate) fn api_error(error: &ApiError) -> Response {
    let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = view::json(status, wire::error(error));
    let headers = response.headers_mut();
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = error.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    // OpenAI's client libraries retry every 409, which helps only while an idempotency key is in use.
    let is_final_conflict = status == StatusCode::CONFLICT && error.code != ErrorCode::IdempotencyKeyInUse;
    if is_final_conflict || error.never_retry {
        headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
    }
    response
}

fn with_cause(mut response: Response, cause: String) -> Response {
    response.extensions_mut().insert(InternalCause(cause));
    response
}
