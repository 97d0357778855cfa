//! A server's answer to a transcription: its segments and words, as far as it sends them.

use auris_domain::transcript::{Segment, Word};
use auris_engine_core::round_to_thousandths;
use serde::Deserialize;

/// Confidence of a word if the server sends neither a probability nor a mean log probability.
const UNKNOWN_CONFIDENCE: f64 = 0.5;

/// The verbose answer; a plain one has only the text.
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
    /// The segments with their words. A text without segments becomes one over the whole duration.
    pub(super) fn segments(&self, duration_seconds: f64) -> Vec<Segment> {
        let words = self.words.as_deref().unwrap_or_default();
        let spoken = self.segments.iter().flatten().filter(|segment| !segment.text.trim().is_empty());
        let segments: Vec<Segment> =
            spoken.enumerate().map(|(id, answer)| segment(id, answer, words)).collect();
        if !segments.is_empty() || self.text.trim().is_empty() {
            return segments;
        }
        vec![Segment {
            id: 0,
            start: 0.0,
            end: round_to_thousandths(duration_seconds),
            text: self.text.trim().to_owned(),
            words: words.iter().map(|answer| word(answer, UNKNOWN_CONFIDENCE)).collect(),
        }]
    }

    /// The ISO 639-1 code, if the server sends one or an English name that we know.
    pub(super) fn language(&self) -> Option<String> {
        let language = self.language.as_deref()?.to_ascii_lowercase();
        if language.len() == 2 {
            return Some(language);
        }
        NAMES.iter().find(|(name, _)| *name == language).map(|(_, code)| (*code).to_owned())
    }
}

/// OpenAI's own server sends English names.
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

/// A segment with its words; if it has none, those of the whole answer that begin in it.
fn segment(id: usize, answer: &AnswerSegment, all_words: &[AnswerWord]) -> Segment {
    let confidence = answer.avg_logprob.map_or(UNKNOWN_CONFIDENCE, f64::exp);
    let is_inside = |word: &&AnswerWord| word.start >= answer.start - 0.01 && word.start < answer.end;
    let words = match &answer.words {
        Some(words) => words.iter().map(|answer| word(answer, confidence)).collect(),
        None => all_words.iter().filter(is_inside).map(|answer| word(answer, confidence)).collect(),
    };
    Segment {
        id: id as u64,
        start: round_to_thousandths(answer.start),
        end: round_to_thousandths(answer.end),
        text: answer.text.trim().to_owned(),
        words,
    }
}

fn word(answer: &AnswerWord, confidence: f64) -> Word {
    Word {
        word: answer.word.trim().to_owned(),
        start: round_to_thousandths(answer.start),
        end: round_to_thousandths(answer.end),
        confidence: round_to_thousandths(answer.probability.unwrap_or(confidence).clamp(0.0, 1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_beside_the_segments_go_to_their_segments() {
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
    fn a_plain_text_is_one_segment_and_an_empty_text_is_none() {
        let answer: Answer = serde_json::from_str(r#"{"text": "Hello"}"#).unwrap();
        assert_eq!(answer.segments(3.5)[0].end, 3.5);
        assert!(Answer::default().segments(3.5).is_empty());
    }
}
