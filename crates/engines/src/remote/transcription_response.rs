//! What such a server answers to a transcription, read with tolerance.

use auris_engine_core::round_to_thousandths;
use auris_engine_core::speech::{Segment, Word};
use serde::Deserialize;

/// The verbose answer; a plain one has only its text.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Answer {
    #[serde(default)]
    pub(super) text: String,
    pub(super) language: Option<String>,
    #[serde(default)]
    pub(super) segments: Option<Vec<AnswerSegment>>,
    #[serde(default)]
    pub(super) words: Option<Vec<AnswerWord>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AnswerSegment {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) text: String,
    #[serde(default)]
    pub(super) words: Option<Vec<AnswerWord>>,
    pub(super) avg_logprob: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct AnswerWord {
    pub(super) word: String,
    pub(super) start: f64,
    pub(super) end: f64,
    #[serde(alias = "confidence")]
    pub(super) probability: Option<f64>,
}

impl Answer {
    /// The segments with their words; a text without any becomes one over the whole length.
    pub(super) fn segments(&self, duration_seconds: f64) -> Vec<Segment> {
        let loose = self.words.clone().unwrap_or_default();
        let told = self.segments.iter().flatten().filter(|segment| !segment.text.trim().is_empty());
        let segments: Vec<Segment> = told.enumerate().map(|(id, told)| segment(id, told, &loose)).collect();
        if !segments.is_empty() || self.text.trim().is_empty() {
            return segments;
        }
        let words = loose.iter().map(|told| word(told, 0.5)).collect();
        let (text, end) = (self.text.trim().to_owned(), round_to_thousandths(duration_seconds));
        vec![Segment { id: 0, start: 0.0, end, text, words }]
    }

    /// An ISO 639-1 code, where the server gives one or a name that is known.
    pub(super) fn language(&self) -> Option<String> {
        let told = self.language.as_deref()?.to_ascii_lowercase();
        if told.len() == 2 {
            return Some(told);
        }
        NAMES.iter().find(|(name, _)| *name == told).map(|(_, code)| (*code).to_owned())
    }
}

/// OpenAI's own server answers with English names.
const NAMES: [(&str, &str); 20] = [
    ("english", "en"),
    ("chinese", "zh"),
    ("german", "de"),
    ("spanish", "es"),
    ("russian", "ru"),
    ("korean", "ko"),
    ("french", "fr"),
    ("japanese", "ja"),
    ("portuguese", "pt"),
    ("turkish", "tr"),
    ("polish", "pl"),
    ("dutch", "nl"),
    ("arabic", "ar"),
    ("swedish", "sv"),
    ("italian", "it"),
    ("hindi", "hi"),
    ("finnish", "fi"),
    ("vietnamese", "vi"),
    ("hebrew", "he"),
    ("ukrainian", "uk"),
];

fn segment(id: usize, told: &AnswerSegment, loose: &[AnswerWord]) -> Segment {
    let belief = told.avg_logprob.map_or(0.5, f64::exp);
    let inside = |word: &&AnswerWord| word.start >= told.start - 0.01 && word.start < told.end;
    let words: Vec<Word> = match &told.words {
        Some(words) => words.iter().map(|told| word(told, belief)).collect(),
        None => loose.iter().filter(inside).map(|told| word(told, belief)).collect(),
    };
    let (start, end) = (round_to_thousandths(told.start), round_to_thousandths(told.end));
    Segment { id: id as u64, start, end, text: told.text.trim().to_owned(), words }
}

fn word(told: &AnswerWord, belief: f64) -> Word {
    Word {
        word: told.word.trim().to_owned(),
        start: round_to_thousandths(told.start),
        end: round_to_thousandths(told.end),
        confidence: round_to_thousandths(told.probability.unwrap_or(belief).clamp(0.0, 1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_words_go_to_their_segments() {
        let answer: Answer = serde_json::from_str(
            r#"{"text": "Hi. Bye.", "language": "english", "duration": 2.0,
                "segments": [{"start": 0.0, "end": 1.0, "text": " Hi."}, {"start": 1.0, "end": 2.0, "text": " Bye."}],
                "words": [{"word": "Hi", "start": 0.1, "end": 0.4}, {"word": "Bye", "start": 1.1, "end": 1.4}]}"#,
        )
        .unwrap();
        let segments = answer.segments(2.0);
        assert_eq!((segments[0].text.as_str(), segments[1].words[0].word.as_str()), ("Hi.", "Bye"));
        assert_eq!(answer.language().as_deref(), Some("en"));
    }

    #[test]
    fn a_bare_text_is_one_segment_and_no_text_none() {
        let answer: Answer = serde_json::from_str(r#"{"text": "Hello"}"#).unwrap();
        assert_eq!(answer.segments(3.5)[0].end, 3.5);
        assert!(Answer::default().segments(3.5).is_empty());
    }
}
