//! English words that carry no meaning of their own, and those that people say while they think.

use std::collections::HashSet;
use std::sync::LazyLock;

static WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("data/stop_words.txt").split_whitespace().collect());

/// Whether the word, in small letters, says nothing by itself.
pub(super) fn is_stop_word(word: &str) -> bool {
    WORDS.contains(word) || word.contains('’') && WORDS.contains(word.replace('’', "'").as_str())
}

pub(super) fn all() -> impl Iterator<Item = &'static str> {
    WORDS.iter().copied()
}

/// How many words of a sentence say something.
pub(super) fn content_words(sentence: &str) -> usize {
    let words = sentence.split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '’');
    words.filter(|word| word.chars().count() > 2 && !is_stop_word(&word.to_lowercase())).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_say_something_count() {
        assert_eq!(content_words("Well, you know, I don’t think the supplier sent an invoice"), 2);
    }
}
