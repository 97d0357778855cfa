//! Analysis: a transcript, given or made earlier, becomes a job with a graph of steps.

use std::time::Duration;

use auris_domain::artifact::{Artifact, ArtifactStatus, Purpose};
use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::JobId;
use auris_domain::job::{JobStatus, Operation};
use auris_domain::limits;
use auris_domain::model::Capability;
use auris_domain::plan::{self, PlanInput, PlannedStep};
use auris_domain::request::AnalysisRequest;
use auris_domain::usage::billed_seconds;
use serde_json::{Value, json};

use crate::artifacts::Owner;
use crate::error::Outcome;
use crate::idempotency::{Answered, RequestKey};
use crate::jobs::{JobDraft, Submission, not_found};
use crate::{Caller, Service, ServiceError};

/// What an analysis works on.
struct Material {
    transcript: Value,
    /// The retained recording, where a job was named.
    audio: Option<(Artifact, f64)>,
}

/// The language that a transcript says it is in, and the field of the request that brought it.
struct Language {
    told: String,
    param: &'static str,
}

impl Language {
    fn of(transcript: &Value, request: &AnalysisRequest) -> Option<Self> {
        let told = transcript["language"].as_str().filter(|told| !told.trim().is_empty())?.to_owned();
        let param = if request.transcript.is_some() { "transcript.language" } else { "job_id" };
        Some(Self { told, param })
    }
}

impl Service {
    /// Stores an analysis job. With `async: false` the answer waits for its end, for a while.
    pub async fn submit_analysis(
        &self,
        caller: &Caller,
        mut request: AnalysisRequest,
        key: Option<RequestKey>,
    ) -> Outcome<Answered<Value>> {
        if let Some(answer) = self.replay(caller, key.as_ref()).await? {
            return Ok(Answered::Replayed(answer));
        }
        let holds = request.holds();
        let material = self.material(caller, &mut request).await?;
        let seconds = material.audio.as_ref().map(|(_, seconds)| billed_seconds(*seconds));
        let language = Language::of(&material.transcript, &request);
        let (input, bytes) = measured(material.transcript, seconds).await?;
        let planned = plan::analysis(&request, &self.engines.models(), &caller.project.plan, input)?;
        self.check_languages(&planned, &language)?;
        let mut draft = JobDraft::new(Operation::Analysis, self.clock.now());
        draft.metadata = request.metadata;
        draft.failure_policy = request.processing.failure_policy;
        draft.max_cost_usd = request.processing.max_cost_usd;
        draft.webhook_url = request.webhook_url;
        draft.request = json!({"audio_artifact": material.audio.as_ref().map(|(artifact, _)| &artifact.id)});
        if request.processing.diarization.is_some() {
            draft.audio_seconds = material.audio.as_ref().map(|(_, seconds)| *seconds);
        }
        let id = draft.id.clone();
        let kept = self.keep_transcript(caller, &draft, bytes).await?;
        let blob = kept.blob_key.clone();
        draft.artifacts.push(kept);
        let submission = Submission { caller, draft, planned, key: key.clone() };
        let answer = self.submit_or_forget(submission, vec![blob]).await?;
        if holds && matches!(answer, Answered::New(_)) {
            self.hold(caller, &id, key).await
        } else {
            Ok(answer)
        }
    }

    /// The transcript and audio that the request names, checked for being there.
    async fn material(&self, caller: &Caller, request: &mut AnalysisRequest) -> Outcome<Material> {
        let given = request.transcript.take();
        // The plan looks at the given transcript's own fields, so it keeps its shape without the bulk.
        request.transcript = given.as_ref().map(|transcript| transcript.outline());
        let Some(job_id) = &request.job_id else {
            let transcript = given.map_or(Value::Null, auris_domain::request::GivenTranscript::into_document);
            return Ok(Material { transcript, audio: None });
        };
        let audio = self.retained_audio(caller, job_id).await?;
        let transcript = match given {
            Some(transcript) => transcript.into_document(),
            None => self.transcript_of(job_id).await?,
        };
        Ok(Material { transcript, audio: Some(audio) })
    }

    async fn retained_audio(&self, caller: &Caller, job_id: &JobId) -> Outcome<(Artifact, f64)> {
        let stored =
            self.store.job(caller.project_id(), job_id).await?.ok_or_else(|| not_found(job_id, "job_id"))?;
        match stored.job.status {
            JobStatus::Completed => {}
            JobStatus::Queued | JobStatus::InProgress | JobStatus::Cancelling => {
                let message = format!("The job `{job_id}` is not finished; wait for its end.");
                return Err(ApiError::new(ErrorCode::JobNotFinished, message).at("job_id").into());
            }
            JobStatus::Failed | JobStatus::Cancelled => return Err(unavailable(job_id).into()),
        }
        let artifacts = self.store.artifacts_of(job_id).await?;
        let audio = artifacts.into_iter().find(|artifact| {
            artifact.purpose == Purpose::InputAudio && artifact.status == ArtifactStatus::Available
        });
        let seconds = stored.job.progress.audio_seconds_total.unwrap_or_default();
        Ok((audio.ok_or_else(|| unavailable(job_id))?, seconds))
    }

    async fn transcript_of(&self, job_id: &JobId) -> Outcome<Value> {
        let outputs = self.store.outputs(job_id).await?;
        let transcript =
            outputs.into_iter().find(|(key, _)| key == "transcription").map(|(_, output)| output);
        Ok(transcript.ok_or_else(|| unavailable(job_id))?)
    }

    /// Refuses a stage whose model cannot read the language that the transcript says it is in.
    fn check_languages(&self, planned: &[PlannedStep], language: &Option<Language>) -> Result<(), ApiError> {
        let Some(Language { told, param }) = language else { return Ok(()) };
        let reads_text = |step: &&PlannedStep| match step.capability {
            Capability::Transcription | Capability::Diarization => false,
            Capability::Chapters
            | Capability::Entities
            | Capability::Formatting
            | Capability::KeyPhrases
            | Capability::Sentiment
            | Capability::Summary
            | Capability::Topics
            | Capability::Task => true,
        };
        let mut reading = planned.iter().filter(reads_text);
        match reading.find(|step| !self.engines.knows_language(&step.resolved_model, told)) {
            Some(step) => {
                let message = format!(
                    "The model `{}` of the step `{}` does not know the language `{told}`; name another `model` for it.",
                    step.resolved_model, step.key
                );
                Err(ApiError::new(ErrorCode::UnsupportedLanguage, message).at(*param))
            }
            None => Ok(()),
        }
    }

    async fn keep_transcript(&self, caller: &Caller, draft: &JobDraft, bytes: Vec<u8>) -> Outcome<Artifact> {
        let owner =
            Owner { project: caller.project_id(), job: &draft.id, expires_at: self.expiry(draft.now) };
        let artifact = owner.artifact(Purpose::InputTranscript, bytes.len() as u64, draft.now);
        self.blobs.put_bytes(&artifact.blob_key, bytes.into()).await?;
        Ok(artifact)
    }

    /// Waits until the job is done or the time is up, and answers with the job as it is then.
    async fn hold(&self, caller: &Caller, id: &JobId, key: Option<RequestKey>) -> Outcome<Answered<Value>> {
        let limit = Duration::from_secs(limits::ANALYSIS_HOLD_SECONDS);
        let ended = tokio::time::timeout(limit, self.wait_for_end(caller, id)).await;
        let answer = match ended {
            Ok(answer) => answer?,
            Err(_) => self.read_job(caller, id).await?,
        };
        if let Some(key) = key {
            let kept = key.answer(caller, 202, "application/json", answer.to_string());
            self.store.amend_key(&kept, id).await?;
        }
        Ok(Answered::New(answer))
    }

    async fn wait_for_end(&self, caller: &Caller, id: &JobId) -> Outcome<Value> {
        let mut waiter = self.store.notify().subscribe_job(id);
        loop {
            let stored = self.owned_job(caller, id).await?;
            if stored.job.status.is_terminal() || self.shutdown().is_cancelled() {
                return Ok(stored.job.wire(stored.result.as_ref()));
            }
            waiter.changed(Duration::from_secs(1)).await;
        }
    }
}

/// What the plan must know of the transcript, and its bytes. Ten million characters take a while, on a thread for that.
async fn measured(transcript: Value, audio_seconds: Option<u64>) -> Outcome<(PlanInput, Vec<u8>)> {
    let measured = tokio::task::spawn_blocking(move || {
        let bytes = serde_json::to_vec(&transcript)?;
        Ok::<_, serde_json::Error>((PlanInput::of(&transcript, audio_seconds), bytes))
    });
    measured.await.map_err(ServiceError::internal)?.map_err(ServiceError::internal)
}

fn unavailable(job_id: &JobId) -> ApiError {
    let message = format!(
        "The job `{job_id}` retains no audio and transcript: they were deleted, have expired, or never were."
    );
    ApiError::new(ErrorCode::ContentUnavailable, message).at("job_id")
}
