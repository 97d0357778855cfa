//! One sentence as people write it: its first letter, names of days, numbers.

use super::super::gazetteer;
use super::super::reading::Reading;
use super::super::spoken::{Line, is_calendar_word, title};
use super::super::words::{Kind, Token, tokens};

/// A text with fewer full stops than one in this many bytes has none worth the name.
const BYTES_PER_STOP: usize = 400;

/// What the text as a whole is like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Manner {
    /// All capitals.
    shouted: bool,
    /// All small letters: names of people and places have lost their capitals.
    uncased: bool,
    /// Sentences have ends.
    punctuated: bool,
}

impl Manner {
    pub(super) fn of(text: &str) -> Self {
        let (mut large, mut small, mut stops) = (0, 0, 0);
        for letter in text.chars() {
            large += usize::from(letter.is_uppercase());
            small += usize::from(letter.is_lowercase());
            stops += usize::from(matches!(letter, '.' | '!' | '?'));
        }
        let shouted = large > 20 && large > 2 * small;
        Self {
            shouted,
            uncased: shouted || large * 200 < small,
            punctuated: stops * BYTES_PER_STOP >= text.len(),
        }
    }
}

/// A sentence of the reading, written properly.
pub(super) fn write(reading: &Reading, nth: usize, manner: Manner) -> String {
    let (text, range) = (reading.text(), reading.sentences[nth].range.clone());
    let tokens = tokens(text, range.clone());
    let line = Line { tokens: &tokens };
    let mut written = String::with_capacity(range.len());
    let (mut at, mut done) = (0, range.start);
    let mut expressions = line.expressions().into_iter().peekable();
    while at < tokens.len() {
        push_gap(&text[done..tokens[at].range.start], &mut written);
        let change = expressions.next_if(|next| next.tokens.start == at);
        match change.and_then(|change| Some((change.written?, change.tokens))) {
            Some((as_written, over)) => {
                written.push_str(&as_written);
                at = over.end;
            }
            None => {
                written.push_str(&cased(text, &tokens, at, manner));
                at += 1;
            }
        }
        done = tokens[at - 1].range.end;
    }
    if begins_sentence(reading, nth, manner) {
        capitalise(&mut written);
    }
    if ends_unmarked(reading, nth, manner) {
        written.push('.');
    }
    written
}

fn push_gap(gap: &str, written: &mut String) {
    if !gap.is_empty() {
        written.push_str(if gap.contains('\n') { " " } else { gap });
    }
}

/// The token with the capital that it deserves.
fn cased(text: &str, tokens: &[Token], at: usize, manner: Manner) -> String {
    let token = &tokens[at];
    let as_it_is = &text[token.range.clone()];
    if token.kind != Kind::Word {
        return as_it_is.to_owned();
    }
    let pronoun = token.lower == "i" || token.lower.starts_with("i'");
    if pronoun || is_calendar_word(&token.lower) || manner.uncased && gazetteer::has_capital(tokens, at) {
        return title(&if manner.shouted { as_it_is.to_lowercase() } else { as_it_is.to_owned() });
    }
    if manner.shouted { as_it_is.to_lowercase() } else { as_it_is.to_owned() }
}

fn capitalise(written: &mut String) {
    let first = written.char_indices().find(|(_, letter)| letter.is_alphanumeric());
    // A word such as `iPhone` knows better.
    let mixed =
        written.split_whitespace().next().is_some_and(|word| word.chars().skip(1).any(char::is_uppercase));
    if let Some((at, letter)) = first.filter(|(_, letter)| letter.is_lowercase() && !mixed) {
        let capital: String = letter.to_uppercase().collect();
        written.replace_range(at..at + letter.len_utf8(), &capital);
    }
}

/// Whether a new sentence begins here, and not the rest of one that was cut for its length.
fn begins_sentence(reading: &Reading, nth: usize, manner: Manner) -> bool {
    let Some(before) = nth.checked_sub(1) else { return true };
    let stopped =
        reading.sentence(before).trim_end_matches(['"', '”', '’', '\'', ')']).ends_with(['.', '!', '?', '…']);
    let turn = reading.speaker(before) != reading.speaker(nth);
    let utterance = reading.sentences[before].utterance != reading.sentences[nth].utterance;
    stopped || turn || utterance && !manner.punctuated
}

/// Whether an utterance ends here without a mark, in a text that has none.
fn ends_unmarked(reading: &Reading, nth: usize, manner: Manner) -> bool {
    let next = reading.sentences.get(nth + 1);
    let last = next.is_none_or(|next| next.utterance != reading.sentences[nth].utterance);
    last && !manner.punctuated && reading.sentence(nth).ends_with(char::is_alphanumeric)
}
