//! Checks how rows of floats become bytes: windows, rows after a norm, and what rounding left over.

use super::{Random, agree};
use crate::levels::UsableLevel;
use crate::{LayerNorm, QuantizedRows};

/// The kernels that quantize rows.
#[derive(Clone, Copy)]
pub(super) struct RowKernels {
    /// The width of a window and the step to the next one come last.
    pub(super) windows: fn(&mut QuantizedRows, UsableLevel, &[f32], (usize, usize)),
    pub(super) normalized: fn(&mut QuantizedRows, UsableLevel, &[f32], LayerNorm<'_>),
    /// The step to the next window comes last.
    pub(super) remainders: fn(&mut QuantizedRows, UsableLevel, &QuantizedRows, &[f32], usize),
}

pub(super) const ROWS: RowKernels = RowKernels {
    windows: QuantizedRows::fill_windows_at,
    normalized: QuantizedRows::fill_normalized_at,
    remainders: QuantizedRows::fill_remainders_at,
};

/// Not a multiple of any register.
const WIDTH: usize = 77;
const STEP: usize = 30;
const COUNT: usize = 6;

impl RowKernels {
    pub(super) fn are_correct(&self, level: UsableLevel) -> bool {
        let floats = Random::new(13).floats((COUNT - 1) * STEP + WIDTH);
        let windows = |level| {
            let mut rows = QuantizedRows::default();
            (self.windows)(&mut rows, level, &floats, (WIDTH, STEP));
            rows.restored()
        };
        // All levels write the same bytes.
        agree(level, 0.0, windows)
            && self.remainders_are_correct(level, &floats)
            && self.norm_is_correct(level)
    }

    /// The coarse rows are those of the scalar level. Where the remainder is close to the middle between two bytes, levels
    /// differ by a step, which is at most 1 / 127 / 254.
    fn remainders_are_correct(&self, level: UsableLevel, floats: &[f32]) -> bool {
        let mut coarse = QuantizedRows::default();
        coarse.fill_windows_at(UsableLevel::SCALAR, floats, (WIDTH, STEP));
        agree(level, 4e-5, |level| {
            let mut rows = QuantizedRows::default();
            (self.remainders)(&mut rows, level, &coarse, floats, STEP);
            rows.restored()
        })
    }

    /// Normalized floats are within ±2.8 here. As above, levels may differ by a step, which is at most 2.8 / 127.
    fn norm_is_correct(&self, level: UsableLevel) -> bool {
        let mut random = Random::new(17);
        let [floats, gain, bias] = [3 * WIDTH, WIDTH, WIDTH].map(|count| random.floats(count));
        let norm = LayerNorm { gain: &gain, bias: &bias, epsilon: 1e-5 };
        agree(level, 0.025, |level| {
            let mut rows = QuantizedRows::default();
            (self.normalized)(&mut rows, level, &floats, norm);
            rows.restored()
        })
    }
}
