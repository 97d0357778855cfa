//! SincNet: from samples to 59 rows of 60 channels per second.

use auris_kernels::{FloatLinear, moments};
use auris_weights::WeightsError;

use super::graph::Graph;
use super::norms::{EPSILON, InstanceNorm, leaky_relu};
use super::sinc_filters::SincFilters;

/// Samples from one output of the first filters to the next.
const FILTER_STEP: usize = 10;
/// Rows of which each channel keeps the largest value.
const POOLED_ROWS: usize = 3;

/// The loaded net.
pub(super) struct Sincnet {
    wave_gain: f32,
    wave_shift: f32,
    filters: FloatLinear,
    convolutions: Vec<FloatLinear>,
    norms: Vec<InstanceNorm>,
}

impl Sincnet {
    pub(super) fn load(graph: &Graph) -> Result<Self, WeightsError> {
        let single = |name: &str| graph.floats(name).map(|floats| floats.first().copied().unwrap_or(0.0));
        let filters = SincFilters::load(graph, "sincnet.conv1d.0")?;
        let convolution = |nth: usize| {
            graph.convolution(&format!("sincnet/conv1d.{nth}")).map(|kernel| kernel.window_product())
        };
        let norm = |nth: usize| InstanceNorm::load(graph, &format!("sincnet.norm1d.{nth}"));
        Ok(Self {
            wave_gain: single("sincnet.wav_norm1d.weight")?,
            wave_shift: single("sincnet.wav_norm1d.bias")?,
            filters: FloatLinear::new(&filters.filters(), filters.length(), &[]),
            convolutions: (1..=2).map(convolution).collect::<Result<_, _>>()?,
            norms: (0..=2).map(norm).collect::<Result<_, _>>()?,
        })
    }

    /// The rows of a window of samples.
    pub(super) fn run(&self, samples: &[f32]) -> Vec<f32> {
        let wave = self.normalized(samples);
        let mut rows = windows(&self.filters, &wave, FILTER_STEP);
        rows.iter_mut().for_each(|value| *value = value.abs());
        for (nth, norm) in self.norms.iter().enumerate() {
            if let Some(convolution) = nth.checked_sub(1).and_then(|nth| self.convolutions.get(nth)) {
                rows = windows(convolution, &rows, self.norms[nth - 1].channels());
            }
            rows = pooled(&rows, norm.channels());
            norm.apply(&mut rows);
            leaky_relu(&mut rows);
        }
        rows
    }

    fn normalized(&self, samples: &[f32]) -> Vec<f32> {
        let (mean, variance) = moments(samples);
        let gain = self.wave_gain / (variance + EPSILON).sqrt();
        samples.iter().map(|sample| (sample - mean) * gain + self.wave_shift).collect()
    }
}

/// The product with all windows that fit, one every `step` floats.
fn windows(product: &FloatLinear, x: &[f32], step: usize) -> Vec<f32> {
    let count = (x.len() + step).saturating_sub(product.inputs()) / step;
    let mut y = vec![0.0; count * product.outputs()];
    product.run_windows(x, step, &mut y);
    y
}

/// The largest of three rows, channel by channel. An incomplete group at the end is dropped.
fn pooled(rows: &[f32], channels: usize) -> Vec<f32> {
    let groups = rows.chunks_exact(POOLED_ROWS * channels);
    let mut pooled = Vec::with_capacity(rows.len() / POOLED_ROWS);
    for group in groups {
        let (one, others) = group.split_at(channels);
        let (two, three) = others.split_at(channels);
        pooled.extend(one.iter().zip(two).zip(three).map(|((one, two), three)| one.max(*two).max(*three)));
    }
    pooled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_three_rows_is_kept() {
        let rows = [1.0, 6.0, 2.0, 5.0, 3.0, 4.0, 9.0, 9.0];
        assert_eq!(pooled(&rows, 2), [3.0, 6.0]);
    }

    #[test]
    fn every_whole_window_has_a_row() {
        let product = FloatLinear::new(&[1.0, 1.0, 1.0], 3, &[]);
        assert_eq!(windows(&product, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2), [6.0, 12.0]);
        assert_eq!(windows(&product, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 2), [6.0, 12.0, 18.0]);
        assert!(windows(&product, &[1.0, 2.0], 2).is_empty());
    }
}
