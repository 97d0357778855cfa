//! Numbers at the edge of a sentence that was split without a full stop: `… twenty | five dollars …`.

use crate::parsed_transcript::ParsedTranscript;
use crate::spoken::SpokenLine;
use crate::spoken::{is_number_word, ordinal};
use crate::words::tokens;

use super::written::Rewrite;

/// Bytes of the next sentence that are looked at.
const START: usize = 40;

/// Whether a number goes on from a sentence to the next one.
fn number_continues(parsed: &ParsedTranscript, nth: usize) -> bool {
    let same = nth + 1 < parsed.sentences.len() && parsed.speaker(nth) == parsed.speaker(nth + 1);
    if !same || !parsed.sentence(nth).ends_with(char::is_alphabetic) {
        return false;
    }
    let is_joining = |word: &str| matches!(word, "and" | "point" | "oh" | "double" | "triple");
    let mut last = parsed.sentence(nth).rsplit([' ', '-', '\n']).map(str::to_lowercase);
    let last = last.find(|word| !is_joining(word));
    last.is_some_and(|word| is_number_word(&word)) && begins_with_number(parsed.sentence(nth + 1))
}

fn begins_with_number(sentence: &str) -> bool {
    let mut limit = sentence.len().min(START);
    while !sentence.is_char_boundary(limit) {
        limit -= 1;
    }
    let first = tokens(sentence, 0..limit);
    let line = SpokenLine { tokens: &first };
    let at = usize::from(matches!(line.word(0), "and" | "point" | "oh" | "double" | "triple"));
    is_number_word(line.word(at)) || line.is_digits(at) || ordinal(line, at).is_some()
}

/// Removes the rewrites of a number that goes on in the sentence before or after.
pub(super) fn keep_words(parsed: &ParsedTranscript, nth: usize, count: usize, rewrites: &mut Vec<Rewrite>) {
    let opens = nth > 0 && number_continues(parsed, nth - 1);
    let goes_on = number_continues(parsed, nth);
    rewrites.retain(|rewrite| {
        !(opens && rewrite.tokens.start <= 1 || goes_on && rewrite.tokens.end + 1 >= count)
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use auris_engine_core::text::{TextTranscript, TextUtterance};

    #[test]
    fn a_number_over_two_utterances_stays_in_words() {
        let said = |text: &str| TextUtterance { text: text.into(), ..TextUtterance::default() };
        let continues = |one: &str, other: &str| {
            let utterances = vec![said(one), said(other)];
            let text = format!("{one} {other}");
            let transcript = TextTranscript { text, language: None, utterances };
            number_continues(&ParsedTranscript::new(Arc::new(transcript)), 0)
        };
        assert!(continues("it costs twenty", "five dollars"));
        assert!(continues("one hundred", "and five dollars"));
        assert!(continues("on the twenty", "first of june"));
        assert!(!continues("it costs twenty.", "Five dollars is less."));
        assert!(!continues("it costs twenty", "dollars"));
    }
}
