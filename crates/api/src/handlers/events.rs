//! `GET /v1/jobs/{jobId}/events`.

use auris_domain::event::Event;
use auris_domain::id::JobId;
use axum::extract::State;
use axum::http::HeaderMap;
use futures::StreamExt;

use crate::error::Answer;
use crate::extract::{Authenticated, PathId, last_event_id};
use crate::sse;
use crate::state::ApiState;

pub(crate) async fn stream(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
    headers: HeaderMap,
) -> Answer {
    let last = last_event_id(&headers)?;
    let events = state.service.stream_events(&caller, &job, last).await?;
    Ok(sse::response(
        events.map(|event: Event| sse::frame(Some(event.sequence), event.kind.as_str(), &event.envelope())),
    ))
}
