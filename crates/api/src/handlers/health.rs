//! What operators ask: does it live, can it take work, what has it counted.

use auris_domain::error::{ApiError, ErrorCode};
use auris_service::Readiness;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;

use crate::error::refusal;
use crate::state::ApiState;
use crate::view;

pub(crate) async fn live() -> Response {
    view::json(StatusCode::OK, &json!({"status": "ok"}))
}

pub(crate) async fn ready(State(state): State<ApiState>) -> Response {
    match state.service.readiness().await {
        Readiness::Ready => view::json(StatusCode::OK, &json!({"status": "ready"})),
        Readiness::ShuttingDown => not_ready(ErrorCode::ShuttingDown, "This process is shutting down."),
        Readiness::NoDatabase => {
            not_ready(ErrorCode::StorageUnavailable, "The database does not answer now.")
        }
        Readiness::NoBlobs => {
            not_ready(ErrorCode::StorageUnavailable, "The object store does not answer now.")
        }
    }
}

fn not_ready(code: ErrorCode, message: &str) -> Response {
    refusal(&ApiError::new(code, message).retry_after(5))
}

pub(crate) async fn metrics(State(state): State<ApiState>) -> Response {
    view::text(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", (state.metrics)())
}
