//! `/v1/artifacts`.

use auris_domain::id::ArtifactId;
use auris_service::ServiceError;
use auris_service::jobs::Address;
use axum::extract::State;
use axum::http::StatusCode;

use crate::error::HandlerResult;
use crate::extract::{Authenticated, PathId};
use crate::state::ApiState;
use crate::view;

pub(crate) async fn read(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(artifact): PathId<ArtifactId>,
) -> HandlerResult {
    Ok(view::json(StatusCode::OK, state.service.read_artifact(&caller, &artifact).await?))
}

pub(crate) async fn delete(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(artifact): PathId<ArtifactId>,
) -> HandlerResult {
    state.service.delete_artifact(&caller, &artifact).await?;
    Ok(view::deleted())
}

/// Redirects to a signed URL of the object store, or to `/files` of this service.
pub(crate) async fn content(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(artifact): PathId<ArtifactId>,
) -> HandlerResult {
    let address = state.service.sign_artifact(&caller, &artifact).await?;
    Ok(view::redirect(&location(address)).map_err(ServiceError::internal)?)
}

/// Our own URL is relative, so that it works behind any proxy.
fn location(address: Address) -> String {
    match address {
        Address::Own(own) => own.path(),
        Address::Store(url) => url,
    }
}
