//! Asynchronous transcription: the recording is kept, the job is stored, and the caller has its id.

use std::path::Path;

use auris_domain::artifact::{Artifact, Purpose};
use auris_domain::job::Operation;
use auris_domain::plan;
use auris_domain::request::transcription::TranscriptionRequest;
use auris_domain::usage::billed_seconds;
use auris_engines::AudioInfo;
use serde_json::Value;

use crate::artifacts::Owner;
use crate::error::{Outcome, refusal_of};
use crate::idempotency::{Answered, RequestKey};
use crate::jobs::{JobDraft, Submission};
use crate::upload::Spool;
use crate::{Caller, Service, ServiceError};

impl Service {
    /// Stores a transcription job. The answer is given only after the commit.
    pub async fn submit_transcription(
        &self,
        caller: &Caller,
        request: TranscriptionRequest,
        spool: Spool,
        key: Option<RequestKey>,
    ) -> Outcome<Answered<Value>> {
        if let Some(answer) = self.replay(caller, key.as_ref()).await? {
            return Ok(Answered::Replayed(answer));
        }
        let models = self.engines.models();
        // Everything that needs no look at the audio is refused before the audio is looked at.
        plan::transcription(&request, &models, &caller.project.plan, 0)?;
        self.check_language(&request.model, request.language.as_deref())?;
        let audio = self.probe(spool.path()).await?;
        let seconds = billed_seconds(audio.duration_seconds);
        let planned = plan::transcription(&request, &models, &caller.project.plan, seconds)?;
        let mut draft = JobDraft::new(Operation::Transcription, self.clock.now());
        draft.webhook_url = request.webhook_url.clone();
        draft.audio_seconds = Some(milliseconds(audio.duration_seconds));
        let recording = self.keep_audio(caller, &draft, &spool, &audio).await?;
        let blob = recording.blob_key.clone();
        draft.artifacts.push(recording);
        let submission = Submission { caller, draft, planned, key };
        self.submit_or_forget(submission, vec![blob]).await
    }

    /// What the recording is; fails as its transcription would.
    pub(crate) async fn probe(&self, path: &Path) -> Outcome<AudioInfo> {
        let (engines, path) = (std::sync::Arc::clone(&self.engines), path.to_owned());
        let probed = tokio::task::spawn_blocking(move || engines.probe(&path)).await;
        probed.map_err(ServiceError::internal)?.map_err(refusal_of)
    }

    async fn keep_audio(
        &self,
        caller: &Caller,
        draft: &JobDraft,
        spool: &Spool,
        audio: &AudioInfo,
    ) -> Outcome<Artifact> {
        let owner =
            Owner { project: caller.project_id(), job: &draft.id, expires_at: self.expiry(draft.now) };
        let mut artifact = owner.artifact(Purpose::InputAudio, spool.bytes, draft.now);
        artifact.media_type = media_type(&audio.container).to_owned();
        self.blobs.put_file(&artifact.blob_key, spool.path()).await?;
        Ok(artifact)
    }
}

/// Times on the wire have milliseconds, no more.
fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// The media type of a container, by the name that the decoder gives it.
fn media_type(container: &str) -> &'static str {
    match container {
        "wav" | "wave" => "audio/wav",
        "mp3" | "mpeg" => "audio/mpeg",
        "flac" => "audio/flac",
        "ogg" => "audio/ogg",
        "mp4" | "m4a" | "isomp4" => "audio/mp4",
        "webm" => "audio/webm",
        "mkv" | "matroska" => "audio/x-matroska",
        "aiff" => "audio/aiff",
        "caf" => "audio/x-caf",
        "aac" | "adts" => "audio/aac",
        _ => "application/octet-stream",
    }
}
