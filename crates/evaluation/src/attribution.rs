//! How many recognized words are attributed to the right speaker.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::alignment::{Step, align};
use crate::assignment::{best_assignment, gain};

/// A word in a common form, and its speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributedWord {
    pub word: String,
    pub speaker: String,
}

/// Words that are in both texts, and those of them with the right speaker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Attribution {
    pub words: usize,
    pub right: usize,
}

impl Attribution {
    /// Words with the right speaker of a hundred; `None` without words.
    pub fn percent(&self) -> Option<f64> {
        (self.words > 0).then(|| 100.0 * self.right as f64 / self.words as f64)
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.words += other.words;
        self.right += other.right;
    }
}

/// Compares the speakers under the best assignment of names. Words in only one text are errors of recognition, not of
/// diarization.
pub fn attribution(reference: &[AttributedWord], found: &[AttributedWord]) -> Attribution {
    let steps =
        align(reference.iter().map(|word| word.word.as_str()), found.iter().map(|word| word.word.as_str()));
    let pairs = steps.iter().filter_map(|step| match step {
        Step::Same(one, other) => Some((&reference[*one], &found[*other])),
        Step::Substituted(..) | Step::Deleted(_) | Step::Inserted(_) => None,
    });
    speakers(pairs.map(|(one, other)| (one.speaker.as_str(), other.speaker.as_str())))
}

/// Compares pairs of speakers of the same words.
pub(crate) fn speakers<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Attribution {
    let mut counts: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    let mut words = 0;
    for pair in pairs {
        *counts.entry(pair).or_default() += 1.0;
        words += 1;
    }
    let numbered = |names: Vec<&'a str>| -> BTreeMap<&'a str, usize> {
        let mut numbers = BTreeMap::new();
        for name in names {
            let next = numbers.len();
            numbers.entry(name).or_insert(next);
        }
        numbers
    };
    let rows = numbered(counts.keys().map(|pair| pair.0).collect());
    let columns = numbered(counts.keys().map(|pair| pair.1).collect());
    let mut gains = vec![vec![0.0; columns.len()]; rows.len()];
    for ((row, column), count) in counts {
        gains[rows[row]][columns[column]] = count;
    }
    Attribution { words, right: gain(&gains, &best_assignment(&gains)).round() as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<AttributedWord> {
        let word = |word: &str| {
            let (word, speaker) = word.split_once('/').unwrap();
            AttributedWord { word: word.into(), speaker: speaker.into() }
        };
        text.split(' ').map(word).collect()
    }

    #[test]
    fn only_words_in_both_texts_are_compared() {
        let truth = words("good/a day/a how/b are/b you/b");
        let right = |text: &str| attribution(&truth, &words(text));
        assert_eq!(right("good/X day/X how/Y are/Y you/Y"), Attribution { words: 5, right: 5 });
        assert_eq!(right("good/Y day/Y how/X are/X you/Y"), Attribution { words: 5, right: 4 });
        // One word is missing, one is misrecognized and one is added. None of them affects the speakers.
        assert_eq!(right("good/X how/Y um/X our/Y you/Y").percent(), Some(100.0));
        assert_eq!(attribution(&truth, &[]).percent(), None);
    }
}
