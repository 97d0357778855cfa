//! The segments of a decoded window: words between timestamps, with times from the cross-attention.

use auris_engine_core::speech::Word;

use super::alignment::{Attention, FRAME_SECONDS, token_frames};
use super::timestamps::{self, is_timestamp};
use super::window::DecodedWindow;
use super::{EncodedWindow, Whisper};
use crate::repetition_guards::has_words;
use crate::words::{ChosenToken, SegmentText, TokenWord, group_tokens, with_times};

/// The tokens between two timestamps.
struct Stretch<'a> {
    tokens: &'a [ChosenToken],
    /// When each token begins, and at the end when the last one ends, in seconds.
    times: Vec<f64>,
    /// The timestamp after the tokens, in seconds.
    close: Option<f64>,
}

impl Whisper {
    pub(super) fn segments(
        &self,
        decoded: &DecodedWindow,
        window: &EncodedWindow,
        language: &str,
    ) -> Vec<SegmentText> {
        let stretches = stretches(decoded, window);
        stretches.into_iter().filter_map(|stretch| self.segment(&stretch, language)).collect()
    }

    fn segment(&self, stretch: &Stretch<'_>, language: &str) -> Option<SegmentText> {
        let token_words = group_tokens(stretch.tokens, &self.tokenizer, language);
        let text: String = token_words.iter().map(|word| word.text.as_str()).collect();
        let last = token_words.last().map(|word| word.tokens.end);
        let with_times = |word: &TokenWord| {
            let start = stretch.times[word.tokens.start];
            let end = stretch.times[word.tokens.end];
            // The last word ends with the segment, not where the next segment begins.
            let is_last = Some(word.tokens.end) == last;
            let end = if is_last { end.min(stretch.close.unwrap_or(end)) } else { end };
            with_times(word, start, end.max(start + FRAME_SECONDS), 1.0)
        };
        let words: Vec<Word> = token_words.iter().map(with_times).collect();
        let start = words.first()?.start;
        let end = words.last()?.end;
        has_words(&text).then_some(SegmentText { start, end, text, words })
    }
}

fn stretches<'a>(decoded: &'a DecodedWindow, window: &EncodedWindow) -> Vec<Stretch<'a>> {
    let words = decoded.chosen.iter().zip(&decoded.attention).filter(|(token, _)| !is_timestamp(token.id));
    let rows = words.map(|(_, attention)| attention.clone()).collect();
    let frames = token_frames(&Attention { frames: window.frames, rows });
    let mut stretches = Vec::new();
    let mut words_before = 0;
    let mut position = 0;
    for tokens in decoded.chosen.split(|token| is_timestamp(token.id)) {
        let close = decoded.chosen.get(position + tokens.len());
        let times = frames[words_before..=words_before + tokens.len()].iter();
        stretches.push(Stretch {
            tokens,
            times: times.map(|frame| window.start + *frame as f64 * FRAME_SECONDS).collect(),
            close: close.map(|token| window.start + timestamps::seconds(token.id)),
        });
        words_before += tokens.len();
        position += tokens.len() + 1;
    }
    stretches
}
