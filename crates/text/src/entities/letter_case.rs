//! Restores capitals in texts that are all in lower case or all in capitals, because the net recognizes names by them.

use std::ops::Range;

use crate::gazetteer::{is_first_name, organization_at, place_at};
use crate::spoken::is_calendar_word;
use crate::stop_words::is_stop_word;
use crate::words::{Kind, Token, tokens};

/// Titles before a name.
const TITLES: [&str; 8] = ["mr", "mrs", "ms", "miss", "dr", "doctor", "professor", "prof"];
/// Minimum letters for a decision about the case of a text.
const MIN_LETTERS: usize = 20;

/// The text with restored capitals and the same bytes otherwise; `None` if it has both cases already.
pub(super) fn restored(text: &str, sentences: &[Range<usize>]) -> Option<String> {
    let letters = |is: fn(&u8) -> bool| text.bytes().filter(is).count();
    let lower = letters(u8::is_ascii_lowercase);
    let upper = letters(u8::is_ascii_uppercase);
    if lower + upper < MIN_LETTERS {
        return None;
    }
    let is_loud = upper > 9 * lower;
    // Some capitals, as of `I` and of first words, are in transcripts without names in capitals too.
    if !is_loud && upper * 250 > lower {
        return None;
    }
    let mut restored = text.as_bytes().to_vec();
    if is_loud {
        restored.make_ascii_lowercase();
    }
    let plain = if is_loud { text.to_ascii_lowercase() } else { text.to_owned() };
    for sentence in sentences {
        let tokens = tokens(&plain, sentence.clone());
        for at in capitalized(&tokens) {
            restored[tokens[at].range.start].make_ascii_uppercase();
        }
    }
    String::from_utf8(restored).ok()
}

/// The tokens of a sentence that are written with a capital.
fn capitalized(tokens: &[Token]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let end = name_end(tokens, at);
        found.extend(at..end.max(at));
        if end <= at && (at == 0 || tokens[at].is("i") || tokens[at].lower.starts_with("i'")) {
            found.push(at);
        }
        at = end.max(at + 1);
    }
    found.retain(|at| {
        tokens[*at].kind == Kind::Word && !matches!(tokens[*at].lower.as_str(), "of" | "the" | "and")
    });
    found
}

/// Where the name that begins at a token ends; the token itself if there is none.
fn name_end(tokens: &[Token], at: usize) -> usize {
    if let Some(end) = place_at(tokens, at).or_else(|| organization_at(tokens, at)) {
        return end;
    }
    if is_calendar_word(&tokens[at].lower) {
        return at + 1;
    }
    let is_title = TITLES.contains(&tokens[at].lower.as_str());
    let first = if is_title {
        at + 1 + usize::from(tokens.get(at + 1).is_some_and(|token| token.is(".")))
    } else {
        at
    };
    let is_name = |at: usize| {
        tokens.get(at).is_some_and(|token| token.kind == Kind::Word && !is_stop_word(plain(&token.lower)))
    };
    let is_first = tokens.get(first).is_some_and(|token| is_first_name(plain(&token.lower), true));
    if !(is_first || is_title && is_name(first)) {
        return at;
    }
    let has_last = tokens[first].lower == plain(&tokens[first].lower) && is_name(first + 1);
    first + 1 + usize::from(has_last && is_first)
}

fn plain(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}
