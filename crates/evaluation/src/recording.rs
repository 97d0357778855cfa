//! The score of one recording: errors, times and speakers of a transcript.

use crate::alignment::{MAX_CELLS, Step, align};
use crate::attribution::{Attribution, speakers};
use crate::edits::EditCounts;
use crate::language::counts_characters;
use crate::normalization::{Token, tokens};
use crate::passages::{Passage, cuts, passages};
use crate::spoken_word::SpokenWord;
use crate::word_times::{AlignedTexts, TimeDifferences};

/// The texts are too long to be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the reference has {reference} words and the transcript {found}, too many to be compared; cut the recording into parts"
)]
pub struct TooLong {
    reference: usize,
    found: usize,
}

/// A reference text, ready to be compared with transcripts.
pub struct Scorer {
    language: String,
    words: Vec<SpokenWord>,
    tokens: Vec<Token>,
    cuts: Vec<usize>,
}

/// How a transcript differs from the reference.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordingScore {
    pub counts: EditCounts,
    pub passages: Vec<Passage>,
    /// `None` if the reference or the transcript has no speakers.
    pub attribution: Option<Attribution>,
    pub(crate) times: TimeDifferences,
}

impl Scorer {
    pub fn new(words: &[SpokenWord], language: &str) -> Self {
        let words = prepared(words, language);
        let tokens = tokens(&words, language);
        let cuts = cuts(&words, &tokens);
        Self { language: language.to_owned(), words, tokens, cuts }
    }

    /// Words (or characters) of the reference.
    pub fn length(&self) -> usize {
        self.tokens.len()
    }

    /// Compares a transcript with the reference.
    pub fn score(&self, found: &[SpokenWord]) -> Result<RecordingScore, TooLong> {
        let found = prepared(found, &self.language);
        let found_tokens = tokens(&found, &self.language);
        if self.tokens.len() as u64 * found_tokens.len() as u64 > MAX_CELLS {
            return Err(TooLong { reference: self.tokens.len(), found: found_tokens.len() });
        }
        let steps = align(texts(&self.tokens), texts(&found_tokens));
        let texts = AlignedTexts {
            reference: &self.words,
            reference_tokens: &self.tokens,
            found: &found,
            found_tokens: &found_tokens,
            steps: &steps,
        };
        let joiner = if counts_characters(&self.language) { "" } else { " " };
        Ok(RecordingScore {
            counts: EditCounts::of(&steps),
            passages: passages(&texts, &self.cuts, joiner),
            attribution: attributed(&texts),
            times: TimeDifferences::new(&texts),
        })
    }
}

fn texts(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.iter().map(|token| token.text.as_str())
}

/// The words, or the characters of a language that is counted in them.
fn prepared(words: &[SpokenWord], language: &str) -> Vec<SpokenWord> {
    if counts_characters(language) {
        words.iter().flat_map(SpokenWord::characters).collect()
    } else {
        words.to_vec()
    }
}

fn attributed(texts: &AlignedTexts) -> Option<Attribution> {
    let known = |words: &[SpokenWord]| words.iter().any(|word| word.speaker.is_some());
    if !known(texts.reference) || !known(texts.found) {
        return None;
    }
    let pairs = texts.steps.iter().filter_map(|step| match step {
        Step::Same(row, column) => {
            let reference = &texts.reference[texts.reference_tokens[*row].first];
            let found = &texts.found[texts.found_tokens[*column].first];
            Some((reference.speaker.as_deref()?, found.speaker.as_deref()?))
        }
        Step::Substituted(..) | Step::Deleted(_) | Step::Inserted(_) => None,
    });
    Some(speakers(pairs))
}
