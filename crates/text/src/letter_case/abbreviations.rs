//! Which words of a sentence without capitals are abbreviations.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::line::LowerLine;
use crate::spoken::is_number_word;
use crate::stop_words::is_stop_word;
use crate::words::Kind;

/// Abbreviations that look like words, and after a `*` in the file those that are also words.
static LISTED: LazyLock<(HashSet<&str>, HashSet<&str>)> = LazyLock::new(|| {
    let (words, plain): (Vec<&str>, Vec<&str>) =
        include_str!("../data/abbreviations.txt").split_whitespace().partition(|word| word.starts_with('*'));
    (plain.into_iter().collect(), words.into_iter().map(|word| &word[1..]).collect())
});
/// Words without a vowel that are not abbreviations: sounds, units, titles and the ends of words.
const WITHOUT_VOWEL: [&str; 47] = [
    "brr", "cc", "cm", "db", "dl", "dr", "ft", "gb", "gm", "grr", "hm", "hmm", "hmph", "hrs", "hz", "kb",
    "kg", "khz", "km", "kmh", "kw", "lb", "lbs", "ll", "mb", "mg", "mhm", "ml", "mm", "mph", "mr", "mrs",
    "ms", "nd", "nth", "pfft", "pm", "pst", "psst", "rd", "sh", "shh", "st", "th", "tsk", "tsp", "vs",
];
/// Units that are also abbreviations: `24 hr`, but `call hr`.
const UNITS: [&str; 2] = ["hr", "ct"];

impl LowerLine<'_> {
    /// Whether a word is an abbreviation: `ceo`, `cdc`, the letters of `u.s.`, and `us` in `the us`.
    pub(super) fn is_abbreviation(&self, at: usize) -> bool {
        let word = self.word(at);
        let is_unit = || UNITS.contains(&word) && self.follows_number(at);
        let is_listed = LISTED.0.contains(word) && !is_unit();
        let is_likely = self.takes_likely() && LISTED.1.contains(word);
        is_listed
            || is_likely
            || self.is_dotted(at)
            || has_no_vowel(word)
            || word == "us" && self.before(at) == "the"
    }

    /// Whether this is a letter of `u.s.`.
    fn is_dotted(&self, at: usize) -> bool {
        let has_stop = |at: usize| self.tokens.get(at).is_some_and(|token| token.is("."));
        let is_letter = |at: usize| self.is_word(at) && self.word(at).len() == 1;
        let is_time = |first: usize| matches!(self.word(first), "a" | "p") && self.word(first + 2) == "m";
        let first = |at: usize| has_stop(at + 1) && is_letter(at + 2) && !is_time(at);
        is_letter(at) && (first(at) || at >= 2 && has_stop(at - 1) && is_letter(at - 2) && !is_time(at - 2))
    }

    fn follows_number(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.is_some_and(|token| token.kind == Kind::Digits || is_number_word(&token.lower))
    }
}

fn has_no_vowel(word: &str) -> bool {
    let is_consonant = |letter: u8| letter.is_ascii_lowercase() && !b"aeiouy".contains(&letter);
    (2..=4).contains(&word.len())
        && word.bytes().all(is_consonant)
        && !WITHOUT_VOWEL.contains(&word)
        && !LISTED.0.contains(word)
        && !is_stop_word(word)
}
