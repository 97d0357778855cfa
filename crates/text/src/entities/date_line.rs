//! A sentence in which dates are found.

use crate::spoken::{SpokenLine, is_number_word};
use crate::stop_words::is_stop_word;
use crate::words::{Kind, Token};

/// Words after a number that say what it counts, although they are stop words.
const COUNTED: [&str; 6] = ["people", "percent", "points", "times", "to", "years"];
/// Signs after a number that is not a year.
const SIGNS_OF_NUMBERS: [&str; 5] = ["$", "%", "-", "/", ":"];

/// The tokens of a sentence.
pub(super) struct Line<'a>(pub(super) &'a [Token]);

impl Line<'_> {
    /// The word at this position in lower case, without a possessive `'s`; empty after the end.
    pub(super) fn word(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |token| token.lower.strip_suffix("'s").unwrap_or(&token.lower))
    }

    /// The word before this position; empty at the beginning.
    pub(super) fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub(super) fn is_possessive(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|token| token.lower.ends_with("'s"))
    }

    pub(super) fn is_digits(&self, at: usize) -> bool {
        self.spoken().is_digits(at)
    }

    pub(super) fn is_apostrophe(&self, at: usize) -> bool {
        matches!(self.word(at), "'" | "’")
    }

    /// Whether there is no white space between this token and the one before.
    pub(super) fn touches(&self, at: usize) -> bool {
        self.spoken().touches(at)
    }

    /// Whether a number or a period before this position counts nothing: the sentence ends here, or a sign or a stop
    /// word follows.
    pub(super) fn is_end(&self, at: usize) -> bool {
        let word = self.word(at);
        self.0.get(at).is_none_or(|token| match token.kind {
            Kind::Sign => !SIGNS_OF_NUMBERS.contains(&word),
            Kind::Word => is_stop_word(word) && !COUNTED.contains(&word) && !is_number_word(word),
            Kind::Digits => false,
        })
    }

    pub(super) fn spoken(&self) -> SpokenLine<'_> {
        SpokenLine { tokens: self.0 }
    }
}
