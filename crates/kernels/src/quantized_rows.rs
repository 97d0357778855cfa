//! Rows of floats as bytes, each row with its own scale: the input of the integer products.

use crate::elementwise::{LayerNorm, largest_size, normalize_row};
use crate::lanes::{Lanes, lanes_dispatch};
use crate::levels::UsableLevel;
use crate::memory::{LINE, Line, bytes_of};
use crate::usable_level;

/// Rows are padded to whole strips of this many, which is what a tile loads.
const STRIP: usize = 16;
/// Rows whose floats are all smaller than this are zeros.
const SMALLEST: f32 = 1e-9;

/// Rows of floats, quantized to 8 bits with a scale for each row. Keep it and fill it again: its memory is reused.
///
/// A byte is the rounded number plus 128. The layout is the same at every level.
#[derive(Default)]
pub struct QuantizedRows {
    lines: Vec<Line>,
    scales: Vec<f32>,
    /// Bytes from row to row.
    stride: usize,
    width: usize,
    /// One row of floats before it is quantized.
    floats: Vec<f32>,
}

impl QuantizedRows {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.scales.len()
    }

    /// The number of floats in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Quantizes rows of `width` floats.
    pub fn fill(&mut self, floats: &[f32], width: usize) {
        self.fill_at(usable_level(), floats, width);
    }

    /// As `fill`, at the given level.
    pub(crate) fn fill_at(&mut self, level: UsableLevel, floats: &[f32], width: usize) {
        assert!(width > 0 && floats.len().is_multiple_of(width), "whole rows are quantized");
        self.reserve(floats.len() / width, width);
        quantize_at(level, self, floats, width);
    }

    /// Quantizes windows of `width` floats that start every `step` floats: the rows of a convolution. Floats that do not
    /// fill a window are left out.
    pub fn fill_windows(&mut self, floats: &[f32], width: usize, step: usize) {
        self.fill_windows_at(usable_level(), floats, (width, step));
    }

    /// As `fill_windows`, at the given level.
    pub(crate) fn fill_windows_at(
        &mut self,
        level: UsableLevel,
        floats: &[f32],
        (width, step): (usize, usize),
    ) {
        assert!(width > 0 && step > 0, "windows have a width and a step");
        let rows = if floats.len() < width { 0 } else { (floats.len() - width) / step + 1 };
        self.reserve(rows, width);
        quantize_at(level, self, floats, step);
    }

    /// Quantizes the differences between the floats and their rounded values in `coarse`. The sum of both has the precision
    /// of 16 bits.
    pub fn fill_remainders(&mut self, coarse: &Self, floats: &[f32], step: usize) {
        self.fill_remainders_at(usable_level(), coarse, floats, step);
    }

    /// As `fill_remainders`, at the given level.
    pub(crate) fn fill_remainders_at(
        &mut self,
        level: UsableLevel,
        coarse: &Self,
        floats: &[f32],
        step: usize,
    ) {
        let rows = coarse.rows();
        let width = coarse.width;
        assert!(rows == 0 || floats.len() >= (rows - 1) * step + width, "the windows of the coarse rows");
        self.reserve(rows, width);
        remainders_at(level, self, coarse, floats, step);
    }

    /// Quantizes the first `width` floats of rows that start every `stride` floats.
    pub fn fill_strided(&mut self, floats: &[f32], width: usize, stride: usize) {
        assert!(width > 0 && width <= stride, "a row is no wider than the stride");
        let rows = floats.len().div_ceil(stride);
        assert!(rows == 0 || floats.len() >= (rows - 1) * stride + width, "the last row is complete");
        self.reserve(rows, width);
        quantize_at(usable_level(), self, floats, stride);
    }

    /// Quantizes rows after a layer norm.
    pub fn fill_normalized(&mut self, floats: &[f32], norm: LayerNorm<'_>) {
        self.fill_normalized_at(usable_level(), floats, norm);
    }

    /// As `fill_normalized`, at the given level.
    pub(crate) fn fill_normalized_at(&mut self, level: UsableLevel, floats: &[f32], norm: LayerNorm<'_>) {
        let width = norm.checked_width(floats);
        self.reserve(floats.len() / width, width);
        normalized_at(level, self, floats, norm);
    }

    /// What the bytes stand for, row by row.
    pub(crate) fn restored(&self) -> Vec<f32> {
        let rows = bytes_of(&self.lines).chunks(self.stride.max(1)).zip(&self.scales);
        let restored = |(row, scale): (&[u8], &f32)| {
            row[..self.width].iter().map(|byte| (f32::from(*byte) - 128.0) * scale).collect::<Vec<f32>>()
        };
        rows.flat_map(restored).collect()
    }

    /// Bytes from row to row.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// The scale of each row.
    pub(crate) fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// The first byte of a row. Behind the last row, whole strips of sixteen rows can be read, and behind the bytes of a
    /// row whole lines.
    pub(crate) fn row(&self, row: usize) -> *const u8 {
        assert!(row < self.rows().next_multiple_of(STRIP));
        // SAFETY: within the buffer, which has a stride for each row of whole strips.
        unsafe { self.lines.as_ptr().cast::<u8>().add(row * self.stride) }
    }

    fn reserve(&mut self, rows: usize, width: usize) {
        // An odd number of lines: rows a power of two apart would compete for the same few places of the cache.
        let stride = (width.div_ceil(LINE) | 1) * LINE;
        if (stride, width) != (self.stride, self.width) {
            self.lines.clear();
        }
        self.scales.resize(rows, 0.0);
        self.lines.resize(rows.next_multiple_of(STRIP) * stride / LINE, Line::ZERO);
        self.floats.resize(width, 0.0);
        self.stride = stride;
        self.width = width;
    }

    fn row_mut(&mut self, row: usize) -> *mut u8 {
        assert!(row < self.rows());
        // SAFETY: within the buffer, which has a stride for each row.
        unsafe { self.lines.as_mut_ptr().cast::<u8>().add(row * self.stride) }
    }
}

lanes_dispatch! {
    fn quantize_at(rows: &mut QuantizedRows, floats: &[f32], step: usize) = quantize_windows
}

lanes_dispatch! {
    fn remainders_at(rows: &mut QuantizedRows, coarse: &QuantizedRows, floats: &[f32], step: usize) = quantize_remainders
}

lanes_dispatch! {
    fn normalized_at(rows: &mut QuantizedRows, floats: &[f32], norm: LayerNorm<'_>) = quantize_normalized
}

#[inline(always)]
unsafe fn quantize_windows<L: Lanes>(rows: &mut QuantizedRows, floats: &[f32], step: usize) {
    for row in 0..rows.rows() {
        let window = &floats[row * step..][..rows.width];
        // SAFETY: a window is as wide as a row.
        unsafe {
            let largest = largest_size::<L>(window);
            store_row::<L>(rows, row, window, largest);
        }
    }
}

#[inline(always)]
unsafe fn quantize_remainders<L: Lanes>(
    rows: &mut QuantizedRows,
    coarse: &QuantizedRows,
    floats: &[f32],
    step: usize,
) {
    let mut rest = std::mem::take(&mut rows.floats);
    for row in 0..coarse.rows() {
        let window = &floats[row * step..][..coarse.width];
        // SAFETY: window, rest and row have the same width, and a row is padded to whole lines.
        unsafe {
            let numbers = coarse.row(row);
            let scale = L::splat(-coarse.scales[row]);
            for at in (0..window.len()).step_by(L::WIDTH) {
                let left = window.len() - at;
                let float = L::load_some(window.as_ptr().add(at), left);
                let number = L::load_bytes(numbers.add(at)).sub(L::splat(128.0));
                let difference = number.mul_add(scale, float);
                difference.store_some(rest.as_mut_ptr().add(at), left);
            }
            let largest = largest_size::<L>(&rest);
            store_row::<L>(rows, row, &rest, largest);
        }
    }
    rows.floats = rest;
}

#[inline(always)]
unsafe fn quantize_normalized<L: Lanes>(rows: &mut QuantizedRows, floats: &[f32], norm: LayerNorm<'_>) {
    let mut normalized = std::mem::take(&mut rows.floats);
    for row in 0..rows.rows() {
        let from = &floats[row * rows.width..][..rows.width];
        // SAFETY: all have the width of a row.
        unsafe {
            let largest = normalize_row::<L>(from, norm, &mut normalized);
            store_row::<L>(rows, row, &normalized, largest);
        }
    }
    rows.floats = normalized;
}

/// # Safety
/// The processor has the instructions of the lanes; the floats are one row, none larger than `largest`.
#[inline(always)]
unsafe fn store_row<L: Lanes>(rows: &mut QuantizedRows, row: usize, floats: &[f32], largest: f32) {
    let to = rows.row_mut(row);
    // SAFETY: a row is padded to whole lines, so that a full register can be written.
    rows.scales[row] = unsafe { quantize_row::<L>(floats, largest, to) };
}

/// Writes each float, divided by the scale that is returned and rounded, plus 128.
///
/// # Safety
/// The processor has the instructions of the lanes; no float is larger than `largest`; whole registers can be written.
#[inline(always)]
pub(crate) unsafe fn quantize_row<L: Lanes>(floats: &[f32], largest: f32, to: *mut u8) -> f32 {
    let largest = largest.max(SMALLEST);
    // SAFETY: reads within the slice.
    unsafe {
        let factor = L::splat(127.0 / largest);
        for at in (0..floats.len()).step_by(L::WIDTH) {
            let lanes = L::load_some(floats.as_ptr().add(at), floats.len() - at);
            lanes.mul(factor).store_bytes(to.add(at));
        }
    }
    largest / 127.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(length: usize) -> Vec<f32> {
        (0..length).map(|nth| (nth as f32 * 0.37).sin() * (1.0 + nth as f32 / 50.0)).collect()
    }

    fn restored(rows: &QuantizedRows, row: usize) -> Vec<f32> {
        rows.restored()[row * rows.width()..][..rows.width()].to_vec()
    }

    fn assert_near(rows: &QuantizedRows, row: usize, floats: &[f32]) {
        let largest = floats.iter().fold(0.0f32, |largest, float| largest.max(float.abs()));
        for (one, other) in restored(rows, row).iter().zip(floats) {
            assert!((one - other).abs() <= largest / 253.0, "{one} is not {other}");
        }
    }

    #[test]
    fn rows_windows_and_strided_rows_are_the_floats_within_half_a_step() {
        let floats = wave(7 * 37);
        let mut rows = QuantizedRows::default();
        rows.fill(&floats, 37);
        assert_eq!((rows.rows(), rows.width()), (7, 37));
        (0..7).for_each(|row| assert_near(&rows, row, &floats[row * 37..][..37]));
        rows.fill_windows(&floats, 70, 10);
        assert_eq!(rows.rows(), 19);
        (0..19).for_each(|row| assert_near(&rows, row, &floats[row * 10..][..70]));
        rows.fill_strided(&floats[..6 * 37 + 5], 5, 37);
        assert_eq!((rows.rows(), rows.width()), (7, 5));
        (0..7).for_each(|row| assert_near(&rows, row, &floats[row * 37..][..5]));
    }

    #[test]
    fn the_remainders_restore_what_the_coarse_rows_lost() {
        let floats = wave(300);
        let (mut coarse, mut fine) = (QuantizedRows::default(), QuantizedRows::default());
        coarse.fill_windows(&floats, 90, 30);
        fine.fill_remainders(&coarse, &floats, 30);
        assert_eq!(fine.rows(), 8);
        for row in 0..8 {
            let sums = restored(&coarse, row).into_iter().zip(restored(&fine, row));
            for ((one, other), float) in sums.zip(&floats[row * 30..]) {
                assert!((one + other - float).abs() < 2e-4, "{one} + {other} is not {float}");
            }
        }
    }

    #[test]
    fn too_few_floats_for_a_window_give_no_row() {
        let mut rows = QuantizedRows::default();
        rows.fill_windows(&wave(9), 10, 2);
        assert_eq!(rows.rows(), 0);
        rows.fill(&[], 10);
        assert_eq!(rows.rows(), 0);
    }

    #[test]
    fn every_level_writes_the_same_bytes() {
        let floats = wave(5 * 101);
        let mut expected = QuantizedRows::default();
        expected.fill_at(UsableLevel::SCALAR, &floats, 101);
        for level in crate::levels::usable_levels() {
            let mut rows = QuantizedRows::default();
            rows.fill_at(level, &floats, 101);
            (0..5).for_each(|row| assert_eq!(restored(&rows, row), restored(&expected, row), "{level:?}"));
        }
    }

    #[test]
    fn a_row_of_zeros_stays_zeros() {
        let mut rows = QuantizedRows::default();
        rows.fill(&[0.0; 20], 20);
        assert_eq!(restored(&rows, 0), [0.0; 20]);
    }
}
