//! The waveform of a job's recording: decoded once, and then kept until the recording is deleted.

use std::sync::Arc;

use auris_domain::artifact::Artifact;
use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::JobId;
use auris_domain::wire::{self, JsonText};
use auris_engines::audio::AudioStream;
use auris_engines::{AudioSource, EngineError, low_priority};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::recording::deleted;
use super::waveform::Waveform;
use crate::error::{Outcome, refusal_of};
use crate::jobs::LocalAudio;
use crate::{Caller, Service, ServiceError};

/// Maximum recordings that are decoded for this at once in a process. Others wait, so that the console takes little of
/// the machine from the engines.
const CONCURRENT: usize = 2;

/// Slots for computing waveforms.
pub(crate) struct WaveformSlots(Arc<Semaphore>);

impl Default for WaveformSlots {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(CONCURRENT)))
    }
}

impl Service {
    /// The waveform of a job's recording. It is computed at the first call, which takes as long as decoding does. It is
    /// empty for a job that never had a recording: pages cannot see beforehand whether an analysis has one.
    pub async fn audio_peaks(&self, caller: &Caller, job: &JobId) -> Outcome<JsonText> {
        let Some(recording) = self.find_recording(caller, job).await? else {
            return Ok(wire::peaks(0.0, &[]));
        };
        if let Some(peaks) = self.store().peaks(&recording.job_id).await? {
            return Ok(peaks);
        }
        tokio::select! {
            peaks = self.compute_peaks(job, &recording) => peaks,
            () = self.shutdown().cancelled() => Err(ServiceError::shutting_down()),
        }
    }

    /// Stored with the job that the recording belongs to, so that both are deleted together.
    async fn compute_peaks(&self, job: &JobId, recording: &Artifact) -> Outcome<JsonText> {
        let slots = Arc::clone(&self.waveform_slots().0);
        let slot = slots.acquire_owned().await.map_err(ServiceError::internal)?;
        // Another request may have computed it while this one waited.
        if let Some(peaks) = self.store().peaks(&recording.job_id).await? {
            return Ok(peaks);
        }
        let audio = self.local_audio(recording).await?;
        let decoded = self.decode_waveform(audio, slot).await?;
        let peaks = decoded.map_err(|error| undecodable(job, error))?;
        match self.store().set_peaks(&recording.job_id, &peaks).await? {
            true => Ok(peaks),
            false => Err(deleted(job).into()),
        }
    }

    /// Decodes on a thread with low priority, which stops soon after this future was dropped.
    async fn decode_waveform(
        &self,
        audio: LocalAudio,
        slot: OwnedSemaphorePermit,
    ) -> Outcome<Result<JsonText, EngineError>> {
        let source = self.engines().source(audio.path());
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let _stop_when_dropped = stop.drop_guard();
        let work = move || {
            let decoded = decode(&source, &stopped);
            drop((audio, slot));
            decoded
        };
        low_priority::spawn(work).await.map_err(ServiceError::internal)
    }
}

fn decode(source: &AudioSource, stop: &CancellationToken) -> Result<JsonText, EngineError> {
    let mut stream = AudioStream::open(source)?;
    let mut waveform = Waveform::default();
    while let Some(block) = stream.next_block()? {
        if stop.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        waveform.push(&block);
    }
    Ok(wire::peaks(stream.seconds(), &waveform.points()))
}

/// The recording could be decoded when it was sent, so the request is not at fault.
fn undecodable(job: &JobId, error: EngineError) -> ServiceError {
    match error {
        EngineError::BadAudio { message, .. } => {
            let message = format!("The recording of the job `{job}` cannot be decoded any more: {message}");
            ApiError::new(ErrorCode::ContentUnavailable, message).at("jobId").into()
        }
        error @ (EngineError::Cancelled
        | EngineError::UnsupportedLanguage { .. }
        | EngineError::Overloaded
        | EngineError::BadAnswer { .. }
        | EngineError::Backend { .. }
        | EngineError::Internal(_)) => refusal_of(error),
    }
}
