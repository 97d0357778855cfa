//! Chooses a token by its score.

use auris_kernels::argmax;

use crate::vocabulary::BiasState;
use crate::words::ChosenToken;

/// A score this far below the best has less than a hundred-millionth of its probability and is ignored.
const NEGLIGIBLE: f32 = 20.0;
/// Scores that are skipped at once if all of them are negligible.
const BLOCK: usize = 64;

/// The most probable token.
pub(crate) fn best(scores: &[f32]) -> ChosenToken {
    let id = argmax(scores) as u32;
    ChosenToken { id, probability: probability(scores, id) }
}

/// The best token after the bonus of a vocabulary, with the probability that the model itself gives it.
pub(crate) fn best_with_bias(scores: &mut [f32], bias: Option<&BiasState>) -> ChosenToken {
    let Some(bias) = bias else { return best(scores) };
    let unbiased = scores.to_vec();
    bias.apply(scores);
    let id = argmax(scores) as u32;
    ChosenToken { id, probability: probability(&unbiased, id) }
}

/// The probability of a token by the softmax of all scores.
pub(crate) fn probability(scores: &[f32], token: u32) -> f32 {
    let (Some(top), Some(score)) = (scores.get(argmax(scores)), scores.get(token as usize)) else {
        return 0.0;
    };
    (score - top).exp() / weight(scores, *top)
}

/// The denominator of the softmax, relative to `top`. Negligible scores are skipped to save their exponentials.
fn weight(scores: &[f32], top: f32) -> f32 {
    let floor = top - NEGLIGIBLE;
    let counts = |block: &&[f32]| block.iter().filter(|score| **score > floor).count() > 0;
    let blocks = scores.chunks(BLOCK).filter(counts);
    blocks.flatten().filter(|score| **score > floor).map(|score| (score - top).exp()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_token_has_its_share_of_the_probability() {
        let mut scores = vec![-50.0; 200];
        (scores[7], scores[150]) = (3.0, 3.0 + 3.0f32.ln());
        let chosen = best(&scores);
        assert_eq!(chosen.id, 150);
        assert!((chosen.probability - 0.75).abs() < 1e-6);
        assert!((probability(&scores, 7) - 0.25).abs() < 1e-6);
        assert!(probability(&scores, 8) < 1e-6);
    }
}
