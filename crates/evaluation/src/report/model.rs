//! The figures of one model.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::input::{RecordingOutcome, ScoredRecording, Transcriptions};
use super::{RecordingReport, percentage, rounded};
use crate::attribution::Attribution;
use crate::bootstrap::interval;
use crate::edits::EditCounts;
use crate::passages::Passage;
use crate::word_times::{TimeDifferences, TimedParts, WordTimeErrors};

/// Passages with the most errors that a report lists.
const WORST: usize = 10;

/// The figures of one model over all recordings.
#[derive(Debug, Clone, Serialize)]
pub struct ModelReport {
    pub model: String,
    /// Whether the texts were given instead of transcribed.
    pub given: bool,
    pub recordings: usize,
    pub failed: usize,
    /// Recordings in a language that the model does not know.
    pub other_language: usize,
    #[serde(flatten)]
    pub counts: EditCounts,
    pub error_percent: Option<f64>,
    /// 95 % of the figures lie between these, if the recordings are drawn again with replacement.
    pub error_interval: Option<(f64, f64)>,
    pub languages: Vec<LanguageReport>,
    pub word_times: Option<WordTimeErrors>,
    /// Times of the starts and ends of subtitles, where the reference has no times of words.
    pub segment_times: Option<WordTimeErrors>,
    /// Recognized words with the right speaker.
    pub speakers: Option<Attribution>,
    pub speed: Option<SpeedReport>,
    pub worst: Vec<WorstPassage>,
    pub results: Vec<RecordingResult>,
}

/// The figures of one language.
#[derive(Debug, Clone, Serialize)]
pub struct LanguageReport {
    pub language: Option<String>,
    /// Whether characters were counted instead of words.
    pub characters: bool,
    pub recordings: usize,
    #[serde(flatten)]
    pub counts: EditCounts,
    pub error_percent: f64,
}

/// How fast a model is on this machine.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct SpeedReport {
    pub audio_seconds: f64,
    pub seconds: f64,
    pub cpu_seconds: f64,
    pub audio_seconds_per_second: f64,
    pub audio_seconds_per_cpu_second: f64,
}

/// One of the passages with the most errors.
#[derive(Debug, Clone, Serialize)]
pub struct WorstPassage {
    pub file: String,
    #[serde(flatten)]
    pub passage: Passage,
}

/// One recording of a model.
#[derive(Debug, Clone, Serialize)]
pub struct RecordingResult {
    pub file: String,
    #[serde(flatten)]
    pub counts: Option<EditCounts>,
    pub error_percent: Option<f64>,
    pub audio_seconds: Option<f64>,
    pub seconds: Option<f64>,
    pub text: Option<String>,
    /// Why the recording has no figures.
    pub error: Option<String>,
    #[serde(skip)]
    pub passages: Vec<Passage>,
}

impl ModelReport {
    pub(super) fn new(transcriptions: &Transcriptions, recordings: &[RecordingReport]) -> Self {
        let count = |is: fn(&RecordingOutcome) -> bool| {
            transcriptions.recordings.iter().filter(|one| is(&one.outcome)).count()
        };
        let counts = transcriptions.counts();
        let scored = count(|outcome| matches!(outcome, RecordingOutcome::Scored { .. }));
        Self {
            model: transcriptions.model.clone(),
            given: transcriptions.given,
            recordings: scored,
            failed: count(|outcome| matches!(outcome, RecordingOutcome::Failed(_))),
            other_language: count(|outcome| matches!(outcome, RecordingOutcome::OtherLanguage)),
            counts,
            error_percent: (scored > 0).then(|| percentage(counts.percent())),
            error_interval: error_interval(transcriptions),
            languages: languages(transcriptions, recordings),
            word_times: times(transcriptions, recordings, TimedParts::Words),
            segment_times: times(transcriptions, recordings, TimedParts::Segments),
            speakers: speakers(transcriptions),
            speed: speed(transcriptions),
            worst: worst(transcriptions, recordings),
            results: transcriptions.recordings.iter().map(|one| result(one, recordings)).collect(),
        }
    }

    /// Whether all errors were counted in characters, or all in words, or both.
    pub fn unit(&self) -> &'static str {
        let characters = self.languages.iter().filter(|language| language.characters).count();
        match characters {
            0 => "words",
            all if all == self.languages.len() => "characters",
            _ => "words and characters",
        }
    }
}

impl SpeedReport {
    /// Of seconds of audio, of time and of processor time. `None` without audio.
    pub(super) fn new(times: impl Iterator<Item = (f64, f64, f64)>) -> Option<Self> {
        let (audio, wall, cpu) =
            times.fold((0.0, 0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2));
        (audio > 0.0 && wall > 0.0).then(|| Self {
            audio_seconds: rounded(audio),
            seconds: rounded(wall),
            cpu_seconds: rounded(cpu),
            audio_seconds_per_second: rounded(audio / wall),
            audio_seconds_per_cpu_second: rounded(audio / cpu.max(f64::EPSILON)),
        })
    }
}

fn error_interval(transcriptions: &Transcriptions) -> Option<(f64, f64)> {
    let pair = |counts: EditCounts| (counts.errors() as f64, counts.words as f64);
    let pairs: Vec<(f64, f64)> = transcriptions.scores().map(|(_, score)| pair(score.counts)).collect();
    let (low, high) = interval(&pairs).filter(|_| pairs.len() > 1)?;
    Some((percentage(100.0 * low), percentage(100.0 * high)))
}

fn languages(transcriptions: &Transcriptions, recordings: &[RecordingReport]) -> Vec<LanguageReport> {
    let mut languages: BTreeMap<Option<&str>, (bool, usize, EditCounts)> = BTreeMap::new();
    for (at, score) in transcriptions.scores() {
        let recording = &recordings[at];
        let sum = languages.entry(recording.language.as_deref()).or_default();
        *sum = (recording.characters, sum.1 + 1, sum.2 + score.counts);
    }
    let report = |(language, (characters, recordings, counts)): (Option<&str>, (bool, usize, EditCounts))| {
        LanguageReport {
            language: language.map(str::to_owned),
            characters,
            recordings,
            counts,
            error_percent: percentage(counts.percent()),
        }
    };
    languages.into_iter().map(report).collect()
}

fn times(
    transcriptions: &Transcriptions,
    recordings: &[RecordingReport],
    parts: TimedParts,
) -> Option<WordTimeErrors> {
    let mut all = TimeDifferences::default();
    let scores = transcriptions.scores().filter(|(at, _)| recordings[*at].times == Some(parts));
    scores.for_each(|(_, score)| all.extend(&score.times));
    all.errors()
}

fn speakers(transcriptions: &Transcriptions) -> Option<Attribution> {
    let mut all: Option<Attribution> = None;
    for attribution in transcriptions.scores().filter_map(|(_, score)| score.attribution) {
        all.get_or_insert_default().add(attribution);
    }
    all
}

fn speed(transcriptions: &Transcriptions) -> Option<SpeedReport> {
    let times = transcriptions.recordings.iter().filter_map(|one| match one.outcome {
        RecordingOutcome::Scored { audio_seconds, seconds, cpu_seconds, .. } => {
            Some((audio_seconds, seconds, cpu_seconds))
        }
        RecordingOutcome::Failed(_) | RecordingOutcome::OtherLanguage => None,
    });
    if transcriptions.given { None } else { SpeedReport::new(times) }
}

/// The passages with the most errors, by number and then by share.
fn worst(transcriptions: &Transcriptions, recordings: &[RecordingReport]) -> Vec<WorstPassage> {
    let passages = transcriptions
        .scores()
        .flat_map(|(at, score)| score.passages.iter().map(move |passage| (at, passage)));
    let mut passages: Vec<(usize, &Passage)> =
        passages.filter(|(_, passage)| passage.counts.errors() > 0).collect();
    passages.sort_by_key(|(_, passage)| (Reverse(passage.counts.errors()), passage.counts.words));
    let worst = passages.into_iter().take(WORST);
    worst
        .map(|(at, passage)| WorstPassage { file: recordings[at].file.clone(), passage: passage.clone() })
        .collect()
}

fn result(one: &ScoredRecording, recordings: &[RecordingReport]) -> RecordingResult {
    let mut result = RecordingResult {
        file: recordings[one.recording].file.clone(),
        counts: None,
        error_percent: None,
        audio_seconds: None,
        seconds: None,
        text: None,
        error: None,
        passages: Vec::new(),
    };
    match &one.outcome {
        RecordingOutcome::Scored { score, text, audio_seconds, seconds, .. } => {
            result.counts = Some(score.counts);
            result.error_percent = Some(percentage(score.counts.percent()));
            result.audio_seconds = Some(rounded(*audio_seconds)).filter(|seconds| *seconds > 0.0);
            result.seconds = Some(rounded(*seconds)).filter(|seconds| *seconds > 0.0);
            result.text = Some(text.clone());
            result.passages.clone_from(&score.passages);
        }
        RecordingOutcome::Failed(reason) => result.error = Some(reason.clone()),
        RecordingOutcome::OtherLanguage => {
            result.error = Some("the model does not know the language of the recording".to_owned());
        }
    }
    result
}
