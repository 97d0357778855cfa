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

/// Phrases with which somebody asks for something or proposes it: what a short conversation is mostly about.
const REQUESTS: [&str; 20] = [
    " want ",
    " wants ",
    " wanted ",
    " would like ",
    "'d like ",
    " looking for ",
    " hope to ",
    " let's ",
    " why don't ",
    " how about ",
    " what about ",
    " shall we ",
    " could you ",
    " can you ",
    " can i ",
    " could i ",
    " may i ",
    " do you want ",
    " i need ",
    " we need ",
];
/// First words of a sentence that is not clear without the one before it.
const REFERENCES: [&str; 9] = ["it", "that", "this", "they", "he", "she", "it's", "that's", "there"];

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

/// The sum of the frequencies of the different content words of a sentence that are not covered already.
pub(super) fn word_score(
    sentence: &str,
    frequencies: &HashMap<String, f32>,
    covered: &HashSet<String>,
) -> f32 {
    let words: HashSet<String> = content(sentence).collect();
    words.difference(covered).filter_map(|word| frequencies.get(word)).sum()
}

/// The quality of a cleaned sentence: with content, a decision, a request or a figure, and clear by itself.
pub(super) fn quality(text: &str) -> f32 {
    let lower = format!(" {} ", text.to_lowercase().replace('’', "'"));
    let has_any = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let first = lower.split([' ', ',']).nth(1).unwrap_or_default();
    let bonus = |value: f32, is_so: bool| if is_so { value } else { 0.0 };
    let figure = match (has_any(&AMOUNTS), has_figure(text)) {
        (true, _) => 0.25,
        (false, true) => 0.03,
        (false, false) => 0.0,
    };
    let is_name = |word: &str| word.starts_with(char::is_uppercase) && word != "I" && !word.starts_with("I'");
    figure
        + bonus(-0.5, content_words(text) == 0)
        + bonus(-0.02, text.ends_with('?'))
        + bonus(-0.05, REFERENCES.contains(&first))
        + bonus(0.03, has_any(&DECISIONS))
        + bonus(0.25, has_any(&DECIDED))
        + bonus(0.1, has_any(&REQUESTS))
        + bonus(0.05, text.split_whitespace().skip(1).any(is_name))
}

/// A sentence of a few words says little, and one of more than `most` words much that is not important.
pub(super) fn length_score(text: &str, most: usize) -> f32 {
    match text.split_whitespace().count() {
        0..=3 => -0.5,
        4..=5 => -0.2,
        words => -0.3 * (words.saturating_sub(most) as f32 / 25.0).min(3.0),
    }
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
        let score = |text: &str| word_score(text, &frequencies, &HashSet::new());
        assert!(score(texts[0]) > score("A parrot waits."));
    }

    #[test]
    fn covered_words_do_not_count() {
        let frequencies = word_frequencies(["The budget is fixed."].into_iter());
        assert!(word_score("Budget.", &frequencies, &HashSet::from(["budget".to_owned()])) == 0.0);
    }

    #[test]
    fn requests_and_sentences_that_are_clear_by_themselves_count_more() {
        let other = quality("The units came from the shop here.");
        assert!(quality("Could you order the units from the shop?") > other + 0.05);
        assert!(quality("They came from the shop in the city.") < other);
    }

    #[test]
    fn a_short_sentence_and_a_long_one_count_less() {
        assert!(length_score("That is my job.", 18) < -0.1);
        assert!(
            length_score(&"word ".repeat(25), 18) < length_score("The units came from the shop here.", 18)
        );
        assert!(length_score(&"word ".repeat(25), 30) == 0.0);
        assert!(length_score(&"word ".repeat(100), 30) < length_score(&"word ".repeat(60), 30) - 0.1);
    }
}
