//! Sums, products and the largest of whole slices.

use crate::lanes::{Lanes, lanes_dispatch};
use crate::usable_level;

/// `into += what`, float by float. Both have the same length.
pub fn add(into: &mut [f32], what: &[f32]) {
    assert_eq!(into.len(), what.len(), "slices of the same length are added");
    add_at(usable_level(), into, what);
}

/// The index of the largest float, the first of them if there are several; zero for an empty slice.
pub fn argmax(floats: &[f32]) -> usize {
    const BLOCK: usize = 64;
    let largest = largest_at(usable_level(), floats);
    // Whole blocks without it are passed by many at a time.
    let contains = |block: &[f32]| block.iter().fold(false, |found, float| found | (*float == largest));
    let first = BLOCK * floats.chunks(BLOCK).position(contains).unwrap_or(0);
    floats[first..].iter().position(|float| *float == largest).map_or(0, |place| first + place)
}

/// The sum of `e^(x − top)` over all floats `x`, none of which is larger than `top` by more than 80: the denominator of a
/// softmax.
pub fn sum_of_powers(floats: &[f32], top: f32) -> f32 {
    sum_of_powers_at(usable_level(), floats, top)
}

/// `row × gain + shift`, float by float. All have the same length.
pub fn scale_shift(row: &mut [f32], gain: &[f32], shift: &[f32]) {
    assert!(row.len() == gain.len() && row.len() == shift.len(), "a gain and a shift for each float");
    scale_shift_at(usable_level(), row, gain, shift);
}

/// The sum of the products of two slices of the same length.
pub fn dot(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len(), "slices of the same length are multiplied");
    dot_at(usable_level(), one, other)
}

lanes_dispatch! {
    pub(crate) fn add_at(into: &mut [f32], what: &[f32]) = add_all
}

lanes_dispatch! {
    pub(crate) fn largest_at(floats: &[f32]) -> f32 = largest_of_all
}

lanes_dispatch! {
    pub(crate) fn sum_of_powers_at(floats: &[f32], top: f32) -> f32 = sum_of_all_powers
}

lanes_dispatch! {
    pub(crate) fn scale_shift_at(row: &mut [f32], gain: &[f32], shift: &[f32]) = scale_shift_all
}

lanes_dispatch! {
    pub(crate) fn dot_at(one: &[f32], other: &[f32]) -> f32 = dot_all
}

#[inline(always)]
unsafe fn add_all<L: Lanes>(into: &mut [f32], what: &[f32]) {
    let length = into.len();
    for at in (0..length).step_by(L::WIDTH) {
        // SAFETY: within two slices of the same length.
        unsafe {
            let to = into.as_mut_ptr().add(at);
            let left = length - at;
            L::load_some(to, left).add(L::load_some(what.as_ptr().add(at), left)).store_some(to, left);
        }
    }
}

#[inline(always)]
unsafe fn scale_shift_all<L: Lanes>(row: &mut [f32], gain: &[f32], shift: &[f32]) {
    let length = row.len();
    for at in (0..length).step_by(L::WIDTH) {
        // SAFETY: within three slices of the same length.
        unsafe {
            let to = row.as_mut_ptr().add(at);
            let left = length - at;
            let gain = L::load_some(gain.as_ptr().add(at), left);
            let shift = L::load_some(shift.as_ptr().add(at), left);
            L::load_some(to, left).mul_add(gain, shift).store_some(to, left);
        }
    }
}

#[inline(always)]
unsafe fn largest_of_all<L: Lanes>(floats: &[f32]) -> f32 {
    let from = floats.as_ptr();
    let whole = floats.len() / (4 * L::WIDTH) * (4 * L::WIDTH);
    // SAFETY: whole registers within the slice.
    let mut largest = unsafe {
        let mut best = [L::splat(f32::NEG_INFINITY); 4];
        for at in (0..whole).step_by(4 * L::WIDTH) {
            for nth in 0..4 {
                best[nth] = best[nth].max(L::load(from.add(at + nth * L::WIDTH)));
            }
        }
        best[0].max(best[1]).max(best[2].max(best[3])).largest()
    };
    for float in &floats[whole..] {
        largest = largest.max(*float);
    }
    largest
}

#[inline(always)]
unsafe fn sum_of_all_powers<L: Lanes>(floats: &[f32], top: f32) -> f32 {
    let from = floats.as_ptr();
    let length = floats.len();
    // SAFETY: within the slice.
    unsafe {
        let top = L::splat(top);
        let to_base_two = L::splat(std::f32::consts::LOG2_E);
        let mut sum = L::splat(0.0);
        for at in (0..length).step_by(L::WIDTH) {
            let power = L::load_some(from.add(at), length - at).sub(top).mul(to_base_two).exp2();
            sum = sum.add(power.first(length - at));
        }
        sum.sum()
    }
}

#[inline(always)]
unsafe fn dot_all<L: Lanes>(one: &[f32], other: &[f32]) -> f32 {
    let a = one.as_ptr();
    let b = other.as_ptr();
    let length = one.len();
    let whole = length / (4 * L::WIDTH) * (4 * L::WIDTH);
    // SAFETY: within two slices of the same length.
    unsafe {
        // Four sums, or each would wait for the one before.
        let mut sums = [L::splat(0.0); 4];
        for at in (0..whole).step_by(4 * L::WIDTH) {
            for nth in 0..4 {
                let place = at + nth * L::WIDTH;
                sums[nth] = L::load(a.add(place)).mul_add(L::load(b.add(place)), sums[nth]);
            }
        }
        for at in (whole..length).step_by(L::WIDTH) {
            let x = L::load_some(a.add(at), length - at);
            let y = L::load_some(b.add(at), length - at);
            sums[0] = x.mul_add(y, sums[0]);
        }
        sums[0].add(sums[1]).add(sums[2].add(sums[3])).sum()
    }
}

/// The largest size of the floats.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
pub(crate) unsafe fn largest_size<L: Lanes>(floats: &[f32]) -> f32 {
    let from = floats.as_ptr();
    let length = floats.len();
    let whole = length / (4 * L::WIDTH) * (4 * L::WIDTH);
    // SAFETY: within the slice.
    unsafe {
        let mut largest = [L::splat(0.0); 4];
        for at in (0..whole).step_by(4 * L::WIDTH) {
            for nth in 0..4 {
                largest[nth] = largest[nth].max(L::load(from.add(at + nth * L::WIDTH)).abs());
            }
        }
        for at in (whole..length).step_by(L::WIDTH) {
            largest[0] = largest[0].max(L::load_some(from.add(at), length - at).abs());
        }
        largest[0].max(largest[1]).max(largest[2].max(largest[3])).largest()
    }
}
