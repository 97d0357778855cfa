//! The segments of a decoded window: words between timestamps, with times from the cross-attention.

use std::ops::Range;

use auris_audio::voice::VoiceSegment;
use auris_engine_core::speech::Word;

use super::decoded_window::DecodedWindow;
use super::rules::WhisperRules;
use crate::alignment::{FrameGrid, token_frames, word_times};
use crate::repetition_guards::has_words;
use crate::words::{SegmentText, TokenWord, group_tokens, with_times};

/// The duration of one frame of the encoder.
pub(super) const FRAME_SECONDS: f64 = 0.02;

/// Where a decoded window lies.
pub(super) struct WindowPlace<'a> {
    pub(super) segment: &'a VoiceSegment,
    /// Where the window begins, in seconds from the beginning of the segment.
    pub(super) start: f64,
    /// An ISO 639-1 code.
    pub(super) language: &'a str,
}

/// The words between two timestamps.
struct Stretch {
    words: Vec<TokenWord>,
    /// The number of words' tokens of the window before the stretch.
    tokens_before: usize,
    /// The timestamp after the words, in seconds from the beginning of the window.
    close: Option<f64>,
}

pub(super) fn segments(
    decoded: &DecodedWindow,
    place: &WindowPlace<'_>,
    rules: &WhisperRules,
) -> Vec<SegmentText> {
    let stretches = stretches(decoded, place.language, rules);
    let tokens = |stretch: &Stretch, word: &TokenWord| {
        word.tokens.start + stretch.tokens_before..word.tokens.end + stretch.tokens_before
    };
    let ranges: Vec<Range<usize>> = stretches
        .iter()
        .flat_map(|stretch| stretch.words.iter().map(move |word| tokens(stretch, word)))
        .collect();
    let grid = FrameGrid { start: place.start, frame_seconds: FRAME_SECONDS };
    let frames = token_frames(&decoded.attention);
    let mut times = word_times(&frames, &ranges, grid, &place.segment.voice).into_iter();
    let segment = |stretch: &Stretch| {
        let words = with_window_times(stretch, times.by_ref(), place);
        segment(stretch, words)
    };
    stretches.iter().filter_map(segment).collect()
}

fn stretches(decoded: &DecodedWindow, language: &str, rules: &WhisperRules) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut tokens_before = 0;
    let mut position = 0;
    for tokens in decoded.chosen.split(|token| rules.is_timestamp(token.id)) {
        let close = decoded.chosen.get(position + tokens.len());
        stretches.push(Stretch {
            words: group_tokens(tokens, &rules.tokenizer, language),
            tokens_before,
            close: close.map(|token| rules.seconds(token.id)),
        });
        tokens_before += tokens.len();
        position += tokens.len() + 1;
    }
    stretches
}

/// The words of a stretch with the next times, in seconds of the recording.
fn with_window_times(
    stretch: &Stretch,
    times: impl Iterator<Item = Range<f64>>,
    place: &WindowPlace<'_>,
) -> Vec<Word> {
    let last = stretch.words.len().saturating_sub(1);
    let offset = place.segment.start;
    let with_times = |(nth, (word, time)): (usize, (&TokenWord, Range<f64>))| {
        // The last word ends with the segment, not where the next segment begins.
        let close = stretch.close.filter(|_| nth == last).map(|close| place.start + close);
        let end = time.end.min(close.unwrap_or(time.end)).max(time.start + FRAME_SECONDS);
        with_times(word, offset + time.start, offset + end, 1.0)
    };
    stretch.words.iter().zip(times).enumerate().map(with_times).collect()
}

fn segment(stretch: &Stretch, words: Vec<Word>) -> Option<SegmentText> {
    let text: String = stretch.words.iter().map(|word| word.text.as_str()).collect();
    let start = words.first()?.start;
    let end = words.last()?.end;
    has_words(&text).then_some(SegmentText { start, end, text, words })
}
