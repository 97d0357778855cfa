//! Sentiment: VADER's lexicon and rules, adapted to spoken English.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, LazyLock};

use auris_domain::step::output::{Sentiment, SentimentLabel, SentimentScore, UtteranceSentiment};
use auris_domain::step::spec::Granularity;
use auris_engine_core::{CallContext, EngineError};
use vader_sentimental::SentimentIntensityAnalyzer;

use super::parsed_transcript::ParsedTranscript;
use super::windowed_work::WindowedWork;
use super::words::{Kind, Token, tokens};
use super::{limits, sentences};

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
    let score = move |window: Range<usize>| {
        let scorer = Scorer::new();
        let ranges = window.map(|nth| shared.sentences[nth].range.clone());
        Ok(ranges.map(|range| scorer.score(shared.text(), range)).collect::<Vec<f64>>())
    };
    let mut scores: Vec<f64> = Vec::with_capacity(parsed.sentences.len());
    work.for_each(parsed.windows(WINDOW), score, |scored: Vec<f64>| {
        scores.extend(scored);
        ControlFlow::Continue(())
    })?;
    let utterances = match granularity {
        Granularity::Document => vec![],
        Granularity::Utterance if parsed.transcript().utterances.is_empty() => by_sentence(parsed, &scores),
        Granularity::Utterance => by_utterance(parsed, &scores, work.context)?,
    };
    let document = labeled(mean_of(parsed, &scores, 0..scores.len()));
    Ok(Sentiment { granularity, document, utterances })
}

/// The sentiment of every utterance.
fn by_utterance(
    parsed: &ParsedTranscript,
    scores: &[f64],
    context: &CallContext,
) -> Result<Vec<UtteranceSentiment>, EngineError> {
    let count = parsed.transcript().utterances.len();
    let mut runs: Vec<Range<usize>> = vec![0..0; count];
    for (nth, sentence) in parsed.sentences.iter().enumerate() {
        if let Some(utterance) = sentence.utterance {
            let run = &mut runs[utterance];
            *run = if run.start == run.end { nth..nth + 1 } else { run.start..nth + 1 };
        }
    }
    let scorer = Scorer::new();
    let mut scored = Vec::with_capacity(count);
    for (index, run) in runs.into_iter().enumerate() {
        let score = if run.start == run.end {
            separate_score(&scorer, &parsed.transcript().utterances[index].text, context)?
        } else {
            mean_of(parsed, scores, run)
        };
        scored.push(UtteranceSentiment { index, score: labeled(score), start_char: None, end_char: None });
    }
    Ok(scored)
}

/// The score of an utterance that is not in the text. It can be as long as the text, so it is read by sentence.
fn separate_score(scorer: &Scorer, said: &str, context: &CallContext) -> Result<f64, EngineError> {
    let mut mean = WeightedMean::default();
    for range in sentences::split(said, 0..said.len(), limits::SENTENCES) {
        context.check()?;
        mean.add(range.len(), scorer.score(said, range));
    }
    Ok(mean.value())
}

/// The sentiment of every sentence, with its position.
fn by_sentence(parsed: &ParsedTranscript, scores: &[f64]) -> Vec<UtteranceSentiment> {
    let scored = parsed.sentences.iter().zip(scores).take(limits::SENTIMENT_SENTENCES).enumerate();
    let scored = scored.map(|(index, (sentence, score))| UtteranceSentiment {
        index,
        score: labeled(*score),
        start_char: Some(parsed.character(sentence.range.start)),
        end_char: Some(parsed.character(sentence.range.end)),
    });
    scored.collect()
}

/// The mean score of some sentences of the transcript.
fn mean_of(parsed: &ParsedTranscript, scores: &[f64], sentences: Range<usize>) -> f64 {
    let mut mean = WeightedMean::default();
    sentences.for_each(|nth| mean.add(parsed.sentences[nth].range.len(), scores[nth]));
    mean.value()
}

/// The mean score of sentences, weighted by their length. Neutral sentences count less.
#[derive(Default)]
struct WeightedMean {
    sum: f64,
    weights: f64,
}

impl WeightedMean {
    fn add(&mut self, bytes: usize, score: f64) {
        let length = (bytes as f64).sqrt();
        let weight = if score.abs() < NEUTRAL { length * 0.35 } else { length };
        self.sum += score * weight;
        self.weights += weight;
    }

    fn value(&self) -> f64 {
        if self.weights > 0.0 { self.sum / self.weights } else { 0.0 }
    }
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
    use auris_engine_core::text::TextTranscript;

    fn score(text: &str) -> f64 {
        Scorer::new().score(text, 0..text.len())
    }

    fn separately(said: &str) -> f64 {
        separate_score(&Scorer::new(), said, &CallContext::alone()).unwrap()
    }

    #[test]
    fn an_utterance_that_is_not_in_the_text_is_read_by_sentence() {
        assert!((separately(" Thank you so much! ") - score("Thank you so much!")).abs() < 1e-9);
        assert!(separately("This is terrible. I hate it. We met on Monday.") < -NEUTRAL);
        assert_eq!(separately(" "), 0.0);
    }

    #[test]
    fn a_transcript_without_utterances_has_a_limited_number_of_scores() {
        let text = "? ".repeat(limits::SENTIMENT_SENTENCES + 10);
        let transcript = TextTranscript { text, ..TextTranscript::default() };
        let parsed = ParsedTranscript::new(Arc::new(transcript));
        let scores = vec![0.0; parsed.sentences.len()];
        assert!(scores.len() > limits::SENTIMENT_SENTENCES);
        assert_eq!(by_sentence(&parsed, &scores).len(), limits::SENTIMENT_SENTENCES);
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
