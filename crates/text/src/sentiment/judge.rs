//! Judges texts with the network and the lexicon, or with the lexicon alone.

use auris_engine_core::EngineError;

use super::context::Judgement;
use super::lexicon::{Lexicon, LexiconScores};
use super::{features, head};
use crate::embedder::Embedder;

/// Judges each text by itself.
pub(super) struct Judge<'a> {
    net: Option<&'a Embedder>,
    lexicon: Lexicon,
}

impl<'a> Judge<'a> {
    pub(super) fn new(net: Option<&'a Embedder>) -> Self {
        Self { net, lexicon: Lexicon::new() }
    }

    pub(super) fn judge(&self, texts: &[&str]) -> Result<Vec<Judgement>, EngineError> {
        let scores: Vec<LexiconScores> = texts.iter().map(|text| self.lexicon.scores(text)).collect();
        let Some(net) = self.net else {
            return Ok(scores.iter().map(|scores| Judgement::Score(scores.compound)).collect());
        };
        let head = head::built_in()?;
        // A text without letters is neutral; the network need not read it.
        let has_letters = |nth: &usize| texts[*nth].contains(char::is_alphabetic);
        let read: Vec<usize> = (0..texts.len()).filter(has_letters).collect();
        let read_texts: Vec<&str> = read.iter().map(|nth| texts[*nth]).collect();
        let read_scores: Vec<LexiconScores> = read.iter().map(|nth| scores[*nth]).collect();
        let mut judged = vec![Judgement::Score(0.0); texts.len()];
        for (nth, row) in read.iter().zip(features::of(net, &read_texts, &read_scores)?) {
            judged[*nth] = Judgement::Probabilities(head.probabilities(&row));
        }
        Ok(judged)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NEUTRAL, context};
    use super::*;

    #[test]
    fn the_network_judges_texts_that_have_no_word_of_the_lexicon() {
        let net = crate::embedder::tests::embedder();
        let negative = ["We waited two hours and nobody came.", "I have a headache and I want to go home."];
        let others =
            ["The meeting is on Tuesday at ten.", "i love it", "That sounds great, thanks a lot.", "..."];
        let scores = |net, texts: &[&str]| -> Vec<f64> {
            let one = |text: &&str| context::scores(&Judge::new(net).judge(&[text]).unwrap())[0];
            texts.iter().map(one).collect()
        };
        assert_eq!(scores(None, &negative), [0.0, 0.0]);
        assert!(scores(Some(&net), &negative).iter().all(|score| *score <= -NEUTRAL));
        let found = scores(Some(&net), &others);
        assert!(found[0].abs() < NEUTRAL && found[1] > 0.5 && found[2] > 0.5 && found[3] == 0.0, "{found:?}");
    }
}
