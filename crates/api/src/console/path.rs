//! Names in the path: projects and models.

use std::collections::HashMap;

use auris_domain::error::{ApiError, ErrorCode};
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

use crate::error::HandlerError;

/// The name of a project in the path.
pub(super) struct PathProject(pub(super) String);

/// The id of a model in the path.
pub(super) struct PathModel(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for PathProject {
    type Rejection = HandlerError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HandlerError> {
        name(parts, state, "project").await.map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PathModel {
    type Rejection = HandlerError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HandlerError> {
        name(parts, state, "modelId").await.map(Self)
    }
}

async fn name<S: Send + Sync>(parts: &mut Parts, state: &S, param: &str) -> Result<String, HandlerError> {
    let path = Path::<HashMap<String, String>>::from_request_parts(parts, state).await;
    let value = path.ok().and_then(|Path(mut values)| values.remove(param)).unwrap_or_default();
    if value.is_empty() || value.chars().any(char::is_control) {
        let message = format!("`{param}` in the path is not valid.");
        return Err(ApiError::new(ErrorCode::InvalidId, message).at(param).into());
    }
    Ok(value)
}
