//! Answers that refuse: the error body, its status and the headers that go with it.

use auris_domain::error::{ApiError, ErrorCode};
use auris_service::ServiceError;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::view;

const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Why a request was not answered with what it asked for.
#[derive(Debug)]
pub(crate) struct Failure(ServiceError);

/// Marks a response whose cause is for the log only; `middleware::request` writes it there, with the request's id.
#[derive(Debug, Clone)]
pub(crate) struct Fault(pub(crate) String);

pub(crate) type Answer = Result<Response, Failure>;

impl<E: Into<ServiceError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self.0 {
            ServiceError::Refused(error) => refusal(&error),
            ServiceError::Unavailable(cause) => {
                let message = "The storage behind this service cannot be reached now; try again soon.";
                let error = ApiError::new(ErrorCode::StorageUnavailable, message).retry_after(5);
                marked(refusal(&error), cause)
            }
            ServiceError::Internal(cause) => marked(refusal(&internal("")), cause),
        }
    }
}

/// The error that a fault of ours shows.
pub(crate) fn internal(request_id: &str) -> ApiError {
    let message = format!(
        "Something went wrong on our side. If it happens again, report the request id `{request_id}`."
    );
    ApiError::new(ErrorCode::InternalError, message)
}

/// The response of an error: its body and its headers.
pub(crate) fn refusal(error: &ApiError) -> Response {
    let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = view::json(status, &error.body());
    let headers = response.headers_mut();
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = error.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    // Clients of the OpenAI family retry 409 by themselves, which helps only while a key is in use.
    if status == StatusCode::CONFLICT && error.code != ErrorCode::IdempotencyKeyInUse {
        headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
    }
    response
}

fn marked(mut response: Response, cause: String) -> Response {
    response.extensions_mut().insert(Fault(cause));
    response
}
