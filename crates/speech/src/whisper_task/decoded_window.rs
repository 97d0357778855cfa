//! What was decoded of one window.

use crate::alignment::Attention;
use crate::words::ChosenToken;

/// A window has no speech if the model says so with at least this probability ...
const NO_SPEECH_PROBABILITY: f32 = 0.6;
/// ... and the mean log probability of its tokens is not above this.
const MIN_LOG_PROBABILITY: f32 = -1.0;

/// The tokens of a window: words and timestamps.
#[derive(Default)]
pub(super) struct DecodedWindow {
    pub(super) chosen: Vec<ChosenToken>,
    /// Of the words, without the timestamps.
    pub(super) attention: Attention,
    /// The probability that nobody speaks.
    pub(super) no_speech: f32,
}

impl DecodedWindow {
    pub(super) fn has_speech(&self) -> bool {
        self.no_speech < NO_SPEECH_PROBABILITY || self.mean_log_probability() > MIN_LOG_PROBABILITY
    }

    /// Whether the model takes the window for silence, and wrote nothing or is not sure of it.
    pub(super) fn is_silent(&self) -> bool {
        self.no_speech >= NO_SPEECH_PROBABILITY && (self.attention.tokens() == 0 || !self.has_speech())
    }

    pub(super) fn ids(&self) -> Vec<u32> {
        self.chosen.iter().map(|token| token.id).collect()
    }

    /// The mean log probability of its tokens.
    pub(super) fn mean_log_probability(&self) -> f32 {
        let sum: f32 = self.chosen.iter().map(|token| token.probability.max(1e-10).ln()).sum();
        sum / self.chosen.len().max(1) as f32
    }
}
