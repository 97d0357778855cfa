//! Who spoke when: the speakers of a recording and their turns.

use serde::{Deserialize, Serialize};

/// The speakers and their turns. Speakers are named A, B, … in the order of their first word.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Diarization {
    pub speakers: Vec<Speaker>,
    pub turns: Vec<SpeakerTurn>,
}

/// One voice and the total length of its speech.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speaker {
    pub id: String,
    pub seconds: f64,
}

/// A stretch of speech of one speaker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpeakerTurn {
    pub speaker: String,
    pub start: f64,
    pub end: f64,
}
