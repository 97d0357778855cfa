//! Health checks and metrics, for operators and load balancers.

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::wire::JsonText;
use auris_service::Readiness;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;

use crate::error::api_error;
use crate::state::ApiState;
use crate::view;

#[derive(Serialize)]
struct Health {
    status: &'static str,
}

pub(crate) async fn live() -> Response {
    view::json(StatusCode::OK, JsonText::of(&Health { status: "ok" }))
}

pub(crate) async fn ready(State(state): State<ApiState>) -> Response {
    match state.service.readiness().await {
        Readiness::Ready => view::json(StatusCode::OK, JsonText::of(&Health { status: "ready" })),
        Readiness::ShuttingDown => not_ready(ErrorCode::ShuttingDown, "This process is shutting down."),
        Readiness::NoDatabase => no_storage("The database is not responding."),
        Readiness::NoBlobs => {
            no_storage("The blob store is not responding, is not writable, or belongs to another database.")
        }
        Readiness::NoSpool => no_storage("The folder for uploads is missing or not writable."),
        Readiness::LowDisk => no_storage("The disk is almost full."),
    }
}

fn no_storage(message: &str) -> Response {
    not_ready(ErrorCode::StorageUnavailable, message)
}

fn not_ready(code: ErrorCode, message: &str) -> Response {
    api_error(&ApiError::new(code, message).retry_after(5))
}

pub(crate) async fn metrics(State(state): State<ApiState>) -> Response {
    view::bytes(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", (state.render_metrics)())
}
