//! The choice of the next token.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// The longest cycle of tokens that is looked for, and how much of the same makes one.
const LONGEST_CYCLE: usize = 48;
const SAME: usize = 4;
const SHORTEST_LOOP: usize = 24;

/// Chooses by score: the best at temperature 0, by chance above it.
pub(super) struct Chooser {
    temperature: f32,
    state: u64,
}

impl Chooser {
    pub(super) fn new(temperature: f64) -> Self {
        // The standard library's hash keys come from the system's own randomness.
        let seed = RandomState::new().hash_one(0u8);
        Self { temperature: temperature as f32, state: seed | 1 }
    }

    /// One of the candidates; `None` where there are none.
    pub(super) fn choose(
        &mut self,
        scores: &[f32],
        candidates: impl Iterator<Item = u32> + Clone,
    ) -> Option<u32> {
        let score = |token: u32| scores.get(token as usize).copied().unwrap_or(f32::NEG_INFINITY);
        let best = candidates.clone().max_by(|one, other| {
            // Of equals the first, so that the answer does not depend on the order of the candidates.
            score(*one).total_cmp(&score(*other)).then(other.cmp(one))
        })?;
        if self.temperature <= 0.0 {
            return Some(best);
        }
        let (highest, temperature) = (score(best), self.temperature);
        let weight = |token: u32| ((score(token) - highest) / temperature).exp();
        let total: f32 = candidates.clone().map(weight).sum();
        let mut left = self.fraction() * total;
        for token in candidates {
            left -= weight(token);
            if left <= 0.0 {
                return Some(token);
            }
        }
        Some(best)
    }

    /// A number from 0 to below 1 (xorshift64*).
    fn fraction(&mut self) -> f32 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let bits = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40;
        bits as f32 / (1u64 << 24) as f32
    }
}

/// The token that would go on with a loop, where the answer has fallen into one: small models do at temperature 0.
pub(super) fn next_of_loop(tokens: &[u32]) -> Option<u32> {
    (1..=LONGEST_CYCLE).find_map(|cycle| {
        let needed = (SAME * cycle).max(SHORTEST_LOOP);
        let tail = tokens.len().checked_sub(needed).map(|start| &tokens[start..])?;
        let loops = tail.iter().skip(cycle).zip(tail).all(|(one, before)| one == before);
        loops.then(|| tail[tail.len() - cycle])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_temperature_the_best_wins_and_the_first_of_equals() {
        let mut chooser = Chooser::new(0.0);
        assert_eq!(chooser.choose(&[1.0, 3.0, 3.0, 2.0], 0..4), Some(1));
        assert_eq!(chooser.choose(&[1.0, 3.0, 3.0, 2.0], [3, 0].into_iter()), Some(3));
        assert_eq!(chooser.choose(&[1.0], std::iter::empty()), None);
    }

    #[test]
    fn with_temperature_each_comes_as_often_as_its_score_says() {
        let mut chooser = Chooser::new(1.0);
        let scores = [0.0, f32::ln(3.0), f32::NEG_INFINITY];
        let mut counts = [0u32; 3];
        for _ in 0..20_000 {
            counts[chooser.choose(&scores, 0..3).unwrap() as usize] += 1;
        }
        assert_eq!(counts[2], 0);
        assert!((14_000..16_000).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn a_loop_is_seen_and_honest_repetition_is_not() {
        let looped: Vec<u32> = [7, 8, 9].into_iter().cycle().take(27).collect();
        assert_eq!(next_of_loop(&looped), Some(7));
        assert_eq!(next_of_loop(&[5; 30]), Some(5));
        assert_eq!(next_of_loop(&[7, 8, 9, 7, 8, 9, 7, 8, 9]), None);
        assert_eq!(next_of_loop(&(0..100).collect::<Vec<_>>()), None);
    }
}
