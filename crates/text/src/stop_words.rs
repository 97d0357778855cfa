//! English stop words, including fillers such as `you know`.

use std::collections::HashSet;
use std::sync::LazyLock;

static WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("data/stop_words.txt").split_whitespace().collect());

/// Whether a lower-case word is a stop word.
pub(super) fn is_stop_word(word: &str) -> bool {
    WORDS.contains(word) || word.contains('’') && WORDS.contains(word.replace('’', "'").as_str())
}

/// The words of a sentence that are not stop words, in lower case.
pub(super) fn content(sentence: &str) -> impl Iterator<Item = String> {
    let words = sentence.split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '’');
    words
        .filter(|word| word.chars().nth(2).is_some())
        .map(str::to_lowercase)
        .filter(|word| !is_stop_word(word))
}

/// The number of words of a sentence that are not stop words.
pub(super) fn content_words(sentence: &str) -> usize {
    content(sentence).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_do_not_count() {
        assert_eq!(content_words("Well, you know, I don’t think the supplier sent an invoice"), 2);
    }
}
