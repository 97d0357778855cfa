//! First names and the words after them that occur more than once in a text: such a word is a surname.

use std::collections::HashMap;

use crate::gazetteer::is_first_name;
use crate::not_nouns::is_not_noun;
use crate::spoken::{is_calendar_word, is_number_word};
use crate::words::{Kind, Token};

/// Maximum different pairs that are counted.
const MAX_PAIRS: usize = 50_000;
/// Ends of words that are rather verbs, adverbs and adjectives than surnames.
const ENDS: [&str; 4] = ["ed", "ing", "ly", "ful"];

/// How often each pair occurs.
#[derive(Default)]
pub(super) struct Pairs(HashMap<(String, String), usize>);

impl Pairs {
    /// Counts the pairs of a sentence in lower case.
    pub(super) fn add(&mut self, tokens: &[Token]) {
        for pair in tokens.windows(2) {
            let is_pair =
                pair[0].kind == Kind::Word && is_first_name(&pair[0].lower, true) && may_be_surname(&pair[1]);
            if is_pair && self.0.len() < MAX_PAIRS {
                *self.0.entry(key(&pair[0], &pair[1])).or_default() += 1;
            }
        }
    }

    pub(super) fn is_repeated(&self, first: &Token, last: &Token) -> bool {
        self.0.get(&key(first, last)).is_some_and(|count| *count > 1)
    }
}

pub(super) fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

fn key(first: &Token, last: &Token) -> (String, String) {
    (first.lower.clone(), without_possessive(&last.lower).to_owned())
}

/// Whether a word after a first name may be a surname: not a stop word, a verb, a number or a day.
pub(super) fn may_be_surname(token: &Token) -> bool {
    let word = without_possessive(&token.lower);
    token.kind == Kind::Word
        && word.len() > 1
        && !is_not_noun(word)
        && !ENDS.iter().any(|end| word.ends_with(end) && word.len() > end.len() + 2)
        && !is_number_word(word)
        && !is_calendar_word(word)
}
