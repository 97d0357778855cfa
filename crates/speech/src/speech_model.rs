//! What a speech model must be able to do.

use std::sync::Arc;

use auris_audio::voice::{SegmentLimits, VoiceSegment};
use auris_engine_core::{Admission, EngineError, Ticket};

use crate::language_scores::LanguageScores;
use crate::vocabulary::{BiasState, Vocabulary};
use crate::words::SegmentText;

/// A speech model in memory.
pub(crate) type LoadedSpeech = Box<dyn SpeechModel>;

/// What is known before a segment is transcribed. Languages are ISO 639-1 codes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hints {
    /// The language of the segment; `None` if the model has to detect it.
    pub(crate) language: Option<String>,
    /// The language of most segments of the recording.
    pub(crate) expected: Option<String>,
    /// Whether a segment whose language is doubtful is checked afterwards.
    pub(crate) checks_language: bool,
    /// A model for one language wants a second opinion of a segment whose tokens have a lower mean probability.
    pub(crate) sure_from: f32,
    pub(crate) prompt: Arc<Prompt>,
}

/// A caller's prompt, prepared for one model.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prompt {
    /// The context that the model reads before its own text; empty if it reads none.
    pub(crate) context: Vec<u32>,
    /// The terms that the model prefers while it decodes.
    pub(crate) vocabulary: Arc<Vocabulary>,
}

impl Prompt {
    /// The bonus for the terms at the beginning of a text; `None` if there are none.
    pub(crate) fn bias(&self) -> Option<BiasState> {
        (!self.vocabulary.is_empty()).then(|| BiasState::new(&self.vocabulary))
    }
}

/// The transcription of one voice segment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recognised {
    pub(crate) language: Option<String>,
    pub(crate) segments: Vec<SegmentText>,
    /// Text without enough evidence that it was spoken. It counts if another model agrees.
    pub(crate) unproven: Vec<SegmentText>,
    /// Where the voice segment ends in the recording, in seconds.
    pub(crate) end: f64,
    /// Present if the language or the text is doubtful and is to be checked.
    pub(crate) doubt: Option<Box<LanguageDoubt>>,
}

/// A segment that may be in another language than it was transcribed in.
#[derive(Debug, Clone)]
pub(crate) struct LanguageDoubt {
    pub(crate) segment: VoiceSegment,
    /// The other language; `None` if the model does not know it.
    pub(crate) other: Option<String>,
    /// How likely a text in the other language must be to be taken; `None`: likelier than the text of the segment.
    pub(crate) likelihood: Option<f64>,
}

/// A loaded speech model. Its work is queued; the segments of all calls are decoded together.
pub(crate) trait SpeechModel: Send + Sync {
    /// The memory that its weights occupy.
    fn weight_bytes(&self) -> u64;

    /// The segment lengths that suit the model.
    fn limits(&self) -> SegmentLimits;

    /// The number of segments that keep the model busy.
    fn capacity(&self) -> usize;

    /// Prepares a prompt, once for all segments of a call.
    fn prompt(&self, text: &str) -> Result<Prompt, EngineError>;

    /// Transcribes a segment in the language of the hints, or in the language that the model detects.
    fn transcribe(&self, segment: VoiceSegment, hints: &Hints, admission: &Admission) -> Ticket<Recognised>;

    /// How probable each language is in the beginning of a segment.
    fn language_scores(&self, segment: VoiceSegment, admission: &Admission) -> Ticket<LanguageScores>;
}
