//! `/v1/jobs/{jobId}/steps`.

use auris_domain::id::{JobId, StepId};
use axum::extract::State;
use axum::http::StatusCode;

use crate::error::HandlerResult;
use crate::extract::{Authenticated, PathId};
use crate::state::ApiState;
use crate::view;

pub(crate) async fn list(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> HandlerResult {
    Ok(view::held_json(StatusCode::OK, state.service.list_steps(&caller, &job).await?))
}

pub(crate) async fn read(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
    PathId(step): PathId<StepId>,
) -> HandlerResult {
    Ok(view::held_json(StatusCode::OK, state.service.read_step(&caller, &job, &step).await?))
}
