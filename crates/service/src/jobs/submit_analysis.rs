//! Analysis: a transcript, sent or made by an earlier job, becomes a job with a graph of steps.

use auris_domain::artifact::{Artifact, ArtifactOwner, ArtifactStatus, Purpose};
use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::JobId;
use auris_domain::job::{Job, JobRequest, JobStatus, Operation};
use auris_domain::model::Capability;
use auris_domain::plan::{PlanInput, PlannedStep};
use auris_domain::request::AnalysisRequest;
use auris_domain::step::StepOutput;
use auris_domain::transcript::SourceTranscript;
use auris_domain::usage::billed_seconds;
use auris_domain::wire::JsonText;
use auris_store::StoreError;

use super::plan_analysis::StoredTranscript;
use super::read_jobs::not_found;
use super::submit_job::{JobDraft, Submission};
use crate::access::{HeldKey, JobKey, KnownKey, Replayable, RequestKey};
use crate::error::Outcome;
use crate::{Caller, Service, ServiceError, sized_work};

/// What a transcript's JSON needs beside its content.
const ENVELOPE_BYTES: usize = 4 << 10;

/// What an analysis works on.
struct AnalysisInput {
    /// The transcript as JSON, ready to be stored.
    bytes: Vec<u8>,
    language: Option<DeclaredLanguage>,
    size: PlanInput,
    audio: Option<RetainedAudio>,
}

/// A job that was stored, unless the answer is a replay.
struct Submitted {
    job: JobId,
    /// The hold on the key, if the answer waits for the job's end.
    held: Option<JobKey>,
    answer: Replayable<JsonText>,
}

/// The recording of the job that the request names.
struct RetainedAudio {
    artifact: Artifact,
    seconds: f64,
}

/// The language that a transcript declares, and the request's parameter that it came from.
struct DeclaredLanguage {
    tag: String,
    param: &'static str,
}

impl Service {
    /// Stores an analysis job. With `async: false` the answer waits for the job's end, up to a limit. `memory` counts the
    /// request's memory: it is dropped together with the request, before that wait.
    pub async fn submit_analysis(
        &self,
        caller: &Caller,
        request: AnalysisRequest,
        key: Option<RequestKey>,
        memory: impl Send,
    ) -> Outcome<Replayable<JsonText>> {
        match (self.known_key(caller, key.as_ref()).await?, &key) {
            (Some(KnownKey::Responded(answer)), _) => return Ok(Replayable::Replayed(answer)),
            (Some(KnownKey::Waiting(job)), Some(key)) => {
                drop((request, memory));
                return self.resume_analysis(caller, &job, key).await.map(Replayable::Replayed);
            }
            (Some(KnownKey::Waiting(_)) | None, _) => {}
        }
        let waits = request.waits();
        let Submitted { job, held, answer } = self.store_analysis(caller, request, key).await?;
        drop(memory);
        if waits && matches!(answer, Replayable::New(_)) {
            let held = held.map(|row| HeldKey::new(self.clone(), row));
            self.answer_when_ended(caller, &job, held).await.map(Replayable::New)
        } else {
            Ok(answer)
        }
    }

    /// Checks the request against what exists, and stores the job.
    async fn store_analysis(
        &self,
        caller: &Caller,
        request: AnalysisRequest,
        key: Option<RequestKey>,
    ) -> Outcome<Submitted> {
        if let Some(url) = &request.webhook_url {
            self.check_webhook_url("webhook_url", url)?;
        }
        let mut request = self.check_schemas(caller, request).await?;
        let input = self.analysis_input(caller, &mut request).await?;
        let stored = StoredTranscript { bytes: &input.bytes, size: input.size };
        let planned = self.plan_analysis(caller, &request, stored).await?;
        self.check_languages(&planned, input.language.as_ref())?;
        let waits = request.waits();
        let mut draft = self.analysis_draft(request, input.audio);
        let job = draft.id.clone();
        let transcript = self.store_transcript(caller, &draft, input.bytes).await?;
        let blob = transcript.blob_key.clone();
        draft.artifacts.push(transcript);
        let held = key.as_ref().filter(|_| waits).map(|key| JobKey::new(key, caller, self.clock().now()));
        let submission = Submission { caller, draft, planned, key, held: held.clone() };
        let answer = self.submit_job(submission, vec![blob]).await?;
        Ok(Submitted { job, held, answer })
    }

    fn analysis_draft(&self, request: AnalysisRequest, audio: Option<RetainedAudio>) -> JobDraft {
        let mut draft = JobDraft::new(Operation::Analysis, self.clock().now());
        if request.processing.asks_for(Capability::Diarization) {
            draft.audio_seconds = audio.as_ref().map(|audio| audio.seconds);
        }
        draft.metadata = request.metadata;
        draft.failure_policy = request.processing.failure_policy;
        draft.max_cost_usd = request.processing.max_cost_usd;
        draft.webhook_url = request.webhook_url;
        draft.links.analysed = request.job_id;
        draft.request = JobRequest { audio_artifact: audio.map(|audio| audio.artifact.id) };
        draft
    }

    /// Finds the transcript and audio that the request names. The request keeps its transcript without the bulk, because
    /// the plan only looks at the names of its fields.
    async fn analysis_input(&self, caller: &Caller, request: &mut AnalysisRequest) -> Outcome<AnalysisInput> {
        let given = request.transcript.take();
        let is_given = given.is_some();
        let param = if is_given { "transcript.language" } else { "job_id" };
        let audio = match &request.job_id {
            Some(job) => Some(self.retained_audio(caller, job).await?),
            None => None,
        };
        let transcript = match (given, &request.job_id) {
            (Some(transcript), _) => transcript,
            (None, Some(job)) => self.transcript_of(job).await?,
            (None, None) => SourceTranscript::default(),
        };
        let declared = transcript.language.clone().filter(|language| !language.trim().is_empty());
        let seconds = audio.as_ref().map(|audio| billed_seconds(audio.seconds));
        let Measured { outline, size, bytes } = measure(transcript, seconds).await?;
        request.transcript = is_given.then_some(outline);
        let language = declared.map(|tag| DeclaredLanguage { tag, param });
        Ok(AnalysisInput { bytes, language, size, audio })
    }

    async fn retained_audio(&self, caller: &Caller, job_id: &JobId) -> Outcome<RetainedAudio> {
        let stored = self.store().job(caller.project_id(), job_id).await?;
        let stored = stored.ok_or_else(|| not_found(job_id, "job_id"))?;
        match stored.job.status() {
            JobStatus::Completed => {}
            JobStatus::Queued | JobStatus::InProgress | JobStatus::Cancelling => {
                let message = format!("The job `{job_id}` is not finished; wait until it has completed.");
                return Err(ApiError::new(ErrorCode::JobNotFinished, message).at("job_id").into());
            }
            JobStatus::Failed | JobStatus::Cancelled => return Err(unavailable(job_id).into()),
        }
        let artifacts = self.store().artifacts_of(job_id).await?;
        let audio = artifacts.into_iter().find(|artifact| {
            artifact.purpose == Purpose::InputAudio && artifact.status == ArtifactStatus::Available
        });
        let artifact = audio.ok_or_else(|| unavailable(job_id))?;
        Ok(RetainedAudio { artifact, seconds: recorded_seconds(&stored.job)? })
    }

    /// The transcript that an earlier transcription made.
    async fn transcript_of(&self, job_id: &JobId) -> Outcome<SourceTranscript> {
        let outputs = self.store().outputs(job_id).await?;
        let found = sized_work::run(outputs.bytes(), move || outputs.parse().map(transcript_in)).await??;
        Ok(found.ok_or_else(|| unavailable(job_id))?)
    }

    /// Refuses a stage whose model does not support the language that the transcript declares.
    fn check_languages(
        &self,
        planned: &[PlannedStep],
        declared: Option<&DeclaredLanguage>,
    ) -> Result<(), ApiError> {
        let Some(DeclaredLanguage { tag, param }) = declared else { return Ok(()) };
        let mut text_steps = planned.iter().filter(|step| step.spec.capability().reads_text());
        match text_steps.find(|step| !self.engines().knows_language(&step.resolved_model, tag)) {
            Some(step) => {
                let message = format!(
                    "The model `{}` of the step `{}` does not support the language `{tag}`; choose another `model` for it.",
                    step.resolved_model,
                    step.spec.key()
                );
                Err(ApiError::new(ErrorCode::UnsupportedLanguage, message).at(*param))
            }
            None => Ok(()),
        }
    }

    async fn store_transcript(&self, caller: &Caller, draft: &JobDraft, bytes: Vec<u8>) -> Outcome<Artifact> {
        let owner = ArtifactOwner {
            project: caller.project_id(),
            job: &draft.id,
            expires_at: self.expiry(draft.now),
        };
        let artifact = owner.artifact(Purpose::InputTranscript, bytes.len() as u64, draft.now);
        self.own_blobs().await?.put_bytes(&artifact.blob_key, bytes.into()).await?;
        Ok(artifact)
    }
}

/// The transcript among the outputs of a job.
fn transcript_in(outputs: Vec<(String, StepOutput)>) -> Option<SourceTranscript> {
    outputs.iter().find_map(|(_, output)| match output {
        StepOutput::Transcript(transcript) => Some(transcript.into()),
        StepOutput::Diarization(_) | StepOutput::Stage(_) | StepOutput::Task(_) => None,
    })
}

/// A transcript with the names of its own fields, but without its text and passages.
fn outline(transcript: &SourceTranscript) -> SourceTranscript {
    SourceTranscript { extra: transcript.extra.names_only(), ..SourceTranscript::default() }
}

/// What a job needs of a transcript.
struct Measured {
    outline: SourceTranscript,
    size: PlanInput,
    bytes: Vec<u8>,
}

/// Measures and writes the transcript.
async fn measure(transcript: SourceTranscript, audio_seconds: Option<u64>) -> Outcome<Measured> {
    let measured = sized_work::run(transcript.content_bytes(), move || {
        // Allocated once: growing would need up to three times the memory.
        let mut bytes = Vec::with_capacity(transcript.content_bytes() + ENVELOPE_BYTES);
        serde_json::to_writer(&mut bytes, &transcript)?;
        let size = PlanInput::of(&transcript, audio_seconds);
        Ok::<_, serde_json::Error>(Measured { outline: outline(&transcript), size, bytes })
    });
    measured.await?.map_err(ServiceError::internal)
}

/// The length of a job's recording. It is stored with every transcription, and analyses of the audio are priced by it.
fn recorded_seconds(job: &Job) -> Result<f64, StoreError> {
    let seconds = job.progress.audio_seconds_total;
    seconds.ok_or_else(|| StoreError::Corrupt(format!("the length of the audio of `{}` is missing", job.id)))
}

fn unavailable(job_id: &JobId) -> ApiError {
    let message = format!(
        "The job `{job_id}` has no audio and transcript: they were deleted, have expired, or never existed."
    );
    ApiError::new(ErrorCode::ContentUnavailable, message).at("job_id")
}
