//! Words out of tokens, their times, and the segments that they make.

use super::language::writes_without_spaces;
use super::pieces::Piece;
use super::tokenizer::Tokenizer;
use super::vad::FRAME;
use super::{Word, milliseconds};
use crate::audio::SAMPLE_RATE;

/// A segment ends with a sentence, once it is this long.
const SHORTEST_SEGMENT: f64 = 1.0;
/// At this length it ends with any word.
const LONGEST_SEGMENT: f64 = 12.0;
/// Times that are only reckoned take something from a word's confidence.
const RECKONED: f64 = 0.9;

/// A token as it was said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Said {
    pub(crate) token: u32,
    pub(crate) probability: f32,
}

/// A word before it has its times: its text with the space before it, and its tokens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spelled {
    pub(crate) text: String,
    pub(crate) confidence: f64,
    pub(crate) tokens: std::ops::Range<usize>,
}

/// A segment of a piece, times in the recording's seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard {
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// As it joins the segment before it: mostly with a space in front.
    pub(crate) text: String,
    pub(crate) words: Vec<Word>,
}

/// Groups tokens into words, at spaces or, where a language has none, at whole characters.
pub(crate) fn spell(said: &[Said], tokenizer: &Tokenizer, language: &str) -> Vec<Spelled> {
    let dense = writes_without_spaces(language);
    let mut words: Vec<Spelled> = Vec::new();
    let mut begin = 0;
    for end in 1..=said.len() {
        let next_begins = said.get(end).is_none_or(|next| tokenizer.bytes(next.token).first() == Some(&b' '));
        let whole = || std::str::from_utf8(&bytes(&said[begin..end], tokenizer)).is_ok();
        if next_begins || (dense && whole()) {
            push_word(&mut words, said, begin..end, tokenizer);
            begin = end;
        }
    }
    words
}

fn bytes(said: &[Said], tokenizer: &Tokenizer) -> Vec<u8> {
    said.iter().flat_map(|said| tokenizer.bytes(said.token)).copied().collect()
}

/// Punctuation on its own belongs to the word before it.
fn push_word(words: &mut Vec<Spelled>, said: &[Said], tokens: std::ops::Range<usize>, tokenizer: &Tokenizer) {
    let text = String::from_utf8_lossy(&bytes(&said[tokens.clone()], tokenizer)).into_owned();
    if text.trim().is_empty() {
        return;
    }
    match words.last_mut() {
        Some(before) if !text.chars().any(char::is_alphanumeric) => {
            before.text.push_str(&text);
            before.tokens.end = tokens.end;
        }
        _ => {
            let sum: f64 = said[tokens.clone()].iter().map(|said| f64::from(said.probability)).sum();
            let confidence = sum / tokens.len() as f64;
            words.push(Spelled { text, confidence, tokens });
        }
    }
}

/// Spreads the words over the voiced parts of the piece by their length, where the net tells no times.
pub(crate) fn reckon_times(words: &[Spelled], piece: &Piece) -> Vec<Word> {
    let voiced: Vec<usize> = voiced_frames(piece);
    let weight = |word: &Spelled| word.text.trim().chars().count() as f64 + 1.0;
    let total: f64 = words.iter().map(weight).sum();
    let frame_seconds = FRAME as f64 / f64::from(SAMPLE_RATE);
    let at = |share: f64| {
        let place = share * voiced.len() as f64;
        let frame = voiced[(place as usize).min(voiced.len() - 1)];
        piece.start + (frame as f64 + place.fract()) * frame_seconds
    };
    let mut before = 0.0;
    words
        .iter()
        .map(|word| {
            let after = before + weight(word);
            let (start, end) = (at(before / total), at((after - 0.01) / total));
            before = after;
            timed(word, start, end.max(start), RECKONED)
        })
        .collect()
}

/// Takes the silence before and after each word out of its times.
pub(crate) fn keep_to_voice(heard: &mut Heard, piece: &Piece) {
    let frame_seconds = FRAME as f64 / f64::from(SAMPLE_RATE);
    for word in &mut heard.words {
        let frame = |time: f64| ((time - piece.start) / frame_seconds).max(0.0);
        let frames = frame(word.start) as usize..(frame(word.end).ceil() as usize).min(piece.voice.len());
        let mut voiced = frames.filter(|frame| piece.voice[*frame] >= 0.35);
        let Some(first) = voiced.next() else { continue };
        let last = voiced.next_back().unwrap_or(first);
        let time = |frame: usize| piece.start + frame as f64 * frame_seconds;
        word.start = milliseconds(word.start.max(time(first)));
        word.end = milliseconds(word.end.min(time(last + 1)).max(word.start));
    }
    if let (Some(first), Some(last)) = (heard.words.first(), heard.words.last()) {
        (heard.start, heard.end) = (first.start, last.end);
    }
}

fn voiced_frames(piece: &Piece) -> Vec<usize> {
    let loud = |frame: &usize| piece.voice[*frame] >= 0.35;
    let voiced: Vec<usize> = (0..piece.voice.len()).filter(loud).collect();
    if voiced.is_empty() { (0..piece.voice.len().max(1)).collect() } else { voiced }
}

/// The word of the API: its text without the space, its times in milliseconds.
pub(crate) fn timed(word: &Spelled, start: f64, end: f64, trust: f64) -> Word {
    Word {
        word: word.text.trim().to_owned(),
        start: milliseconds(start),
        end: milliseconds(end),
        confidence: milliseconds(word.confidence * trust),
    }
}

/// Cuts timed words into segments at the ends of sentences.
pub(crate) fn into_segments(spelled: &[Spelled], words: Vec<Word>) -> Vec<Heard> {
    let mut segments: Vec<Heard> = Vec::new();
    let mut open = false;
    for (spelled, word) in spelled.iter().zip(words) {
        match segments.last_mut().filter(|_| open) {
            Some(segment) => extend(segment, spelled, word),
            None => segments.push(Heard {
                start: word.start,
                end: word.end,
                text: spelled.text.clone(),
                words: vec![word],
            }),
        }
        open = segments.last().is_none_or(|segment| !is_over(segment));
    }
    segments
}

fn extend(segment: &mut Heard, spelled: &Spelled, word: Word) {
    segment.end = word.end;
    segment.text.push_str(&spelled.text);
    segment.words.push(word);
}

fn is_over(segment: &Heard) -> bool {
    let length = segment.end - segment.start;
    let sentence = segment
        .text
        .trim_end_matches(['"', '\'', '”', '’', ')'])
        .ends_with(['.', '?', '!', '。', '？', '！']);
    length >= LONGEST_SEGMENT || (sentence && length >= SHORTEST_SEGMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Spelled {
        Spelled { text: text.into(), confidence: 1.0, tokens: 0..1 }
    }

    #[test]
    fn reckoned_times_keep_out_of_the_silences() {
        let voice = [vec![0.0; 10], vec![0.9; 10], vec![0.0; 10], vec![0.9; 10]].concat();
        let piece = Piece { start: 100.0, samples: vec![0.0; voice.len() * FRAME], voice };
        let words = reckon_times(&[spelled(" one"), spelled(" two")], &piece);
        assert_eq!((words[0].start, words[1].start), (100.32, 100.96));
        assert!(words[0].end <= 100.64 && words[1].end <= 101.28);
    }

    #[test]
    fn a_word_before_a_pause_ends_where_its_voice_does() {
        let voice = [vec![0.9; 10], vec![0.0; 40], vec![0.9; 10]].concat();
        let piece = Piece { start: 0.0, samples: vec![0.0; voice.len() * FRAME], voice };
        let words = vec![timed(&spelled(" one"), 0.0, 1.5, 1.0), timed(&spelled(" two"), 1.5, 1.9, 1.0)];
        let mut heard = Heard { start: 0.0, end: 1.9, text: " one two".into(), words };
        keep_to_voice(&mut heard, &piece);
        assert_eq!((heard.words[0].end, heard.words[1].start), (0.32, 1.6));
    }

    #[test]
    fn segments_end_with_sentences() {
        let texts = [" One", " two.", " Three", " four."].map(spelled);
        let words: Vec<Word> = (0..4).map(|n| timed(&texts[n], n as f64, n as f64 + 0.9, 1.0)).collect();
        let segments = into_segments(&texts, words);
        assert_eq!(
            segments.iter().map(|segment| segment.text.as_str()).collect::<Vec<_>>(),
            [" One two.", " Three four."]
        );
        assert_eq!((segments[1].start, segments[1].end), (2.0, 3.9));
    }
}
