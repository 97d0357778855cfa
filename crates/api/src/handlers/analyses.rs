//! `POST /v1/audio/analyses`.

use auris_domain::error::Checked;
use auris_domain::limits;
use auris_domain::request::{AnalysisRequest, fingerprint};
use auris_service::idempotency::RequestKey;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::error::Answer;
use crate::extract::{Authenticated, JsonBody, idempotency_key};
use crate::state::ApiState;
use crate::view;

pub(crate) async fn create(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    headers: HeaderMap,
    body: Body,
) -> Answer {
    let key = idempotency_key(&headers)?;
    let body = JsonBody::receive(&state.bodies, &headers, body, limits::ANALYSIS_BODY_BYTES).await?;
    let ((request, key), place) = body.check(|body| checked(body, key)).await?;
    // With `async: false` the answer waits for the job's end; by then the body has long become a blob.
    let _place = (!request.holds()).then_some(place);
    let answered = state.service.submit_analysis(&caller, request, key).await?;
    Ok(view::answered(StatusCode::ACCEPTED, answered))
}

fn checked(body: Value, key: Option<String>) -> Checked<(AnalysisRequest, Option<RequestKey>)> {
    let key = key.map(|key| {
        let fingerprint = fingerprint::body(&body);
        RequestKey { key, method: "POST", path: "/v1/audio/analyses".into(), fingerprint }
    });
    Ok((AnalysisRequest::parse(body)?, key))
}
