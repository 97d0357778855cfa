//! Chooses tokens by chance, for another attempt at a text. The chance depends on a seed alone, so that the same audio
//! always gets the same text.

use auris_kernels::argmax;

use crate::token_choice::probability;
use crate::vocabulary::BiasState;
use crate::words::ChosenToken;

/// A score this many temperatures below the best is never chosen.
const NEGLIGIBLE: f32 = 12.0;

/// A sequence of numbers without a pattern (xorshift).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number between 0 and 1, neither of them included.
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 41) as f32 + 0.5) / (1u64 << 23) as f32
    }

    /// A token with the probability that the scores have at this temperature. The higher it is, the less the scores matter.
    pub(crate) fn sample(&mut self, scores: &[f32], temperature: f32) -> ChosenToken {
        let best = argmax(scores);
        let floor = scores.get(best).copied().unwrap_or_default() - NEGLIGIBLE * temperature;
        let likely = scores.iter().enumerate().filter(|(_, score)| **score >= floor);
        // The largest of the scores plus Gumbel noise is a sample of their softmax.
        let noisy = likely.map(|(id, score)| (id, score / temperature - (-self.next().ln()).ln()));
        let chosen = noisy.max_by(|one, other| one.1.total_cmp(&other.1));
        let id = chosen.map_or(best, |(id, _)| id) as u32;
        ChosenToken { id, probability: probability(scores, id) }
    }

    /// As `sample`, after the bonus of a vocabulary. The token has the probability that the model itself gives it.
    pub(crate) fn sample_with_bias(
        &mut self,
        scores: &mut [f32],
        bias: Option<&BiasState>,
        temperature: f32,
    ) -> ChosenToken {
        let Some(bias) = bias else { return self.sample(scores, temperature) };
        let unbiased = scores.to_vec();
        bias.apply(scores);
        let id = self.sample(scores, temperature).id;
        ChosenToken { id, probability: probability(&unbiased, id) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::vocabulary::Vocabulary;

    #[test]
    fn tokens_are_sampled_as_often_as_they_are_probable() {
        let scores = [0.0, 3.0f32.ln(), f32::NEG_INFINITY];
        let mut chance = Chance::new(5);
        let ids: Vec<u32> = (0..4_000).map(|_| chance.sample(&scores, 1.0).id).collect();
        let second = ids.iter().filter(|id| **id == 1).count();
        assert!((2_900..3_100).contains(&second), "{second}");
        assert!(!ids.contains(&2));
        assert!(
            (chance.sample(&scores, 0.01).probability - 0.75).abs() < 1e-6,
            "the best token when it is cold"
        );
    }

    #[test]
    fn the_term_of_a_vocabulary_is_sampled_more_often_with_the_probability_of_the_model() {
        let vocabulary = Arc::new(Vocabulary::of_tokens(&[&[1, 2]], &[]));
        let term = |bias: Option<&BiasState>| {
            let mut chance = Chance::new(9);
            let tokens = (0..1_000).map(|_| chance.sample_with_bias(&mut [1.0, 0.0, -9.0], bias, 0.5));
            tokens.filter(|token| token.id == 1).collect::<Vec<_>>()
        };
        let (without, with) = (term(None), term(Some(&BiasState::new(&vocabulary))));
        assert!(without.len() < 200 && with.len() > 600, "{} and {}", without.len(), with.len());
        assert!(with.iter().all(|token| token.probability == without[0].probability));
    }

    #[test]
    fn the_same_seed_gives_the_same_tokens() {
        let scores: Vec<f32> = (0..50).map(|nth| (nth % 7) as f32).collect();
        let tokens = |seed| {
            let mut chance = Chance::new(seed);
            (0..20).map(|_| chance.sample(&scores, 1.0).id).collect::<Vec<_>>()
        };
        assert_eq!(tokens(3), tokens(3));
        assert_ne!(tokens(3), tokens(4));
    }
}
