//! Words from tokens, their times, and the segments that they form.

use std::ops::Range;

use auris_audio::SAMPLE_RATE;
use auris_audio::voice::{FRAME, VoiceSegment};
use auris_engine_core::language_code::writes_without_spaces;
use auris_engine_core::round_to_thousandths;
use auris_engine_core::speech::Word;

use crate::tokenizer::Tokenizer;

/// A segment ends with a sentence if it is at least this long, in seconds.
const MIN_SEGMENT_SECONDS: f64 = 1.0;
/// A segment of this length ends with any word.
const MAX_SEGMENT_SECONDS: f64 = 12.0;
/// The factor by which estimated times lower a word's confidence.
const ESTIMATED: f64 = 0.9;
/// A frame with this probability of speech counts as speech.
const VOICED: f32 = 0.35;
const FRAME_SECONDS: f64 = FRAME as f64 / SAMPLE_RATE as f64;

/// A token chosen by the decoder, and its probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ChosenToken {
    pub(crate) id: u32,
    pub(crate) probability: f32,
}

/// A word without times: its text with the space before it, and the range of its tokens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TokenWord {
    pub(crate) text: String,
    pub(crate) confidence: f64,
    pub(crate) tokens: Range<usize>,
}

/// The text of a segment, with times in seconds of the recording.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SegmentText {
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// As it joins the segment before it: usually with a leading space.
    pub(crate) text: String,
    pub(crate) words: Vec<Word>,
}

/// Groups tokens into words: at spaces, or at whole characters if the language is written without spaces.
pub(crate) fn group_tokens(tokens: &[ChosenToken], tokenizer: &Tokenizer, language: &str) -> Vec<TokenWord> {
    let without_spaces = writes_without_spaces(language);
    let mut words: Vec<TokenWord> = Vec::new();
    let mut begin = 0;
    for end in 1..=tokens.len() {
        let is_word_end = tokens.get(end).is_none_or(|next| tokenizer.bytes(next.id).first() == Some(&b' '));
        let is_whole = || std::str::from_utf8(&bytes(&tokens[begin..end], tokenizer)).is_ok();
        if is_word_end || (without_spaces && is_whole()) {
            push_word(&mut words, tokens, begin..end, tokenizer);
            begin = end;
        }
    }
    words
}

fn bytes(tokens: &[ChosenToken], tokenizer: &Tokenizer) -> Vec<u8> {
    tokens.iter().flat_map(|token| tokenizer.bytes(token.id)).copied().collect()
}

/// Adds a word. Punctuation without a word is appended to the word before it.
fn push_word(words: &mut Vec<TokenWord>, tokens: &[ChosenToken], range: Range<usize>, tokenizer: &Tokenizer) {
    let text = String::from_utf8_lossy(&bytes(&tokens[range.clone()], tokenizer)).into_owned();
    if text.trim().is_empty() {
        return;
    }
    match words.last_mut() {
        Some(before) if !text.chars().any(char::is_alphanumeric) => {
            before.text.push_str(&text);
            before.tokens.end = range.end;
        }
        _ => {
            let sum: f64 = tokens[range.clone()].iter().map(|token| f64::from(token.probability)).sum();
            words.push(TokenWord { text, confidence: sum / range.len() as f64, tokens: range });
        }
    }
}

/// Estimates the times of words for a model without timestamps: distributes them over the voiced frames of the segment
/// by their length.
pub(crate) fn estimate_times(words: &[TokenWord], segment: &VoiceSegment) -> Vec<Word> {
    let voiced = voiced_frames(segment);
    let weight = |word: &TokenWord| word.text.trim().chars().count() as f64 + 1.0;
    let total: f64 = words.iter().map(weight).sum();
    let time_at = |share: f64| {
        let position = share * voiced.len() as f64;
        let frame = voiced[(position as usize).min(voiced.len() - 1)];
        segment.start + (frame as f64 + position.fract()) * FRAME_SECONDS
    };
    let mut before = 0.0;
    let mut times = Vec::with_capacity(words.len());
    for word in words {
        let after = before + weight(word);
        let start = time_at(before / total);
        let end = time_at((after - 0.01) / total);
        times.push(with_times(word, start, end.max(start), ESTIMATED));
        before = after;
    }
    times
}

/// The frames with speech, or all frames if none has any.
fn voiced_frames(segment: &VoiceSegment) -> Vec<usize> {
    let frames = 0..segment.voice.len();
    let voiced: Vec<usize> = frames.filter(|frame| segment.voice[*frame] >= VOICED).collect();
    if voiced.is_empty() { (0..segment.voice.len().max(1)).collect() } else { voiced }
}

/// The word of the API: its text without the space, its times in milliseconds.
pub(crate) fn with_times(word: &TokenWord, start: f64, end: f64, trust: f64) -> Word {
    Word {
        word: word.text.trim().to_owned(),
        start: round_to_thousandths(start),
        end: round_to_thousandths(end),
        confidence: round_to_thousandths(word.confidence * trust),
    }
}

/// Groups words into segments that end with sentences.
pub(crate) fn into_segments(token_words: &[TokenWord], words: Vec<Word>) -> Vec<SegmentText> {
    let mut segments: Vec<SegmentText> = Vec::new();
    for (token_word, word) in token_words.iter().zip(words) {
        match segments.last_mut().filter(|segment| !is_complete(segment)) {
            Some(segment) => extend(segment, token_word, word),
            None => segments.push(SegmentText {
                start: word.start,
                end: word.end,
                text: token_word.text.clone(),
                words: vec![word],
            }),
        }
    }
    segments
}

fn extend(segment: &mut SegmentText, token_word: &TokenWord, word: Word) {
    segment.end = word.end;
    segment.text.push_str(&token_word.text);
    segment.words.push(word);
}

fn is_complete(segment: &SegmentText) -> bool {
    let seconds = segment.end - segment.start;
    let text = segment.text.trim_end_matches(['"', '\'', '”', '’', ')']);
    let ends_sentence = text.ends_with(['.', '?', '!', '。', '？', '！']);
    seconds >= MAX_SEGMENT_SECONDS || (ends_sentence && seconds >= MIN_SEGMENT_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token_word(text: &str) -> TokenWord {
        TokenWord { text: text.into(), confidence: 1.0, tokens: 0..1 }
    }

    #[test]
    fn estimated_times_leave_out_silence() {
        let voice = [vec![0.0; 10], vec![0.9; 10], vec![0.0; 10], vec![0.9; 10]].concat();
        let segment = VoiceSegment { start: 100.0, samples: vec![0.0; voice.len() * FRAME], voice };
        let words = estimate_times(&[token_word(" one"), token_word(" two")], &segment);
        assert_eq!((words[0].start, words[1].start), (100.32, 100.96));
        assert!(words[0].end <= 100.64 && words[1].end <= 101.28);
    }

    #[test]
    fn segments_end_with_sentences() {
        let texts = [" One", " two.", " Three", " four."].map(token_word);
        let words: Vec<Word> = (0..4).map(|n| with_times(&texts[n], n as f64, n as f64 + 0.9, 1.0)).collect();
        let segments = into_segments(&texts, words);
        assert_eq!(
            segments.iter().map(|segment| segment.text.as_str()).collect::<Vec<_>>(),
            [" One two.", " Three four."]
        );
        assert_eq!((segments[1].start, segments[1].end), (2.0, 3.9));
    }
}
