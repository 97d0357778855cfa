//! The result of a job that ends: composed, and its files written to the blob store before their rows.

use auris_domain::artifact::{Artifact, ArtifactStatus};
use auris_domain::id::JobId;
use auris_domain::job::Operation;
use auris_domain::machine::{Change, Run, ends_job};
use auris_domain::result::{FinishedJob, JobResult, ResultDocument};
use auris_domain::step::{Step, StepStatus};
use auris_domain::transcript::SourceTranscript;

use super::apply_command::CompletedStep;
use crate::error::Outcome;
use crate::{Service, ServiceError, sized_work};

/// A result, and the artifacts whose blobs are already written.
#[derive(Default)]
pub(super) struct WrittenResult {
    pub(super) result: Option<JobResult>,
    pub(super) artifacts: Vec<Artifact>,
}

impl Service {
    /// Composes the result and writes its files. Does nothing unless the changes ended the job. A job that failed or was
    /// cancelled has a result too: what its steps completed, the artifacts that it still has, and the errors.
    pub(super) async fn finish_job(
        &self,
        run: &Run,
        changes: &[Change],
        completed: Option<&CompletedStep>,
    ) -> Outcome<WrittenResult> {
        if !ends_job(changes) {
            return Ok(WrittenResult::default());
        }
        let finished = self.finished_job(run, completed).await?;
        let (result, files) =
            sized_work::run(finished.document.content_bytes(), move || finished.compose()).await?;
        let mut artifacts = Vec::with_capacity(files.len());
        for (artifact, bytes) in files {
            self.own_blobs().await?.put_bytes(&artifact.blob_key, bytes.into()).await?;
            artifacts.push(artifact);
        }
        Ok(WrittenResult { result: Some(result), artifacts })
    }

    async fn finished_job(&self, run: &Run, completed: Option<&CompletedStep>) -> Outcome<FinishedJob> {
        let is_new = |step: &Step| completed.is_some_and(|new| new.ordinal == step.ordinal);
        let mut stored =
            run.steps.iter().filter(|step| step.status() == StepStatus::Completed && !is_new(step));
        let mut outputs = match stored.next() {
            Some(_) => sized_work::parse(self.store().outputs(&run.job.id).await?).await?,
            None => Vec::new(),
        };
        if let Some(new) = completed
            && let Some(step) = run.step(new.ordinal)
        {
            outputs.push((step.key.clone(), new.output.clone()));
        }
        let source = match run.job.operation {
            Operation::Analysis if !outputs.is_empty() => self.transcript_unless_deleted(&run.job.id).await?,
            // Without a completed step, the caller's own transcript would be all there is.
            Operation::Analysis | Operation::Transcription => None,
        };
        let mut artifacts = self.store().artifacts_of(&run.job.id).await?;
        artifacts.retain(|artifact| artifact.status == ArtifactStatus::Available);
        let document = ResultDocument::new(source, outputs);
        Ok(FinishedJob { run: run.clone(), document, artifacts, now: self.clock().now() })
    }

    /// A job can end without its content: a transcript that its owner has deleted is left out, and so is one that the
    /// storage has lost, because the end must be recorded.
    async fn transcript_unless_deleted(&self, job: &JobId) -> Outcome<Option<SourceTranscript>> {
        match self.source_transcript(job).await {
            Ok(transcript) => Ok(Some(transcript)),
            Err(ServiceError::Refused(_)) => Ok(None),
            Err(ServiceError::Internal(cause)) => {
                tracing::error!(job.id = %job, %cause, "the transcript of a job that ends cannot be read");
                Ok(None)
            }
            Err(error @ ServiceError::Unavailable(_)) => Err(error),
        }
    }
}
