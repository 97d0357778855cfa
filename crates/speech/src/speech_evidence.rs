//! Whether a text was spoken at all. Models also write words for a sneeze, a barking dog or a chord. Then either they are
//! not sure of the words or the voice detector is not sure of the voice, and mostly neither is.

use crate::words::ChosenToken;

/// Minimum sum of the mean probabilities of the tokens and of the voice, for segments with at least this many frames of
/// speech (none, a quarter of a second, one second): the more speech there is, the less often the voice is an error.
const MIN_EVIDENCE: [(usize, f32); 3] = [(32, 1.15), (8, 1.42), (0, 1.5)];
/// A frame with this probability of speech counts as speech.
const VOICED: f32 = 0.35;

/// Whether there is enough evidence that the tokens were spoken in a segment with these probabilities of speech.
pub(crate) fn is_spoken(tokens: impl Iterator<Item = ChosenToken>, voice: &[f32]) -> bool {
    let voiced: Vec<f32> = voice.iter().copied().filter(|frame| *frame >= VOICED).collect();
    let tokens: Vec<f32> = tokens.map(|token| token.probability).collect();
    let least = MIN_EVIDENCE.iter().find(|(frames, _)| voiced.len() >= *frames);
    least.is_none_or(|(_, least)| mean(&tokens) + mean(&voiced) >= *least)
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
        assert!(is_spoken_with(0.65, &[0.95; 10]));
        assert!(is_spoken_with(0.9, &[0.7; 10]));
    }

    #[test]
    fn more_speech_needs_less() {
        assert!(is_spoken_with(0.4, &[0.9; 60]) && !is_spoken_with(0.4, &[0.9; 20]));
        assert!(!is_spoken_with(0.3, &[0.7; 60]));
    }

    #[test]
    fn pauses_do_not_count() {
        assert!(is_spoken_with(0.8, &[[0.9; 10], [0.0; 10]].concat()));
        assert!(!is_spoken_with(1.0, &[0.0; 10]));
    }
}
