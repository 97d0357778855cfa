//! Sentiment: VADER's lexicon and rules, adapted to spoken English.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use auris_domain::step::output::{Sentiment, SentimentLabel, SentimentScore, UtteranceSentiment};
use auris_domain::step::spec::Granularity;
use auris_engine_core::EngineError;
use vader_sentimental::SentimentIntensityAnalyzer;

use super::parsed_transcript::ParsedTranscript;
use super::windowed_work::WindowedWork;
use super::words::{Kind, Token, tokens};

/// Bytes of text in one work item.
const WINDOW: usize = 32_768;
/// Scores closer to 0 are neutral, as VADER's authors recommend.
const NEUTRAL: f64 = 0.05;

/// Words, and the words that replace them.
type Rule = (Vec<&'static str>, &'static str);

/// Phrases of calls and their replacements for VADER, by first word, the longest first.
static REPLACEMENTS: LazyLock<HashMap<&str, Vec<Rule>>> = LazyLock::new(|| {
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
    parsed: &Arc<ParsedTranscript>,
    granularity: Granularity,
    work: &mut WindowedWork<'_>,
) -> Result<Sentiment, EngineError> {
    let shared = parsed.clone();
    let scored = work.each(parsed.windows(WINDOW), move |window| {
        let scorer = Scorer::new();
        Ok(window
            .map(|nth| scorer.score(shared.text(), shared.sentences[nth].range.clone()))
            .collect::<Vec<_>>())
    })?;
    let scores: Vec<f64> = scored.into_iter().flatten().collect();
    let utterances = match granularity {
        Granularity::Document => vec![],
        Granularity::Utterance => utterances(parsed, &scores),
    };
    let document = labeled(weighted_mean(parsed, &scores, 0..scores.len()));
    Ok(Sentiment { granularity, document, utterances })
}

/// The sentiment of every utterance or, if there are none, of every sentence.
fn utterances(parsed: &ParsedTranscript, scores: &[f64]) -> Vec<UtteranceSentiment> {
    let count = parsed.transcript().utterances.len();
    if count == 0 {
        return sentences(parsed, scores);
    }
    let mut runs: Vec<Range<usize>> = vec![0..0; count];
    for (nth, sentence) in parsed.sentences.iter().enumerate() {
        if let Some(utterance) = sentence.utterance {
            let run = &mut runs[utterance];
            *run = if run.start == run.end { nth..nth + 1 } else { run.start..nth + 1 };
        }
    }
    let scorer = Scorer::new();
    let score = |(index, run): (usize, Range<usize>)| {
        let text = &parsed.transcript().utterances[index].text;
        // An utterance that is not in the text is scored separately.
        if run.start == run.end {
            scorer.score(text, 0..text.len())
        } else {
            weighted_mean(parsed, scores, run)
        }
    };
    let scored = runs.into_iter().enumerate().map(|(index, run)| UtteranceSentiment {
        index,
        score: labeled(score((index, run))),
        start_char: None,
        end_char: None,
    });
    scored.collect()
}

/// The sentiment of every sentence, with its position.
fn sentences(parsed: &ParsedTranscript, scores: &[f64]) -> Vec<UtteranceSentiment> {
    let scored = parsed.sentences.iter().zip(scores).enumerate();
    let scored = scored.map(|(index, (sentence, score))| UtteranceSentiment {
        index,
        score: labeled(*score),
        start_char: Some(parsed.character(sentence.range.start)),
        end_char: Some(parsed.character(sentence.range.end)),
    });
    scored.collect()
}

/// The mean score of sentences, weighted by their length. Neutral sentences count less.
fn weighted_mean(parsed: &ParsedTranscript, scores: &[f64], sentences: Range<usize>) -> f64 {
    let mut sum = 0.0;
    let mut weights = 0.0;
    for nth in sentences {
        let length = (parsed.sentences[nth].range.len() as f64).sqrt();
        let weight = if scores[nth].abs() < NEUTRAL { length * 0.35 } else { length };
        sum += scores[nth] * weight;
        weights += weight;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

fn labeled(score: f64) -> SentimentScore {
    let label = if score >= NEUTRAL {
        SentimentLabel::Positive
    } else if score <= -NEUTRAL {
        SentimentLabel::Negative
    } else {
        SentimentLabel::Neutral
    };
    SentimentScore { label, score: rounded(score) }
}

/// Rounds to four digits. Adding zero turns `-0` into `0`.
fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0 + 0.0
}

/// Scores sentences with VADER.
struct Scorer(SentimentIntensityAnalyzer<'static>);

impl Scorer {
    fn new() -> Self {
        Self(SentimentIntensityAnalyzer::new())
    }

    /// From -1 to 1.
    fn score(&self, text: &str, range: Range<usize>) -> f64 {
        let plain = with_replacements(text, &range);
        let scores = self.0.polarity_scores(&plain);
        // VADER counts a question mark even if no word has a sentiment.
        let is_neutral = scores.pos == 0.0 && scores.neg == 0.0;
        if is_neutral || !scores.compound.is_finite() { 0.0 } else { scores.compound }
    }
}

/// The sentence with the replacements.
fn with_replacements(text: &str, range: &Range<usize>) -> String {
    let tokens = tokens(text, range.clone());
    let mut plain = String::with_capacity(range.len());
    let mut at = 0;
    let mut done = range.start;
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
    use super::*;

    fn score(text: &str) -> f64 {
        Scorer::new().score(text, 0..text.len())
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
