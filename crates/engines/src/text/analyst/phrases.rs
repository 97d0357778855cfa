//! Phrases that say what a text is about: YAKE's candidates, without what people say while they think.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use yake_rust::{Config, StopWords, get_n_best};

use super::gazetteer::{is_first_name, place_at};
use super::reading::Reading;
use super::spoken::is_calendar_word;
use super::stop_words::{self, is_stop_word};
use super::words::{Kind, tokens};

/// Text that YAKE reads at once, in bytes: its work grows faster than the text.
pub(super) const WINDOW: usize = 24_576;
/// Candidates kept of one window.
const CANDIDATES: usize = 60;

static STOP_WORDS: LazyLock<StopWords> = LazyLock::new(|| {
    let words: HashSet<String> = stop_words::all().map(str::to_owned).collect();
    StopWords::custom(words)
});

/// A phrase and how much it stands out, from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Phrase {
    /// As it was first written.
    pub(super) text: String,
    /// In small letters and the singular.
    pub(super) key: String,
    pub(super) weight: f64,
}

/// The best phrases of some sentences, the best first.
pub(super) fn in_sentences(reading: &Reading, sentences: Range<usize>) -> Vec<Phrase> {
    let texts: Vec<&str> = sentences.map(|nth| reading.sentence(nth)).collect();
    // Each on a line of its own: a phrase never reaches over the end of a sentence.
    let text: String = texts.iter().map(|text| plain(text)).collect::<Vec<_>>().join("\n\n");
    let config = Config { ngrams: 3, remove_duplicates: false, minimum_chars: 3, ..Config::default() };
    // A defect of the library on strange text must not end the whole analysis.
    let found = std::panic::catch_unwind(|| get_n_best(CANDIDATES * 4, &text, &STOP_WORDS, &config));
    let said = text.to_lowercase();
    // What is put together over a `'s` or a sign is nothing that anybody said.
    let verbatim = |raw: &str| !raw.contains(' ') || said.contains(&raw.to_lowercase());
    let found = found.unwrap_or_default().into_iter();
    let found: Vec<_> = found.filter(|item| is_phrase(&item.raw) && verbatim(&item.raw)).collect();
    let mut seen = HashSet::new();
    let mut phrases = Vec::new();
    for item in found {
        let key = key_of(&item.raw);
        if seen.insert(key.clone()) && phrases.len() < CANDIDATES {
            phrases.push((item.raw, key));
        }
    }
    let count = phrases.len() as f64;
    let weighed = phrases.into_iter().enumerate();
    weighed.map(|(rank, (text, key))| Phrase { text, key, weight: 1.0 - rank as f64 / count }).collect()
}

/// A sentence that YAKE reads as it should: no line ends inside, and a full stop at its end.
fn plain(sentence: &str) -> String {
    let mut plain = sentence.split_whitespace().collect::<Vec<_>>().join(" ").replace('’', "'");
    if !plain.ends_with(['.', '!', '?']) {
        plain.push('.');
    }
    plain
}

/// Whether a candidate may stand in a list of key phrases.
fn is_phrase(raw: &str) -> bool {
    let words: Vec<&str> = raw.split(' ').collect();
    let letters = |word: &&str| {
        word.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
            && word.chars().any(char::is_alphabetic)
    };
    if words.is_empty() || words.len() > 3 || !words.iter().all(letters) {
        return false;
    }
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    if lower.iter().any(|word| is_stop_word(word)) {
        return false;
    }
    let named = words[0].chars().next().is_some_and(char::is_uppercase);
    // People are entities, days are dates: neither says what is spoken of.
    let elsewhere = named && words.len() < 3 && is_first_name(&lower[0], true) && place_of(&lower).is_none();
    let verb = |word: &String| word.len() > 4 && word.ends_with("ed");
    if elsewhere || lower.iter().any(|word| is_calendar_word(word)) || lower[0] == "new" && !named {
        return false;
    }
    if words.len() > 1 && (verb(&lower[0]) || lower.last().is_some_and(verb)) {
        return false;
    }
    let word = &lower[0];
    // A lone verb or adverb says little: there is no grammar here, so its ending tells.
    words.len() > 1
        || named
        || word.len() > 3 && !word.ends_with("ing") && !word.ends_with("ly") && !word.ends_with("ed")
}

/// `Florence` and `Charlotte` are places too.
fn place_of(words: &[String]) -> Option<usize> {
    let text = words.join(" ");
    place_at(&tokens(&text, 0..text.len()), 0)
}

/// Words in small letters and the singular, so that `Invoices` and `invoice` are one.
pub(super) fn key_of(phrase: &str) -> String {
    phrase.split_whitespace().map(|word| singular(&word.to_lowercase())).collect::<Vec<_>>().join(" ")
}

fn singular(word: &str) -> String {
    let plain = word.strip_suffix("'s").unwrap_or(word);
    match plain {
        _ if plain.chars().count() > 4 && plain.ends_with("ies") => format!("{}y", &plain[..plain.len() - 3]),
        _ if plain.chars().count() > 3
            && plain.ends_with('s')
            && !plain.ends_with("ss")
            && !plain.ends_with("us") =>
        {
            plain[..plain.len() - 1].to_owned()
        }
        _ => plain.to_owned(),
    }
}

/// How often each of the phrases is said in some sentences.
pub(super) fn count(
    reading: &Reading,
    sentences: Range<usize>,
    keys: &HashSet<String>,
) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for nth in sentences {
        let said: Vec<String> = tokens(reading.text(), reading.sentences[nth].range.clone())
            .into_iter()
            .filter(|token| token.kind != Kind::Sign || token.lower != "-")
            .map(|token| singular(&token.lower))
            .collect();
        for start in 0..said.len() {
            let mut key = String::new();
            for word in said.iter().skip(start).take(4) {
                if !key.is_empty() {
                    key.push(' ');
                }
                key.push_str(word);
                if keys.contains(&key) {
                    *counts.entry(key.clone()).or_default() += 1;
                }
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::text::TextTranscript;

    fn reading(text: &str) -> Reading {
        Reading::new(Arc::new(TextTranscript { text: text.into(), ..TextTranscript::default() }))
    }

    #[test]
    fn phrases_are_made_of_words_that_say_something() {
        let text =
            "So the data centre migration is, you know, late. The data centre migration needs a new budget.";
        let reading = reading(text);
        let found = in_sentences(&reading, 0..reading.sentences.len());
        assert!(found.iter().any(|phrase| phrase.key == "data centre migration"), "{found:?}");
        assert!(found.iter().all(|phrase| !phrase.key.split(' ').any(is_stop_word)), "{found:?}");
    }

    #[test]
    fn the_plural_counts_with_the_singular() {
        let reading = reading("One invoice. Two invoices. The INVOICE's date. Companies and a company.");
        let keys = HashSet::from(["invoice".to_owned(), "company".to_owned()]);
        let counted = count(&reading, 0..reading.sentences.len(), &keys);
        assert_eq!((counted["invoice"], counted["company"]), (3, 2));
    }
}
