//! What a step reads: the transcript of its analysis, the outputs of earlier steps, the retained audio.

use std::path::{Path, PathBuf};

use auris_domain::artifact::{Artifact, ArtifactStatus, Purpose};
use auris_domain::error::ErrorCode;
use auris_domain::id::{ArtifactId, JobId};
use futures::TryStreamExt;
use serde_json::Value;
use tempfile::TempPath;
use tokio::io::AsyncWriteExt;

use crate::error::Outcome;
use crate::{Service, ServiceError, document};

/// A recording where an engine can open it: in place, or fetched for the time being.
pub(super) enum LocalAudio {
    InPlace(PathBuf),
    Fetched(TempPath),
}

impl LocalAudio {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::InPlace(path) => path,
            Self::Fetched(path) => path,
        }
    }
}

impl Service {
    /// The document that the step's sources point into.
    pub(super) async fn working_document(&self, job: &JobId) -> Outcome<Value> {
        let transcript = self.given_transcript(job).await?;
        Ok(document::working(Some(transcript), self.store.outputs(job).await?))
    }

    /// The transcript that an analysis was given, as it was kept.
    pub(super) async fn given_transcript(&self, job: &JobId) -> Outcome<Value> {
        let artifact = self.artifact_for(job, Purpose::InputTranscript).await?;
        let Some(blob) = self.blobs.get_stream(&artifact.blob_key, None).await? else {
            return Err(gone());
        };
        let bytes = blob
            .stream
            .try_fold(Vec::with_capacity(blob.size as usize), |mut all, chunk| async move {
                all.extend_from_slice(&chunk);
                Ok(all)
            })
            .await?;
        let parsed = tokio::task::spawn_blocking(move || serde_json::from_slice(&bytes)).await;
        parsed.map_err(ServiceError::internal)?.map_err(ServiceError::internal)
    }

    /// The recording of a job: its own upload, or the one of the job that an analysis names.
    pub(super) async fn audio_of(&self, job: &JobId) -> Outcome<LocalAudio> {
        let request = self.store.job_request(job).await?.unwrap_or_default();
        let named = request["audio_artifact"].as_str().and_then(|id| id.parse::<ArtifactId>().ok());
        let artifact = match named {
            Some(id) => self.store.artifact_by_id(&id).await?.filter(is_available).ok_or_else(gone)?,
            None => self.artifact_for(job, Purpose::InputAudio).await?,
        };
        match self.blobs.local_path(&artifact.blob_key) {
            Some(path) => Ok(LocalAudio::InPlace(path)),
            None => self.fetch(&artifact.blob_key).await,
        }
    }

    async fn fetch(&self, blob_key: &str) -> Outcome<LocalAudio> {
        let Some(mut blob) = self.blobs.get_stream(blob_key, None).await? else {
            return Err(gone());
        };
        let (file, path) =
            tempfile::Builder::new().prefix("audio-").tempfile_in(&self.settings.spool_dir)?.into_parts();
        let mut file = tokio::fs::File::from_std(file);
        while let Some(chunk) = blob.stream.try_next().await? {
            file.write_all(&chunk).await?;
        }
        file.flush().await?;
        Ok(LocalAudio::Fetched(path))
    }

    async fn artifact_for(&self, job: &JobId, purpose: Purpose) -> Outcome<Artifact> {
        let artifacts = self.store.artifacts_of(job).await?;
        artifacts
            .into_iter()
            .find(|artifact| artifact.purpose == purpose && is_available(artifact))
            .ok_or_else(gone)
    }
}

fn is_available(artifact: &Artifact) -> bool {
    artifact.status == ArtifactStatus::Available
}

fn gone() -> ServiceError {
    ServiceError::refused(
        ErrorCode::ContentUnavailable,
        "The content that the step reads was deleted or has expired.",
    )
}
