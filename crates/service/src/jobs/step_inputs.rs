//! The inputs of a step: the transcript, the outputs of earlier steps, the recording.

use std::path::{Path, PathBuf};

use auris_domain::artifact::{Artifact, ArtifactStatus, Purpose};
use auris_domain::error::ErrorCode;
use auris_domain::id::JobId;
use auris_domain::machine::ClaimedStep;
use auris_domain::result::ResultDocument;
use auris_domain::transcript::SourceTranscript;
use auris_store::StoreError;
use futures::TryStreamExt;
use tokio::io::AsyncWriteExt;

use crate::error::Outcome;
use crate::spool::SpoolFile;
use crate::{Service, ServiceError, sized_work};

/// A recording that an engine can open: in place, or downloaded to a temporary file.
pub(crate) enum LocalAudio {
    InPlace(PathBuf),
    Downloaded(SpoolFile),
}

impl LocalAudio {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::InPlace(path) => path,
            Self::Downloaded(file) => file.path(),
        }
    }
}

impl Service {
    /// Builds the document that the step's sources point into, and reads from it what the step needs. A large document is
    /// built and read where long work runs. A step that needs no other step reads only the transcript.
    pub(crate) async fn read_document<T: Send + 'static>(
        &self,
        claimed: &ClaimedStep,
        read: impl FnOnce(ResultDocument) -> T + Send + 'static,
    ) -> Outcome<T> {
        let job = claimed.job_id();
        let transcript = self.source_transcript(job).await?;
        let outputs = match claimed.step().needs.is_empty() {
            true => Vec::new(),
            false => sized_work::parse(self.store().outputs(job).await?).await?,
        };
        let sizes = outputs.iter().map(|(_, output)| output.content_bytes());
        let bytes = transcript.content_bytes() + sizes.sum::<usize>();
        sized_work::run(bytes, move || read(ResultDocument::new(Some(transcript), outputs))).await
    }

    /// The transcript that an analysis reads.
    pub(crate) async fn source_transcript(&self, job: &JobId) -> Outcome<SourceTranscript> {
        let artifact = self.available_artifact(job, Purpose::InputTranscript).await?;
        let bytes = self.blobs().get_bytes(&artifact.blob_key).await?;
        let size = bytes.as_ref().map(|bytes| bytes.len() as u64);
        let is_whole = self.is_whole(&artifact, size).await?;
        let bytes = bytes.filter(|_| is_whole).ok_or_else(gone)?;
        let parsed = sized_work::run(bytes.len(), move || serde_json::from_slice(&bytes)).await?;
        parsed.map_err(|error| {
            let message = format!("the blob `{}` is not a transcript: {error}", artifact.blob_key);
            StoreError::Corrupt(message).into()
        })
    }

    /// The recording of a job: its own upload, or that of the job that the analysis names.
    pub(crate) async fn audio_of(&self, job: &JobId) -> Outcome<LocalAudio> {
        let request = self.store().job_request(job).await?.unwrap_or_default();
        let artifact = match request.audio_artifact {
            Some(id) => self.store().artifact_by_id(&id).await?.filter(is_available).ok_or_else(gone)?,
            None => self.available_artifact(job, Purpose::InputAudio).await?,
        };
        self.local_audio(&artifact).await
    }

    /// A recording as a file that a decoder can open. Refused if its content was deleted in the meantime.
    pub(crate) async fn local_audio(&self, artifact: &Artifact) -> Outcome<LocalAudio> {
        match self.blobs().local_path(&artifact.blob_key) {
            Some(path) => {
                let size = self.blobs().size(&artifact.blob_key).await?;
                let is_whole = self.is_whole(artifact, size).await?;
                is_whole.then_some(LocalAudio::InPlace(path)).ok_or_else(gone)
            }
            None => self.download(artifact).await,
        }
    }

    async fn download(&self, artifact: &Artifact) -> Outcome<LocalAudio> {
        let blob = self.blobs().get_stream(&artifact.blob_key, None).await?;
        let size = blob.as_ref().map(|blob| blob.size);
        let is_whole = self.is_whole(artifact, size).await?;
        let mut blob = blob.filter(|_| is_whole).ok_or_else(gone)?;
        let mut download = SpoolFile::create(&self.settings().spool_dir).await?;
        while let Some(chunk) = blob.stream.try_next().await? {
            download.file.write_all(&chunk).await?;
        }
        download.file.flush().await?;
        Ok(LocalAudio::Downloaded(download))
    }

    async fn available_artifact(&self, job: &JobId, purpose: Purpose) -> Outcome<Artifact> {
        let artifacts = self.store().artifacts_of(job).await?;
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
