//! The routes of a process. Only the paths listed here exist under `/v1`.

use axum::middleware::from_fn_with_state;
use axum::routing::{delete, get, post};
use axum::{Extension, Router};

use crate::console;
use crate::handlers::{
    analyses, artifacts, documentation, endpoints, events, files, health, jobs, models, not_found, steps,
    transcriptions,
};
use crate::middleware::{access_log, authenticate};
use crate::state::ApiState;

/// Which routes a process serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// The API, the console, signed downloads, the documentation and the health checks.
    Whole,
    /// All of that without the console, which is off or has a separate address.
    WithoutConsole,
    /// The console, the operator API, the documentation and the health checks.
    Console,
    /// Only health checks and metrics, for a process that only runs steps.
    Health,
}

/// The router of a process.
pub(crate) fn router(state: ApiState, surface: Surface) -> Router {
    let routes = match surface {
        Surface::Whole => {
            api(&state).merge(files()).merge(console(&state)).merge(documentation()).merge(health())
        }
        Surface::WithoutConsole => api(&state).merge(files()).merge(documentation()).merge(health()),
        Surface::Console => console(&state).merge(documentation()).merge(health()),
        Surface::Health => health(),
    };
    routes
        .fallback(not_found::path)
        .method_not_allowed_fallback(not_found::method)
        .layer(from_fn_with_state(state.clone(), access_log::log_request))
        .with_state(state)
}

/// The API. Every route requires a key.
fn api(state: &ApiState) -> Router<ApiState> {
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
        .route_layer(from_fn_with_state(state.clone(), authenticate::authenticate))
}

/// Health checks and metrics, for operators. They require no key.
fn health() -> Router<ApiState> {
    Router::new()
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
}

/// The console, if this process has what it needs.
fn console(state: &ApiState) -> Router<ApiState> {
    match &state.console {
        Some(console) => console::routes(state).layer(Extension(console.clone())),
        None => Router::new(),
    }
}

/// Downloads whose signature replaces the key.
fn files() -> Router<ApiState> {
    Router::new().route("/files/{artifactId}", get(files::read))
}

fn documentation() -> Router<ApiState> {
    Router::new()
        .route("/openapi.yaml", get(documentation::yaml))
        .route("/openapi.json", get(documentation::json))
        .route("/docs", get(documentation::page))
        .route("/docs/viewer.js", get(documentation::script))
        .route("/docs/viewer.css", get(documentation::style))
        .route("/docs/tokens.css", get(documentation::tokens))
        .route("/openapi/console.yaml", get(documentation::console_yaml))
        .route("/openapi/console.json", get(documentation::console_json))
}
