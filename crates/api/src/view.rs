//! Answers that went well: JSON with a status, deletions, redirects, and replays of earlier answers.

use auris_service::StoredAnswer;
use auris_service::idempotency::Answered;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

pub(crate) fn json(status: StatusCode, body: &Value) -> Response {
    text(status, "application/json", body.to_string())
}

/// A body of the given type.
pub(crate) fn text(status: StatusCode, content_type: &str, body: String) -> Response {
    let mut response = (status, Body::from(body)).into_response();
    let value = HeaderValue::from_str(content_type);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, value.unwrap_or(HeaderValue::from_static("application/octet-stream")));
    response
}

pub(crate) fn deleted() -> Response {
    json(StatusCode::OK, &json!({"deleted": true}))
}

/// A new answer with its status, or the one given before, marked as such.
pub(crate) fn answered(status: StatusCode, answered: Answered<Value>) -> Response {
    match answered {
        Answered::New(body) => json(status, &body),
        Answered::Replayed(stored) => replayed(stored),
    }
}

/// An answer in the form in which it is remembered.
pub(crate) fn stored(answer: StoredAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    text(status, &answer.content_type, answer.body)
}

pub(crate) fn replayed(answer: StoredAnswer) -> Response {
    let mut response = stored(answer);
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    response
}
