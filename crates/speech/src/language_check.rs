//! Second opinions. A segment is transcribed again if it seems to be in another language, or if a model for one language
//! is unsure of it. The likelier text is kept.

use std::sync::Arc;

use auris_audio::pipeline::Pending;
use auris_audio::voice::VoiceSegment;
use auris_engine_core::{Admission, Ticket};

use crate::confidence::Calibration;
use crate::speech_evidence::SpeechLength;
use crate::speech_model::{Hints, LanguageDoubt, LoadedSpeech, Prompt, Recognised};

/// Words below this confidence count as if they had it, so that a single one does not decide.
const MIN_CONFIDENCE: f64 = 0.01;
/// The digits in English words. `text` and `evaluation` have all number words, but this crate uses neither.
const DIGITS: [&str; 10] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/// Checks segments whose language or text is doubtful.
pub(crate) struct LanguageCheck {
    /// A model that knows all languages.
    pub(crate) detector: Arc<LoadedSpeech>,
    pub(crate) detector_id: String,
    /// The calibration of the detector's confidences.
    pub(crate) calibration: Calibration,
    /// The prompt as the detector's tokens.
    pub(crate) prompt: Arc<Prompt>,
    /// The language of the whole recording, if the caller named it.
    pub(crate) language: Option<String>,
}

impl LanguageCheck {
    /// Returns the text of a segment if nothing about it is doubtful. Otherwise the segment is transcribed once more, and
    /// the ticket is for the better text, which can be doubtful again.
    pub(crate) fn resolve(&self, mut recognised: Recognised, admission: &Admission) -> Pending<Recognised> {
        match recognised.doubt.take().map(|doubt| *doubt) {
            None => Pending::Done(recognised),
            Some(LanguageDoubt { segment, other: Some(other), likelihood: needed }) => {
                let needed = needed.unwrap_or_else(|| likelihood(&recognised));
                let second = self.transcribe(segment, &other, admission);
                Pending::Ticket(
                    second.map(move |second| if likelihood(&second) > needed { second } else { recognised }),
                )
            }
            Some(LanguageDoubt { segment, other: None, .. }) => {
                Pending::Ticket(self.second_opinion(recognised, segment, admission))
            }
        }
    }

    /// Transcribes a segment again with the detector, because a model for one language was unsure. The detector first
    /// detects the language. If it is another one, the detector's text is kept, otherwise the likelier of the two texts. If
    /// the detector is unsure of the language, the result is doubtful again, and is compared with a text in the other
    /// language.
    fn second_opinion(
        &self,
        recognised: Recognised,
        segment: VoiceSegment,
        admission: &Admission,
    ) -> Ticket<Recognised> {
        let hints = Hints {
            language: self.language.clone(),
            expected: recognised.language.clone(),
            checks_language: self.language.is_none(),
            prompt: self.prompt.clone(),
            ..Hints::default()
        };
        let length = SpeechLength::of(&segment.voice);
        self.recognized(segment, &hints, admission).map(move |second| joined(recognised, second, length))
    }

    fn transcribe(&self, segment: VoiceSegment, language: &str, admission: &Admission) -> Ticket<Recognised> {
        let hints =
            Hints { language: Some(language.into()), prompt: self.prompt.clone(), ..Hints::default() };
        self.recognized(segment, &hints, admission)
    }

    fn recognized(&self, segment: VoiceSegment, hints: &Hints, admission: &Admission) -> Ticket<Recognised> {
        let calibration = self.calibration;
        let ticket = self.detector.transcribe(segment, hints, admission);
        ticket.map(move |recognised| calibration.calibrated(recognised))
    }
}

/// The likelier of two texts of one segment. The first one if they are equally likely.
pub(crate) fn likelier(first: Recognised, second: Recognised) -> Recognised {
    if is_likelier(&second, &first) { second } else { first }
}

/// Chooses between the first model's text of a segment and the detector's.
fn joined(first: Recognised, mut second: Recognised, length: SpeechLength) -> Recognised {
    let is_short = length != SpeechLength::Long;
    if (is_short || has_text(&first)) && understood_the_same(&first, &second) {
        return with_unproven(first);
    }
    let doubt = second.doubt.take();
    let needed = Some(likelihood(&second));
    let is_other_language = second.language != first.language && has_text(&second);
    let kept = match length {
        _ if is_other_language => second,
        SpeechLength::Long => likelier(first, second),
        SpeechLength::Short if has_text(&first) || has_text(&second) => {
            likelier(with_unproven(first), with_unproven(second))
        }
        // Probably a cough: the two models do not agree on a word.
        SpeechLength::Short | SpeechLength::Click => Recognised { segments: Vec::new(), ..first },
    };
    let doubt = doubt.map(|doubt| Box::new(LanguageDoubt { likelihood: needed, ..*doubt }));
    Recognised { doubt, ..kept }
}

/// Whether there is a text with enough evidence that it was spoken.
fn has_text(recognised: &Recognised) -> bool {
    !recognised.segments.is_empty()
}

/// The segment with its unproven text, if it has no proven one.
fn with_unproven(mut recognised: Recognised) -> Recognised {
    if recognised.segments.is_empty() {
        recognised.segments = std::mem::take(&mut recognised.unproven);
    }
    recognised
}

/// Whether two models understood the same words, with enough evidence or not.
fn understood_the_same(one: &Recognised, other: &Recognised) -> bool {
    let words = plain_words(one);
    !words.is_empty() && words == plain_words(other)
}

/// The words without case and punctuation. Models write digits as figures or in words.
fn plain_words(recognised: &Recognised) -> Vec<String> {
    let segments = if has_text(recognised) { &recognised.segments } else { &recognised.unproven };
    let text: String = segments.iter().map(|segment| segment.text.as_str()).collect();
    let words = text.split_whitespace().map(|word| {
        let plain: String = word.chars().filter(|letter| letter.is_alphanumeric()).collect();
        let digit = plain.parse().ok().and_then(|digit: usize| DIGITS.get(digit));
        digit.map_or_else(|| plain.to_lowercase(), |digit| (*digit).to_owned())
    });
    words.filter(|word| !word.is_empty()).collect()
}

fn is_likelier(one: &Recognised, other: &Recognised) -> bool {
    likelihood(one) > likelihood(other)
}

/// The mean logarithm of the words' confidence; of a text without words the least possible one.
fn likelihood(recognised: &Recognised) -> f64 {
    let words = recognised.segments.iter().flat_map(|segment| &segment.words);
    let logarithms: Vec<f64> = words.map(|word| word.confidence.max(MIN_CONFIDENCE).ln()).collect();
    match logarithms.len() {
        0 => f64::NEG_INFINITY,
        count => logarithms.iter().sum::<f64>() / count as f64,
    }
}

/// The seconds of speech in each language.
#[derive(Debug, Default)]
pub(crate) struct LanguageSeconds {
    languages: Vec<(String, f64)>,
}

impl LanguageSeconds {
    pub(crate) fn add(&mut self, recognised: &Recognised) {
        let Some(language) = recognised.language.as_ref() else { return };
        let seconds: f64 = recognised.segments.iter().map(|segment| segment.end - segment.start).sum();
        match self.languages.iter_mut().find(|(known, _)| known == language) {
            Some((_, sum)) => *sum += seconds,
            None if recognised.segments.is_empty() => {}
            None => self.languages.push((language.clone(), seconds)),
        }
    }

    /// The language that was spoken longest; the first of those that were spoken equally long.
    pub(crate) fn main(&self) -> Option<&str> {
        let longest = self.languages.iter().rev().max_by(|one, other| one.1.total_cmp(&other.1));
        longest.map(|(language, _)| language.as_str())
    }
}

#[cfg(test)]
mod tests {
    use auris_engine_core::speech::Word;

    use super::*;
    use crate::words::SegmentText;

    fn recognised(language: &str, seconds: f64, confidences: &[f64]) -> Recognised {
        let word =
            |confidence: &f64| Word { word: "x".into(), start: 0.0, end: seconds, confidence: *confidence };
        let words: Vec<Word> = confidences.iter().map(word).collect();
        let segments = vec![SegmentText { start: 0.0, end: seconds, text: " x".into(), words }];
        Recognised { language: Some(language.into()), segments, ..Recognised::default() }
    }

    #[test]
    fn the_text_with_the_surer_words_is_likelier_and_no_text_is_never_likelier() {
        let language = |first: &Recognised, second: &Recognised| {
            likelier(first.clone(), second.clone()).language.unwrap_or_default()
        };
        let (unsure, sure) = (recognised("en", 1.0, &[0.5, 0.9, 0.4]), recognised("de", 1.0, &[0.8, 0.9]));
        assert_eq!((language(&unsure, &sure), language(&sure, &unsure)), ("de".into(), "de".into()));
        assert_eq!(language(&unsure, &recognised("nl", 1.0, &[])), "en");
        assert_eq!(language(&sure, &recognised("nl", 1.0, &[0.8, 0.9])), "de");
    }

    /// A segment of one word, with or without the evidence that it was spoken.
    fn word(text: &str, confidence: f64, is_proven: bool) -> Recognised {
        let mut recognised = recognised("en", 0.4, &[confidence]);
        recognised.segments[0].text = format!(" {text}");
        if !is_proven {
            std::mem::swap(&mut recognised.segments, &mut recognised.unproven);
        }
        recognised
    }

    fn kept(first: Recognised, second: Recognised, length: SpeechLength) -> String {
        let kept = joined(first, second, length);
        kept.segments.iter().map(|segment| segment.text.as_str()).collect()
    }

    #[test]
    fn what_both_models_understood_was_spoken() {
        for length in [SpeechLength::Short, SpeechLength::Click] {
            assert_eq!(kept(word("Four.", 0.4, false), word("4", 0.5, false), length), " Four.");
            assert_eq!(kept(word("Or.", 0.6, false), word("4", 0.5, false), length), "");
            assert_eq!(kept(Recognised::default(), Recognised::default(), length), "");
        }
        let long = SpeechLength::Long;
        assert_eq!(kept(word("Um.", 0.4, false), word("Um", 0.2, false), long), "", "a laugh");
    }

    #[test]
    fn what_both_models_understood_needs_no_comparison_with_another_language() {
        let segment = VoiceSegment { start: 0.0, samples: Vec::new(), voice: Vec::new() };
        let doubt = LanguageDoubt { segment, other: Some("de".into()), likelihood: None };
        let with_doubt = |text| Recognised { doubt: Some(Box::new(doubt.clone())), ..word(text, 0.6, true) };
        for length in [SpeechLength::Short, SpeechLength::Long] {
            assert!(joined(word("Nine.", 0.6, true), with_doubt("nine"), length).doubt.is_none());
            assert!(joined(word("No.", 0.6, true), with_doubt("nine"), length).doubt.is_some());
        }
    }

    #[test]
    fn if_one_model_is_sure_of_the_voice_the_likelier_word_counts() {
        let (hey, eight) = (word("Hey.", 0.5, true), word("Eight", 0.7, false));
        assert_eq!(kept(hey.clone(), eight.clone(), SpeechLength::Short), " Eight");
        assert_eq!(kept(eight.clone(), hey.clone(), SpeechLength::Short), " Eight");
        assert_eq!(kept(hey.clone(), Recognised::default(), SpeechLength::Short), " Hey.");
        assert_eq!(
            kept(hey, eight, SpeechLength::Click),
            "",
            "a cough, of which each understands something else"
        );
    }

    #[test]
    fn the_main_language_is_the_one_that_is_spoken_longest() {
        let mut seconds = LanguageSeconds::default();
        assert_eq!(seconds.main(), None);
        for (language, length) in [("de", 4.0), ("en", 3.0), ("nl", 4.0), ("en", 2.0)] {
            seconds.add(&recognised(language, length, &[0.9]));
        }
        assert_eq!(seconds.main(), Some("en"));
        seconds.add(&Recognised { language: Some("fr".into()), ..Recognised::default() });
        assert_eq!(seconds.languages.len(), 3);
    }
}
