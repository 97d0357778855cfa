//! Recordings and other artifacts, streamed by this service, also when they are in a bucket.

use auris_domain::artifact::{Artifact, Purpose};
use auris_domain::id::{ArtifactId, JobId};
use axum::extract::State;
use axum::http::{HeaderMap, header};

use crate::error::HandlerResult;
use crate::extract::{Authenticated, PathId};
use crate::handlers::files::{RequestedRange, requested_range};
use crate::state::ApiState;
use crate::view;

pub(in crate::console) async fn recording(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(job): PathId<JobId>,
    headers: HeaderMap,
) -> HandlerResult {
    let artifact = state.service.job_recording(&caller, &job).await?;
    stream(&state, artifact, &headers).await
}

pub(in crate::console) async fn artifact_content(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(id): PathId<ArtifactId>,
    headers: HeaderMap,
) -> HandlerResult {
    let mut artifact = state.service.console_artifact(&caller, &id).await?;
    // A download: only the route of a recording plays it.
    artifact.media_type = "application/octet-stream".into();
    stream(&state, artifact, &headers).await
}

async fn stream(state: &ApiState, artifact: Artifact, headers: &HeaderMap) -> HandlerResult {
    let is_played = artifact.purpose == Purpose::InputAudio && artifact.media_type.starts_with("audio/");
    let media_type = artifact.media_type.clone();
    let header = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    let response = match requested_range(header, artifact.bytes) {
        RequestedRange::Whole => view::file(state.service.read_content(artifact, None).await?),
        RequestedRange::Part(range) => {
            view::file_range(state.service.read_content(artifact, Some(range)).await?)
        }
        RequestedRange::Unsatisfiable => return Ok(view::range_not_satisfiable(artifact.bytes)),
    };
    Ok(if is_played { view::played(response, &media_type) } else { response })
}
