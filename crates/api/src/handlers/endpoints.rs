//! `/v1/webhook_endpoints`.

use auris_domain::id::EndpointId;
use auris_domain::limits;
use auris_domain::request::endpoint::EndpointRequest;
use auris_domain::request::fingerprint;
use auris_service::idempotency::RequestKey;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use crate::error::Answer;
use crate::extract::{Authenticated, JsonBody, PathId, required_idempotency_key};
use crate::state::ApiState;
use crate::view;

pub(crate) async fn list(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
) -> Answer {
    Ok(view::json(StatusCode::OK, &state.service.list_endpoints(&caller).await?))
}

pub(crate) async fn create(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    headers: HeaderMap,
    body: Body,
) -> Answer {
    let key = required_idempotency_key(&headers)?;
    let body = JsonBody::receive(&state.bodies, &headers, body, limits::ENDPOINT_BODY_BYTES).await?;
    let (request, _place) = body.check(EndpointRequest::parse).await?;
    let fingerprint = fingerprint::endpoint(&request);
    let key = RequestKey { key, method: "POST", path: "/v1/webhook_endpoints".into(), fingerprint };
    let answered = state.service.create_endpoint(&caller, request, key).await?;
    Ok(view::answered(StatusCode::CREATED, answered))
}

pub(crate) async fn delete(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(endpoint): PathId<EndpointId>,
) -> Answer {
    state.service.delete_endpoint(&caller, &endpoint).await?;
    Ok(view::deleted())
}
