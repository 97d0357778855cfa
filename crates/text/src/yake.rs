//! YAKE (Campos and others, 2020): ranks the phrases of a text by how their words are used in it.
//!
//! Written here because phrases need a small part of it, and the crate that has all of it brings a sentence splitter,
//! a third regular expression engine and a table of HTML entities.

use std::collections::{HashMap, HashSet};

use super::stop_words::is_stop_word;
use super::words::singular;

/// Maximum words of a phrase.
const WORDS: usize = 3;
/// Words with fewer letters and digits than this are treated as stop words.
const SHORT: usize = 3;

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    /// It starts with a capital and does not start the sentence.
    Capital,
    /// All letters are capitals.
    Acronym,
    /// A number, or letters mixed with digits.
    Digits,
}

struct Word<'t> {
    text: &'t str,
    form: Form,
    /// The index of its singular in lower case among all terms.
    term: usize,
    is_stop_word: bool,
    /// Whether only a space is between this word and the one before it.
    follows: bool,
}

/// How a term is used in the text.
#[derive(Default)]
struct Term {
    /// The index of the sentence of each occurrence, in ascending order.
    sentences: Vec<usize>,
    acronyms: usize,
    capitals: usize,
    is_stop_word: bool,
    before: Neighbors,
    after: Neighbors,
}

/// The terms on one side of a term.
#[derive(Default)]
struct Neighbors {
    different: HashSet<usize>,
    count: usize,
}

impl Neighbors {
    fn add(&mut self, term: usize) {
        self.different.insert(term);
        self.count += 1;
    }

    /// 1 if each occurrence has another neighbor, near 0 if all have the same.
    fn variety(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.different.len() as f64 / self.count as f64 }
    }
}

/// A phrase as it first occurs, by its terms' indices.
struct Candidate {
    text: String,
    terms: Vec<usize>,
    count: usize,
}

/// The best phrases of up to three words, none of them a stop word or a number, the best first.
pub(super) fn best_phrases(sentences: &[String], limit: usize) -> Vec<String> {
    let mut terms = Vec::new();
    let sentences = read(sentences, &mut terms);
    let scores = scores(&terms, sentences.len());
    let mut weighed: Vec<(f64, Candidate)> = candidates(&sentences)
        .into_iter()
        .map(|candidate| {
            let of_words = candidate.terms.iter().map(|term| scores[*term]);
            let score =
                of_words.clone().product::<f64>() / (candidate.count as f64 * (1.0 + of_words.sum::<f64>()));
            (score, candidate)
        })
        .collect();
    weighed.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    weighed.into_iter().take(limit).map(|(_, candidate)| candidate.text).collect()
}

/// The words of each sentence; their terms are added to `terms`.
fn read<'t>(sentences: &'t [String], terms: &mut Vec<Term>) -> Vec<Vec<Word<'t>>> {
    let mut indices: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::with_capacity(sentences.len());
    for (nth, sentence) in sentences.iter().enumerate() {
        let mut words: Vec<Word> = Vec::new();
        for (text, follows) in split(sentence) {
            let lower = text.to_lowercase();
            let is_stop_word = is_stop_word(&lower) || is_short(text);
            let term = *indices.entry(singular(&lower)).or_insert_with(|| {
                terms.push(Term { is_stop_word, ..Term::default() });
                terms.len() - 1
            });
            let form = form_of(text, words.is_empty());
            terms[term].occurs(nth, form);
            if let Some(last) =
                words.last().filter(|last| follows && last.form != Form::Digits && form != Form::Digits)
            {
                terms[last.term].after.add(term);
                terms[term].before.add(last.term);
            }
            words.push(Word { text, form, term, is_stop_word, follows });
        }
        all.push(words);
    }
    all
}

impl Term {
    fn occurs(&mut self, sentence: usize, form: Form) {
        self.sentences.push(sentence);
        self.acronyms += usize::from(form == Form::Acronym);
        self.capitals += usize::from(form == Form::Capital);
    }

    fn count(&self) -> f64 {
        self.sentences.len() as f64
    }
}

/// The words of a sentence, and whether only a space is before each. A sign or a possessive `'s` separates two words.
fn split(sentence: &str) -> Vec<(&str, bool)> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '\'';
    let mut words = Vec::new();
    let mut rest = sentence;
    let mut follows = false;
    while let Some(start) = rest.find(is_part) {
        let (gap, from_part) = rest.split_at(start);
        let length = from_part.find(|letter| !is_part(letter)).unwrap_or(from_part.len());
        let (part, after) = from_part.split_at(length);
        let word = part.trim_matches(['-', '\'']);
        let word = word.strip_suffix("'s").unwrap_or(word);
        if !word.is_empty() {
            words.push((word, follows && gap == " " && part.starts_with(word)));
        }
        follows = !word.is_empty() && part.ends_with(word);
        rest = after;
    }
    words
}

fn is_short(word: &str) -> bool {
    word.chars().filter(|letter| letter.is_alphanumeric()).count() < SHORT
}

fn form_of(word: &str, is_first: bool) -> Form {
    let mut letters = word.chars();
    let starts_with_capital = letters.next().is_some_and(char::is_uppercase);
    if word.chars().any(|letter| letter.is_numeric()) {
        Form::Digits
    } else if word.chars().all(char::is_uppercase) {
        Form::Acronym
    } else if starts_with_capital && !is_first && !letters.any(char::is_uppercase) {
        Form::Capital
    } else {
        Form::Plain
    }
}

/// The score of each term: the smaller, the more important it is in the text.
fn scores(terms: &[Term], sentences: usize) -> Vec<f64> {
    let counts: Vec<f64> = terms.iter().filter(|term| !term.is_stop_word).map(Term::count).collect();
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / counts.len() as f64;
    let usual = mean + variance.sqrt();
    let most = terms.iter().map(Term::count).fold(1.0, f64::max);
    let score = |term: &Term| {
        let casing = term.acronyms.max(term.capitals) as f64 / (1.0 + term.count().ln());
        let mut within = term.sentences.clone();
        within.dedup();
        // A constant of 3, so that the logarithm of the logarithm is positive in the first sentence too.
        let position = (3.0 + median(&within)).ln().ln();
        let relatedness = 1.0 + (term.before.variety() + term.after.variety()) * term.count() / most;
        let spread = within.len() as f64 / sentences as f64;
        relatedness * position / (casing + (term.count() / usual + spread) / relatedness)
    };
    terms.iter().map(score).collect()
}

fn median(ascending: &[usize]) -> f64 {
    let middle = ascending.len() / 2;
    if ascending.len() % 2 == 1 {
        ascending[middle] as f64
    } else {
        (ascending[middle - 1] + ascending[middle]) as f64 / 2.0
    }
}

/// All phrases of up to three words that are neither stop words nor numbers, in the order of their first occurrence.
fn candidates(sentences: &[Vec<Word>]) -> Vec<Candidate> {
    let mut indices: HashMap<String, usize> = HashMap::new();
    let mut found: Vec<Candidate> = Vec::new();
    let fits = |word: &Word| !word.is_stop_word && word.form != Form::Digits;
    for words in sentences {
        for start in 0..words.len() {
            let mut text = String::new();
            let mut terms = Vec::new();
            for (nth, word) in words[start..].iter().take(WORDS).enumerate() {
                if !fits(word) || nth > 0 && !word.follows {
                    break;
                }
                if nth > 0 {
                    text.push(' ');
                }
                text.push_str(word.text);
                terms.push(word.term);
                let index = *indices.entry(text.to_lowercase()).or_insert_with(|| {
                    found.push(Candidate { text: text.clone(), terms: terms.clone(), count: 0 });
                    found.len() - 1
                });
                found[index].count += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(sentences: &[&str]) -> Vec<String> {
        let sentences: Vec<String> = sentences.iter().map(|sentence| (*sentence).to_owned()).collect();
        best_phrases(&sentences, 100)
    }

    #[test]
    fn what_is_said_often_early_and_with_a_capital_comes_first() {
        let found = best(&[
            "The budget of Project Falcon is late.",
            "We waited for Project Falcon, and the weather was bad.",
            "Project Falcon needs money.",
        ]);
        assert_eq!(found[0], "Project Falcon");
        let rank = |phrase: &str| found.iter().position(|other| other == phrase);
        assert!(rank("budget") < rank("money"), "{found:?}");
    }

    #[test]
    fn signs_stop_words_and_numbers_are_in_no_phrase() {
        let found = best(&["Red tables, green chairs and the company's ledger: 25 lamps (blue lights)."]);
        for phrase in ["Red tables", "green chairs", "company", "ledger", "lamps", "blue lights"] {
            assert!(found.iter().any(|other| other == phrase), "{phrase}: {found:?}");
        }
        for words in ["tables green", "chairs and", "company ledger", "25", "lamps blue", "company's"] {
            assert!(!found.iter().any(|other| other.contains(words)), "{words}: {found:?}");
        }
    }

    #[test]
    fn hyphens_stay_in_words_and_the_plural_is_the_same_term() {
        let mut found = best(&["A well-known fee."]);
        found.sort();
        assert_eq!(found, ["fee", "well-known", "well-known fee"]);
        let mut terms = Vec::new();
        read(&["Two invoices follow one invoice.".to_owned()], &mut terms);
        assert_eq!(terms.iter().filter(|term| term.sentences.len() == 2).count(), 1);
    }

    #[test]
    fn a_text_without_words_has_no_phrases() {
        assert!(best(&[]).is_empty());
        assert!(best(&["", "... 12 ?", "a - b 'n"]).is_empty());
    }
}
