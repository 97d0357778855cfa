//! Turns judgements into scores. The utterances just before and after one are evidence of its sentiment too.

use super::NEUTRAL;

/// How much the neighbors count. Chosen on dialogues that the head was not trained on.
const INFLUENCE: f32 = 1.0;
/// The weights of the neighbors, by distance.
const WEIGHTS: [f32; 2] = [1.0, 0.5];
/// The mean probabilities of all neighbors. A neighbor with exactly these changes nothing.
const USUAL: [f32; 3] = [0.33, 0.42, 0.25];

/// What was found out about a text by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Judgement {
    /// The score of the lexicon, or of a text without letters.
    Score(f64),
    /// The network's probabilities of negative, neutral and positive.
    Probabilities([f32; 3]),
}

/// The scores of consecutive texts, from -1 to 1.
pub(super) fn scores(judged: &[Judgement]) -> Vec<f64> {
    let score = |nth: usize| match judged[nth] {
        Judgement::Score(score) => score,
        Judgement::Probabilities(found) => shaped(in_context(found, neighbors(judged, nth))),
    };
    (0..judged.len()).map(score).collect()
}

/// The probabilities of the neighbors that the network judged, with their weights.
fn neighbors(judged: &[Judgement], nth: usize) -> impl Iterator<Item = (f32, [f32; 3])> {
    let at = |place: Option<usize>| match place.and_then(|place| judged.get(place)) {
        Some(Judgement::Probabilities(found)) => Some(*found),
        Some(Judgement::Score(_)) | None => None,
    };
    let both = (1..).zip(WEIGHTS).flat_map(move |(distance, weight)| {
        [at(nth.checked_sub(distance)), at(Some(nth + distance))]
            .map(|found| found.map(|found| (weight, found)))
    });
    both.flatten()
}

/// The probabilities of a text, changed by those of its neighbors. They add up to one.
fn in_context(found: [f32; 3], neighbors: impl Iterator<Item = (f32, [f32; 3])>) -> [f32; 3] {
    let mut sum = [0.0; 3];
    let mut weights = 0.0;
    for (weight, neighbor) in neighbors {
        (0..3).for_each(|label| sum[label] += weight * (neighbor[label] - USUAL[label]));
        weights += weight;
    }
    if weights == 0.0 {
        return found;
    }
    let changed: [f32; 3] =
        std::array::from_fn(|label| found[label] * (INFLUENCE * sum[label] / weights).exp());
    let total: f32 = changed.iter().sum();
    changed.map(|share| share / total)
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
    fn an_unclear_text_gets_the_sentiment_of_what_is_around_it() {
        let unclear = Judgement::Probabilities([0.34, 0.36, 0.3]);
        let [sad, glad] = [[0.9, 0.1, 0.0], [0.0, 0.1, 0.9]].map(Judgement::Probabilities);
        assert!(scores(&[unclear])[0].abs() < NEUTRAL);
        assert!(scores(&[sad, unclear, sad])[1] <= -NEUTRAL);
        assert!(scores(&[glad, unclear, glad])[1] >= NEUTRAL);
    }

    #[test]
    fn a_clear_text_keeps_its_sentiment() {
        let [sad, glad] = [[0.9, 0.1, 0.0], [0.0, 0.1, 0.9]].map(Judgement::Probabilities);
        let found = scores(&[sad, glad, sad, Judgement::Score(0.3)]);
        assert!(found[0] < -0.5 && found[1] > 0.5 && found[2] < -0.5 && found[3] == 0.3, "{found:?}");
    }
}
