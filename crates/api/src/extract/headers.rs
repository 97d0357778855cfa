//! The headers `Idempotency-Key` and `Last-Event-ID`, each of which may be sent only once.

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::request::headers;
use auris_service::access::RequestKey;
use axum::http::{HeaderMap, HeaderValue};

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
const LAST_EVENT_ID: &str = "Last-Event-ID";

/// A valid `Idempotency-Key` header.
#[derive(Debug)]
pub(crate) struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The key of a POST request to this path whose content has this fingerprint.
    pub(crate) fn for_post(self, path: impl Into<String>, fingerprint: String) -> RequestKey {
        RequestKey { key: self.0, method: "POST", path: path.into(), fingerprint }
    }
}

/// The idempotency key of a request for which it is optional.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Checked<Option<IdempotencyKey>> {
    let value = single(headers, IDEMPOTENCY_KEY, ErrorCode::InvalidIdempotencyKey)?;
    Ok(headers::idempotency_key(value)?.map(IdempotencyKey))
}

/// The idempotency key of a request that must have one.
pub(crate) fn required_idempotency_key(headers: &HeaderMap) -> Checked<IdempotencyKey> {
    let value = single(headers, IDEMPOTENCY_KEY, ErrorCode::InvalidIdempotencyKey)?;
    headers::required_idempotency_key(value).map(IdempotencyKey)
}

/// The number of the last event that the client received.
pub(crate) fn last_event_id(headers: &HeaderMap) -> Checked<Option<i64>> {
    headers::last_event_id(single(headers, LAST_EVENT_ID, ErrorCode::InvalidLastEventId)?)
}

fn single<'a>(headers: &'a HeaderMap, name: &str, code: ErrorCode) -> Checked<Option<&'a [u8]>> {
    let mut values = headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let first = values.next();
    if values.next().is_some() {
        let message = format!("The header `{name}` was sent more than once; send it once.");
        return Err(ApiError::new(code, message).at(name));
    }
    Ok(first)
}
