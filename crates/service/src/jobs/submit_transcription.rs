//! Asynchronous transcription: the recording and the job are stored, and the caller gets the job.

use auris_domain::artifact::{Artifact, ArtifactOwner, Purpose};
use auris_domain::job::Operation;
use auris_domain::plan::{self, ModelChoice};
use auris_domain::request::{FollowUpRequest, TranscriptionRequest};
use auris_domain::usage::billed_seconds;
use auris_domain::wire::JsonText;
use auris_engines::{AudioInfo, round_to_thousandths};

use super::submit_job::{JobDraft, Submission};
use crate::access::{Replayable, RequestKey};
use crate::error::Outcome;
use crate::transcribe::Spool;
use crate::{Caller, Service};

/// A recording to be transcribed by a job.
pub struct Upload {
    pub request: TranscriptionRequest,
    pub spool: Spool,
    /// The analysis that starts when the job has completed. It is stored with the job.
    pub follow_up: Option<FollowUpRequest>,
}

impl Service {
    /// Stores a transcription job. The answer is given only after the commit.
    pub async fn submit_transcription(
        &self,
        caller: &Caller,
        upload: Upload,
        key: Option<RequestKey>,
    ) -> Outcome<Replayable<JsonText>> {
        if let Some(answer) = self.replay(caller, key.as_ref()).await? {
            return Ok(Replayable::Replayed(answer));
        }
        let Upload { request, spool, follow_up } = upload;
        // Checked before the audio is probed, which takes longer.
        self.check_transcription(caller, &request)?;
        if let Some(follow_up) = &follow_up {
            self.check_follow_up(caller, follow_up).await?;
        }
        let audio = self.probe(spool.path()).await?;
        let seconds = billed_seconds(audio.duration_seconds);
        let models = self.engines().models();
        let choice = ModelChoice { models: &models, project_plan: &caller.project.plan };
        let planned = plan::transcription(&request, choice, seconds)?;
        let mut draft = JobDraft::new(Operation::Transcription, self.clock().now());
        draft.links.follow_up = follow_up.map(|follow_up| follow_up.for_job(&draft.id));
        draft.webhook_url = request.webhook_url.clone();
        draft.metadata = request.metadata.clone();
        draft.audio_seconds = Some(round_to_thousandths(audio.duration_seconds));
        let recording = self.store_audio(caller, &draft, &spool, &audio).await?;
        let blob = recording.blob_key.clone();
        draft.artifacts.push(recording);
        let submission = Submission { caller, draft, planned, key, held: None };
        self.submit_job(submission, vec![blob]).await
    }

    fn check_transcription(&self, caller: &Caller, request: &TranscriptionRequest) -> Outcome<()> {
        if let Some(url) = &request.webhook_url {
            self.check_webhook_url("webhook_url", url)?;
        }
        let models = self.engines().models();
        let choice = ModelChoice { models: &models, project_plan: &caller.project.plan };
        plan::transcription_model(request, choice)?;
        self.check_language(&request.model, request.language.as_deref())?;
        Ok(())
    }

    async fn store_audio(
        &self,
        caller: &Caller,
        draft: &JobDraft,
        spool: &Spool,
        audio: &AudioInfo,
    ) -> Outcome<Artifact> {
        let owner = ArtifactOwner {
            project: caller.project_id(),
            job: &draft.id,
            expires_at: self.expiry(draft.now),
        };
        let mut artifact = owner.artifact(Purpose::InputAudio, spool.bytes, draft.now);
        artifact.media_type = media_type(&audio.container).to_owned();
        self.own_blobs().await?.put_file(&artifact.blob_key, spool.path()).await?;
        Ok(artifact)
    }
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
