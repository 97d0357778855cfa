//! `/operator/v1/sessions`: the operators who are signed in.

use auris_domain::id::SessionId;
use axum::Extension;
use axum::http::StatusCode;

use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::PathId;
use crate::view;

pub(super) async fn list(Extension(console): Extension<ConsoleState>) -> HandlerResult {
    let sessions = console.operator.list_operator_sessions().await?;
    Ok(view::json(StatusCode::OK, view::list(&sessions)))
}

pub(super) async fn end(
    Extension(console): Extension<ConsoleState>,
    PathId(id): PathId<SessionId>,
) -> HandlerResult {
    console.operator.end_operator_session(&id).await?;
    Ok(view::deleted())
}
