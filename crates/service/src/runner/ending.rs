//! What a job leaves when it ends: its result document, and the files whose blobs are written before the rows.

use auris_domain::artifact::{Artifact, ArtifactStatus, Purpose};
use auris_domain::id::JobId;
use auris_domain::job::{FailurePolicy, JobStatus, Operation};
use auris_domain::limits;
use auris_domain::machine::{Change, Run};
use auris_domain::step::StepStatus;
use auris_domain::time::Millis;
use auris_store::{JobResult, StepOutput};
use serde_json::{Value, json};

use crate::artifacts::Owner;
use crate::error::Outcome;
use crate::{Service, ServiceError, document};

/// A result, and the artifacts whose blobs are there already.
#[derive(Default)]
pub(super) struct Ending {
    pub result: Option<JobResult>,
    pub artifacts: Vec<Artifact>,
}

/// Everything that the result is made of.
struct Material {
    run: Run,
    transcript: Option<Value>,
    outputs: Vec<(String, Value)>,
    kept: Vec<Artifact>,
    now: Millis,
}

/// The result, and the files that belong to it.
struct Composed {
    result: JobResult,
    files: Vec<(Artifact, Vec<u8>)>,
}

impl Service {
    /// Makes what the changes call for: nothing, unless the job has ended and something came of it.
    pub(super) async fn ending(
        &self,
        run: &Run,
        changes: &[Change],
        output: Option<&StepOutput>,
    ) -> Outcome<Ending> {
        if !leaves_a_result(run, changes) {
            return Ok(Ending::default());
        }
        let material = self.material_of(run, output).await?;
        // Ten million characters take a while to write down, which must not hold up other work.
        let composed = tokio::task::spawn_blocking(move || compose(material)).await;
        let composed = composed.map_err(ServiceError::internal)?;
        let mut artifacts = Vec::with_capacity(composed.files.len());
        for (artifact, bytes) in composed.files {
            self.blobs.put_bytes(&artifact.blob_key, bytes.into()).await?;
            artifacts.push(artifact);
        }
        Ok(Ending { result: Some(composed.result), artifacts })
    }

    async fn material_of(&self, run: &Run, output: Option<&StepOutput>) -> Outcome<Material> {
        let mut outputs = self.store.outputs(&run.job.id).await?;
        if let Some(new) = output
            && let Some(step) = run.step(new.ordinal)
        {
            outputs.push((step.key.clone(), new.output.clone()));
        }
        let transcript = match run.job.operation {
            Operation::Transcription => None,
            Operation::Analysis => self.transcript_if_there(&run.job.id).await?,
        };
        let kept = self.store.artifacts_of(&run.job.id).await?;
        let kept = kept.into_iter().filter(|artifact| artifact.status == ArtifactStatus::Available).collect();
        Ok(Material { run: run.clone(), transcript, outputs, kept, now: self.clock.now() })
    }

    /// The end of a job does not depend on content: a transcript that its owner deleted is left out.
    async fn transcript_if_there(&self, job: &JobId) -> Outcome<Option<Value>> {
        match self.given_transcript(job).await {
            Ok(transcript) => Ok(Some(transcript)),
            Err(error @ ServiceError::Unavailable(_)) => Err(error),
            Err(ServiceError::Refused(_) | ServiceError::Internal(_)) => Ok(None),
        }
    }
}

fn leaves_a_result(run: &Run, changes: &[Change]) -> bool {
    let ended = changes.iter().any(|change| matches!(change, Change::Job(event) if event.is_terminal()));
    let any = |status| run.steps.iter().any(|step| step.status == status);
    let tells_errors =
        run.job.failure_policy == FailurePolicy::ContinueIndependent && any(StepStatus::Failed);
    ended && (any(StepStatus::Completed) || tells_errors)
}

fn compose(material: Material) -> Composed {
    let Material { run, transcript, outputs, kept, now } = material;
    let job = &run.job;
    let owner = Owner { project: &job.project_id, job: &job.id, expires_at: job.expires_at };
    let body = document::working(transcript, outputs);
    let mut files = transcript_files(&run, &body, &owner, now);
    let mut listed = kept;
    listed.extend(files.iter().map(|(artifact, _)| artifact.clone()));
    let mut full = document::complete(body, &listed, &run);
    let is_analysis = job.operation == Operation::Analysis && job.status == JobStatus::Completed;
    let size = full.to_string().len();
    if !is_analysis && size <= limits::INLINE_RESULT_BYTES {
        let light = document::light(&full);
        return Composed { result: JobResult { full, light }, files };
    }
    let mut whole = owner.artifact(Purpose::AnalysisJson, 0, now);
    listed.push(whole.clone());
    document::list_artifacts(&mut full, &listed);
    let bytes = full.to_string().into_bytes();
    whole.bytes = bytes.len() as u64;
    let light = document::light(&full);
    if bytes.len() > limits::INLINE_RESULT_BYTES {
        full = light.clone();
        full["overflow"] = json!({"artifact_id": whole.id});
    }
    files.push((whole, bytes));
    Composed { result: JobResult { full, light }, files }
}

fn transcript_files(run: &Run, body: &Value, owner: &Owner<'_>, now: Millis) -> Vec<(Artifact, Vec<u8>)> {
    // An analysis has files of its own where they say more than those of the transcription: who speaks.
    let wanted = match run.job.operation {
        Operation::Transcription => true,
        Operation::Analysis => body["diarization"].is_object(),
    };
    if !wanted || body["transcript"].is_null() {
        return vec![];
    }
    let files = document::transcript_files(&body["transcript"]).into_iter();
    files.map(|(purpose, bytes)| (owner.artifact(purpose, bytes.len() as u64, now), bytes)).collect()
}
