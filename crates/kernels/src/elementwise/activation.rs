//! GELU, SiLU, tanh, sigmoid and ReLU.

use crate::lanes::{Lanes, lanes_dispatch};
use crate::usable_level;

const LOG2_E: f32 = std::f32::consts::LOG2_E;

/// The GELU of each float, by the error function and not by tanh. The error is below 3e-6 for floats within ±10.
pub fn gelu(floats: &mut [f32]) {
    gelu_at(usable_level(), floats);
}

/// The hyperbolic tangent of each float.
pub fn tanh(floats: &mut [f32]) {
    tanh_at(usable_level(), floats);
}

/// `1 / (1 + e^-x)` of each float.
pub fn sigmoid(floats: &mut [f32]) {
    sigmoid_at(usable_level(), floats);
}

/// Zero instead of each negative float.
pub fn relu(floats: &mut [f32]) {
    relu_at(usable_level(), floats);
}

/// Writes `value × gate × sigmoid(gate)`.
pub fn gated_silu(values: &[f32], gates: &[f32], out: &mut [f32]) {
    assert!(values.len() == out.len() && gates.len() == out.len(), "a value and a gate for each output");
    gated_silu_at(usable_level(), values, gates, out);
}

lanes_dispatch! {
    pub(crate) fn gelu_at(floats: &mut [f32]) = gelu_all
}

lanes_dispatch! {
    pub(crate) fn tanh_at(floats: &mut [f32]) = tanh_all
}

lanes_dispatch! {
    pub(crate) fn sigmoid_at(floats: &mut [f32]) = sigmoid_all
}

lanes_dispatch! {
    pub(crate) fn relu_at(floats: &mut [f32]) = relu_all
}

lanes_dispatch! {
    pub(crate) fn gated_silu_at(values: &[f32], gates: &[f32], out: &mut [f32]) = gated_silu_all
}

#[inline(always)]
unsafe fn gelu_all<L: Lanes>(floats: &mut [f32]) {
    let length = floats.len();
    let floats = floats.as_mut_ptr();
    for at in (0..length).step_by(L::WIDTH) {
        // SAFETY: reads and writes within the slice.
        unsafe {
            let x = L::load_some(floats.add(at), length - at);
            gelu_of(x).store_some(floats.add(at), length - at);
        }
    }
}

#[inline(always)]
unsafe fn tanh_all<L: Lanes>(floats: &mut [f32]) {
    let length = floats.len();
    let floats = floats.as_mut_ptr();
    for at in (0..length).step_by(L::WIDTH) {
        // SAFETY: reads and writes within the slice.
        unsafe {
            let x = L::load_some(floats.add(at), length - at);
            tanh_of(x).store_some(floats.add(at), length - at);
        }
    }
}

#[inline(always)]
unsafe fn sigmoid_all<L: Lanes>(floats: &mut [f32]) {
    let length = floats.len();
    let floats = floats.as_mut_ptr();
    for at in (0..length).step_by(L::WIDTH) {
        // SAFETY: reads and writes within the slice.
        unsafe {
            let x = L::load_some(floats.add(at), length - at);
            sigmoid_of(x).store_some(floats.add(at), length - at);
        }
    }
}

#[inline(always)]
unsafe fn relu_all<L: Lanes>(floats: &mut [f32]) {
    let length = floats.len();
    let floats = floats.as_mut_ptr();
    for at in (0..length).step_by(L::WIDTH) {
        // SAFETY: reads and writes within the slice.
        unsafe {
            let x = L::load_some(floats.add(at), length - at);
            x.max(L::splat(0.0)).store_some(floats.add(at), length - at);
        }
    }
}

#[inline(always)]
unsafe fn gated_silu_all<L: Lanes>(values: &[f32], gates: &[f32], out: &mut [f32]) {
    let width = out.len();
    for at in (0..width).step_by(L::WIDTH) {
        // SAFETY: there are as many values and gates as outputs.
        unsafe {
            let value = L::load_some(values.as_ptr().add(at), width - at);
            let gate = L::load_some(gates.as_ptr().add(at), width - at);
            let power = gate.mul(L::splat(-LOG2_E)).exp2();
            let result = value.mul(gate).div(L::splat(1.0).add(power));
            result.store_some(out.as_mut_ptr().add(at), width - at);
        }
    }
}

/// Half the range in which the distribution function of the normal distribution differs from 0 and 1.
const GELU_BOUND: f32 = 5.0;

/// `(Φ(x) − 0.5) / x` as a polynomial of `x² · 2 / GELU_BOUND² − 1`, highest power first: the Chebyshev series up to the
/// twelfth power. Φ is the distribution function of the normal distribution.
const GELU: [f32; 13] = [
    0.000_735_376_4,
    -0.001_676_730_9,
    0.001_374_596_1,
    -0.002_526_916_8,
    0.006_766_527_4,
    -0.011_307_125,
    0.016_236_09,
    -0.023_213_128,
    0.031_476_76,
    -0.040_451_28,
    0.051_517_93,
    -0.070_295_91,
    0.141_363_81,
];

/// `x · Φ(x)`. All steps are rounded in the same way at every level, so that products with this epilogue are equal.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
pub(crate) unsafe fn gelu_of<L: Lanes>(x: L) -> L {
    // SAFETY: as the caller promises.
    unsafe {
        let held = x.max(L::splat(-GELU_BOUND)).min(L::splat(GELU_BOUND));
        let square = held.mul(held).fused_mul_add(L::splat(2.0 / (GELU_BOUND * GELU_BOUND)), L::splat(-1.0));
        let mut sum = L::splat(GELU[0]);
        for nth in 1..GELU.len() {
            sum = sum.fused_mul_add(square, L::splat(GELU[nth]));
        }
        x.mul(held.fused_mul_add(sum, L::splat(0.5)))
    }
}

/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
pub(super) unsafe fn tanh_of<L: Lanes>(x: L) -> L {
    // SAFETY: as the caller promises.
    unsafe {
        let one = L::splat(1.0);
        let power = x.abs().mul(L::splat(-2.0 * LOG2_E)).exp2();
        one.sub(power).div(one.add(power)).with_sign_of(x)
    }
}

/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
pub(super) unsafe fn sigmoid_of<L: Lanes>(x: L) -> L {
    // SAFETY: as the caller promises.
    unsafe {
        let one = L::splat(1.0);
        one.div(one.add(x.mul(L::splat(-LOG2_E)).exp2()))
    }
}
