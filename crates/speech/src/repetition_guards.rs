//! Protection against hallucinations: repetition loops are cut, and text without words is dropped.

use auris_engine_core::repetition::periodic_tail;

/// Maximum length of a repeated phrase, in tokens.
const MAX_PHRASE: usize = 16;
/// Repetitions in a row that make a loop.
const MIN_REPEATS: usize = 4;
/// Minimum length of a loop in tokens, so that a few repeated words are kept.
const MIN_LOOP: usize = 12;

/// If `tokens` ends with a loop, the number of tokens to keep: everything up to the first occurrence of the phrase.
pub(crate) fn loop_start(tokens: &[u32]) -> Option<usize> {
    (1..=MAX_PHRASE).find_map(|length| {
        let repeats = periodic_tail(tokens, length) / length;
        let is_loop = repeats >= MIN_REPEATS && repeats * length >= MIN_LOOP;
        is_loop.then(|| tokens.len() - (repeats - 1) * length)
    })
}

/// Whether a text has words: not only dots, dashes and notes.
pub(crate) fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_phrase_is_cut_to_its_first_occurrence() {
        let mut tokens = vec![1, 2, 3];
        tokens.extend([7, 8, 9].repeat(5));
        assert_eq!(loop_start(&tokens), Some(6));
        assert_eq!(loop_start(&[5; 12]), Some(1));
    }

    #[test]
    fn ordinary_repetition_is_kept() {
        assert_eq!(loop_start(&[1, 2, 1, 2, 3]), None);
        assert_eq!(loop_start(&[4, 4, 4]), None);
        assert_eq!(loop_start(&[]), None);
    }

    #[test]
    fn punctuation_is_not_words() {
        assert!(!has_words(" ... ♪ -"));
        assert!(has_words("Ja."));
    }
}
