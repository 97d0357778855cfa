//! `/operator/v1/models` and the tasks that change them.

use auris_domain::id::ModelTaskId;
use auris_domain::model_task::ModelAction;
use auris_domain::request::console::PullRequest;
use auris_domain::wire::JsonText;
use auris_service::access::Visitor;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Extension, Router};
use futures::StreamExt;

use crate::console::path::PathModel;
use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::{PathId, SmallBody};
use crate::state::ApiState;
use crate::{sse, view};

pub(super) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/operator/v1/models", get(list))
        .route("/operator/v1/models/{modelId}", delete(remove))
        .route("/operator/v1/models/{modelId}/pull", post(pull))
        .route("/operator/v1/models/{modelId}/verify", post(verify))
        .route("/operator/v1/model_tasks", get(tasks))
        .route("/operator/v1/model_tasks/{taskId}", get(task))
        .route("/operator/v1/model_tasks/{taskId}/events", get(events))
        .route("/operator/v1/model_tasks/{taskId}/cancel", post(cancel))
}

async fn list(Extension(console): Extension<ConsoleState>) -> HandlerResult {
    let models = console.overview.models(&console.models());
    Ok(view::json(StatusCode::OK, view::list(&models)))
}

async fn pull(
    Extension(console): Extension<ConsoleState>,
    PathModel(model): PathModel,
    body: SmallBody,
) -> HandlerResult {
    start(&console, &model, ModelAction::Pull, body).await
}

async fn verify(
    Extension(console): Extension<ConsoleState>,
    PathModel(model): PathModel,
    body: SmallBody,
) -> HandlerResult {
    start(&console, &model, ModelAction::Verify, body).await
}

async fn remove(
    Extension(console): Extension<ConsoleState>,
    PathModel(model): PathModel,
    body: SmallBody,
) -> HandlerResult {
    start(&console, &model, ModelAction::Remove, body).await
}

async fn start(console: &ConsoleState, model: &str, action: ModelAction, body: SmallBody) -> HandlerResult {
    let request = body.optional_json(PullRequest::parse).await?.unwrap_or_default();
    let node = request.node.unwrap_or_else(|| console.overview.node().clone());
    let task = console.operator.create_model_task(&console.models(), model, action, node).await?;
    Ok(view::json(StatusCode::ACCEPTED, JsonText::of(&task)))
}

async fn tasks(Extension(console): Extension<ConsoleState>) -> HandlerResult {
    let tasks = console.operator.list_model_tasks().await?;
    Ok(view::json(StatusCode::OK, view::list(&tasks)))
}

async fn task(Extension(console): Extension<ConsoleState>, PathId(id): PathId<ModelTaskId>) -> HandlerResult {
    let task = console.operator.read_model_task(&id).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&task)))
}

async fn cancel(
    Extension(console): Extension<ConsoleState>,
    PathId(id): PathId<ModelTaskId>,
) -> HandlerResult {
    let task = console.operator.cancel_model_task(&id).await?;
    Ok(view::json(StatusCode::OK, JsonText::of(&task)))
}

/// The task, again after every change, until it has ended.
async fn events(
    State(state): State<ApiState>,
    Extension(console): Extension<ConsoleState>,
    Extension(visitor): Extension<Visitor>,
    PathId(id): PathId<ModelTaskId>,
) -> HandlerResult {
    console.operator.read_model_task(&id).await?;
    let changes = console.operator.watch_model_task(id);
    let frames = changes.map(|task| -> Bytes { sse::frame(None, "model_task", &JsonText::of(&task)) });
    Ok(sse::response(frames, state.service.watch_visitor(&visitor)))
}
