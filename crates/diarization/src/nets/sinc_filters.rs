//! The filters of SincNet: band passes whose lower and upper frequencies were learned.

use auris_weights::WeightsError;

use super::graph::Graph;

/// The lowest frequency of a band, and the narrowest band, in hertz.
const LOWEST: f32 = 50.0;
const NARROWEST: f32 = 50.0;
/// The highest frequency of a band.
const HIGHEST: f32 = 8_000.0;

/// The learned bands.
pub(super) struct SincFilters {
    /// For each band its lower and its upper frequency.
    bands: Vec<(f32, f32)>,
    /// Angle per hertz of the samples before the middle of a filter.
    angles: Vec<f32>,
    /// The first half of the window.
    fade: Vec<f32>,
}

impl SincFilters {
    pub(super) fn load(graph: &Graph, module: &str) -> Result<Self, WeightsError> {
        let tensor = |name: &str| graph.floats(&format!("{module}.filterbank.{name}"));
        let low = tensor("low_hz_")?;
        let width = tensor("band_hz_")?;
        let bands = low.iter().zip(&width).map(|(low, width)| {
            let low = low.abs() + LOWEST;
            (low, (low + NARROWEST + width.abs()).clamp(LOWEST, HIGHEST))
        });
        Ok(Self { bands: bands.collect(), angles: tensor("n_")?, fade: tensor("window_")? })
    }

    /// Samples of a filter.
    pub(super) fn length(&self) -> usize {
        2 * self.angles.len() + 1
    }

    /// The filters, one after the other: first the symmetric ones, then the antisymmetric ones.
    pub(super) fn filters(&self) -> Vec<f32> {
        let symmetric = self.bands.iter().flat_map(|band| {
            let half = self.half(*band, |low, high| high.sin() - low.sin());
            whole(&half, 1.0, |value| value)
        });
        let antisymmetric = self.bands.iter().flat_map(|band| {
            let half = self.half(*band, |low, high| low.cos() - high.cos());
            whole(&half, 0.0, |value| -value)
        });
        symmetric.chain(antisymmetric).collect()
    }

    /// The samples before the middle, scaled so that the middle of a symmetric filter is one.
    fn half(&self, (low, high): (f32, f32), wave: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        let scale = 2.0 * (high - low);
        let samples = self.angles.iter().zip(&self.fade);
        samples.map(|(angle, fade)| wave(low * angle, high * angle) / (angle / 2.0) * fade / scale).collect()
    }
}

fn whole(half: &[f32], middle: f32, mirrored: impl Fn(f32) -> f32) -> Vec<f32> {
    let after = half.iter().rev().map(|value| mirrored(*value));
    half.iter().copied().chain([middle]).chain(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The amplitude of a filter at a frequency.
    fn amplitude(filter: &[f32], hertz: f32) -> f32 {
        let phase = |at: usize| std::f32::consts::TAU * hertz / 16_000.0 * at as f32;
        let sum = |wave: fn(f32) -> f32| -> f32 {
            filter.iter().enumerate().map(|(at, value)| value * wave(phase(at))).sum()
        };
        sum(f32::cos).hypot(sum(f32::sin))
    }

    #[test]
    fn filters_pass_their_band_only() {
        let angles: Vec<f32> =
            (0..125).map(|at| std::f32::consts::TAU * (at as f32 - 125.0) / 16_000.0).collect();
        let fade =
            (0..125).map(|at| 0.54 - 0.46 * (std::f32::consts::TAU * at as f32 / 251.0).cos()).collect();
        let filters = SincFilters { bands: vec![(1_000.0, 2_000.0)], angles, fade };
        let found = filters.filters();
        assert_eq!(found.len(), 2 * filters.length());
        for filter in found.chunks_exact(filters.length()) {
            let inside = amplitude(filter, 1_500.0);
            assert!(amplitude(filter, 500.0) < 0.01 * inside && amplitude(filter, 2_500.0) < 0.01 * inside);
        }
    }
}
