//! Wraps every request: assigns its id, logs and counts it, watches its body, turns a panic into a 500, and answers a
//! request that the end of the process cuts off.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use auris_domain::id::RequestId;
use auris_service::ServiceError;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use futures::FutureExt;

use super::authenticate::Identity;
use crate::error::{InternalCause, internal_error, internal_error_of, service_error};
use crate::request_body;
use crate::state::ApiState;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The label of a method or path that is not ours, so that clients cannot create metrics.
const OTHER_METHOD: &str = "other";
const UNKNOWN_PATH: &str = "unknown";
/// How much longer than the drain time a request may run. Requests that end by themselves then, and release what they
/// hold, do so first.
const DRAIN_MARGIN: Duration = Duration::from_secs(1);

/// What is logged about a request: never its body, its query or its key.
struct RequestRecord {
    id: RequestId,
    method: &'static str,
    /// The route's template, so that ids and unknown paths do not become metric labels.
    path: String,
    started: Instant,
}

/// Runs a request and logs it.
pub(crate) async fn log_request(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let record = RequestRecord::new(&state, &request);
    let (mut request, unread_body) = request_body::watch(request);
    request.extensions_mut().insert(record.id.clone());
    let mut response = tokio::select! {
        biased;
        response = run_caught(request, next) => response,
        () = cut_off(&state) => service_error(ServiceError::shutting_down()),
    };
    if let Some(unread_body) = unread_body {
        unread_body.finish(&mut response);
    }
    response = log_internal_cause(response, &record);
    set_request_id(&mut response, &record.id);
    record.finish(&response);
    response
}

/// Returns when the process stops without waiting for this request any longer.
async fn cut_off(state: &ApiState) {
    state.service.drained().await;
    tokio::time::sleep(DRAIN_MARGIN).await;
}

async fn run_caught(request: Request, next: Next) -> Response {
    let result = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    result.unwrap_or_else(|_| internal_error("a handler panicked".into()))
}

/// Logs the cause of an internal error, in this one place, and puts the request id into the body of a 500.
fn log_internal_cause(response: Response, record: &RequestRecord) -> Response {
    let Some(InternalCause(cause)) = response.extensions().get::<InternalCause>() else {
        return response;
    };
    tracing::error!(request.id = %record.id, path = %record.path, %cause, "request failed with an internal error");
    if response.status() != StatusCode::INTERNAL_SERVER_ERROR {
        return response;
    }
    let mut with_id = internal_error_of(&record.id);
    // Keep the headers that were added to the response, such as the rate limit.
    for (name, value) in response.headers() {
        with_id.headers_mut().entry(name).or_insert_with(|| value.clone());
    }
    with_id
}

impl RequestRecord {
    fn new(state: &ApiState, request: &Request) -> Self {
        let path = request.extensions().get::<MatchedPath>().map_or(UNKNOWN_PATH, MatchedPath::as_str);
        Self {
            id: RequestId::generate(state.service.clock().now()),
            method: method_label(request.method()),
            path: path.to_owned(),
            started: Instant::now(),
        }
    }

    fn finish(self, response: &Response) {
        let status = response.status().as_u16();
        let elapsed = self.started.elapsed();
        let identity = response.extensions().get::<Identity>();
        tracing::info!(
            request.id = %self.id,
            method = %self.method,
            path = %self.path,
            status,
            ms = elapsed.as_millis() as u64,
            project.id = identity.map(|identity| identity.project.as_str()),
            key.id = identity.map(|identity| identity.key.as_str()),
            "request"
        );
        count(self.method, &self.path, status);
        metrics::histogram!("auris_http_request_seconds", "path" => self.path).record(elapsed.as_secs_f64());
    }
}

/// Adds the id of a request to its response.
pub(crate) fn set_request_id(response: &mut Response, id: &RequestId) {
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
}

/// Logs and counts a request that the HTTP library could not parse or whose head is too large, and that therefore never
/// reached a route.
pub(crate) fn log_unparsable(id: &RequestId, problem: &str) {
    let status = StatusCode::BAD_REQUEST.as_u16();
    tracing::info!(
        request.id = %id,
        method = OTHER_METHOD,
        path = UNKNOWN_PATH,
        status,
        problem,
        "request"
    );
    count(OTHER_METHOD, UNKNOWN_PATH, status);
}

fn count(method: &'static str, path: &str, status: u16) {
    let labels = [("method", method.to_owned()), ("path", path.to_owned()), ("status", status.to_string())];
    metrics::counter!("auris_http_requests_total", &labels).increment(1);
}

/// A client can invent methods, and a metric keeps every label for ever, so unknown methods share one.
fn method_label(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        "CONNECT" => "CONNECT",
        "TRACE" => "TRACE",
        _ => OTHER_METHOD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_methods_share_one_label() {
        assert_eq!(method_label(&Method::DELETE), "DELETE");
        for invented in ["FOO1", "get", "GETS"] {
            assert_eq!(method_label(&Method::from_bytes(invented.as_bytes()).unwrap()), "other");
        }
    }
}
