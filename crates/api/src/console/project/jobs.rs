//! What the console adds to jobs: filters of their list, the waveform of a job, its files, the names of its speakers, and
//! the analyses of its recording.

use auris_domain::id::JobId;
use auris_domain::request::{AllJobsQuery, SpeakerNamesRequest};
use auris_domain::wire::JsonText;
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use serde::Serialize;

use crate::console_parts::ConsoleState;
use crate::error::HandlerResult;
use crate::extract::{Authenticated, PathId, SmallBody};
use crate::state::ApiState;
use crate::view;

/// One answer for the timeline of the steps, however many analyses there are.
#[derive(Serialize)]
struct AnalysisStepsView {
    object: &'static str,
    steps: JsonText,
    attempts: JsonText,
}

/// As the operator's list of the jobs of all projects, for the project of the path.
pub(in crate::console) async fn filtered_jobs(
    Extension(console): Extension<ConsoleState>,
    Authenticated { caller, .. }: Authenticated,
    RawQuery(query): RawQuery,
) -> HandlerResult {
    let query = AllJobsQuery::of_project(query.as_deref().unwrap_or_default(), &caller.project.name)?;
    Ok(view::json(StatusCode::OK, console.operator.list_all_jobs(query).await?))
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
    Ok(view::held_json(StatusCode::OK, state.service.recording_analyses(&caller, &job).await?))
}

pub(in crate::console) async fn analysis_steps(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
) -> HandlerResult {
    let steps = state.service.analysis_steps(&caller, &job).await?;
    let attempts = state.service.job_attempts(&caller, &job).await?;
    let view = AnalysisStepsView { object: "analysis_steps", steps, attempts };
    Ok(view::json(StatusCode::OK, JsonText::of(&view)))
}
