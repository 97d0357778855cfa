//! The console: its pages, the API for visitors, and the API for operators.

mod authenticate;
mod browser;
mod cookie;
mod cross_site;
mod operator;
mod pages;
mod path;
mod project;
mod session;
mod webhooks;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{delete, get, post};

use crate::handlers::{analyses, artifacts, endpoints, events, jobs, steps};
use crate::state::ApiState;
use crate::view;

/// All routes of the console.
pub(crate) fn routes(state: &ApiState) -> Router<ApiState> {
    let operators = operator::routes()
        .route_layer(from_fn_with_state(state.clone(), authenticate::authenticate_operator));
    let visitors = visitor_routes()
        .merge(project_routes(state))
        .route_layer(from_fn_with_state(state.clone(), authenticate::authenticate_visitor));
    let sign_in = Router::new().route("/console/v1/session", post(session::create));
    let apis = operators.merge(visitors).merge(sign_in).route_layer(from_fn(cross_site::refuse));
    apis.route_layer(map_response(private)).merge(pages::routes())
}

/// Transcripts, keys and everything else behind a sign-in are for this visitor only.
async fn private(response: Response) -> Response {
    view::private(response)
}

fn visitor_routes() -> Router<ApiState> {
    Router::new()
        .route("/console/v1/session", get(session::read).delete(session::delete))
        .route("/console/v1/projects", get(session::projects))
}

/// What a visitor does in one project: everything that a key can do on `/v1`, with the same handlers, and more.
fn project_routes(state: &ApiState) -> Router<ApiState> {
    let routes = Router::new()
        .route("/audio/transcriptions", post(project::transcribe))
        .route("/audio/analyses", post(analyses::create))
        .route("/jobs", get(jobs::list))
        .route("/filtered_jobs", get(project::filtered_jobs))
        .route("/jobs/{jobId}", get(jobs::read))
        .route("/jobs/{jobId}/cancel", post(jobs::cancel))
        .route("/jobs/{jobId}/content", delete(jobs::delete_content))
        .route("/jobs/{jobId}/events", get(events::stream))
        .route("/jobs/{jobId}/steps", get(steps::list))
        .route("/jobs/{jobId}/steps/{stepId}", get(steps::read))
        .route("/jobs/{jobId}/recording", get(project::recording))
        .route("/jobs/{jobId}/peaks", get(project::peaks))
        .route("/jobs/{jobId}/speakers", get(project::speakers).put(project::set_speakers))
        .route("/jobs/{jobId}/analyses", get(project::analyses))
        .route("/jobs/{jobId}/analysis_steps", get(project::analysis_steps))
        .route("/jobs/{jobId}/artifacts", get(project::artifacts))
        .route("/artifacts/{artifactId}", get(artifacts::read).delete(artifacts::delete))
        .route("/artifacts/{artifactId}/content", get(project::artifact_content))
        .route("/models", get(project::models))
        .route("/webhook_endpoints", get(endpoints::list).post(endpoints::create))
        .route("/webhook_endpoints/{endpointId}", delete(endpoints::delete))
        .route("/account", get(project::account))
        .merge(webhooks::routes())
        .route_layer(from_fn_with_state(state.clone(), authenticate::enter_project));
    Router::new().nest("/console/v1/projects/{project}", routes)
}
