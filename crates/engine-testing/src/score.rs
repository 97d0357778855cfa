//! Diarization metrics of `auris-evaluation` for tests: what cannot be read fails the test.

use auris_evaluation::reference::{read_rttm as rttm, read_stm as stm};
use auris_evaluation::{AttributedWord, attribution};

pub use auris_evaluation::{DiarizationErrors as Errors, Turn, diarization_errors as errors};

/// The turns of an RTTM file.
pub fn read_rttm(text: &str) -> Vec<Turn> {
    rttm(text, "").unwrap()
}

/// A word and its speaker.
pub type Attributed = (String, String);

/// The words of an STM file with their speakers.
pub fn read_stm(text: &str) -> Vec<Attributed> {
    let segments = stm(text, "").unwrap();
    let words = segments.iter().flat_map(|segment| {
        let speaker = segment.speaker.clone().unwrap();
        segment.text.split_whitespace().map(move |word| (plain(word), speaker.clone()))
    });
    words.filter(|(word, _)| !word.is_empty()).collect()
}

/// A word in lower case and without punctuation.
pub fn plain(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The share of the words in both texts whose speakers agree under the best assignment of speakers.
pub fn word_accuracy(reference: &[Attributed], hypothesis: &[Attributed]) -> f64 {
    let words = |words: &[Attributed]| -> Vec<AttributedWord> {
        words
            .iter()
            .map(|(word, speaker)| AttributedWord { word: word.clone(), speaker: speaker.clone() })
            .collect()
    };
    let attribution = attribution(&words(reference), &words(hypothesis));
    attribution.right as f64 / attribution.words as f64
}
