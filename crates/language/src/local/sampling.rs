//! The choice of the next token.

use auris_engine_core::repetition::periodic_tail;

/// Maximum length of a repeated phrase, in tokens.
const MAX_PHRASE: usize = 48;
/// Repetitions in a row that make a loop.
const MIN_REPEATS: usize = 4;
/// Minimum length of a loop, in tokens.
const MIN_LOOP: usize = 24;

/// Chooses one of the candidates: the best at temperature 0, else at random by score. `None` if there are none.
pub(super) fn choose(
    scores: &[f32],
    candidates: impl Iterator<Item = u32> + Clone,
    temperature: f32,
) -> Option<u32> {
    let score = |token: u32| scores.get(token as usize).copied().unwrap_or(f32::NEG_INFINITY);
    // The lowest id among equal scores, so that the answer does not depend on the order of the candidates.
    let by_score = |one: &u32, other: &u32| score(*one).total_cmp(&score(*other)).then(other.cmp(one));
    let best = candidates.clone().max_by(by_score)?;
    if temperature <= 0.0 {
        return Some(best);
    }
    let highest = score(best);
    let weight = |token: u32| ((score(token) - highest) / temperature).exp();
    let total: f32 = candidates.clone().map(weight).sum();
    let mut left = rand::random::<f32>() * total;
    let mut candidates = candidates;
    let chosen = candidates.find(|token| {
        left -= weight(*token);
        left < 0.0
    });
    Some(chosen.unwrap_or(best))
}

/// The token that would continue a repetition loop, if the answer ends with one: small models get into loops at
/// temperature 0.
pub(super) fn next_of_loop(tokens: &[u32]) -> Option<u32> {
    (1..=MAX_PHRASE).find_map(|length| {
        let is_loop = periodic_tail(tokens, length) >= (MIN_REPEATS * length).max(MIN_LOOP);
        is_loop.then(|| tokens[tokens.len() - length])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_temperature_0_the_best_is_chosen_and_of_equals_the_first() {
        assert_eq!(choose(&[1.0, 3.0, 3.0, 2.0], 0..4, 0.0), Some(1));
        assert_eq!(choose(&[1.0, 3.0, 3.0, 2.0], [3, 0].into_iter(), 0.0), Some(3));
        assert_eq!(choose(&[1.0], std::iter::empty(), 0.0), None);
    }

    #[test]
    fn above_temperature_0_each_token_is_chosen_as_often_as_its_score_says() {
        let scores = [0.0, f32::ln(3.0), f32::NEG_INFINITY];
        let mut counts = [0u32; 3];
        for _ in 0..20_000 {
            counts[choose(&scores, 0..3, 1.0).unwrap() as usize] += 1;
        }
        assert_eq!(counts[2], 0);
        assert!((14_000..16_000).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn a_loop_is_found_and_ordinary_repetition_is_not() {
        let looped: Vec<u32> = [7, 8, 9].into_iter().cycle().take(27).collect();
        assert_eq!(next_of_loop(&looped), Some(7));
        assert_eq!(next_of_loop(&[5; 30]), Some(5));
        assert_eq!(next_of_loop(&[7, 8, 9, 7, 8, 9, 7, 8, 9]), None);
        assert_eq!(next_of_loop(&(0..100).collect::<Vec<_>>()), None);
    }
}
