//! The recording that a job works on, its files, and downloads through this service.

use auris_domain::artifact::{Artifact, ArtifactStatus, Purpose};
use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::{ArtifactId, JobId};
use auris_domain::wire::{self, JsonText};

use super::download_name::download_name;
use crate::error::Outcome;
use crate::jobs::file_name;
use crate::{Caller, Service};

impl Service {
    /// The recording of a job: its own upload, or the one that an analysis works on. `read_content` reads its bytes.
    pub async fn job_recording(&self, caller: &Caller, job: &JobId) -> Outcome<Artifact> {
        let recording = self.find_recording(caller, job).await?;
        recording.ok_or_else(|| never_recorded(job).into())
    }

    /// As `job_recording`, and `None` for an analysis of a transcript that was sent to it.
    pub(super) async fn find_recording(&self, caller: &Caller, job: &JobId) -> Outcome<Option<Artifact>> {
        let stored = self.owned_job(caller, job).await?;
        let request = self.store().job_request(job).await?;
        // What an analysis worked on is deleted together with its content.
        let may_be_deleted = request.is_none() && stored.job.result_deleted_at.is_some();
        let recording = match request.and_then(|request| request.audio_artifact) {
            Some(id) => {
                let named = self.store().artifact(caller.project_id(), &id).await?;
                Some(named.ok_or_else(|| deleted(job))?)
            }
            None => self.own_recording(job).await?,
        };
        match recording {
            Some(recording) => match recording.status {
                ArtifactStatus::Available => Ok(Some(recording)),
                ArtifactStatus::Deleted | ArtifactStatus::Expired => Err(deleted(job).into()),
            },
            None if may_be_deleted => Err(deleted(job).into()),
            None => Ok(None),
        }
    }

    /// An artifact that is sent by this service itself, also if it is in a bucket. `read_content` reads its bytes.
    pub async fn console_artifact(&self, caller: &Caller, id: &ArtifactId) -> Outcome<Artifact> {
        self.owned_artifact(caller, id).await
    }

    /// The name under which a browser saves an artifact: that of the uploaded file, if the job or the one whose recording
    /// it analyzes has it.
    pub async fn download_name(&self, artifact: &Artifact) -> Outcome<String> {
        let metadata = self.store().metadata_of_recording(&artifact.job_id).await?;
        Ok(download_name(&metadata, artifact).unwrap_or_else(|| file_name(artifact)))
    }

    /// All files of a job and of the latest analyses of its recording, newest analysis first; also those whose content was
    /// deleted or has expired.
    pub async fn job_artifacts(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        self.owned_job(caller, job).await?;
        let mut artifacts = self.files_of(job).await?;
        for analysis in self.latest_analyses(job).await? {
            artifacts.extend(self.files_of(&analysis).await?);
        }
        Ok(wire::artifact_list_of_jobs(&artifacts))
    }

    async fn files_of(&self, job: &JobId) -> Outcome<Vec<Artifact>> {
        let mut artifacts = self.store().artifacts_of(job).await?;
        // Those of a result were created in the same millisecond.
        artifacts.sort_by_key(|artifact| artifact.purpose);
        Ok(artifacts)
    }

    async fn own_recording(&self, job: &JobId) -> Outcome<Option<Artifact>> {
        let artifacts = self.store().artifacts_of(job).await?;
        Ok(artifacts.into_iter().find(|artifact| artifact.purpose == Purpose::InputAudio))
    }
}

pub(super) fn deleted(job: &JobId) -> ApiError {
    let message = format!("The recording of the job `{job}` was deleted or has expired.");
    ApiError::new(ErrorCode::ArtifactDeleted, message).at("jobId")
}

fn never_recorded(job: &JobId) -> ApiError {
    let message = format!("The job `{job}` has no recording: it analyzes a transcript that was sent to it.");
    ApiError::new(ErrorCode::NotFound, message).at("jobId")
}
