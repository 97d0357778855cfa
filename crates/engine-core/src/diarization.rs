//! Diarization: options, results and the trait of its engines.

use serde::{Deserialize, Serialize};

use crate::{AudioSource, CallContext, EngineError, ProgressSink};

/// Finds who speaks when.
pub trait Diarizer: Send + Sync {
    /// Returns `Cancelled` soon after the context is cancelled.
    fn diarize(
        &self,
        audio: &AudioSource,
        options: &DiarizationOptions,
        sink: &mut dyn ProgressSink,
        context: &CallContext,
    ) -> Result<Diarization, EngineError>;
}

/// Bounds on the number of speakers, both inclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiarizationOptions {
    pub min_speakers: Option<u32>,
    pub max_speakers: Option<u32>,
}

/// Who spoke when, in the format of the API. Speakers are named A, B, … in the order in which they first speak.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diarization {
    pub speakers: Vec<Speaker>,
    pub turns: Vec<Turn>,
    #[serde(skip)]
    pub duration_seconds: f64,
}

/// A speaker and their total speaking time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speaker {
    pub id: String,
    pub seconds: f64,
}

/// A period in which one speaker talks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub speaker: String,
    pub start: f64,
    pub end: f64,
}
