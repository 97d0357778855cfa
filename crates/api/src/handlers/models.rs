//! `GET /v1/models`.

use axum::extract::State;
use axum::http::StatusCode;

use crate::error::HandlerResult;
use crate::extract::Authenticated;
use crate::state::ApiState;
use crate::view;

pub(crate) async fn list(State(state): State<ApiState>, _: Authenticated) -> HandlerResult {
    Ok(view::json(StatusCode::OK, state.service.list_models()))
}
