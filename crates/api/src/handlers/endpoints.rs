//! `/v1/webhook_endpoints`.

use auris_domain::id::EndpointId;
use auris_domain::limits;
use auris_domain::request::endpoint::EndpointRequest;
use auris_domain::request::fingerprint;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use crate::error::HandlerResult;
use crate::extract::{Authenticated, JsonBody, PathId, required_idempotency_key};
use crate::state::ApiState;
use crate::view;

const PATH: &str = "/v1/webhook_endpoints";

pub(crate) async fn list(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
) -> HandlerResult {
    Ok(view::json(StatusCode::OK, state.service.list_endpoints(&caller).await?))
}

pub(crate) async fn create(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    headers: HeaderMap,
    body: Body,
) -> HandlerResult {
    let key = required_idempotency_key(&headers)?;
    let memory = state.body_memory.reservation(caller.credential(), caller.project_id());
    let body = JsonBody::receive(memory, &headers, body, limits::ENDPOINT_BODY_BYTES).await?;
    let (request, _reservation) =
        body.check(state.body_turns.of_project(caller.project_id()), EndpointRequest::parse).await?;
    let key = key.for_post(PATH, fingerprint::endpoint(&request));
    let answered = state.service.create_endpoint(&caller, request, key).await?;
    Ok(view::answered(StatusCode::CREATED, answered))
}

pub(crate) async fn delete(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(endpoint): PathId<EndpointId>,
) -> HandlerResult {
    state.service.delete_endpoint(&caller, &endpoint).await?;
    Ok(view::deleted())
}
