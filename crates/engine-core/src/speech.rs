//! Transcription: options, results and the trait of its engines.

use crate::{AudioSource, CallContext, EngineError, SpeechSink};

pub use auris_domain::transcript::{Segment, Word};

/// Transcribes speech.
pub trait Transcriber: Send + Sync {
    /// Transcribes the whole recording. Each finished segment goes to `sink` immediately. Returns `Cancelled` soon after
    /// the context is cancelled.
    fn transcribe(
        &self,
        audio: &AudioSource,
        options: &SpeechOptions,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Transcript, EngineError>;
}

/// What the caller specified about the recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpeechOptions {
    /// An ISO 639-1 code or a BCP 47 tag, of which only the primary language is used. `None` detects the language.
    pub language: Option<String>,
    /// Text that biases the spelling, if the engine supports it.
    pub prompt: Option<String>,
}

/// A finished transcription.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    pub text: String,
    /// `None` if the recording contains no speech.
    pub language: Option<String>,
    /// The decoded duration, exact to the sample.
    pub duration_seconds: f64,
    pub segments: Vec<Segment>,
    /// The model that ran, which differs from the requested one if that one chooses among others.
    pub resolved_model: String,
}
