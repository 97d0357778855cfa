//! Whether a text was spoken at all. Models also write words for a sneeze, a barking dog or a chord. For such sounds the
//! probability of the words is low, or the probability of a voice, and usually both.

use crate::words::ChosenToken;

/// Frames of speech from which on a segment is long: one second. The more speech there is, the less often it is an error.
const LONG: usize = 32;
/// Minimum sum of the mean probabilities of the tokens and of the voice in a long segment.
const MIN_LONG: f32 = 1.15;
/// Minimum sum in a short segment, in which the voice counts twice: models are seldom sure of a single word without
/// context, even if it is right. No text of Moonshine base or Whisper small for 300 sounds reaches 2.1. Of 178 spoken
/// digits, Moonshine base reaches 2.15 in 144; of 180, Whisper small in 103.
const MIN_SHORT: f32 = 2.15;
/// A frame with this probability of speech counts as speech.
const VOICED: f32 = 0.35;
/// Maximum frames of speech of a cough or a click: 0.2 seconds. Only the softest words are as short.
const CLICK: usize = 6;

/// Whether there is enough evidence that the tokens were spoken in a segment with these probabilities of speech.
pub(crate) fn is_spoken(tokens: impl Iterator<Item = ChosenToken>, voice: &[f32]) -> bool {
    let tokens: Vec<f32> = tokens.map(|token| token.probability).collect();
    let voiced = voiced(voice);
    let text = mean(&tokens);
    let voice = mean(&voiced);
    if voiced.len() >= LONG { text + voice >= MIN_LONG } else { text + 2.0 * voice >= MIN_SHORT }
}

/// Whether a text is writing. For a sound without speech, Whisper sometimes writes raised letters (`ᵐᶦᵒᵒᵉ`).
pub(crate) fn is_written(text: &str) -> bool {
    let is_raised =
        |letter: &char| matches!(letter, '\u{1d2c}'..='\u{1d6a}' | '\u{2b0}'..='\u{2b8}' | 'ⁿ' | 'ⁱ');
    let raised = text.chars().filter(is_raised).count();
    2 * raised <= text.chars().filter(|letter| letter.is_alphabetic()).count()
}

/// How much speech a segment has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpeechLength {
    /// No speech, or not more than a cough.
    Click,
    /// A word.
    Short,
    Long,
}

impl SpeechLength {
    /// That of a segment with these probabilities of speech.
    pub(crate) fn of(voice: &[f32]) -> Self {
        match voiced(voice).len() {
            0..=CLICK => Self::Click,
            frames if frames < LONG => Self::Short,
            _ => Self::Long,
        }
    }
}

fn voiced(voice: &[f32]) -> Vec<f32> {
    voice.iter().copied().filter(|frame| *frame >= VOICED).collect()
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_spoken_with(probability: f32, voice: &[f32]) -> bool {
        is_spoken([ChosenToken { id: 1, probability }; 3].into_iter(), voice)
    }

    #[test]
    fn unsure_words_of_an_unsure_voice_were_not_spoken() {
        assert!(!is_spoken_with(0.65, &[0.7; 10]));
        assert!(is_spoken_with(0.3, &[0.95; 10]));
        assert!(is_spoken_with(0.9, &[0.7; 10]));
    }

    #[test]
    fn raised_letters_are_not_writing() {
        assert!(!is_written("ᵐᶦᵒᵒᵉ ᵀᶦᵒᵉᵒᵗ ᵒᶦᵉᵒ"));
        assert!(
            ["", "22.", "Nine.", "об’єкт", "Hawaiʻi", "2ⁿ steps", "こんにちは", "مرحبا"]
                .into_iter()
                .all(is_written)
        );
    }

    #[test]
    fn more_speech_needs_less() {
        assert!(is_spoken_with(0.45, &[0.75; 60]) && !is_spoken_with(0.45, &[0.75; 20]));
        assert!(!is_spoken_with(0.3, &[0.7; 60]));
    }

    #[test]
    fn the_length_is_that_of_the_speech() {
        let length = |frames| SpeechLength::of(&[vec![0.9; frames], vec![0.1; 50]].concat());
        assert_eq!([0, 6].map(length), [SpeechLength::Click; 2]);
        assert_eq!([7, 31].map(length), [SpeechLength::Short; 2]);
        assert_eq!(length(32), SpeechLength::Long);
    }

    #[test]
    fn pauses_do_not_count() {
        assert!(is_spoken_with(0.8, &[[0.9; 10], [0.0; 10]].concat()));
        assert!(!is_spoken_with(1.0, &[0.0; 10]));
    }
}
