//! The words that can say what a text is about: English words that are not stop words, small talk or names of people.

use std::collections::HashSet;

use super::embedder::Embedder;
use super::small_talk::without_small_talk;
use super::stop_words::is_stop_word;

/// Minimum number of different subject words of a text about something.
const MIN_WORDS: usize = 2;
/// Minimum share of English words among the words of a sentence. A sentence with fewer is in another language, or letters
/// at random.
const MIN_SHARE: f32 = 0.5;
/// Minimum share of such sentences in the words of a text, in which a few random words may look like English.
const MIN_SHARE_OF_TEXT: f32 = 0.2;

/// The words of a sentence without small talk and names of people.
struct Words {
    all: usize,
    /// Stop words, and words in the vocabulary of the network.
    english: usize,
    /// Words that are not stop words. Some are not in the vocabulary, such as `invoice`.
    subject: Vec<String>,
}

impl Words {
    fn read(sentence: &str, embedder: &Embedder) -> Self {
        let mut words = Self { all: 0, english: 0, subject: Vec::new() };
        for word in without_small_talk(sentence) {
            let word = word.strip_suffix("'s").unwrap_or(&word);
            words.all += 1;
            if is_stop_word(word) {
                words.english += 1;
            } else if word.chars().nth(2).is_some() {
                let is_known = is_known(word, embedder);
                words.english += usize::from(is_known);
                if is_known || is_readable(word, embedder) {
                    words.subject.push(word.to_owned());
                }
            }
        }
        words
    }

    fn are_english(&self) -> bool {
        self.english as f32 >= MIN_SHARE * self.all as f32
    }
}

/// Whether a word or its singular is in the vocabulary of the network.
fn is_known(word: &str, embedder: &Embedder) -> bool {
    word.is_ascii() && (embedder.knows(word) || embedder.knows(word.strip_suffix('s').unwrap_or(word)))
}

/// The subject words of a sentence; none if it is not English.
pub(super) fn subject_words(sentence: &str, embedder: &Embedder) -> Vec<String> {
    let words = Words::read(sentence, embedder);
    if words.are_english() { words.subject } else { Vec::new() }
}

/// Whether sentences are about something: not only greetings, fillers, names, numbers or letters at random.
pub(super) fn are_about_something<'a>(sentences: impl Iterator<Item = &'a str>, embedder: &Embedder) -> bool {
    let mut different = HashSet::new();
    let mut english = 0;
    let mut all = 0;
    for words in sentences.map(|sentence| Words::read(sentence, embedder)) {
        all += words.all;
        if words.are_english() {
            english += words.all;
            different.extend(words.subject);
        }
    }
    different.len() >= MIN_WORDS && english as f32 >= MIN_SHARE_OF_TEXT * all as f32
}

/// Whether a word looks like a word or a name and not like letters at random, which the network reads letter by letter.
pub(super) fn is_readable(word: &str, embedder: &Embedder) -> bool {
    let is_acronym = word.len() <= 5 && word.chars().all(|letter| letter.is_ascii_uppercase());
    let lower = word.to_lowercase();
    if is_acronym || embedder.knows(&lower) {
        return true;
    }
    embedder.pieces(&lower) <= lower.chars().count() / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedder::tests::embedder;

    #[test]
    fn text_about_nothing_has_no_subject() {
        let embedder = embedder();
        for text in [
            "Hello everyone. Good morning, how are you?",
            "szyc dpyopu zgdpamnt wo xzhsdk aa mv nxaqh",
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.",
            "555 0199 4711. Seven, eight, nine.",
            "Um. Uh, yeah. Mm-hmm. True. Right, you know.",
            "Anna Smith, Peter Brown, Maria Garcia",
            "Привет как дела сегодня",
        ] {
            assert!(!are_about_something(std::iter::once(text), &embedder), "{text}");
        }
        for text in ["I have a headache and a fever.", "The invoice for my furniture is wrong."] {
            assert!(are_about_something(std::iter::once(text), &embedder), "{text}");
        }
        let beside_letters = ["szyc dpyopu zgdpamnt", "The budget of the office is approved."];
        assert!(are_about_something(beside_letters.into_iter(), &embedder));
    }

    #[test]
    fn letters_at_random_are_not_readable() {
        let embedder = embedder();
        for word in ["szyc", "covqdyf", "kxkz", "Привет"] {
            assert!(!is_readable(word, &embedder), "{word}");
        }
        for word in ["invoice", "Kubernetes", "MFCC", "refactoring", "Trello"] {
            assert!(is_readable(word, &embedder), "{word}");
        }
    }
}
