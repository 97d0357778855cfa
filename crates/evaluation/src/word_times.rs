//! How far the times of recognized words are from those of the reference.

use serde::Serialize;

use crate::alignment::Step;
use crate::normalization::Token;
use crate::quantiles::quantile;
use crate::spoken_word::SpokenWord;

/// What the times of a reference are times of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimedParts {
    Words,
    /// Subtitles or lines: only their first word has a start, and only their last word an end.
    Segments,
}

/// Differences in milliseconds. Only words that were recognized are compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WordTimeErrors {
    /// Starts that were compared.
    pub starts: usize,
    pub start_median_ms: f64,
    /// One in ten is larger.
    pub start_p90_ms: f64,
    /// Ends that were compared.
    pub ends: usize,
    pub end_median_ms: f64,
    pub end_p90_ms: f64,
}

/// Both texts of a recording.
pub(crate) struct AlignedTexts<'a> {
    pub(crate) reference: &'a [SpokenWord],
    pub(crate) reference_tokens: &'a [Token],
    pub(crate) found: &'a [SpokenWord],
    pub(crate) found_tokens: &'a [Token],
    pub(crate) steps: &'a [Step],
}

/// The differences of all words, in seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TimeDifferences {
    pub(crate) starts: Vec<f64>,
    pub(crate) ends: Vec<f64>,
}

impl TimeDifferences {
    pub(crate) fn new(texts: &AlignedTexts) -> Self {
        let mut found = Self::default();
        for step in texts.steps {
            let Step::Same(row, column) = *step else { continue };
            if begins_word(texts.reference_tokens, row) && begins_word(texts.found_tokens, column) {
                let start = |words: &[SpokenWord], token: &Token| words[token.first].start;
                let expected = start(texts.reference, &texts.reference_tokens[row]);
                found.starts.extend(difference(expected, start(texts.found, &texts.found_tokens[column])));
            }
            if ends_word(texts.reference_tokens, row) && ends_word(texts.found_tokens, column) {
                let end = |words: &[SpokenWord], token: &Token| words[token.last].end;
                let expected = end(texts.reference, &texts.reference_tokens[row]);
                found.ends.extend(difference(expected, end(texts.found, &texts.found_tokens[column])));
            }
        }
        found
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        self.starts.extend(&other.starts);
        self.ends.extend(&other.ends);
    }

    pub(crate) fn errors(&self) -> Option<WordTimeErrors> {
        let milliseconds = |seconds: &[f64], share: f64| {
            let mut sorted = seconds.to_vec();
            quantile(&mut sorted, share).map(|value| (value * 1000.0).round())
        };
        let of = |seconds: &[f64]| Some((milliseconds(seconds, 0.5)?, milliseconds(seconds, 0.9)?));
        let (start_median_ms, start_p90_ms) = of(&self.starts)?;
        let (end_median_ms, end_p90_ms) = of(&self.ends)?;
        Some(WordTimeErrors {
            starts: self.starts.len(),
            start_median_ms,
            start_p90_ms,
            ends: self.ends.len(),
            end_median_ms,
            end_p90_ms,
        })
    }
}

fn difference(expected: Option<f64>, found: Option<f64>) -> Option<f64> {
    Some((expected? - found?).abs()).filter(|seconds| seconds.is_finite())
}

/// Whether a token is the first of its words: `do` of `don't`.
fn begins_word(tokens: &[Token], at: usize) -> bool {
    at == 0 || tokens[at - 1].last < tokens[at].first
}

fn ends_word(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_none_or(|next| next.first > tokens[at].last)
}
