//! `POST /v1/audio/analyses`.

use auris_domain::error::Checked;
use auris_domain::limits;
use auris_domain::request::json::RawJson;
use auris_domain::request::{AnalysisRequest, fingerprint};
use auris_service::access::RequestKey;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use crate::error::HandlerResult;
use crate::extract::{Authenticated, IdempotencyKey, JsonBody, idempotency_key};
use crate::state::ApiState;
use crate::view;

const PATH: &str = "/v1/audio/analyses";

pub(crate) async fn create(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    headers: HeaderMap,
    body: Body,
) -> HandlerResult {
    let key = idempotency_key(&headers)?;
    let memory = state.body_memory.reservation(caller.credential(), caller.project_id());
    let body = JsonBody::receive(memory, &headers, body, limits::ANALYSIS_BODY_BYTES).await?;
    let ((request, key), memory) =
        body.check(state.body_turns.of_project(caller.project_id()), |body| parse(body, key)).await?;
    let answered = state.service.submit_analysis(&caller, request, key, memory).await?;
    Ok(view::answered(StatusCode::ACCEPTED, answered))
}

fn parse(body: RawJson<'_>, key: Option<IdempotencyKey>) -> Checked<(AnalysisRequest, Option<RequestKey>)> {
    let request = AnalysisRequest::parse(body)?;
    let key = match key {
        Some(key) => Some(key.for_post(PATH, fingerprint::body(body)?)),
        None => None,
    };
    Ok((request, key))
}
