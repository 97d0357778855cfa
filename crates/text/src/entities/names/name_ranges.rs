//! Finds ranges of tokens that may be one name.

use std::ops::Range;

use super::classify::{is_introduced, starts_sentence};
use super::word_lists::{COMPANY_WORDS, OTHER_CAPITALS, TITLES};
use crate::gazetteer::{is_first_name, organization_at, place_at};
use crate::spoken::is_calendar_word;
use crate::stop_words::is_stop_word;
use crate::words::{Kind, Token};

/// Verbs that follow a name at the start of a sentence.
const VERBS_AFTER_NAME: [&str; 8] = ["is", "was", "said", "says", "has", "will", "called", "and"];

/// The ranges of tokens that may be names, from left to right.
pub(super) fn name_ranges(tokens: &[Token]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match name_end(tokens, at) {
            Some(end) => {
                ranges.push(at..end);
                at = end;
            }
            None => at += 1,
        }
    }
    ranges
}

/// Where a name that starts at `at` ends.
fn name_end(tokens: &[Token], at: usize) -> Option<usize> {
    known_name_end(tokens, at)
        .or_else(|| capitalized_end(tokens, at))
        .or_else(|| lower_case_first_name_end(tokens, at))
}

/// A name in the gazetteer. `Chicago Bank` is a bank, but the known name in `Washington Irving` is only `Washington`.
fn known_name_end(tokens: &[Token], at: usize) -> Option<usize> {
    let end = place_at(tokens, at).or_else(|| organization_at(tokens, at))?;
    Some(if is_company_word(tokens, end) { end + 1 } else { end })
}

/// Capitalized words, possibly after a title.
fn capitalized_end(tokens: &[Token], at: usize) -> Option<usize> {
    let start = if is_title(tokens, at) {
        at + 1 + usize::from(tokens.get(at + 1).is_some_and(|token| token.is(".")))
    } else {
        at
    };
    let mut end = start;
    while let Some(next) = next_part_end(tokens, start, end) {
        end = next;
        // A possessive ends a name.
        if tokens[end - 1].lower.ends_with("'s") {
            break;
        }
    }
    (end > start).then_some(end)
}

fn is_title(tokens: &[Token], at: usize) -> bool {
    TITLES.contains(&tokens[at].lower.as_str()) && tokens[at].capital
}

/// Where the next part of a name ends: another name word, or `of` or `&` with a name word after it.
fn next_part_end(tokens: &[Token], start: usize, end: usize) -> Option<usize> {
    let token = tokens.get(end)?;
    let is_other_place =
        || end > start && place_at(tokens, end).is_some() && !is_first_name(&token.lower, true);
    if is_name_word(tokens, end) && !is_other_place() {
        return Some(end + 1);
    }
    let is_connector = end > start && (token.is("of") || token.is("&"));
    (is_connector && is_name_word(tokens, end + 1)).then_some(end + 2)
}

/// A known first name in lower case, if the words before it introduce a person.
fn lower_case_first_name_end(tokens: &[Token], at: usize) -> Option<usize> {
    let token = &tokens[at];
    let is_name = !is_title(tokens, at) && is_first_name(&token.lower, true) && !token.capital;
    (is_name && is_introduced(tokens, at)).then_some(at + 1)
}

/// Whether a capitalized word may be part of a name.
fn is_name_word(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at).filter(|token| token.kind == Kind::Word && token.capital) else {
        return false;
    };
    let plain = token.lower.strip_suffix("'s").unwrap_or(&token.lower);
    if OTHER_CAPITALS.contains(&plain) || is_calendar_word(plain) {
        return false;
    }
    let is_stop_word = is_stop_word(plain) || plain.contains('\'') || plain.chars().count() < 2;
    if is_stop_word && !is_first_name(plain, true) {
        return false;
    }
    !starts_sentence(tokens, at) || is_name_at_sentence_start(tokens, at, plain)
}

/// Every first word of a sentence is capitalized, so it must be a known name, or the words after it must show that it is
/// a name.
fn is_name_at_sentence_start(tokens: &[Token], at: usize, plain: &str) -> bool {
    let next = tokens.get(at + 1);
    is_first_name(plain, false)
        || is_company_word(tokens, at + 1)
        || next.is_none_or(|next| next.kind == Kind::Sign && next.is("'"))
        || at == 0 && next.is_some_and(|next| next.is_one_of(&VERBS_AFTER_NAME))
}

fn is_company_word(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.capital && COMPANY_WORDS.contains(&token.lower.as_str()))
}
