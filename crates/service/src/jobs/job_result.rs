//! The result of a job that ends: composed, and its files written to the blob store before their rows.

use std::sync::Arc;

use auris_domain::artifact::{Artifact, ArtifactStatus};
use auris_domain::id::JobId;
use auris_domain::job::Operation;
use auris_domain::machine::{Change, Run, ends_job};
use auris_domain::result::{FinishedJob, JobResult, ResultDocument};
use auris_domain::step::{Step, StepOutput, StepStatus};
use auris_domain::time::Millis;
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

/// What a result is made from. Putting it together takes long if it is large.
struct ResultParts {
    run: Run,
    source: Option<SourceTranscript>,
    /// The outputs of the steps that completed earlier.
    outputs: Vec<(String, StepOutput)>,
    /// The step that completes now; another try may need it again.
    completed: Option<Arc<CompletedStep>>,
    artifacts: Vec<Artifact>,
    now: Millis,
}

impl ResultParts {
    fn content_bytes(&self) -> usize {
        let source = self.source.as_ref().map_or(0, SourceTranscript::content_bytes);
        let stored = self.outputs.iter().map(|(_, output)| output);
        let outputs = stored.chain(self.completed.as_ref().map(|completed| &completed.output));
        source + outputs.map(StepOutput::content_bytes).sum::<usize>()
    }

    fn into_finished(self) -> FinishedJob {
        let Self { run, source, mut outputs, completed, artifacts, now } = self;
        if let Some(new) = completed
            && let Some(step) = run.step(new.ordinal)
        {
            outputs.push((step.key.clone(), new.output.clone()));
        }
        FinishedJob { document: ResultDocument::new(source, outputs), run, artifacts, now }
    }
}

impl Service {
    /// Composes the result and writes its files. Does nothing unless the changes ended the job. A job that failed or was
    /// cancelled has a result too: what its steps completed, the artifacts that it still has, and the errors.
    pub(super) async fn finish_job(
        &self,
        run: &Run,
        changes: &[Change],
        completed: Option<&Arc<CompletedStep>>,
    ) -> Outcome<WrittenResult> {
        if !ends_job(changes) {
            return Ok(WrittenResult::default());
        }
        let parts = self.result_parts(run, completed).await?;
        let (result, files) =
            sized_work::run(parts.content_bytes(), move || parts.into_finished().compose()).await?;
        let mut artifacts = Vec::with_capacity(files.len());
        for (artifact, bytes) in files {
            self.own_blobs().await?.put_bytes(&artifact.blob_key, bytes.into()).await?;
            artifacts.push(artifact);
        }
        Ok(WrittenResult { result: Some(result), artifacts })
    }

    async fn result_parts(&self, run: &Run, completed: Option<&Arc<CompletedStep>>) -> Outcome<ResultParts> {
        let is_new = |step: &Step| completed.is_some_and(|new| new.ordinal == step.ordinal);
        let mut stored =
            run.steps.iter().filter(|step| step.status() == StepStatus::Completed && !is_new(step));
        let outputs = match stored.next() {
            Some(_) => sized_work::parse(self.store().outputs(&run.job.id).await?).await?,
            None => Vec::new(),
        };
        let completed = completed.cloned();
        let source = match run.job.operation {
            Operation::Analysis if !outputs.is_empty() || completed.is_some() => {
                self.transcript_unless_deleted(&run.job.id).await?
            }
            // Without a completed step, the caller's own transcript would be all there is.
            Operation::Analysis | Operation::Transcription => None,
        };
        let mut artifacts = self.store().artifacts_of(&run.job.id).await?;
        artifacts.retain(|artifact| artifact.status == ArtifactStatus::Available);
        Ok(ResultParts { run: run.clone(), source, outputs, completed, artifacts, now: self.clock().now() })
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
