//! Chooses a token by its score.

use auris_kernels::{argmax, sum_of_powers};

use crate::vocabulary::BiasState;
use crate::words::ChosenToken;

/// The most probable token.
pub(crate) fn best(scores: &[f32]) -> ChosenToken {
    let id = argmax(scores);
    let probability = scores.get(id).map_or(0.0, |top| 1.0 / sum_of_powers(scores, *top));
    ChosenToken { id: id as u32, probability }
}

/// The best token after the bonus of a vocabulary, with the probability that the model itself gives it.
pub(crate) fn best_with_bias(scores: &mut [f32], bias: Option<&BiasState>) -> ChosenToken {
    let Some(bias) = bias else { return best(scores) };
    let unbiased = scores.to_vec();
    bias.apply(scores);
    let id = argmax(scores) as u32;
    ChosenToken { id, probability: probability(&unbiased, id) }
}

/// The most probable tokens after the bonus of a vocabulary, best first, each with the logarithm of its probability with
/// the bonus. Tokens have the probability that the model itself gives them. Changes the scores.
pub(crate) fn most_probable(
    scores: &mut [f32],
    bias: Option<&BiasState>,
    count: usize,
) -> Vec<(ChosenToken, f32)> {
    let unbiased = bias.map(|bias| {
        let unbiased = scores.to_vec();
        bias.apply(scores);
        unbiased
    });
    let top = scores.get(argmax(scores)).copied().unwrap_or(f32::NEG_INFINITY);
    let weight = sum_of_powers(scores, top);
    let mut best = Vec::with_capacity(count);
    while best.len() < count {
        let id = argmax(scores);
        let Some(score) = scores.get_mut(id).filter(|score| **score > f32::NEG_INFINITY) else { break };
        let relative = std::mem::replace(score, f32::NEG_INFINITY) - top;
        let own = unbiased.as_ref().map(|scores| probability(scores, id as u32));
        let probability = own.unwrap_or(relative.exp() / weight);
        best.push((ChosenToken { id: id as u32, probability }, relative - weight.ln()));
    }
    best
}

/// The probability of a token by the softmax of all scores.
pub(crate) fn probability(scores: &[f32], token: u32) -> f32 {
    let (Some(top), Some(score)) = (scores.get(argmax(scores)), scores.get(token as usize)) else {
        return 0.0;
    };
    (score - top).exp() / sum_of_powers(scores, *top)
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

    #[test]
    fn the_most_probable_tokens_come_best_first_and_forbidden_ones_not_at_all() {
        let mut scores = [f32::NEG_INFINITY, 0.0, 2.0f32.ln(), f32::NEG_INFINITY, 0.0];
        let all = most_probable(&mut scores.clone(), None, 9);
        let ids: Vec<u32> = all.iter().map(|(token, _)| token.id).collect();
        assert_eq!(ids, [2, 1, 4]);
        for ((token, log_probability), expected) in all.iter().zip([0.5f32, 0.25, 0.25]) {
            assert!((token.probability - expected).abs() < 1e-6);
            assert!((log_probability - expected.ln()).abs() < 1e-6);
        }
        assert_eq!(most_probable(&mut scores, None, 2), all[..2]);
    }
}
