//! `/v1/artifacts`.

use auris_domain::id::ArtifactId;
use auris_service::artifacts::Address;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;

use crate::error::Answer;
use crate::extract::{Authenticated, PathId};
use crate::state::ApiState;
use crate::view;

pub(crate) async fn read(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(artifact): PathId<ArtifactId>,
) -> Answer {
    Ok(view::json(StatusCode::OK, &state.service.read_artifact(&caller, &artifact).await?))
}

pub(crate) async fn delete(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(artifact): PathId<ArtifactId>,
) -> Answer {
    state.service.delete_artifact(&caller, &artifact).await?;
    Ok(view::deleted())
}

/// Redirects to the object store's address, or to our own, relative to this one, so that it holds behind any proxy.
pub(crate) async fn content(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(artifact): PathId<ArtifactId>,
) -> Answer {
    let location = match state.service.sign_artifact(&caller, &artifact).await? {
        Address::Own(own) => {
            format!("/files/{}?expires={}&signature={}", own.artifact, own.expires, own.signature)
        }
        Address::Store(address) => address,
    };
    let mut response = StatusCode::FOUND.into_response();
    let value = HeaderValue::from_str(&location).map_err(auris_service::ServiceError::internal)?;
    response.headers_mut().insert(header::LOCATION, value);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
