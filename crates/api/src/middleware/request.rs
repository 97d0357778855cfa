//! Around everything: an id for each request, one log line, its metrics, a watch on its body, a guard against panics.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use auris_domain::id::RequestId;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use futures::FutureExt;

use crate::error::{Fault, internal, refusal};
use crate::incoming;
use crate::middleware::gate::Identity;
use crate::state::ApiState;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What is told of a request; never its body, its query or a key.
struct Seen {
    id: RequestId,
    method: &'static str,
    /// The route's template, so that no id and no unknown path gets into a metric.
    path: String,
    began: Instant,
}

pub(crate) async fn observe(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let seen = Seen {
        id: RequestId::generate(state.service.clock.now()),
        method: method_label(request.method()),
        path: request.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str).to_owned(),
        began: Instant::now(),
    };
    let (mut request, rest) = incoming::watch(request);
    request.extensions_mut().insert(seen.id.clone());
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|_| {
        let mut response = refusal(&internal(seen.id.as_str()));
        response.extensions_mut().insert(Fault("a handler panicked".into()));
        response
    });
    if let Some(rest) = rest {
        rest.drain();
    }
    response = name_fault(response, &seen);
    if let Ok(value) = HeaderValue::from_str(seen.id.as_str()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    tell(&seen, &response);
    response
}

/// A fault is logged once, here, and its body names the request.
fn name_fault(response: Response, seen: &Seen) -> Response {
    let Some(Fault(cause)) = response.extensions().get::<Fault>().cloned() else {
        return response;
    };
    tracing::error!(request.id = %seen.id, path = %seen.path, %cause, "request failed by our fault");
    if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
        let mut named = refusal(&internal(seen.id.as_str()));
        // What was put around the failure (rate limits) stays.
        for (name, value) in response.headers() {
            named.headers_mut().entry(name).or_insert_with(|| value.clone());
        }
        return named;
    }
    response
}

/// A method is any word that a client invents, and each label of a metric is kept for ever.
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
        _ => "other",
    }
}

fn tell(seen: &Seen, response: &Response) {
    let (status, elapsed): (u16, Duration) = (response.status().as_u16(), seen.began.elapsed());
    let identity = response.extensions().get::<Identity>();
    tracing::info!(
        request.id = %seen.id,
        method = %seen.method,
        path = %seen.path,
        status,
        ms = elapsed.as_millis() as u64,
        project.id = identity.map(|identity| identity.project.as_str()),
        key.id = identity.map(|identity| identity.key.as_str()),
        "request"
    );
    let labels =
        [("method", seen.method.to_owned()), ("path", seen.path.clone()), ("status", status.to_string())];
    metrics::counter!("auris_http_requests_total", &labels).increment(1);
    metrics::histogram!("auris_http_request_seconds", "path" => seen.path.clone())
        .record(elapsed.as_secs_f64());
}

/// The log line and the count of what was no HTTP request and never came this far.
pub(crate) fn tell_unreadable(id: &RequestId, problem: &str) {
    let status = 400_u16;
    tracing::info!(request.id = %id, method = "other", path = "unknown", status, problem, "request");
    count("other", "unknown", status);
}

fn count(method: &'static str, path: &str, status: u16) {
    let labels = [("method", method.to_owned()), ("path", path.to_owned()), ("status", status.to_string())];
    metrics::counter!("auris_http_requests_total", &labels).increment(1);
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
