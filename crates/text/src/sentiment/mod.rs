//! Sentiment: a trained head on the sentence embeddings joined with a lexicon, or the lexicon alone.

mod context;
mod features;
mod head;
mod judge;
mod lexicon;
mod pieces;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use auris_domain::step::output::{Sentiment, SentimentLabel, SentimentScore, UtteranceSentiment};
use auris_domain::step::spec::Granularity;
use auris_engine_core::EngineError;

use super::embedder::Embedder;
use super::limits;
use super::parsed_transcript::ParsedTranscript;
use super::windowed_work::WindowedWork;
use context::Judgement;
pub use features::{SENTIMENT_FEATURES, sentiment_features};
use judge::Judge;
use pieces::Piece;

/// The id of the model that uses the network, in `models/catalog.toml`.
pub(super) const NET_MODEL: &str = "sentiment-net-en";

/// Bytes and pieces of text in one work item.
const WINDOW_BYTES: usize = 32_768;
const WINDOW_PIECES: usize = 64;
/// Scores closer to 0 are neutral, as VADER's authors recommend.
const NEUTRAL: f64 = 0.05;

/// The pieces of the transcript with their scores.
struct Scored<'a> {
    parsed: &'a ParsedTranscript,
    pieces: &'a [Piece],
    scores: Vec<f64>,
}

/// Uses the network if there is one.
pub(super) fn run(
    parsed: &Arc<ParsedTranscript>,
    granularity: Granularity,
    net: Option<Arc<Embedder>>,
    work: &mut WindowedWork<'_>,
) -> Result<Sentiment, EngineError> {
    let pieces = Arc::new(pieces::of(parsed, net.is_some()));
    let count = if net.is_some() { WINDOW_PIECES } else { usize::MAX };
    let windows = pieces::windows(&pieces, WINDOW_BYTES, count);
    let shared = parsed.clone();
    let all = pieces.clone();
    let judge = move |window: Range<usize>| {
        let read_by_net = window.start < limits::SENTIMENT_NETWORK_PIECES;
        let judge = Judge::new(net.as_deref().filter(|_| read_by_net));
        let texts: Vec<&str> = all[window].iter().map(|piece| piece.text(&shared)).collect();
        judge.judge(&texts)
    };
    let mut judged: Vec<Judgement> = Vec::with_capacity(pieces.len());
    work.for_each(windows, judge, |of_window: Vec<Judgement>| {
        judged.extend(of_window);
        ControlFlow::Continue(())
    })?;
    let scored = Scored { parsed, pieces: &pieces, scores: context::scores(&judged) };
    let utterances = match granularity {
        Granularity::Document => vec![],
        Granularity::Utterance if parsed.transcript().utterances.is_empty() => scored.by_piece(),
        Granularity::Utterance => scored.by_utterance(),
    };
    Ok(Sentiment { granularity, document: labeled(scored.of_document()), utterances })
}

impl Scored<'_> {
    /// The sentiment of every utterance.
    fn by_utterance(&self) -> Vec<UtteranceSentiment> {
        let mut means = vec![WeightedMean::default(); self.parsed.transcript().utterances.len()];
        for (piece, score) in self.pieces.iter().zip(&self.scores) {
            if let Some(utterance) = piece.utterance {
                means[utterance].add(piece.range.len(), *score);
            }
        }
        let judged = means.iter().enumerate().map(|(index, mean)| UtteranceSentiment {
            index,
            score: labeled(mean.value()),
            start_char: None,
            end_char: None,
        });
        judged.collect()
    }

    /// The sentiment of every piece of a text without utterances, which is a sentence, with its position.
    fn by_piece(&self) -> Vec<UtteranceSentiment> {
        let scored = self.pieces.iter().zip(&self.scores).take(limits::SENTIMENT_SENTENCES).enumerate();
        let scored = scored.map(|(index, (piece, score))| UtteranceSentiment {
            index,
            score: labeled(*score),
            start_char: Some(self.parsed.character(piece.range.start)),
            end_char: Some(self.parsed.character(piece.range.end)),
        });
        scored.collect()
    }

    /// The mean score of the text.
    fn of_document(&self) -> f64 {
        let mut mean = WeightedMean::default();
        let in_text = self.pieces.iter().zip(&self.scores).filter(|(piece, _)| !piece.separate);
        in_text.for_each(|(piece, score)| mean.add(piece.range.len(), *score));
        mean.value()
    }
}

/// The mean score of pieces, weighted by their length. Neutral pieces count less.
#[derive(Clone, Default)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use auris_engine_core::text::{TextTranscript, TextUtterance};

    fn scored(text: &str, utterances: Vec<TextUtterance>) -> (SentimentScore, Vec<UtteranceSentiment>) {
        let parsed =
            ParsedTranscript::new(Arc::new(TextTranscript { text: text.into(), language: None, utterances }));
        let pieces = pieces::of(&parsed, false);
        let texts: Vec<&str> = pieces.iter().map(|piece| piece.text(&parsed)).collect();
        let scores = context::scores(&Judge::new(None).judge(&texts).unwrap());
        let scored = Scored { parsed: &parsed, pieces: &pieces, scores };
        (labeled(scored.of_document()), scored.by_utterance())
    }

    fn said(text: &str) -> TextUtterance {
        TextUtterance { text: text.into(), ..TextUtterance::default() }
    }

    #[test]
    fn an_utterance_that_is_not_in_the_text_is_judged_and_does_not_count_for_the_document() {
        let utterances = vec![said("Thank you so much!"), said("This is terrible. I hate it."), said(" ")];
        let (document, judged) = scored("Thank you so much!", utterances);
        let labels: Vec<SentimentLabel> = judged.iter().map(|judged| judged.score.label).collect();
        assert_eq!(labels, [SentimentLabel::Positive, SentimentLabel::Negative, SentimentLabel::Neutral]);
        assert_eq!(document.label, SentimentLabel::Positive);
    }

    #[test]
    fn a_transcript_without_utterances_has_a_limited_number_of_scores() {
        let text = "? ".repeat(limits::SENTIMENT_SENTENCES + 10);
        let transcript = TextTranscript { text, ..TextTranscript::default() };
        let parsed = ParsedTranscript::new(Arc::new(transcript));
        let pieces = pieces::of(&parsed, false);
        let scores = vec![0.0; pieces.len()];
        assert!(scores.len() > limits::SENTIMENT_SENTENCES);
        let scored = Scored { parsed: &parsed, pieces: &pieces, scores };
        assert_eq!(scored.by_piece().len(), limits::SENTIMENT_SENTENCES);
    }

    #[test]
    fn a_long_utterance_counts_more_than_a_short_one() {
        let long = "The whole trip was wonderful and everybody we met was kind and friendly to us.";
        let (document, _) = scored(&format!("{long} Bad."), vec![said(long), said("Bad.")]);
        assert_eq!(document.label, SentimentLabel::Positive);
    }
}
