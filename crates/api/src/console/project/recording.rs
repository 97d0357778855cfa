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
    let name = state.service.download_name(&artifact).await?;
    let media_type = artifact.media_type.clone();
    let is_played = artifact.purpose == Purpose::InputAudio && media_type.starts_with("audio/");
    let response = stream(&state, artifact, &headers).await?;
    Ok(match is_played {
        true => view::played(response, &media_type, &name),
        false => view::named(response, &name),
    })
}

pub(in crate::console) async fn artifact_content(
    State(state): State<ApiState>,
    Authenticated { caller, .. }: Authenticated,
    PathId(id): PathId<ArtifactId>,
    headers: HeaderMap,
) -> HandlerResult {
    let artifact = state.service.console_artifact(&caller, &id).await?;
    let name = state.service.download_name(&artifact).await?;
    Ok(view::named(stream(&state, artifact, &headers).await?, &name))
}

/// The requested bytes as a download.
async fn stream(state: &ApiState, artifact: Artifact, headers: &HeaderMap) -> HandlerResult {
    let header = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    Ok(match requested_range(header, artifact.bytes) {
        RequestedRange::Whole => view::file(state.service.read_content(artifact, None).await?),
        RequestedRange::Part(range) => {
            view::file_range(state.service.read_content(artifact, Some(range)).await?)
        }
        RequestedRange::Unsatisfiable => view::range_not_satisfiable(artifact.bytes),
    })
}
