//! `/operator/v1/projects/{project}/keys`.

use auris_domain::id::KeyId;
use auris_domain::request::console::{NewKeyRequest, RotateRequest};
use auris_domain::wire::JsonText;
use auris_service::operator::{CreatedKey, KeyRecord, KeyState, NewKey, RotateKey};
use axum::Extension;
use axum::http::StatusCode;
use serde::Serialize;

use crate::console::path::PathProject;
use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::{PathId, SmallBody};
use crate::view;

/// A key as the console shows it: with its state.
#[derive(Serialize)]
struct KeyView {
    #[serde(flatten)]
    record: KeyRecord,
    state: KeyState,
    /// The key itself, once, when it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

impl From<KeyRecord> for KeyView {
    fn from(record: KeyRecord) -> Self {
        Self { state: record.state, record, key: None }
    }
}

impl From<CreatedKey> for KeyView {
    fn from(created: CreatedKey) -> Self {
        Self { key: Some(created.key), ..Self::from(created.record) }
    }
}

pub(super) async fn list(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
) -> HandlerResult {
    let keys = console.operator.list_keys(&project).await?;
    let keys: Vec<KeyView> = keys.into_iter().map(KeyView::from).collect();
    Ok(view::json(StatusCode::OK, view::list(&keys)))
}

pub(super) async fn create(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    body: SmallBody,
) -> HandlerResult {
    let NewKeyRequest { name, scopes, lifetime_seconds } = body.json(NewKeyRequest::parse).await?;
    let created = console.operator.create_key(&project, NewKey { name, scopes, lifetime_seconds }).await?;
    Ok(shown_once(created))
}

pub(super) async fn rotate(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    PathId(id): PathId<KeyId>,
    body: SmallBody,
) -> HandlerResult {
    let RotateRequest { grace_seconds } = body.json(RotateRequest::parse).await?;
    let rotate = RotateKey { id, grace_seconds };
    Ok(shown_once(console.operator.rotate_key(&project, &rotate).await?))
}

pub(super) async fn revoke(
    Extension(console): Extension<ConsoleState>,
    PathProject(project): PathProject,
    PathId(id): PathId<KeyId>,
) -> HandlerResult {
    console.operator.revoke_key(&project, &id).await?;
    Ok(view::deleted())
}

/// A new key, which is never shown again.
fn shown_once(created: CreatedKey) -> axum::response::Response {
    view::json(StatusCode::CREATED, JsonText::of(&KeyView::from(created)))
}
