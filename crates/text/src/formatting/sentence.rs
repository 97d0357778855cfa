//! Formats one sentence: its first letter, names and weekdays, numbers.

use super::{capitals, edges, written};
use crate::parsed_transcript::ParsedTranscript;
use crate::spoken::{SpokenLine, title};
use crate::words::{Kind, Token, tokens};

/// A text with fewer than one full stop per this many bytes counts as unpunctuated.
const BYTES_PER_STOP: usize = 400;

/// The punctuation of the whole text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TextStyle {
    /// Sentences end with punctuation.
    punctuated: bool,
}

impl TextStyle {
    pub(super) fn of(text: &str) -> Self {
        let stops = text.bytes().filter(|letter| matches!(letter, b'.' | b'!' | b'?')).count();
        Self { punctuated: stops * BYTES_PER_STOP >= text.len() }
    }
}

/// The formatted text of a sentence.
pub(super) fn write(parsed: &ParsedTranscript, nth: usize, style: TextStyle) -> String {
    let text = parsed.readable_text();
    let range = parsed.sentences[nth].range.clone();
    let tokens = tokens(text, range.clone());
    let line = SpokenLine { tokens: &tokens };
    let mut written = String::with_capacity(range.len());
    let mut at = 0;
    let mut done = range.start;
    let mut rewrites = written::rewrites(line);
    if !rewrites.is_empty() {
        edges::keep_words(parsed, nth, tokens.len(), &mut rewrites);
    }
    let mut rewrites = rewrites.into_iter().peekable();
    while at < tokens.len() {
        push_gap(&text[done..tokens[at].range.start], &mut written);
        match rewrites.next_if(|next| next.tokens.start == at) {
            Some(rewrite) => {
                written.push_str(&rewrite.text);
                at = rewrite.tokens.end;
            }
            None => {
                written.push_str(&cased(text, &tokens, at));
                at += 1;
            }
        }
        done = tokens[at - 1].range.end;
    }
    if begins_sentence(parsed, nth, style) {
        capitalise(&mut written);
    }
    if ends_unmarked(parsed, nth, style) {
        written.push('.');
    }
    written
}

fn push_gap(gap: &str, written: &mut String) {
    if !gap.is_empty() {
        written.push_str(if gap.contains('\n') { " " } else { gap });
    }
}

/// The token in its correct case.
fn cased(text: &str, tokens: &[Token], at: usize) -> String {
    let token = &tokens[at];
    let word = &text[token.range.clone()];
    let has_capital = token.kind == Kind::Word && capitals::has_capital(tokens, at);
    if has_capital { title(word) } else { word.to_owned() }
}

fn capitalise(written: &mut String) {
    let first = written.char_indices().find(|(_, letter)| letter.is_alphanumeric());
    // Keeps words such as `iPhone`, and addresses.
    let kept = written.split_whitespace().next().is_some_and(|word| {
        word.chars().skip(1).any(char::is_uppercase)
            || word.contains('@')
            || word.trim_end_matches('.').contains('.')
    });
    if let Some((at, letter)) = first.filter(|(_, letter)| letter.is_lowercase() && !kept) {
        let capital: String = letter.to_uppercase().collect();
        written.replace_range(at..at + letter.len_utf8(), &capital);
    }
}

/// Whether a new sentence begins here, not the rest of one that was split because of its length.
fn begins_sentence(parsed: &ParsedTranscript, nth: usize, style: TextStyle) -> bool {
    let Some(before) = nth.checked_sub(1) else { return true };
    let stopped =
        parsed.sentence(before).trim_end_matches(['"', '”', '’', '\'', ')']).ends_with(['.', '!', '?', '…']);
    let turn = parsed.speaker(before) != parsed.speaker(nth);
    let utterance = parsed.sentences[before].utterance != parsed.sentences[nth].utterance;
    stopped || turn || utterance && !style.punctuated
}

/// Whether an utterance of an unpunctuated text ends here without punctuation.
fn ends_unmarked(parsed: &ParsedTranscript, nth: usize, style: TextStyle) -> bool {
    let next = parsed.sentences.get(nth + 1);
    let last = next.is_none_or(|next| next.utterance != parsed.sentences[nth].utterance);
    last && !style.punctuated && parsed.sentence(nth).ends_with(char::is_alphanumeric)
}
