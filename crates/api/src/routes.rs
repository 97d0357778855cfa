//! Which path goes where. Nothing under `/v1` answers but these.

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{delete, get, post};

use crate::handlers::{
    analyses, artifacts, documentation, endpoints, events, files, health, jobs, models, steps,
    transcriptions, unknown,
};
use crate::middleware::{gate, request};
use crate::state::ApiState;

/// How much of itself a process shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// The API and what stands around it.
    Whole,
    /// Only what operators ask, of a process that does nothing but run steps.
    Health,
}

/// The routes of a process.
pub(crate) fn router(state: ApiState, surface: Surface) -> Router {
    let routes = match surface {
        Surface::Whole => v1(&state).merge(outside()).merge(health()),
        Surface::Health => health(),
    };
    routes
        .fallback(unknown::path)
        .method_not_allowed_fallback(unknown::method)
        .layer(from_fn_with_state(state.clone(), request::observe))
        .with_state(state)
}

/// The contract: every route needs a key.
fn v1(state: &ApiState) -> Router<ApiState> {
    Router::new()
        .route("/v1/audio/transcriptions", post(transcriptions::create))
        .route("/v1/audio/analyses", post(analyses::create))
        .route("/v1/jobs", get(jobs::list))
        .route("/v1/jobs/{jobId}", get(jobs::read))
        .route("/v1/jobs/{jobId}/cancel", post(jobs::cancel))
        .route("/v1/jobs/{jobId}/content", delete(jobs::delete_content))
        .route("/v1/jobs/{jobId}/events", get(events::stream))
        .route("/v1/jobs/{jobId}/steps", get(steps::list))
        .route("/v1/jobs/{jobId}/steps/{stepId}", get(steps::read))
        .route("/v1/artifacts/{artifactId}", get(artifacts::read).delete(artifacts::delete))
        .route("/v1/artifacts/{artifactId}/content", get(artifacts::content))
        .route("/v1/models", get(models::list))
        .route("/v1/webhook_endpoints", get(endpoints::list).post(endpoints::create))
        .route("/v1/webhook_endpoints/{endpointId}", delete(endpoints::delete))
        .route_layer(from_fn_with_state(state.clone(), gate::admit))
}

/// What operators ask.
fn health() -> Router<ApiState> {
    Router::new()
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
}

/// What browsers and signed addresses reach without a key.
fn outside() -> Router<ApiState> {
    Router::new()
        .route("/files/{artifactId}", get(files::read))
        .route("/openapi.yaml", get(documentation::yaml))
        .route("/openapi.json", get(documentation::json))
        .route("/docs", get(documentation::page))
        .route("/docs/viewer.js", get(documentation::script))
        .route("/docs/viewer.css", get(documentation::style))
}
