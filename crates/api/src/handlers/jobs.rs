//! `/v1/jobs`: list, read, cancel, delete content.

use auris_domain::id::JobId;
use auris_domain::request::fingerprint;
use auris_domain::request::page::Page;
use auris_service::idempotency::RequestKey;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};

use crate::error::Answer;
use crate::extract::{Authenticated, PathId, idempotency_key};
use crate::state::ApiState;
use crate::view;

pub(crate) async fn list(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    RawQuery(query): RawQuery,
) -> Answer {
    let page = Page::parse(query.as_deref().unwrap_or_default())?;
    Ok(view::json(StatusCode::OK, &state.service.list_jobs(&caller, &page).await?))
}

pub(crate) async fn read(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> Answer {
    Ok(view::json(StatusCode::OK, &state.service.read_job(&caller, &job).await?))
}

pub(crate) async fn cancel(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
    headers: HeaderMap,
) -> Answer {
    let key = idempotency_key(&headers)?.map(|key| RequestKey {
        key,
        method: "POST",
        path: format!("/v1/jobs/{job}/cancel"),
        fingerprint: fingerprint::no_body(),
    });
    Ok(view::answered(StatusCode::OK, state.service.cancel_job(&caller, &job, key).await?))
}

pub(crate) async fn delete_content(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> Answer {
    state.service.delete_content(&caller, &job).await?;
    Ok(view::deleted())
}
