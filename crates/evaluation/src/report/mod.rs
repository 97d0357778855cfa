//! The result of an evaluation: figures for each model, how sure their differences are, and the worst passages.

mod differences;
mod input;
mod model;

use serde::Serialize;

pub use differences::{Difference, Resampled};
pub use input::{DiarizedRecording, RecordingOutcome, ScoredRecording, Transcriptions};
pub use model::{LanguageReport, ModelReport, RecordingResult, SpeedReport, WorstPassage};

use crate::diarization::DiarizationErrors;
use crate::word_times::TimedParts;

/// An evaluation of models on a folder of recordings.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluation {
    pub folder: String,
    pub machine: MachineReport,
    pub recordings: Vec<RecordingReport>,
    /// Fewest errors first.
    pub models: Vec<ModelReport>,
    pub differences: Vec<Difference>,
    /// `None` if no reference has speakers.
    pub diarization: Option<DiarizationReport>,
    /// Files of the folder that were not used.
    pub left_out: Vec<LeftOut>,
}

/// What the speed depends on, besides the models.
#[derive(Debug, Clone, Serialize)]
pub struct MachineReport {
    pub cpu: String,
    pub kernels: String,
    pub threads: usize,
}

/// A recording and its reference.
#[derive(Debug, Clone, Serialize)]
pub struct RecordingReport {
    pub file: String,
    /// The language that was given or guessed from the reference; `None` if it is not known.
    pub language: Option<String>,
    /// Words of the reference, or characters; `None` if it has no text.
    pub words: Option<usize>,
    /// Whether `words` are characters.
    pub characters: bool,
    pub times: Option<TimedParts>,
    pub speakers: Option<usize>,
}

/// A file that was not used, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    pub file: String,
    pub reason: String,
}

/// The figures of the diarization model.
#[derive(Debug, Clone, Serialize)]
pub struct DiarizationReport {
    pub model: String,
    pub recordings: usize,
    pub failed: usize,
    #[serde(flatten)]
    pub seconds: DiarizationErrors,
    /// Missed speech, false alarms and confused speakers per hundred seconds of speech.
    pub error_percent: Option<f64>,
    /// Recordings in which the number of speakers is right.
    pub right_speaker_count: usize,
    pub speed: Option<SpeedReport>,
    pub results: Vec<DiarizedRecording>,
}

/// Puts an evaluation together.
pub fn evaluation(
    folder: &str,
    machine: MachineReport,
    recordings: Vec<RecordingReport>,
    transcriptions: Vec<Transcriptions>,
) -> Evaluation {
    let mut scored: Vec<&Transcriptions> = transcriptions.iter().collect();
    scored.sort_by(|one, other| one.percent().total_cmp(&other.percent()));
    Evaluation {
        folder: folder.to_owned(),
        machine,
        models: scored.iter().map(|one| ModelReport::new(one, &recordings)).collect(),
        differences: differences::differences(&scored),
        recordings,
        diarization: None,
        left_out: Vec::new(),
    }
}

impl DiarizationReport {
    pub fn new(model: &str, results: Vec<DiarizedRecording>) -> Self {
        let mut seconds = DiarizationErrors::default();
        results.iter().filter_map(|result| result.errors.as_ref()).for_each(|errors| seconds.add(errors));
        let scored = || results.iter().filter(|result| result.errors.is_some());
        let is_right = |result: &&DiarizedRecording| result.found == Some(result.speakers);
        Self {
            model: model.to_owned(),
            recordings: scored().count(),
            failed: results.len() - scored().count(),
            error_percent: (seconds.total > 0.0).then(|| percentage(100.0 * seconds.rate())),
            seconds,
            right_speaker_count: scored().filter(is_right).count(),
            speed: SpeedReport::new(
                scored().map(|result| (result.audio_seconds, result.seconds, result.cpu_seconds)),
            ),
            results,
        }
    }
}

/// A percentage, or a difference of two, as it is printed: with two decimals. Rounded once, so that 4.5454 is 4.55.
fn percentage(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A figure with three decimals.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
