//! The request headers `Idempotency-Key` and `Last-Event-ID`.

use crate::error::{ApiError, Checked, ErrorCode};
use crate::limits;

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
const LAST_EVENT_ID: &str = "Last-Event-ID";

/// The `Idempotency-Key`, which identifies a request when it is retried. `None` if it was not sent.
pub fn idempotency_key(header: Option<&[u8]>) -> Checked<Option<String>> {
    header.map(read_key).transpose()
}

/// The `Idempotency-Key` of a request that requires one.
pub fn required_idempotency_key(header: Option<&[u8]>) -> Checked<String> {
    let message =
        "This request requires the header `Idempotency-Key`; send a text that is different for each request.";
    idempotency_key(header)?
        .ok_or_else(|| ApiError::new(ErrorCode::IdempotencyKeyRequired, message).at(IDEMPOTENCY_KEY))
}

fn read_key(bytes: &[u8]) -> Checked<String> {
    // Spaces and tabs around a header's value are not part of it, but over HTTP/2 nobody has removed them.
    let text = std::str::from_utf8(bytes).unwrap_or_default().trim_matches([' ', '\t']);
    let fits = (1..=limits::IDEMPOTENCY_KEY_CHARACTERS).contains(&text.len());
    if fits && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        return Ok(text.to_owned());
    }
    let message =
        "`Idempotency-Key` must have 1 to 255 printable ASCII characters; spaces inside are allowed.";
    Err(ApiError::new(ErrorCode::InvalidIdempotencyKey, message).at(IDEMPOTENCY_KEY))
}

/// The number of the last event that the client received. The caller checks that there is such an event.
pub fn last_event_id(header: Option<&[u8]>) -> Checked<Option<i64>> {
    header.map(read_event_number).transpose()
}

fn read_event_number(bytes: &[u8]) -> Checked<i64> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| {
        let message = "`Last-Event-ID` must be the number of an event of this stream.";
        ApiError::new(ErrorCode::InvalidLastEventId, message).at(LAST_EVENT_ID)
    })
}
