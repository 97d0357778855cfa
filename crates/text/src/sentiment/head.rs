//! The trained head: one hidden layer from the features of a text to the probabilities of its sentiment.
//!
//! `scripts/lib/text/train_sentiment.py` makes the file and describes it.

use std::sync::LazyLock;

use auris_engine_core::EngineError;

const FILE: &[u8] = include_bytes!("../data/sentiment_head.bin");
static HEAD: LazyLock<Option<Head>> = LazyLock::new(|| Head::read(FILE));

/// Negative, neutral, positive.
const LABELS: usize = 3;

/// The head of this build. Fails if its file is damaged.
pub(super) fn built_in() -> Result<&'static Head, EngineError> {
    HEAD.as_ref().ok_or_else(|| EngineError::internal("the file of the sentiment head is damaged"))
}

/// A network with one hidden layer of rectified units.
pub(super) struct Head {
    /// The mean of each feature.
    means: Vec<f32>,
    hidden: Vec<Unit>,
    /// The bias of each label.
    biases: Vec<f32>,
}

/// A hidden unit.
struct Unit {
    /// One for each feature, in steps of `scale`.
    weights: Vec<i8>,
    scale: f32,
    bias: f32,
    /// The weight of the unit for each label.
    to_labels: Vec<f32>,
}

impl Head {
    /// `None` if the bytes do not have the length that their first numbers require.
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let inputs = usize::from(u16::from_le_bytes(*take::<2>(&mut rest)?));
        let units = usize::from(u16::from_le_bytes(*take::<2>(&mut rest)?));
        let means = floats(&mut rest, inputs)?;
        let biases = floats(&mut rest, LABELS)?;
        let hidden = (0..units).map(|_| Unit::read(&mut rest, inputs)).collect::<Option<Vec<_>>>()?;
        rest.is_empty().then_some(Self { means, hidden, biases })
    }

    /// The probabilities of negative, neutral and positive.
    pub(super) fn probabilities(&self, features: &[f32]) -> [f32; LABELS] {
        let centered: Vec<f32> = features.iter().zip(&self.means).map(|(value, mean)| value - mean).collect();
        let mut sums = [0.0; LABELS];
        sums.iter_mut().zip(&self.biases).for_each(|(sum, bias)| *sum = *bias);
        for unit in &self.hidden {
            let value = unit.value(&centered);
            sums.iter_mut().zip(&unit.to_labels).for_each(|(sum, weight)| *sum += value * weight);
        }
        let most = sums.iter().copied().fold(f32::MIN, f32::max);
        let powers = sums.map(|sum| (sum - most).exp());
        let total: f32 = powers.iter().sum();
        powers.map(|power| power / total)
    }
}

impl Unit {
    fn read(rest: &mut &[u8], inputs: usize) -> Option<Self> {
        let numbers = floats(rest, 2 + LABELS)?;
        let (weights, after) = rest.split_at_checked(inputs)?;
        *rest = after;
        let weights = weights.iter().map(|byte| i8::from_le_bytes([*byte])).collect();
        Some(Self { weights, scale: numbers[0], bias: numbers[1], to_labels: numbers[2..].to_vec() })
    }

    fn value(&self, features: &[f32]) -> f32 {
        let products = self.weights.iter().zip(features).map(|(weight, value)| f32::from(*weight) * value);
        (products.sum::<f32>() * self.scale + self.bias).max(0.0)
    }
}

fn floats(rest: &mut &[u8], count: usize) -> Option<Vec<f32>> {
    (0..count).map(|_| take::<4>(rest).map(|bytes| f32::from_le_bytes(*bytes))).collect()
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (first, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::super::SENTIMENT_FEATURES;
    use super::*;

    #[test]
    fn the_file_fits_the_features_and_is_small() {
        let head = built_in().unwrap();
        assert_eq!(head.means.len(), SENTIMENT_FEATURES);
        assert!(head.hidden.iter().all(|unit| unit.weights.len() == SENTIMENT_FEATURES));
        assert!(FILE.len() < 300_000, "{}", FILE.len());
    }

    #[test]
    fn a_file_that_is_cut_off_or_too_long_is_refused() {
        assert!(Head::read(&FILE[..FILE.len() - 1]).is_none() && Head::read(&[]).is_none());
        assert!(Head::read(&[FILE, &[0]].concat()).is_none());
    }

    #[test]
    fn probabilities_add_up_to_one() {
        let head = built_in().unwrap();
        for value in [-1.0, 0.0, 1.0] {
            let sum: f32 = head.probabilities(&[value; SENTIMENT_FEATURES]).iter().sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
    }
}
