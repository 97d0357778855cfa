//! Transcription: its result and the trait of its engines.

use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::transcript::Transcript;

use crate::{AudioSource, CallContext, EngineError, SpeechSink};

pub use auris_domain::transcript::{Segment, Word};

/// Transcribes speech.
pub trait Transcriber: Send + Sync {
    /// Transcribes the whole recording. Each finished segment goes to `sink` immediately. Returns `Cancelled` soon after
    /// the context is cancelled.
    fn transcribe(
        &self,
        audio: &AudioSource,
        spec: &TranscriptionSpec,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Transcription, EngineError>;
}

/// A finished transcription.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcription {
    /// Without utterances: they need a diarization.
    pub transcript: Transcript,
    /// The decoded duration, exact to the sample.
    pub duration_seconds: f64,
    /// The model that ran, which differs from the requested one if that one chooses among others.
    pub resolved_model: String,
}
