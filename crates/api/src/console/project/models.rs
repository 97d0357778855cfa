//! `GET /console/v1/projects/{project}/models`: what the project can use, and what a reader wants to know about it.

use axum::extract::State;
use axum::http::StatusCode;

use crate::error::HandlerResult;
use crate::extract::Authenticated;
use crate::state::ApiState;
use crate::view;

pub(in crate::console) async fn models(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
) -> HandlerResult {
    let models = state.service.list_project_models(&caller.project.plan);
    Ok(view::json(StatusCode::OK, view::list(&models)))
}
