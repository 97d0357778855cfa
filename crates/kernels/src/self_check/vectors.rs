//! Checks the sums, products and extremes of whole slices.

use super::{Random, agree};
use crate::elementwise::{add_at, dot_at, largest_at, moments_at, scale_shift_at, sum_of_powers_at};
use crate::levels::UsableLevel;

/// The kernels of slices.
#[derive(Clone, Copy)]
pub(super) struct VectorKernels {
    pub(super) add: fn(UsableLevel, &mut [f32], &[f32]),
    pub(super) scale_shift: fn(UsableLevel, &mut [f32], &[f32], &[f32]),
    pub(super) dot: fn(UsableLevel, &[f32], &[f32]) -> f32,
    pub(super) largest: fn(UsableLevel, &[f32]) -> f32,
    pub(super) sum_of_powers: fn(UsableLevel, &[f32], f32) -> f32,
    pub(super) moments: fn(UsableLevel, &[f32]) -> (f32, f32),
}

pub(super) const VECTORS: VectorKernels = VectorKernels {
    add: add_at,
    scale_shift: scale_shift_at,
    dot: dot_at,
    largest: largest_at,
    sum_of_powers: sum_of_powers_at,
    moments: moments_at,
};

/// Less than a register of every kind, a few registers, and more than four of the widest ones, with a rest.
const LENGTHS: [usize; 4] = [3, 21, 64, 150];

impl VectorKernels {
    pub(super) fn are_correct(&self, level: UsableLevel) -> bool {
        let mut random = Random::new(5);
        LENGTHS.into_iter().all(|length| {
            let [one, other, shift] = [length; 3].map(|length| random.floats(length));
            self.slices_are_correct(level, [&one, &other, &shift])
                && self.numbers_are_correct(level, &one, &other)
        })
    }

    /// The results that are slices.
    fn slices_are_correct(&self, level: UsableLevel, [one, other, shift]: [&[f32]; 3]) -> bool {
        agree(level, 1e-6, |level| {
            let mut sum = one.to_vec();
            (self.add)(level, &mut sum, other);
            let mut scaled = one.to_vec();
            (self.scale_shift)(level, &mut scaled, other, shift);
            sum.append(&mut scaled);
            sum
        })
    }

    /// The results that are one or two numbers.
    fn numbers_are_correct(&self, level: UsableLevel, one: &[f32], other: &[f32]) -> bool {
        // All below zero, so that zeros behind the last float would be the largest.
        let negative: Vec<f32> = one.iter().map(|float| float - 2.0).collect();
        agree(level, 1e-4, |level| {
            let (mean, variance) = (self.moments)(level, &negative);
            let dot = (self.dot)(level, one, other);
            let powers = (self.sum_of_powers)(level, &negative, -1.0);
            vec![mean, variance, dot, powers, (self.largest)(level, &negative)]
        })
    }
}
