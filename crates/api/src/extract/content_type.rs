//! The content type of a request.

use axum::http::{HeaderMap, header};

/// Whether the request has this content type, ignoring case and parameters such as `charset`.
pub(crate) fn has_content_type(headers: &HeaderMap, expected: &str) -> bool {
    content_type(headers).split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(expected)
}

/// The whole header with its parameters; empty if it is missing or not ASCII.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
