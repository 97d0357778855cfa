//! VADER's lexicon and rules, adapted to spoken English.

use std::collections::HashMap;
use std::sync::LazyLock;

use vader_sentimental::SentimentIntensityAnalyzer;

use crate::words::{Kind, Token, tokens};

/// Words, and the words that replace them.
type Rule = (Vec<&'static str>, &'static str);

/// Phrases of calls and their replacements for VADER, by first word, the longest first.
static REPLACEMENTS: LazyLock<HashMap<&str, Vec<Rule>>> = LazyLock::new(|| {
    let mut rules: HashMap<&str, Vec<Rule>> = HashMap::new();
    for line in include_str!("../data/sentiment.txt").lines() {
        if let Some((said, read)) = line.split_once('=') {
            let words: Vec<&str> = said.split_whitespace().collect();
            if let Some(first) = words.first() {
                rules.entry(first).or_default().push((words, read.trim()));
            }
        }
    }
    rules.values_mut().for_each(|rules| rules.sort_by_key(|(words, _)| std::cmp::Reverse(words.len())));
    rules
});

/// What the lexicon says about a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LexiconScores {
    /// From -1 to 1.
    pub(super) compound: f64,
    /// The shares of positive and negative words.
    pub(super) positive: f64,
    pub(super) negative: f64,
}

/// Scores texts with VADER.
pub(super) struct Lexicon(SentimentIntensityAnalyzer<'static>);

impl Lexicon {
    pub(super) fn new() -> Self {
        Self(SentimentIntensityAnalyzer::new())
    }

    pub(super) fn scores(&self, text: &str) -> LexiconScores {
        let scores = self.0.polarity_scores(&with_replacements(text));
        // VADER counts a question mark even if no word has a sentiment.
        let is_neutral = scores.pos == 0.0 && scores.neg == 0.0;
        if is_neutral || !scores.compound.is_finite() {
            return LexiconScores::default();
        }
        LexiconScores { compound: scores.compound, positive: scores.pos, negative: scores.neg }
    }
}

/// The text with the replacements.
fn with_replacements(text: &str) -> String {
    let tokens = tokens(text, 0..text.len());
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    let mut done = 0;
    while at < tokens.len() {
        plain.push_str(&text[done..tokens[at].range.start]);
        let (end, instead) = replaced(&tokens, at).unwrap_or((at + 1, &text[tokens[at].range.clone()]));
        plain.push_str(instead);
        at = end;
        done = tokens[at - 1].range.end;
    }
    plain.push_str(&text[done..]);
    plain
}

fn replaced(tokens: &[Token], at: usize) -> Option<(usize, &'static str)> {
    let rules = REPLACEMENTS.get(tokens[at].lower.as_str())?;
    let matches = |words: &[&str]| {
        // A `,` matches any sign or the end of the sentence.
        words.iter().enumerate().all(|(nth, word)| match *word {
            "," => tokens.get(at + nth).is_none_or(|token| token.kind == Kind::Sign),
            word => tokens.get(at + nth).is_some_and(|token| token.is(word)),
        })
    };
    let (words, read) = rules.iter().find(|(words, _)| matches(words))?;
    let signs = words.iter().filter(|word| **word == ",").count();
    Some((at + words.len() - signs, read))
}

#[cfg(test)]
mod tests {
    use super::super::NEUTRAL;
    use super::*;

    fn score(text: &str) -> f64 {
        Lexicon::new().scores(text).compound
    }

    #[test]
    fn praise_is_positive_and_blame_is_negative() {
        assert!(score("That was fantastic, thank you so much!") > 0.4);
        assert!(score("This is the worst service I have ever had.") < -0.4);
        assert!(score("I am not happy with this at all.") < -0.1);
    }

    #[test]
    fn small_talk_is_neutral() {
        for text in [
            "Okay, well, I'd like to know, like, the number please.",
            "Yes, sure. No, not yet.",
            "Good morning.",
        ] {
            assert!(score(text).abs() < NEUTRAL, "{text}: {}", score(text));
        }
    }

    #[test]
    fn complaints_are_negative() {
        for text in ["It still doesn't work.", "I have been on hold for an hour.", "You charged me twice."] {
            assert!(score(text) < -NEUTRAL, "{text}: {}", score(text));
        }
    }
}
