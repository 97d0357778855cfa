//! Norms per channel as one factor and one summand, and what follows them.

use auris_kernels::{add, relu, scale_shift};
use auris_weights::WeightsError;

use super::graph::Graph;

/// Added to variances, in every norm of both nets.
pub(super) const EPSILON: f32 = 1e-5;
/// The factor of negative values in leaky ReLU.
const LEAK: f32 = 0.01;
/// Rows whose sum is kept in floats before it is added to doubles.
const SUMMED_ROWS: usize = 64;

/// `value × gain + shift` for each channel.
pub(super) struct Affine {
    gain: Vec<f32>,
    shift: Vec<f32>,
}

impl Affine {
    pub(super) fn batch_norm(graph: &Graph, module: &str) -> Result<Self, WeightsError> {
        let [weight, bias, mean, variance] = graph.batch_norm(module)?;
        Ok(Self::new(&weight, &bias, &mean, &variance))
    }

    fn new(weight: &[f32], bias: &[f32], mean: &[f32], variance: &[f32]) -> Self {
        let gain: Vec<f32> = weight
            .iter()
            .zip(variance)
            .map(|(weight, variance)| weight / (variance + EPSILON).sqrt())
            .collect();
        let shift = bias.iter().zip(mean).zip(&gain).map(|((bias, mean), gain)| bias - mean * gain).collect();
        Self { gain, shift }
    }

    pub(super) fn channels(&self) -> usize {
        self.gain.len()
    }

    pub(super) fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(self.channels()) {
            scale_shift(row, &self.gain, &self.shift);
        }
    }

    /// The norm and ReLU of the first channels of rows that are `stride` floats apart.
    pub(super) fn activate(&self, rows: &[f32], stride: usize, out: &mut Vec<f32>) {
        out.clear();
        for row in rows.chunks_exact(stride) {
            out.extend_from_slice(&row[..self.channels()]);
        }
        self.apply(out);
        relu(out);
    }
}

/// A norm with the statistics of the input itself.
pub(super) struct InstanceNorm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl InstanceNorm {
    pub(super) fn load(graph: &Graph, module: &str) -> Result<Self, WeightsError> {
        let weight = graph.floats(&format!("{module}.weight"))?;
        Ok(Self { weight, bias: graph.floats(&format!("{module}.bias"))? })
    }

    pub(super) fn channels(&self) -> usize {
        self.weight.len()
    }

    /// Normalizes each channel over all rows.
    pub(super) fn apply(&self, rows: &mut [f32]) {
        let mean = self.means(rows, |_| {});
        let variance = self.means(rows, |row| {
            row.iter_mut().zip(&mean).for_each(|(value, mean)| *value = (*value - mean) * (*value - mean));
        });
        Affine::new(&self.weight, &self.bias, &mean, &variance).apply(rows);
    }

    /// The mean of each channel, after each row was prepared.
    fn means(&self, rows: &[f32], prepare: impl Fn(&mut [f32])) -> Vec<f32> {
        let channels = self.channels();
        let mut sums = vec![0.0f64; channels];
        let mut part = vec![0.0; channels];
        let mut prepared = vec![0.0; channels];
        for rows in rows.chunks(SUMMED_ROWS * channels) {
            part.fill(0.0);
            for row in rows.chunks_exact(channels) {
                prepared.copy_from_slice(row);
                prepare(&mut prepared);
                add(&mut part, &prepared);
            }
            sums.iter_mut().zip(&part).for_each(|(sum, part)| *sum += f64::from(*part));
        }
        let count = (rows.len() / channels).max(1) as f64;
        sums.iter().map(|sum| (sum / count) as f32).collect()
    }
}

/// Leaky ReLU.
pub(super) fn leaky_relu(floats: &mut [f32]) {
    floats.iter_mut().for_each(|value| *value = value.max(LEAK * *value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_norm_gives_each_channel_its_mean_and_spread() {
        let norm = InstanceNorm { weight: vec![2.0, 1.0], bias: vec![1.0, 0.0] };
        let mut rows: Vec<f32> = (0..400).flat_map(|row| [row as f32, 5.0]).collect();
        norm.apply(&mut rows);
        let channel = |nth: usize| rows.iter().skip(nth).step_by(2).copied().collect::<Vec<f32>>();
        let mean = channel(0).iter().sum::<f32>() / 400.0;
        let spread = channel(0).iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / 400.0;
        assert!((mean - 1.0).abs() < 1e-4 && (spread - 4.0).abs() < 1e-3, "{mean} {spread}");
        assert!(channel(1).iter().all(|value| value.abs() < 1e-3), "a constant channel has no spread");
    }

    #[test]
    fn a_batch_norm_reads_the_first_channels_of_wider_rows() {
        let norm = Affine::new(&[1.0, 2.0], &[0.0, 1.0], &[1.0, 0.0], &[1.0 - EPSILON, 4.0 - EPSILON]);
        let mut out = vec![9.0];
        norm.activate(&[3.0, 4.0, 100.0, 0.0, -4.0, 100.0], 3, &mut out);
        let close = out.iter().zip([2.0, 5.0, 0.0, 0.0]).all(|(one, other)| (one - other).abs() < 1e-5);
        assert!(close && out.len() == 4, "{out:?}");
    }

    #[test]
    fn leaky_relu_keeps_a_hundredth_of_negative_values() {
        let mut floats = [3.0, -2.0];
        leaky_relu(&mut floats);
        assert_eq!(floats, [3.0, -0.02]);
    }
}
