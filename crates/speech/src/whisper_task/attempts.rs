//! When a window is decoded again, and which of its texts is kept.

use super::decoded_window::DecodedWindow;
use super::rules::WhisperRules;
use crate::repetition_guards::loop_start;
use crate::sampling::Chance;

/// The temperature of each attempt at a window. The first one takes the most probable tokens.
const TEMPERATURES: [f32; 3] = [0.0, 0.4, 0.8];
/// A text whose tokens have a lower mean log probability is doubtful.
const MIN_LOG_PROBABILITY: f32 = -1.0;
/// Minimum tokens of a text for each second of speech. The slowest reader has two.
const MIN_TOKENS_PER_SECOND: f64 = 0.5;
/// Seconds of speech from which on too few tokens make a text doubtful.
const MIN_SPEECH_SECONDS: f64 = 2.0;
/// Seconds of speech from which on improbable tokens do. Single words are always improbable.
const MIN_SENTENCE_SECONDS: f64 = 1.0;

/// The attempts at one window.
#[derive(Default)]
pub(super) struct Attempts {
    made: usize,
    /// The most probable of the doubtful texts so far.
    best: Option<DecodedWindow>,
}

impl Attempts {
    /// Whether the most probable tokens are taken.
    pub(super) fn is_first(&self) -> bool {
        self.made == 0
    }

    /// The temperature of the current attempt.
    pub(super) fn temperature(&self) -> f32 {
        TEMPERATURES.get(self.made).copied().unwrap_or_default()
    }

    /// The chance of the current attempt at a window that begins with this sample of its segment.
    pub(super) fn chance(&self, window_start: usize) -> Chance {
        Chance::new((window_start + self.made) as u64)
    }

    /// Gives up the current attempt. Returns whether there is another one.
    pub(super) fn again(&mut self) -> bool {
        self.made += 1;
        self.made < TEMPERATURES.len()
    }

    /// Keeps a doubtful text, if it is the most probable one so far.
    pub(super) fn keep(&mut self, text: DecodedWindow) {
        let is_better = |other: &DecodedWindow| text.mean_log_probability() > other.mean_log_probability();
        if self.best.as_ref().is_none_or(is_better) {
            self.best = Some(text);
        }
    }

    /// The best of the doubtful texts.
    pub(super) fn best(self) -> DecodedWindow {
        self.best.unwrap_or_default()
    }
}

/// Whether some words of a text may be wrong. A text that is probably wrong as a whole is unsure too.
pub(super) fn is_unsure(text: &DecodedWindow, rules: &WhisperRules) -> bool {
    f64::from(text.mean_log_probability().exp()) < rules.beam.below
}

/// Whether a text is probably not what was said in `speech_seconds` of speech. No text for what the model takes for
/// silence is not doubtful.
pub(super) fn is_doubtful(text: &DecodedWindow, speech_seconds: f64, rules: &WhisperRules) -> bool {
    let tokens = rules.words_only(&text.ids()).len() as f64;
    let is_too_short =
        speech_seconds >= MIN_SPEECH_SECONDS && tokens < speech_seconds * MIN_TOKENS_PER_SECOND;
    let is_improbable =
        speech_seconds >= MIN_SENTENCE_SECONDS && text.mean_log_probability() < MIN_LOG_PROBABILITY;
    !text.is_silent() && (is_too_short || is_improbable)
}

/// The text up to the loop at its end: the words before it are kept, if there are any.
pub(super) fn without_loop(mut text: DecodedWindow, rules: &WhisperRules) -> DecodedWindow {
    let words = rules.words_only(&text.ids());
    let Some(first_phrase_end) = loop_start(&words) else { return text };
    // The phrase itself is part of the loop.
    let phrase =
        (1..=first_phrase_end).find(|length| is_period(&words[first_phrase_end - length..], *length));
    let keep = first_phrase_end - phrase.unwrap_or(first_phrase_end);
    let mut seen = 0;
    let end = text.chosen.iter().position(|token| {
        seen += usize::from(!rules.is_timestamp(token.id));
        seen > keep
    });
    text.chosen.truncate(end.unwrap_or(text.chosen.len()));
    text.attention.truncate(keep);
    text
}

fn is_period(tokens: &[u32], length: usize) -> bool {
    tokens.iter().zip(&tokens[length..]).all(|(one, other)| one == other)
}
