//! Layer norm, and the mean and variance of a whole slice.

use crate::lanes::{Lanes, lanes_dispatch};
use crate::usable_level;

/// A layer norm over rows as long as `gain`.
#[derive(Debug, Clone, Copy)]
pub struct LayerNorm<'a> {
    /// What each normalized float is multiplied by.
    pub gain: &'a [f32],
    /// What is added then. May be empty.
    pub bias: &'a [f32],
    /// Added to the variance.
    pub epsilon: f32,
}

impl LayerNorm<'_> {
    /// Checks that the norm fits rows of floats; returns their width.
    pub(crate) fn checked_width(&self, floats: &[f32]) -> usize {
        let width = self.gain.len();
        assert!(self.bias.is_empty() || self.bias.len() == width, "a bias for each gain");
        assert!(width > 0 && floats.len().is_multiple_of(width), "whole rows are normalized");
        width
    }
}

/// The layer norm of every row. `out` is as long as `floats`.
pub fn layer_norm(floats: &[f32], norm: LayerNorm<'_>, out: &mut [f32]) {
    norm.checked_width(floats);
    assert_eq!(floats.len(), out.len(), "an output for each float");
    layer_norm_at(usable_level(), floats, norm, out);
}

/// Divides every row, as long as `gain`, by the root of its mean square, and multiplies it by the gain. `out` is as long as
/// `floats`.
pub fn rms_norm(floats: &[f32], gain: &[f32], epsilon: f32, out: &mut [f32]) {
    LayerNorm { gain, bias: &[], epsilon }.checked_width(floats);
    assert_eq!(floats.len(), out.len(), "an output for each float");
    rms_norm_at(usable_level(), floats, gain, epsilon, out);
}

/// The mean and the variance of all floats; zeros for an empty slice.
pub fn moments(floats: &[f32]) -> (f32, f32) {
    moments_at(usable_level(), floats)
}

lanes_dispatch! {
    pub(crate) fn layer_norm_at(floats: &[f32], norm: LayerNorm<'_>, out: &mut [f32]) = normalize_rows
}

lanes_dispatch! {
    pub(crate) fn rms_norm_at(floats: &[f32], gain: &[f32], epsilon: f32, out: &mut [f32]) = rms_norm_rows
}

lanes_dispatch! {
    pub(crate) fn moments_at(floats: &[f32]) -> (f32, f32) = moments_of
}

#[inline(always)]
unsafe fn normalize_rows<L: Lanes>(floats: &[f32], norm: LayerNorm<'_>, out: &mut [f32]) {
    let width = norm.gain.len();
    for at in (0..floats.len()).step_by(width) {
        // SAFETY: whole rows of both slices.
        unsafe { normalize_row::<L>(&floats[at..at + width], norm, &mut out[at..at + width]) };
    }
}

#[inline(always)]
unsafe fn rms_norm_rows<L: Lanes>(floats: &[f32], gain: &[f32], epsilon: f32, out: &mut [f32]) {
    let width = gain.len();
    for (row, out) in floats.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        // SAFETY: row, gain and output have the same length.
        unsafe {
            let square = squares_of::<L>(row, 0.0) / width as f32;
            let scale = L::splat(1.0 / (square + epsilon).sqrt());
            for at in (0..width).step_by(L::WIDTH) {
                let left = width - at;
                let gain = L::load_some(gain.as_ptr().add(at), left).mul(scale);
                L::load_some(row.as_ptr().add(at), left).mul(gain).store_some(out.as_mut_ptr().add(at), left);
            }
        }
    }
}

/// Writes the layer norm of one row and returns the largest size of the result.
///
/// # Safety
/// The processor has the instructions of the lanes; row, gain and output have the same length.
#[inline(always)]
pub(crate) unsafe fn normalize_row<L: Lanes>(row: &[f32], norm: LayerNorm<'_>, out: &mut [f32]) -> f32 {
    let width = row.len();
    // SAFETY: within slices of the same length; an empty bias is not read.
    unsafe {
        let mean = sum_of::<L>(row) / width as f32;
        let variance = squares_of::<L>(row, mean) / width as f32;
        let scale = L::splat(1.0 / (variance + norm.epsilon).sqrt());
        let mean = L::splat(mean);
        let mut largest = L::splat(0.0);
        for at in (0..width).step_by(L::WIDTH) {
            let left = width - at;
            let bias = if norm.bias.is_empty() {
                L::splat(0.0)
            } else {
                L::load_some(norm.bias.as_ptr().add(at), left)
            };
            let gain = L::load_some(norm.gain.as_ptr().add(at), left).mul(scale);
            let result = L::load_some(row.as_ptr().add(at), left).sub(mean).mul_add(gain, bias);
            largest = largest.max(result.abs());
            result.store_some(out.as_mut_ptr().add(at), left);
        }
        largest.largest()
    }
}

/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn sum_of<L: Lanes>(row: &[f32]) -> f32 {
    let from = row.as_ptr();
    let length = row.len();
    let whole = length / (4 * L::WIDTH) * (4 * L::WIDTH);
    // SAFETY: within the slice.
    unsafe {
        let mut sums = [L::splat(0.0); 4];
        for at in (0..whole).step_by(4 * L::WIDTH) {
            for nth in 0..4 {
                sums[nth] = sums[nth].add(L::load(from.add(at + nth * L::WIDTH)));
            }
        }
        for at in (whole..length).step_by(L::WIDTH) {
            sums[0] = sums[0].add(L::load_some(from.add(at), length - at));
        }
        sums[0].add(sums[1]).add(sums[2].add(sums[3])).sum()
    }
}

/// The sum of the squares of the differences from the mean.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn squares_of<L: Lanes>(row: &[f32], mean: f32) -> f32 {
    let from = row.as_ptr();
    let length = row.len();
    let whole = length / (4 * L::WIDTH) * (4 * L::WIDTH);
    // SAFETY: within the slice.
    unsafe {
        let mean = L::splat(mean);
        let mut sums = [L::splat(0.0); 4];
        for at in (0..whole).step_by(4 * L::WIDTH) {
            for nth in 0..4 {
                let difference = L::load(from.add(at + nth * L::WIDTH)).sub(mean);
                sums[nth] = difference.mul_add(difference, sums[nth]);
            }
        }
        for at in (whole..length).step_by(L::WIDTH) {
            let difference = L::load_some(from.add(at), length - at).sub(mean).first(length - at);
            sums[0] = difference.mul_add(difference, sums[0]);
        }
        sums[0].add(sums[1]).add(sums[2].add(sums[3])).sum()
    }
}

/// Floats summed up as floats. Longer sums are doubles, because a float would lose digits.
const CHUNK: usize = 4096;

#[inline(always)]
unsafe fn moments_of<L: Lanes>(floats: &[f32]) -> (f32, f32) {
    if floats.is_empty() {
        return (0.0, 0.0);
    }
    let mut sum = 0.0;
    let mut squares = 0.0;
    // SAFETY: that of the lanes.
    unsafe {
        for chunk in floats.chunks(CHUNK) {
            sum += f64::from(sum_of::<L>(chunk));
        }
        let mean = sum / floats.len() as f64;
        for chunk in floats.chunks(CHUNK) {
            squares += f64::from(squares_of::<L>(chunk, mean as f32));
        }
        (mean as f32, (squares / floats.len() as f64) as f32)
    }
}
