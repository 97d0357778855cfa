//! Authenticates a request to `/v1`, counts it against the rate limit and checks the scope of its key.

use auris_domain::id::ProjectId;
use auris_domain::project::Scope;
use auris_service::Caller;
use auris_service::access::{CredentialId, RateState};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::end_signal::end_with_key;
use crate::error::{api_error, service_error};
use crate::response_memory;
use crate::state::ApiState;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit-requests");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining-requests");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset-requests");

/// The project and credential of a request, attached to its response for the access log.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) project: ProjectId,
    pub(crate) key: CredentialId,
}

/// Runs the handler for a caller that may make this request; answers with an error otherwise.
pub(crate) async fn authenticate(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let header = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    match state.service.authenticate(header).await {
        Ok(caller) => admit(&state, caller, request, next).await,
        Err(error) => service_error(error),
    }
}

/// Counts the request of an authenticated caller, checks the scope, and runs the handler. A long response ends with the
/// caller's key.
pub(crate) async fn admit(state: &ApiState, caller: Caller, mut request: Request, next: Next) -> Response {
    let identity = Identity { project: caller.project.id.clone(), key: caller.credential() };
    let verdict = state.service.count_request(&caller);
    let refusal = verdict.refusal.or_else(|| caller.require(required_scope(request.method())).err());
    let mut response = match refusal {
        Some(error) => api_error(&error),
        None => {
            request.extensions_mut().insert(caller.clone());
            let is_safe = request.method().is_safe();
            let response = next.run(request).await;
            let mut response = response_memory::hold(state, &caller, is_safe, response).await;
            end_with_key(&mut response, || state.service.watch_key(&caller));
            response
        }
    };
    response.extensions_mut().insert(identity);
    if let Some(rate) = verdict.state {
        add_rate_headers(&mut response, rate);
    }
    response
}

fn required_scope(method: &Method) -> Scope {
    if method.is_safe() { Scope::Read } else { Scope::Write }
}

fn add_rate_headers(response: &mut Response, rate: RateState) {
    let reset = format!("{}.{:03}s", rate.reset_ms / 1000, rate.reset_ms % 1000);
    let headers = response.headers_mut();
    headers.insert(LIMIT, HeaderValue::from(rate.limit));
    headers.insert(REMAINING, HeaderValue::from(rate.remaining));
    if let Ok(value) = HeaderValue::from_str(&reset) {
        headers.insert(RESET, value);
    }
}
