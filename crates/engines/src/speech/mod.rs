//! Speech: what transcription and diarization are asked and what they answer.

mod alignment;
pub(crate) mod auto;
mod decoder;
mod graph;
mod guards;
pub(crate) mod language;
pub(crate) mod local;
mod mel;
pub(crate) mod moonshine;
pub(crate) mod net;
mod pieces;
mod projection;
mod timestamps;
mod tokenizer;
mod vad;
pub(crate) mod whisper;
mod words;

use serde::{Deserialize, Serialize};

use crate::EngineError;
use pieces::{Piece, PieceLimits};
use words::Heard;

pub use auris_domain::transcript::{Segment, Word};

/// What the caller said about the recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpeechOptions {
    /// ISO 639-1 or BCP 47, of which the first part counts; absent, it is detected.
    pub language: Option<String>,
    /// Biases spelling where the engine can.
    pub prompt: Option<String>,
}

/// A finished transcription.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    pub text: String,
    /// Absent where nothing was said.
    pub language: Option<String>,
    /// The decoded length, exact to the sample.
    pub duration_seconds: f64,
    pub segments: Vec<Segment>,
    /// The model that ran, where another was asked to choose.
    pub resolved_model: String,
}

/// How many speakers the caller knows of, both ends included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiarizationOptions {
    pub min_speakers: Option<u32>,
    pub max_speakers: Option<u32>,
}

/// Who spoke when, in the shape of the API; speakers are A, B, … in order of first word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diarization {
    pub speakers: Vec<Speaker>,
    pub turns: Vec<Turn>,
    #[serde(skip)]
    pub duration_seconds: f64,
}

/// One voice and how long it was heard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speaker {
    pub id: String,
    pub seconds: f64,
}

/// One stretch of one voice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub speaker: String,
    pub start: f64,
    pub end: f64,
}

/// What is known before a piece is recognised.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hints {
    /// ISO 639-1.
    pub(crate) language: Option<String>,
    pub(crate) prompt: Option<String>,
}

/// What a net made of a piece.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recognised {
    pub(crate) language: Option<String>,
    pub(crate) heard: Vec<Heard>,
}

/// Called between two tokens: ends the work where nobody wants it, and lets urgent work go first.
pub(crate) type Pause<'a> = &'a dyn Fn() -> Result<(), EngineError>;

/// The nets of one model. How they are computed is their own affair.
pub(crate) trait SpeechNet: Send + Sync {
    /// The pieces that suit it.
    fn limits(&self) -> PieceLimits;

    /// Writes a piece down, in the language of the hints or, where they have none, in the one that it hears.
    fn recognise(&self, piece: &Piece, hints: &Hints, pause: Pause<'_>) -> Result<Recognised, EngineError>;

    /// The language of a piece and how sure it is; `None` where it cannot tell.
    fn detect_language(&self, piece: &Piece) -> Result<Option<(String, f32)>, EngineError>;
}

/// Times on the wire have milliseconds, no more.
pub(crate) fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
