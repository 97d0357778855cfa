//! Second opinions: pieces that seem to be in another language are transcribed again, and the likelier text is kept. So are
//! pieces of which a model for one language is unsure.

use std::sync::Arc;

use auris_audio::pipeline::Pending;
use auris_audio::voice::VoiceSegment;
use auris_engine_core::{Place, Ticket};

use crate::confidence::Calibration;
use crate::speech_model::{Hints, LanguageDoubt, LoadedSpeech, Prompt, Recognised};

/// Words below this confidence count as if they had it, so that a single one does not decide.
const MIN_CONFIDENCE: f64 = 0.01;

/// Checks pieces whose language or text is doubtful.
pub(crate) struct LanguageCheck {
    /// A model that knows all languages.
    pub(crate) detector: Arc<LoadedSpeech>,
    pub(crate) detector_id: String,
    /// Of the detector.
    pub(crate) calibration: Calibration,
    /// Of the detector.
    pub(crate) prompt: Arc<Prompt>,
    /// The language of the whole recording, if the caller named it.
    pub(crate) language: Option<String>,
}

impl LanguageCheck {
    /// The piece, if nothing about it is doubtful; otherwise a ticket for it with a further opinion, which may leave a doubt
    /// of its own.
    pub(crate) fn resolve(&self, mut piece: Recognised, place: &Place) -> Pending<Recognised> {
        match piece.doubt.take().map(|doubt| *doubt) {
            None => Pending::Done(piece),
            Some(LanguageDoubt { segment, other: Some(other), likelihood: needed }) => {
                let needed = needed.unwrap_or_else(|| likelihood(&piece));
                let second = self.transcribe(segment, &other, place);
                Pending::Ticket(
                    second.map(move |second| if likelihood(&second) > needed { second } else { piece }),
                )
            }
            Some(LanguageDoubt { segment, other: None, .. }) => {
                Pending::Ticket(self.second_opinion(piece, segment, place))
            }
        }
    }

    /// A piece of which a model for one language was unsure. The detector transcribes it too, in the language that it finds:
    /// in another one its text is taken, in the same one the likelier text. If the detector is unsure of the language, its
    /// text has to be compared with that in the other one.
    fn second_opinion(&self, piece: Recognised, segment: VoiceSegment, place: &Place) -> Ticket<Recognised> {
        let hints = Hints {
            language: self.language.clone(),
            expected: piece.language.clone(),
            checks_language: self.language.is_none(),
            prompt: self.prompt.clone(),
            ..Hints::default()
        };
        self.recognized(segment, &hints, place).map(move |mut second| {
            let doubt = second.doubt.take();
            let needed = Some(likelihood(&second));
            let is_other_language = second.language != piece.language && !second.segments.is_empty();
            let kept = if is_other_language { second } else { likelier(piece, second) };
            let doubt = doubt.map(|doubt| Box::new(LanguageDoubt { likelihood: needed, ..*doubt }));
            Recognised { doubt, ..kept }
        })
    }

    fn transcribe(&self, segment: VoiceSegment, language: &str, place: &Place) -> Ticket<Recognised> {
        let hints =
            Hints { language: Some(language.into()), prompt: self.prompt.clone(), ..Hints::default() };
        self.recognized(segment, &hints, place)
    }

    fn recognized(&self, segment: VoiceSegment, hints: &Hints, place: &Place) -> Ticket<Recognised> {
        let calibration = self.calibration;
        let ticket = self.detector.transcribe(segment, hints, place);
        ticket.map(move |recognised| calibration.calibrated(recognised))
    }
}

/// The likelier of two texts of one piece. The first one if they are equally likely.
pub(crate) fn likelier(first: Recognised, second: Recognised) -> Recognised {
    if is_likelier(&second, &first) { second } else { first }
}

fn is_likelier(one: &Recognised, other: &Recognised) -> bool {
    likelihood(one) > likelihood(other)
}

/// The mean logarithm of the words' confidence; of a text without words the least possible one.
fn likelihood(piece: &Recognised) -> f64 {
    let words = piece.segments.iter().flat_map(|segment| &segment.words);
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
    pub(crate) fn add(&mut self, piece: &Recognised) {
        let Some(language) = piece.language.as_ref() else { return };
        let seconds: f64 = piece.segments.iter().map(|segment| segment.end - segment.start).sum();
        match self.languages.iter_mut().find(|(known, _)| known == language) {
            Some((_, sum)) => *sum += seconds,
            None if piece.segments.is_empty() => {}
            None => self.languages.push((language.clone(), seconds)),
        }
    }

    /// The language that was spoken longest; of equals the first.
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

    fn piece(language: &str, seconds: f64, confidences: &[f64]) -> Recognised {
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
        let (unsure, sure) = (piece("en", 1.0, &[0.5, 0.9, 0.4]), piece("de", 1.0, &[0.8, 0.9]));
        assert_eq!((language(&unsure, &sure), language(&sure, &unsure)), ("de".into(), "de".into()));
        assert_eq!(language(&unsure, &piece("nl", 1.0, &[])), "en");
        assert_eq!(language(&sure, &piece("nl", 1.0, &[0.8, 0.9])), "de");
    }

    #[test]
    fn the_main_language_is_the_one_that_is_spoken_longest() {
        let mut seconds = LanguageSeconds::default();
        assert_eq!(seconds.main(), None);
        for (language, length) in [("de", 4.0), ("en", 3.0), ("nl", 4.0), ("en", 2.0)] {
            seconds.add(&piece(language, length, &[0.9]));
        }
        assert_eq!(seconds.main(), Some("en"));
        seconds.add(&Recognised { language: Some("fr".into()), ..Recognised::default() });
        assert_eq!(seconds.languages.len(), 3);
    }
}
