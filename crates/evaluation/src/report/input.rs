//! What a report is made from: the scores of each model and recording.

use serde::Serialize;

use crate::diarization::DiarizationErrors;
use crate::edits::EditCounts;
use crate::recording::RecordingScore;

/// The transcripts of one model, or of another program.
#[derive(Debug, Clone)]
pub struct Transcriptions {
    pub model: String,
    /// Whether the texts were given, so that there is no speed.
    pub given: bool,
    /// For each recording of the evaluation that has a text.
    pub recordings: Vec<ScoredRecording>,
}

/// What became of a recording.
#[derive(Debug, Clone)]
pub struct ScoredRecording {
    /// Its position in the evaluation.
    pub recording: usize,
    pub outcome: RecordingOutcome,
}

#[derive(Debug, Clone)]
pub enum RecordingOutcome {
    Scored {
        score: Box<RecordingScore>,
        text: String,
        audio_seconds: f64,
        seconds: f64,
        cpu_seconds: f64,
    },
    /// The recording could not be transcribed, for this reason.
    Failed(String),
    /// The model does not know the language.
    OtherLanguage,
}

/// The speakers of a recording.
#[derive(Debug, Clone, Serialize)]
pub struct DiarizedRecording {
    pub file: String,
    /// Speakers in the reference.
    pub speakers: usize,
    /// Speakers that were found.
    pub found: Option<usize>,
    #[serde(flatten)]
    pub errors: Option<DiarizationErrors>,
    pub error_percent: Option<f64>,
    pub audio_seconds: f64,
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// Why the recording has no figures.
    pub error: Option<String>,
}

impl ScoredRecording {
    pub(super) fn score(&self) -> Option<&RecordingScore> {
        match &self.outcome {
            RecordingOutcome::Scored { score, .. } => Some(score),
            RecordingOutcome::Failed(_) | RecordingOutcome::OtherLanguage => None,
        }
    }
}

impl Transcriptions {
    /// The scores with the positions of their recordings.
    pub(super) fn scores(&self) -> impl Iterator<Item = (usize, &RecordingScore)> {
        self.recordings.iter().filter_map(|one| Some((one.recording, one.score()?)))
    }

    pub(super) fn counts(&self) -> EditCounts {
        self.scores().map(|(_, score)| score.counts).sum()
    }

    /// Errors in percent; infinite if nothing was scored, so that the model comes last.
    pub(super) fn percent(&self) -> f64 {
        if self.scores().next().is_none() { f64::INFINITY } else { self.counts().percent() }
    }
}
