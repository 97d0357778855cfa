//! What the console adds to a job: its waveform, its files, the names of its speakers, and analyses of its recording.

use auris_domain::id::JobId;
use auris_domain::request::SpeakerNamesRequest;
use auris_domain::wire::JsonText;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;

use crate::error::HandlerResult;
use crate::extract::{Authenticated, PathId, SmallBody};
use crate::state::ApiState;
use crate::view;

/// One answer, because the page of a job needs both.
#[derive(Serialize)]
struct AnalysesView {
    object: &'static str,
    analyses: JsonText,
    attempts: JsonText,
}

pub(in crate::console) async fn peaks(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> HandlerResult {
    Ok(view::json(StatusCode::OK, state.service.audio_peaks(&caller, &job).await?))
}

pub(in crate::console) async fn speakers(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> HandlerResult {
    Ok(view::json(StatusCode::OK, state.service.speaker_names(&caller, &job).await?))
}

pub(in crate::console) async fn set_speakers(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
    body: SmallBody,
) -> HandlerResult {
    let request = body.json(SpeakerNamesRequest::parse).await?;
    Ok(view::json(StatusCode::OK, state.service.set_speaker_names(&caller, &job, request.names).await?))
}

pub(in crate::console) async fn artifacts(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> HandlerResult {
    Ok(view::json(StatusCode::OK, state.service.job_artifacts(&caller, &job).await?))
}

pub(in crate::console) async fn analyses(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> HandlerResult {
    let analyses = state.service.job_analyses(&caller, &job).await?;
    let attempts = state.service.job_attempts(&caller, &job).await?;
    let view = AnalysesView { object: "recording_analyses", analyses, attempts };
    Ok(view::json(StatusCode::OK, JsonText::of(&view)))
}
