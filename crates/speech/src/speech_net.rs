//! What a speech model must be able to do.

use auris_audio::voice::{SegmentLimits, VoiceSegment};
use auris_engine_core::EngineError;

use crate::words::SegmentText;

/// What is known before a segment is transcribed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hints {
    /// An ISO 639-1 code.
    pub(crate) language: Option<String>,
    pub(crate) prompt: Option<String>,
}

/// The transcription of one voice segment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recognised {
    pub(crate) language: Option<String>,
    pub(crate) segments: Vec<SegmentText>,
}

/// Called between two tokens: returns an error if the call was cancelled, and lets more urgent work run.
pub(crate) type Pause<'a> = &'a dyn Fn() -> Result<(), EngineError>;

/// A loaded speech model.
pub(crate) trait SpeechNet: Send + Sync {
    /// The segment lengths that suit the model.
    fn limits(&self) -> SegmentLimits;

    /// Transcribes a segment in the language of the hints, or in the language that the model detects.
    fn recognise(
        &self,
        segment: &VoiceSegment,
        hints: &Hints,
        pause: Pause<'_>,
    ) -> Result<Recognised, EngineError>;

    /// The language of a segment; `None` if the model cannot detect it.
    fn detect_language(&self, segment: &VoiceSegment) -> Result<Option<String>, EngineError>;
}
