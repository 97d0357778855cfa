//! Words that neither subjects nor surnames have: verbs, interjections, greetings and forms of address.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::stop_words::is_stop_word;
use super::words::singular;

static WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("data/not_in_phrases.txt").split_whitespace().collect());

/// Whether a lower-case word, or the word without its `s`, is on the list or a stop word.
pub(super) fn is_not_noun(word: &str) -> bool {
    is_stop_word(word) || WORDS.contains(word) || WORDS.contains(singular(word).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_and_interjections_are_not_nouns() {
        assert!(["thinks", "believe", "ahem", "said", "the"].into_iter().all(is_not_noun));
        assert!(!["smith", "budget", "invoices"].into_iter().any(is_not_noun));
    }
}
