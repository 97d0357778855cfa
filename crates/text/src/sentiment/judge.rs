//! Scores texts with the network and the lexicon, or with the lexicon alone.

use auris_engine_core::EngineError;

use super::lexicon::{Lexicon, LexiconScores};
use super::{NEUTRAL, features, head};
use crate::embedder::Embedder;

/// Scores texts from -1 to 1.
pub(super) struct Judge<'a> {
    net: Option<&'a Embedder>,
    lexicon: Lexicon,
}

impl<'a> Judge<'a> {
    pub(super) fn new(net: Option<&'a Embedder>) -> Self {
        Self { net, lexicon: Lexicon::new() }
    }

    pub(super) fn scores(&self, texts: &[&str]) -> Result<Vec<f64>, EngineError> {
        let scores: Vec<LexiconScores> = texts.iter().map(|text| self.lexicon.scores(text)).collect();
        let Some(net) = self.net else {
            return Ok(scores.iter().map(|scores| scores.compound).collect());
        };
        let head = head::built_in()?;
        // A text without letters is neutral; the network need not read it.
        let has_letters = |nth: &usize| texts[*nth].contains(char::is_alphabetic);
        let read: Vec<usize> = (0..texts.len()).filter(has_letters).collect();
        let read_texts: Vec<&str> = read.iter().map(|nth| texts[*nth]).collect();
        let read_scores: Vec<LexiconScores> = read.iter().map(|nth| scores[*nth]).collect();
        let mut judged = vec![0.0; texts.len()];
        for (nth, row) in read.iter().zip(features::of(net, &read_texts, &read_scores)?) {
            judged[*nth] = shaped(head.probabilities(&row));
        }
        Ok(judged)
    }
}

/// The probability of positive less that of negative, moved to the side of the threshold where the most probable label
/// is.
fn shaped([negative, neutral, positive]: [f32; 3]) -> f64 {
    let score = f64::from(positive - negative);
    if neutral >= positive && neutral >= negative {
        // Just below the threshold, so that rounding does not reach it.
        score * (NEUTRAL - 0.001)
    } else if positive >= negative {
        score.max(NEUTRAL)
    } else {
        score.min(-NEUTRAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_on_the_side_of_the_most_probable_label() {
        assert!(shaped([0.1, 0.2, 0.7]) > 0.5 && shaped([0.7, 0.2, 0.1]) < -0.5);
        assert_eq!((shaped([0.41, 0.17, 0.42]), shaped([0.42, 0.17, 0.41])), (NEUTRAL, -NEUTRAL));
        assert!(shaped([0.0, 0.51, 0.49]).abs() < NEUTRAL && shaped([0.5, 0.5, 0.0]).abs() < NEUTRAL);
    }

    #[test]
    fn the_network_judges_texts_that_have_no_word_of_the_lexicon() {
        let net = crate::embedder::tests::embedder();
        let negative = ["We waited two hours and nobody came.", "I have a headache and I want to go home."];
        let others =
            ["The meeting is on Tuesday at ten.", "i love it", "That sounds great, thanks a lot.", "..."];
        let scores = |net, texts: &[&str]| Judge::new(net).scores(texts).unwrap();
        assert_eq!(scores(None, &negative), [0.0, 0.0]);
        assert!(scores(Some(&net), &negative).iter().all(|score| *score <= -NEUTRAL));
        let found = scores(Some(&net), &others);
        assert!(found[0].abs() < NEUTRAL && found[1] > 0.5 && found[2] > 0.5 && found[3] == 0.0, "{found:?}");
    }
}
