//! Sentiment: VADER's lexicon and rules, without the words that mean nothing in speech.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use vader_sentimental::SentimentIntensityAnalyzer;

use super::desk::Desk;
use super::reading::Reading;
use super::words::{Kind, Token, tokens};
use crate::EngineError;
use crate::text::Granularity;

/// Text judged in one piece of work, in bytes.
const WINDOW: usize = 32_768;
/// Weaker than this is neutral, as VADER's authors have it.
const NEUTRAL: f64 = 0.05;

/// Words that are said, and those to read in their place.
type Rule = (Vec<&'static str>, &'static str);

/// What people say in a call, and what VADER should read in its place; the longest match counts.
static INSTEAD: LazyLock<HashMap<&str, Vec<Rule>>> = LazyLock::new(|| {
    let mut rules: HashMap<&str, Vec<Rule>> = HashMap::new();
    for line in include_str!("data/sentiment.txt").lines() {
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

pub(super) fn run(
    reading: &Arc<Reading>,
    granularity: Granularity,
    desk: &mut Desk<'_>,
) -> Result<Value, EngineError> {
    let pages = reading.clone();
    let judged = desk.each(reading.windows(WINDOW), move |window| {
        let judge = Judge::new();
        Ok(window
            .map(|nth| judge.score(pages.text(), pages.sentences[nth].range.clone()))
            .collect::<Vec<_>>())
    })?;
    let scores: Vec<f64> = judged.into_iter().flatten().collect();
    let utterances = match granularity {
        Granularity::Document => vec![],
        Granularity::Utterance => utterances(reading, &scores),
    };
    let document = together(reading, &scores, 0..scores.len());
    Ok(json!({"granularity": granularity, "document": told(document), "utterances": utterances}))
}

/// Every utterance of the transcript; where it has none, every sentence with its place.
fn utterances(reading: &Reading, scores: &[f64]) -> Vec<Value> {
    let count = reading.transcript().utterances.len();
    if count == 0 {
        let sentences = reading.sentences.iter().zip(scores).enumerate();
        return sentences
            .map(|(index, (sentence, score))| {
                let mut entry = entry(index, *score);
                entry["start_char"] = json!(reading.character(sentence.range.start));
                entry["end_char"] = json!(reading.character(sentence.range.end));
                entry
            })
            .collect();
    }
    let mut runs: Vec<Range<usize>> = vec![0..0; count];
    for (nth, sentence) in reading.sentences.iter().enumerate() {
        if let Some(utterance) = sentence.utterance {
            let run = &mut runs[utterance];
            *run = if run.start == run.end { nth..nth + 1 } else { run.start..nth + 1 };
        }
    }
    let lone = Judge::new();
    let score = |(index, run): (usize, Range<usize>)| {
        let said = &reading.transcript().utterances[index].text;
        // An utterance whose words are not in the text is judged by itself.
        if run.start == run.end { lone.score(said, 0..said.len()) } else { together(reading, scores, run) }
    };
    runs.into_iter().enumerate().map(|(index, run)| entry(index, score((index, run)))).collect()
}

/// The mean of sentences by their length; those that say nothing either way count a little.
fn together(reading: &Reading, scores: &[f64], sentences: Range<usize>) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for nth in sentences {
        let length = (reading.sentences[nth].range.len() as f64).sqrt();
        let weight = if scores[nth].abs() < NEUTRAL { length * 0.35 } else { length };
        sum += scores[nth] * weight;
        weights += weight;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

fn entry(index: usize, score: f64) -> Value {
    let told = told(score);
    json!({"index": index, "label": told["label"], "score": told["score"]})
}

fn told(score: f64) -> Value {
    let label = if score >= NEUTRAL {
        "positive"
    } else if score <= -NEUTRAL {
        "negative"
    } else {
        "neutral"
    };
    // Four digits, and no minus before a zero.
    json!({"label": label, "score": (score * 10_000.0).round() / 10_000.0 + 0.0})
}

struct Judge(SentimentIntensityAnalyzer<'static>);

impl Judge {
    fn new() -> Self {
        Self(SentimentIntensityAnalyzer::new())
    }

    /// From -1 to 1.
    fn score(&self, text: &str, range: Range<usize>) -> f64 {
        let plain = plainly(text, &range);
        let told = self.0.polarity_scores(&plain);
        // A question mark weighs even where there is nothing for it to weigh on.
        let empty = told.pos == 0.0 && told.neg == 0.0;
        if empty || !told.compound.is_finite() { 0.0 } else { told.compound }
    }
}

/// The sentence as VADER should read it.
fn plainly(text: &str, range: &Range<usize>) -> String {
    let tokens = tokens(text, range.clone());
    let mut plain = String::with_capacity(range.len());
    let (mut at, mut done) = (0, range.start);
    while at < tokens.len() {
        plain.push_str(&text[done..tokens[at].range.start]);
        let (end, instead) = replaced(&tokens, at).unwrap_or((at + 1, &text[tokens[at].range.clone()]));
        plain.push_str(instead);
        at = end;
        done = tokens[at - 1].range.end;
    }
    plain.push_str(&text[done..range.end]);
    plain
}

fn replaced(tokens: &[Token], at: usize) -> Option<(usize, &'static str)> {
    let rules = INSTEAD.get(tokens[at].lower.as_str())?;
    let matches = |words: &[&str]| {
        // A `^` stands for the start of the sentence, a `,` for any sign or the end.
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
    use super::*;

    fn score(text: &str) -> f64 {
        Judge::new().score(text, 0..text.len())
    }

    #[test]
    fn praise_and_blame_are_told_apart() {
        assert!(score("That was fantastic, thank you so much!") > 0.4);
        assert!(score("This is the worst service I have ever had.") < -0.4);
        assert!(score("I am not happy with this at all.") < -0.1);
    }

    #[test]
    fn the_small_words_of_a_call_are_neutral() {
        for text in [
            "Okay, well, I'd like to know, like, the number please.",
            "Yes, sure. No, not yet.",
            "Good morning.",
        ] {
            assert!(score(text).abs() < NEUTRAL, "{text}: {}", score(text));
        }
    }

    #[test]
    fn what_callers_complain_of_is_negative() {
        for text in ["It still doesn't work.", "I have been on hold for an hour.", "You charged me twice."] {
            assert!(score(text) < -NEUTRAL, "{text}: {}", score(text));
        }
    }
}
