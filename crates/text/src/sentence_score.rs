//! How much a sentence says, apart from its similarity to the transcript.

use std::collections::{HashMap, HashSet};

use super::stop_words::{content, content_words};

/// Maximum words of a transcript whose frequencies are kept.
const MAX_WORDS: usize = 50_000;
/// Phrases that say that something was decided or has to be done. They count more than the place of a sentence.
const DECIDED: [&str; 22] = [
    " decided ",
    " decision ",
    " agreed to ",
    " agreed on ",
    " agreed that ",
    " approved ",
    " concluded ",
    " deadline ",
    " due on ",
    " due by ",
    " action item",
    " in charge of ",
    " responsible for ",
    " assigned ",
    " scheduled ",
    " postponed ",
    " cancelled ",
    " please send ",
    " by monday",
    " by friday",
    " by tomorrow",
    " by the end of ",
];
/// Words of amounts, which count with a number.
const AMOUNTS: [&str; 8] = ["$", "€", "£", "%", " percent", " dollars", " euros", " million"];
/// Phrases of possible decisions, tasks and reasons.
const DECISIONS: [&str; 30] = [
    " decide",
    " decision",
    " agree",
    " will ",
    "'ll ",
    " going to ",
    " need to ",
    " have to ",
    " should ",
    " must ",
    " plan ",
    " plans ",
    " recommend",
    " suggest",
    " propos",
    " because ",
    " problem",
    " important",
    " budget",
    " result",
    " conclu",
    " deadline",
    " would like ",
    " want to ",
    " action ",
    " responsib",
    " by monday",
    " by friday",
    " by the end ",
    " until ",
];

/// How often the content words of some texts occur, on a logarithmic scale.
pub(super) fn word_frequencies<'a>(texts: impl Iterator<Item = &'a str>) -> HashMap<String, f32> {
    let mut counts: HashMap<String, f32> = HashMap::new();
    for text in texts {
        for word in content(text).collect::<HashSet<String>>() {
            if counts.len() < MAX_WORDS || counts.contains_key(&word) {
                *counts.entry(word).or_default() += 1.0;
            }
        }
    }
    let most = counts.values().copied().fold(1.0, f32::max);
    counts.values_mut().for_each(|count| *count = (1.0 + *count).ln() / (1.0 + most).ln());
    counts
}

/// The sum of the frequencies of the different content words of a sentence.
pub(super) fn word_score(sentence: &str, frequencies: &HashMap<String, f32>) -> f32 {
    let words: HashSet<String> = content(sentence).collect();
    words.iter().filter_map(|word| frequencies.get(word)).sum()
}

/// The quality of a cleaned sentence: with content, a decision, a task or a figure, and not a question.
pub(super) fn quality(text: &str) -> f32 {
    let words = text.split_whitespace().count();
    let length = match words {
        0..=3 => -0.4,
        4..=5 => -0.12,
        6..=25 => 0.0,
        _ => -0.3 * ((words - 25) as f32 / 25.0).min(1.0),
    };
    let empty = if content_words(text) == 0 { -0.5 } else { 0.0 };
    let question = if text.ends_with('?') { -0.02 } else { 0.0 };
    let lower = format!(" {} ", text.to_lowercase().replace('’', "'"));
    let has_any = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let decision = if has_any(&DECISIONS) { 0.1 } else { 0.0 };
    let decided = if has_any(&DECIDED) { 0.25 } else { 0.0 };
    let figure = match (has_any(&AMOUNTS), has_figure(text)) {
        (true, _) => 0.3,
        (false, true) => 0.1,
        (false, false) => 0.0,
    };
    let is_name = |word: &str| word.starts_with(char::is_uppercase) && word != "I" && !word.starts_with("I'");
    let named = if text.split_whitespace().skip(1).any(is_name) { 0.05 } else { 0.0 };
    length + empty + question + decision + decided + figure + named
}

pub(super) fn has_figure(text: &str) -> bool {
    text.contains(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_and_figures_count_more_than_questions_and_empty_sentences() {
        assert!(
            quality("We will order 500 units on Monday.") > quality("The units came from the shop here.")
        );
        assert!(
            quality("The units came from the shop here.") > quality("Were the units from the shop here?")
        );
        assert!(quality("The units came from the shop.") > quality("It is what it is, you know that."));
    }

    #[test]
    fn a_decision_or_an_amount_counts_more_than_another_sentence() {
        let other = quality("The units came from the shop here.");
        assert!(quality("They decided that the shop here moves.") > other + 0.2);
        assert!(quality("The shop here paid 500 dollars for it.") > other + 0.2);
    }

    #[test]
    fn frequent_words_make_a_sentence_better() {
        let texts = ["The budget is fixed.", "Our budget grows.", "A parrot sings."];
        let frequencies = word_frequencies(texts.into_iter());
        assert!(word_score(texts[0], &frequencies) > word_score("A parrot waits.", &frequencies));
    }
}
