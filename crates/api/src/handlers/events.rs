//! `GET /v1/jobs/{jobId}/events`.

use auris_domain::event::Event;
use auris_domain::id::JobId;
use auris_domain::wire;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;

use crate::error::HandlerResult;
use crate::extract::{Authenticated, PathId, last_event_id};
use crate::sse;
use crate::state::ApiState;

pub(crate) async fn stream(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
    headers: HeaderMap,
) -> HandlerResult {
    let last = last_event_id(&headers)?;
    let frames = state.service.stream_events(&caller, &job, last, frame).await?;
    Ok(sse::long_lived_response(frames, state.service.watch_key(&caller)))
}

fn frame(event: &Event) -> Bytes {
    sse::frame(Some(event.sequence), event.kind.as_str(), &wire::event(event))
}
