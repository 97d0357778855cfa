//! The gate of `/v1`: who calls, how often, and with which right.

use auris_domain::id::{KeyId, ProjectId};
use auris_domain::project::Scope;
use auris_service::rate::RateState;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::{Failure, refusal};
use crate::state::ApiState;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit-requests");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining-requests");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset-requests");

/// Who called, for the log line.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) project: ProjectId,
    pub(crate) key: KeyId,
}

pub(crate) async fn admit(State(state): State<ApiState>, mut request: Request, next: Next) -> Response {
    let header = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    let caller = match state.service.authenticate(header).await {
        Ok(caller) => caller,
        Err(error) => return Failure::from(error).into_response(),
    };
    let identity = Identity { project: caller.project.id.clone(), key: caller.key.id.clone() };
    let verdict = state.service.count_request(&caller);
    let refused = verdict.refusal.or_else(|| caller.require(scope_of(request.method())).err());
    let mut response = match refused {
        Some(error) => refusal(&error),
        None => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
    };
    response.extensions_mut().insert(identity);
    if let Some(rate) = verdict.state {
        tell_rate(&mut response, rate);
    }
    response
}

fn scope_of(method: &Method) -> Scope {
    if method.is_safe() { Scope::Read } else { Scope::Write }
}

fn tell_rate(response: &mut Response, rate: RateState) {
    let reset = format!("{}.{:03}s", rate.reset_ms / 1000, rate.reset_ms % 1000);
    let headers = response.headers_mut();
    headers.insert(LIMIT, HeaderValue::from(rate.limit));
    headers.insert(REMAINING, HeaderValue::from(rate.remaining));
    if let Ok(value) = HeaderValue::from_str(&reset) {
        headers.insert(RESET, value);
    }
}
