//! Headers with rules of their own.

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::request::headers;
use axum::http::{HeaderMap, HeaderValue};

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
const LAST_EVENT_ID: &str = "Last-Event-ID";

pub(crate) fn idempotency_key(headers: &HeaderMap) -> Checked<Option<String>> {
    headers::idempotency_key(single(headers, IDEMPOTENCY_KEY, ErrorCode::InvalidIdempotencyKey)?)
}

pub(crate) fn required_idempotency_key(headers: &HeaderMap) -> Checked<String> {
    headers::required_idempotency_key(single(headers, IDEMPOTENCY_KEY, ErrorCode::InvalidIdempotencyKey)?)
}

pub(crate) fn last_event_id(headers: &HeaderMap) -> Checked<Option<i64>> {
    headers::last_event_id(single(headers, LAST_EVENT_ID, ErrorCode::InvalidLastEventId)?)
}

fn single<'a>(headers: &'a HeaderMap, name: &str, code: ErrorCode) -> Checked<Option<&'a [u8]>> {
    let mut values = headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let first = values.next();
    if values.next().is_some() {
        return Err(
            ApiError::new(code, format!("The header `{name}` was sent twice; send it once.")).at(name)
        );
    }
    Ok(first)
}
