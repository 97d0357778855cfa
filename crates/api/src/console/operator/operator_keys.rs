//! `/operator/v1/keys`: the keys of operators.

use auris_domain::id::OperatorKeyId;
use auris_domain::request::console::NewOperatorKeyRequest;
use auris_domain::wire::JsonText;
use auris_service::operator::NewOperatorKey;
use axum::Extension;
use axum::http::StatusCode;

use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::{PathId, SmallBody};
use crate::view;

pub(super) async fn list(Extension(console): Extension<ConsoleState>) -> HandlerResult {
    let keys = console.operator.list_operator_keys().await?;
    Ok(view::json(StatusCode::OK, view::list(&keys)))
}

pub(super) async fn create(Extension(console): Extension<ConsoleState>, body: SmallBody) -> HandlerResult {
    let NewOperatorKeyRequest { name, lifetime_seconds } = body.json(NewOperatorKeyRequest::parse).await?;
    let created = console.operator.create_operator_key(NewOperatorKey { name, lifetime_seconds }).await?;
    Ok(view::json(StatusCode::CREATED, JsonText::of(&created)))
}

pub(super) async fn revoke(
    Extension(console): Extension<ConsoleState>,
    PathId(id): PathId<OperatorKeyId>,
) -> HandlerResult {
    console.operator.revoke_operator_key(&id).await?;
    Ok(view::deleted())
}
