//! Differences between two models on the recordings that both transcribed, and how sure they are.

use serde::Serialize;

use super::input::Transcriptions;
use super::percentage;
use crate::bootstrap::interval;
use crate::recording::RecordingScore;

/// With fewer recordings, their passages are drawn instead.
const ENOUGH_RECORDINGS: usize = 20;

/// What is drawn to see how sure a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resampled {
    Recordings,
    Passages,
}

/// The errors of a model minus those of another one, in points of percent.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    pub model: String,
    pub other: String,
    /// Recordings that both transcribed.
    pub recordings: usize,
    pub words: usize,
    pub points: f64,
    /// 95 % of the differences lie between these, if recordings (or passages) are drawn again with replacement.
    pub low: f64,
    pub high: f64,
    pub resampled: Resampled,
}

impl Difference {
    /// Whether the sign of the difference is the same in 95 % of the draws.
    pub fn is_sure(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Each model against those with fewer errors.
pub(super) fn differences(models: &[&Transcriptions]) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (nth, model) in models.iter().enumerate() {
        differences.extend(models[..nth].iter().filter_map(|other| difference(model, other)));
    }
    differences
}

fn difference(model: &Transcriptions, other: &Transcriptions) -> Option<Difference> {
    let pairs: Vec<(&RecordingScore, &RecordingScore)> = model
        .scores()
        .filter_map(|(recording, score)| {
            Some((score, other.scores().find(|(same, _)| *same == recording)?.1))
        })
        .collect();
    let resampled = if pairs.len() < ENOUGH_RECORDINGS { Resampled::Passages } else { Resampled::Recordings };
    let drawn: Vec<(f64, f64)> = match resampled {
        Resampled::Recordings => pairs.iter().map(whole).collect(),
        Resampled::Passages => pairs.iter().flat_map(parts).collect(),
    };
    let (low, high) = interval(&drawn)?;
    let words = pairs.iter().map(|(score, _)| score.counts.words).sum();
    let points = drawn.iter().map(|(difference, _)| difference).sum::<f64>() / words as f64;
    Some(Difference {
        model: model.model.clone(),
        other: other.model.clone(),
        recordings: pairs.len(),
        words,
        points: percentage(100.0 * points),
        low: percentage(100.0 * low),
        high: percentage(100.0 * high),
        resampled,
    })
}

/// The difference of the errors, and the words, of a recording.
fn whole((one, other): &(&RecordingScore, &RecordingScore)) -> (f64, f64) {
    (one.counts.errors() as f64 - other.counts.errors() as f64, one.counts.words as f64)
}

/// The same for each passage.
fn parts(pair: &(&RecordingScore, &RecordingScore)) -> Vec<(f64, f64)> {
    let (one, other) = pair;
    // Where nothing is said, a transcript without words has no passage.
    if one.passages.len() != other.passages.len() {
        return vec![whole(pair)];
    }
    let passages = one.passages.iter().zip(&other.passages);
    passages
        .map(|(one, other)| {
            let difference = one.counts.errors() as f64 - other.counts.errors() as f64;
            (difference, one.counts.words as f64)
        })
        .collect()
}
