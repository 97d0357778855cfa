//! `/v1/jobs`: list, read and cancel jobs, and delete their content.

use auris_domain::id::JobId;
use auris_domain::request::fingerprint;
use auris_domain::request::page::Page;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};

use crate::error::HandlerResult;
use crate::extract::{Authenticated, PathId, idempotency_key};
use crate::state::ApiState;
use crate::view;

pub(crate) async fn list(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    RawQuery(query): RawQuery,
) -> HandlerResult {
    let page = Page::parse(query.as_deref().unwrap_or_default())?;
    Ok(view::json(StatusCode::OK, state.service.list_jobs(&caller, &page).await?))
}

pub(crate) async fn read(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> HandlerResult {
    Ok(view::held_json(StatusCode::OK, state.service.read_job(&caller, &job).await?))
}

pub(crate) async fn cancel(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
    headers: HeaderMap,
) -> HandlerResult {
    let path = format!("/v1/jobs/{job}/cancel");
    let key = idempotency_key(&headers)?.map(|key| key.for_post(path, fingerprint::no_body()));
    Ok(view::answered(StatusCode::OK, state.service.cancel_job(&caller, &job, key).await?))
}

pub(crate) async fn delete_content(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> HandlerResult {
    state.service.delete_content(&caller, &job).await?;
    Ok(view::deleted())
}
