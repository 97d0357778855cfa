//! `/operator/v1/keys`: the keys of operators.

use auris_domain::id::OperatorKeyId;
use auris_domain::request::console::NewOperatorKeyRequest;
use auris_domain::wire::JsonText;
use auris_service::operator::NewOperatorKey;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::{PathId, small_json};
use crate::state::ApiState;
use crate::view;

pub(super) async fn list(Extension(console): Extension<ConsoleState>) -> HandlerResult {
    let keys = console.operator.list_operator_keys().await?;
    Ok(view::json(StatusCode::OK, view::list(&keys)))
}

pub(super) async fn create(
    State(state): State<ApiState>,
    Extension(console): Extension<ConsoleState>,
    headers: HeaderMap,
    body: Body,
) -> HandlerResult {
    let NewOperatorKeyRequest { name, lifetime_seconds } =
        small_json(&state, &headers, body, NewOperatorKeyRequest::parse).await?;
    let created = console.operator.create_operator_key(NewOperatorKey { name, lifetime_seconds }).await?;
    Ok(view::no_store(view::json(StatusCode::CREATED, JsonText::of(&created))))
}

pub(super) async fn revoke(
    Extension(console): Extension<ConsoleState>,
    PathId(id): PathId<OperatorKeyId>,
) -> HandlerResult {
    console.operator.revoke_operator_key(&id).await?;
    Ok(view::deleted())
}
