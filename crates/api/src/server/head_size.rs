//! Refuses HTTP/2 requests whose head is too large. HTTP/1 requests are refused before, by the HTTP library.
//!
//! The library answers an HTTP/2 request over its own limit with 431 and no body, so that limit is higher than ours.

use auris_domain::id::RequestId;
use auris_domain::time::Clock;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use super::limits::{HEAD_BYTES, HEADERS};
use super::parse_errors::ParseError;
use crate::middleware::access_log::log_unparsable;
use crate::request_body;

/// Passes on a request whose head is within the limits.
pub(super) async fn limit(State(clock): State<Clock>, request: Request, next: Next) -> Response {
    if head_bytes(&request) <= HEAD_BYTES && request.headers().len() <= HEADERS {
        return next.run(request).await;
    }
    let (_, unread_body) = request_body::watch(request);
    let id = RequestId::generate(clock.now());
    let error = ParseError::HeadTooLarge;
    log_unparsable(&id, &format!("{error:?}"));
    let mut response = error.into_response(&id);
    if let Some(unread_body) = unread_body {
        unread_body.finish(&mut response);
    }
    response
}

/// The bytes of the method, the URI, and the names and values of the headers.
fn head_bytes(request: &Request) -> usize {
    let uri = request.uri();
    let authority = uri.authority().map_or(0, |authority| authority.as_str().len());
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let headers = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len());
    request.method().as_str().len() + authority + path + headers.sum::<usize>()
}
