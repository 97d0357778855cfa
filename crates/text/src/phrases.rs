//! Phrases that describe the subject of a text: YAKE's candidates without fillers.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use super::embedder::Embedder;
use super::gazetteer::{is_first_name, place_at};
use super::not_nouns::is_not_noun;
use super::parsed_transcript::ParsedTranscript;
use super::small_talk::surnames;
use super::spoken::is_calendar_word;
use super::subject_words::{is_readable, subject_words};
use super::words::{Kind, singular, tokens};
use super::yake::best_phrases;

/// Maximum bytes of text from which phrases are chosen at once.
pub(super) const WINDOW: usize = 24_576;
/// Maximum candidates per window.
const CANDIDATES: usize = 60;
/// Maximum letters of a word that can be the beginning of a longer one.
const BROKEN_OFF: usize = 4;

/// Adjectives and adverbs, which do not end a phrase.
static NOT_LAST: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("data/not_last_in_phrases.txt").split_whitespace().collect());

/// Nouns that say nothing about a subject if they are alone. In the singular.
const VAGUE: [&str; 20] = [
    "case",
    "change",
    "dollar",
    "euro",
    "example",
    "fact",
    "glance",
    "idea",
    "instance",
    "kind",
    "matter",
    "midnight",
    "milligram",
    "noon",
    "point",
    "pound",
    "question",
    "return",
    "sort",
    "type",
];
/// What the operator of a conference call says.
const OPERATOR: [&str; 2] = ["press star", "star key"];

const ADJECTIVE_ENDINGS: [&str; 5] = ["ful", "less", "ious", "eous", "iest"];

/// A phrase and its weight, from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Phrase {
    /// As it first occurs.
    pub(super) text: String,
    /// In lower case and singular.
    pub(super) key: String,
    pub(super) weight: f64,
}

/// The best phrases of some sentences that are about something, the best first. Only the first `WINDOW` bytes are read.
pub(super) fn in_sentences(
    parsed: &ParsedTranscript,
    sentences: Range<usize>,
    embedder: &Embedder,
) -> Vec<Phrase> {
    let texts: Vec<String> = parsed
        .fitting(sentences, WINDOW)
        .map(|nth| parsed.sentence(nth))
        .filter(|text| !subject_words(text, embedder).is_empty())
        .map(plain)
        .collect();
    let text = texts.join("\n");
    let surnames: HashSet<String> = surnames(&text).into_iter().collect();
    let readable = |raw: &str| raw.split(' ').all(|word| is_readable(word, embedder));
    let fits = |raw: &str| {
        is_phrase(raw) && !parsed.is_speaker_label(raw) && !is_person(raw, &surnames) && readable(raw)
    };
    let found = best_phrases(&texts, CANDIDATES * 4).into_iter().filter(|raw| fits(raw)).collect();
    let in_lower_case: HashSet<&str> = text
        .split(|letter: char| !letter.is_alphanumeric() && letter != '-')
        .filter(|word| word.starts_with(char::is_lowercase))
        .collect();
    let phrases = different(found);
    let count = phrases.len() as f64;
    let weighed = phrases.into_iter().enumerate().map(|(rank, (raw, key))| {
        let weight = 1.0 - rank as f64 / count;
        let is_name = is_title_case(&raw) && !text.contains(&raw.to_lowercase());
        let text = if is_name { raw } else { usual_case(&raw, &in_lower_case) };
        Phrase { text, key, weight }
    });
    weighed.collect()
}

/// Whether all words are surnames of people in the text.
fn is_person(raw: &str, surnames: &HashSet<String>) -> bool {
    raw.split(' ').all(|word| word.starts_with(char::is_uppercase) && surnames.contains(&word.to_lowercase()))
}

/// The phrases with their keys, each key once, without false starts.
fn different(found: Vec<String>) -> Vec<(String, String)> {
    let mut seen = HashSet::new();
    let keyed = found.into_iter().map(|raw| {
        let key = key_of(&raw);
        (raw, key)
    });
    let mut phrases: Vec<(String, String)> = keyed.collect();
    phrases.retain(|(_, key)| seen.insert(key.clone()));
    let is_whole = |key: &String| !phrases.iter().any(|(_, other)| is_start_of(key, other));
    let whole: Vec<bool> = phrases.iter().map(|(_, key)| is_whole(key)).collect();
    let kept = phrases.into_iter().zip(whole).filter(|(_, whole)| *whole).map(|(phrase, _)| phrase);
    kept.take(CANDIDATES).collect()
}

/// Whether a phrase is another one whose last word breaks off, as `voice rec` of `voice recognition`.
fn is_start_of(phrase: &str, other: &str) -> bool {
    let Some((_, last)) = phrase.rsplit_once(' ') else { return false };
    let missing = other.strip_prefix(phrase).unwrap_or_default();
    last.chars().count() <= BROKEN_OFF
        && missing.chars().count() > 3
        && missing.chars().all(char::is_alphanumeric)
}

/// The phrase with those words in lower case that the text also has in lower case.
fn usual_case(phrase: &str, in_lower_case: &HashSet<&str>) -> String {
    let usual = |word: &str| {
        let lower = word.to_lowercase();
        if in_lower_case.contains(lower.as_str()) { lower } else { word.to_owned() }
    };
    phrase.split(' ').map(usual).collect::<Vec<_>>().join(" ")
}

/// Whether several words all begin with a capital letter, as in `Statistics Canada`.
fn is_title_case(phrase: &str) -> bool {
    phrase.contains(' ') && phrase.split(' ').all(|word| word.starts_with(char::is_uppercase))
}

/// A sentence without line breaks, with straight apostrophes.
fn plain(sentence: &str) -> String {
    sentence.split_whitespace().collect::<Vec<_>>().join(" ").replace('’', "'")
}

/// Whether a candidate is acceptable as a key phrase.
pub(super) fn is_phrase(raw: &str) -> bool {
    let words: Vec<&str> = raw.split(' ').collect();
    let letters = |word: &&str| {
        word.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
            && word.chars().any(char::is_alphabetic)
            && !word.contains("--")
    };
    if words.is_empty() || words.len() > 3 || !words.iter().all(letters) {
        return false;
    }
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let named = words[0].starts_with(char::is_uppercase);
    has_only_nouns(&lower) && !is_person_or_day(&lower, named) && is_subject(&lower, named)
}

/// Whether no word is one that subjects do not have, in the place where it is.
fn has_only_nouns(words: &[String]) -> bool {
    let ends_in_adjective = words.last().is_some_and(|word| is_adjective(word));
    // In speech, `cause` before a noun means `because`.
    !(words.iter().any(|word| is_not_noun(word))
        || ends_in_adjective
        || has_repetition(words)
        || words[0] == "cause")
}

/// People and days are entities, not subjects. `named`: the phrase begins with a capital letter.
fn is_person_or_day(words: &[String], named: bool) -> bool {
    let is_name = (named || words.len() == 1) && is_first_name(&words[0], true);
    let is_person = is_name && words.len() < 3 && place_of(words).is_none();
    // `reporter David Chen`.
    let has_name = words[1..].iter().any(|word| is_first_name(word, true)) && place_of(words).is_none();
    let is_month = named && words.len() == 1 && matches!(words[0].as_str(), "march" | "august");
    is_person || has_name || is_month || words.iter().any(|word| is_calendar_word(word))
}

/// Whether the endings of the words are those of a subject. `named`: the phrase begins with a capital letter.
fn is_subject(words: &[String], named: bool) -> bool {
    let is_vague = words.len() == 1 && VAGUE.contains(&singular(&words[0]).as_str());
    if words[0] == "new" && !named || is_vague || OPERATOR.contains(&words.join(" ").as_str()) {
        return false;
    }
    let is_verb = |word: &String| word.len() > 4 && word.ends_with("ed");
    match words {
        [first, .., last] => !is_verb(first) && !is_verb(last),
        _ if named => true,
        // A single verb or adverb is not a subject.
        _ => words[0].len() > 3 && !["ing", "ly", "ed"].iter().any(|ending| words[0].ends_with(ending)),
    }
}

/// Whether a word is an adjective or adverb, by the list or by its ending.
fn is_adjective(word: &str) -> bool {
    let has_ending = ADJECTIVE_ENDINGS.iter().any(|ending| word.ends_with(ending));
    NOT_LAST.contains(word) || has_ending && word.len() > 5
}

/// Whether a word is said twice, or a part of it before the whole word, as in a false start.
fn has_repetition(words: &[String]) -> bool {
    words.windows(2).any(|pair| pair[1].starts_with(pair[0].as_str()))
}

/// `Florence` and `Charlotte` are also places.
fn place_of(words: &[String]) -> Option<usize> {
    let text = words.join(" ");
    place_at(&tokens(&text, 0..text.len()), 0)
}

/// The phrase in lower case and singular, so that `Invoices` and `invoice` are the same.
pub(super) fn key_of(phrase: &str) -> String {
    phrase.split_whitespace().map(|word| singular(&word.to_lowercase())).collect::<Vec<_>>().join(" ")
}

/// How often each phrase occurs in the sentences.
pub(super) fn count(
    parsed: &ParsedTranscript,
    sentences: Range<usize>,
    keys: &HashSet<String>,
) -> HashMap<String, usize> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for nth in sentences {
        let said: Vec<String> = tokens(parsed.text(), parsed.sentences[nth].range.clone())
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
    use crate::embedder::tests::embedder;
    use crate::stop_words::is_stop_word;
    use auris_engine_core::text::TextTranscript;

    fn parsed(text: &str) -> ParsedTranscript {
        ParsedTranscript::new(Arc::new(TextTranscript { text: text.into(), ..TextTranscript::default() }))
    }

    #[test]
    fn phrases_contain_no_stop_words() {
        let text =
            "So the data centre migration is, you know, late. The data centre migration needs a new budget.";
        let parsed = parsed(text);
        let found = in_sentences(&parsed, 0..parsed.sentences.len(), &embedder());
        assert!(found.iter().any(|phrase| phrase.key == "data centre migration"), "{found:?}");
        assert!(found.iter().all(|phrase| !phrase.key.split(' ').any(is_stop_word)), "{found:?}");
    }

    #[test]
    fn interjections_greetings_and_halves_are_not_phrases() {
        for raw in [
            "Mm-hmm",
            "True",
            "Hello",
            "goodness",
            "yeah",
            "nice",
            "very useful",
            "financial",
            "the the",
            "pro product",
            "anna dot smith",
            "dot com",
            "anna",
            "worries",
            "dunno",
            "cause",
            "cause remotes",
            "wonderful",
            "careless",
            "anticipating Amazon",
            "forward",
            "ideas",
            "example",
            "press star",
            "shells--somewhere",
        ] {
            assert!(!is_phrase(raw), "{raw}");
        }
        for raw in ["remote control", "financial report", "budget", "root cause", "New Jersey", "rubber case"]
        {
            assert!(is_phrase(raw), "{raw}");
        }
    }

    #[test]
    fn a_phrase_that_breaks_off_is_not_one() {
        let found = ["voice rec", "voice recognition", "remote", "remotes", "car park", "car parking lot"];
        let kept = different(found.map(str::to_owned).to_vec());
        let texts: Vec<&str> = kept.iter().map(|(raw, _)| raw.as_str()).collect();
        assert_eq!(texts, ["voice recognition", "remote", "car park", "car parking lot"]);
    }

    #[test]
    fn people_and_letters_at_random_are_not_phrases() {
        let parsed = parsed("Anna Smith and Mr. Sun paid the Invoice. The invoice had xqzvk. Smith called.");
        let found = in_sentences(&parsed, 0..parsed.sentences.len(), &embedder());
        let texts: Vec<&str> = found.iter().map(|phrase| phrase.text.as_str()).collect();
        assert_eq!(texts, ["invoice"]);
    }

    #[test]
    fn a_name_of_several_words_keeps_its_capitals() {
        let text = "Qualifications Wales met. New qualifications are good. Qualifications Wales met the Rubber Board. \
                    The rubber board is thick.";
        let parsed = parsed(text);
        let found = in_sentences(&parsed, 0..parsed.sentences.len(), &embedder());
        let has = |text: &str| found.iter().any(|phrase| phrase.text == text);
        assert!(has("Qualifications Wales") && has("rubber board"), "{found:?}");
    }

    #[test]
    fn the_plural_counts_with_the_singular() {
        let parsed = parsed("One invoice. Two invoices. The INVOICE's date. Companies and a company.");
        let keys = HashSet::from(["invoice".to_owned(), "company".to_owned()]);
        let counted = count(&parsed, 0..parsed.sentences.len(), &keys);
        assert_eq!((counted["invoice"], counted["company"]), (3, 2));
    }
}
