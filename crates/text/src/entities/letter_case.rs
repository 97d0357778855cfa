//! Restores capitals in texts that are all in lower case or all in capitals, because the net recognizes names by them.

use std::ops::Range;

use super::capital_rules::{Writing, writing};
use crate::words::tokens;

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
    let plain = if is_loud { text.to_ascii_lowercase() } else { text.to_owned() };
    let mut restored = plain.clone().into_bytes();
    for sentence in sentences {
        let tokens = tokens(&plain, sentence.clone());
        for (token, written) in tokens.iter().zip(writing(&tokens)) {
            match written {
                Writing::Lower => {}
                Writing::Capital => restored[token.range.start].make_ascii_uppercase(),
                Writing::Capitals => restored[token.range.clone()].make_ascii_uppercase(),
            }
        }
    }
    String::from_utf8(restored).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Option<String> {
        restored(text, std::slice::from_ref(&(0..text.len())))
    }

    #[test]
    fn a_text_in_lower_case_and_one_in_capitals_become_the_same() {
        let wanted = "In the US, Anna Smith flew to Western Europe in May with COVID.";
        assert_eq!(written(&wanted.to_lowercase()).as_deref(), Some(wanted));
        assert_eq!(written(&wanted.to_uppercase()).as_deref(), Some(wanted));
        assert_eq!(written(wanted), None);
    }
}
