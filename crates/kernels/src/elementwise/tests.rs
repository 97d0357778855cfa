//! The functions of every level against those of the standard library.

use super::*;
use crate::levels::usable_levels;

/// Floats of all sizes that nets produce, and some that they should not.
fn samples() -> Vec<f32> {
    let mut samples: Vec<f32> = (-400..=400).map(|nth| nth as f32 * 0.05).collect();
    samples.extend([0.0, -0.0, 1e-7, -1e-7, 90.0, -90.0, 200.0, -200.0, 1e4, -1e4]);
    samples
}

fn assert_each(name: &str, found: &[f32], expected: impl Fn(f32) -> f64, tolerance: f64) {
    for (x, found) in samples().iter().zip(found) {
        let (found, expected) = (f64::from(*found), expected(*x));
        let allowed = tolerance * expected.abs().max(1.0);
        assert!((found - expected).abs() <= allowed, "{name} of {x}: {found} is not {expected}");
    }
}

/// The distribution function of the normal distribution, by its series around zero.
fn normal_distribution(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut nth) = (x, x, 1.0);
    while term.abs() > 1e-17 {
        term *= x * x / (2.0 * nth + 1.0);
        sum += term;
        nth += 1.0;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[test]
fn activations_are_those_of_the_standard_library() {
    for level in usable_levels() {
        let run = |function: fn(crate::levels::UsableLevel, &mut [f32])| {
            let mut floats = samples();
            function(level, &mut floats);
            floats
        };
        let sigmoid = |x: f32| 1.0 / (1.0 + (-f64::from(x)).exp());
        let gelu = |x: f32| f64::from(x) * normal_distribution(f64::from(x));
        assert_each("tanh", &run(activation::tanh_at), |x| f64::from(x).tanh(), 1e-6);
        assert_each("sigmoid", &run(activation::sigmoid_at), sigmoid, 1e-6);
        assert_each("relu", &run(activation::relu_at), |x| f64::from(x.max(0.0)), 0.0);
        let near: Vec<f32> = run(gelu_at);
        for (x, found) in samples().iter().zip(&near) {
            let allowed = 3e-6 * f64::from(x.abs() / 10.0).max(1.0);
            assert!((f64::from(*found) - gelu(*x)).abs() <= allowed, "{level:?} gelu of {x}: {found}");
        }
    }
}

#[test]
fn gated_silu_multiplies_values_by_the_silu_of_their_gates() {
    let gates = samples();
    let values: Vec<f32> = gates.iter().map(|gate| 0.3 - gate / 7.0).collect();
    for level in usable_levels() {
        let mut out = vec![0.0; gates.len()];
        activation::gated_silu_at(level, &values, &gates, &mut out);
        for ((found, gate), value) in out.iter().zip(&gates).zip(&values) {
            let (gate, value) = (f64::from(*gate), f64::from(*value));
            let expected = value * gate / (1.0 + (-gate).exp());
            assert!(
                (f64::from(*found) - expected).abs() <= 2e-6 * expected.abs().max(1.0),
                "{level:?} {gate}"
            );
        }
    }
}

#[test]
fn an_lstm_cell_follows_its_equations() {
    let size = 21;
    let gates: Vec<f32> = (0..4 * size).map(|nth| (nth as f32 * 0.7).sin() * 3.0).collect();
    let before: Vec<f32> = (0..size).map(|nth| (nth as f32 * 0.3).cos() * 2.0).collect();
    let sigmoid = |x: f32| 1.0 / (1.0 + (-x).exp());
    for level in usable_levels() {
        let (mut cell, mut hidden) = (before.clone(), vec![0.0; size]);
        lstm::lstm_cell_at(level, &gates, &mut cell, &mut hidden);
        for at in 0..size {
            let (input, forget) = (sigmoid(gates[at]), sigmoid(gates[size + at]));
            let new = forget * before[at] + input * gates[2 * size + at].tanh();
            let expected = sigmoid(gates[3 * size + at]) * new.tanh();
            assert!((cell[at] - new).abs() < 1e-5 && (hidden[at] - expected).abs() < 1e-5, "{level:?} {at}");
        }
    }
}

#[test]
fn layer_norm_has_mean_zero_and_variance_one_before_gain_and_bias() {
    for level in usable_levels() {
        for width in [1, 5, 36, 100, 288] {
            let floats: Vec<f32> = (0..3 * width).map(|nth| 50.0 + (nth as f32 * 0.9).sin() * 4.0).collect();
            let gain: Vec<f32> = (0..width).map(|nth| 1.0 + nth as f32 / 100.0).collect();
            let bias: Vec<f32> = (0..width).map(|nth| nth as f32 / 10.0).collect();
            for bias in [&bias[..], &[]] {
                let norm = LayerNorm { gain: &gain, bias, epsilon: 1e-5 };
                let mut out = vec![0.0; floats.len()];
                norm::layer_norm_at(level, &floats, norm, &mut out);
                for (place, found) in out.iter().enumerate() {
                    let (row, at) = (&floats[place / width * width..][..width], place % width);
                    let mean = row.iter().sum::<f32>() / width as f32;
                    let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / width as f32;
                    let normed = (row[at] - mean) / (variance + 1e-5).sqrt();
                    let expected = normed * gain[at] + bias.get(at).copied().unwrap_or(0.0);
                    assert!((found - expected).abs() < 2e-3, "{level:?} {width}: {found} is not {expected}");
                }
            }
        }
    }
}

#[test]
fn moments_are_exact_far_from_zero() {
    let floats: Vec<f32> = (0..30_001).map(|nth| 100.0 + (nth % 2) as f32).collect();
    for level in usable_levels() {
        let (mean, variance) = norm::moments_at(level, &floats);
        assert!((mean - 100.5).abs() < 1e-3 && (variance - 0.25).abs() < 1e-3, "{level:?} {mean} {variance}");
        assert_eq!(norm::moments_at(level, &[]), (0.0, 0.0));
    }
}

#[test]
fn rotation_turns_pairs_and_leaves_the_rest_of_a_head() {
    let (head, pairs) = (52, 16);
    let angles: Vec<f32> = (0..pairs).map(|nth| 0.1 + nth as f32 * 0.2).collect();
    let cosines: Vec<f32> = angles.iter().flat_map(|angle| [angle.cos(); 2]).collect();
    let sines: Vec<f32> = angles.iter().flat_map(|angle| [-angle.sin(), angle.sin()]).collect();
    let before: Vec<f32> = (0..2 * head).map(|nth| (nth as f32 * 0.3).sin()).collect();
    for level in usable_levels() {
        let mut row = before.clone();
        rotary::rotate_at(level, &mut row, head, &cosines, &sines);
        for (place, found) in row.iter().enumerate() {
            let (start, at) = (place / head * head, place % head);
            let expected = match angles.get(at / 2) {
                None => before[place],
                Some(angle) => {
                    let (first, second) = (before[start + at / 2 * 2], before[start + at / 2 * 2 + 1]);
                    let turned = [
                        first * angle.cos() - second * angle.sin(),
                        second * angle.cos() + first * angle.sin(),
                    ];
                    turned[at % 2]
                }
            };
            assert!((found - expected).abs() < 1e-6, "{level:?} {place}: {found} is not {expected}");
        }
    }
}

#[test]
fn sums_products_and_the_largest_are_those_of_plain_loops() {
    for level in usable_levels() {
        for length in [0, 1, 7, 8, 16, 33, 64, 200] {
            let one: Vec<f32> = (0..length).map(|nth| ((nth * 37) % 101) as f32 - 50.0).collect();
            let other: Vec<f32> = (0..length).map(|nth| ((nth * 17) % 23) as f32).collect();
            let pairs = || one.iter().zip(&other);
            assert_eq!(vector::dot_at(level, &one, &other), pairs().map(|(a, b)| a * b).sum::<f32>());
            let mut sum = one.clone();
            vector::add_at(level, &mut sum, &other);
            assert_eq!(sum, pairs().map(|(a, b)| a + b).collect::<Vec<_>>());
            let mut scaled = one.clone();
            vector::scale_shift_at(level, &mut scaled, &other, &other);
            assert_eq!(scaled, pairs().map(|(a, b)| a * b + b).collect::<Vec<_>>());
            let largest = one.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(vector::largest_at(level, &one), largest);
        }
    }
}

#[test]
fn argmax_is_the_first_of_the_largest() {
    let mut floats = vec![-3.0; 1000];
    floats[77] = 4.0;
    floats[500] = 4.0;
    assert_eq!(argmax(&floats), 77);
    assert_eq!(argmax(&[-2.0, -1.0]), 1);
    assert_eq!(argmax(&[]), 0);
    let mut last = vec![0.5; 200];
    last[199] = 0.6;
    assert_eq!(argmax(&last), 199);
}

#[test]
fn powers_are_added_relative_to_the_top() {
    let mut floats: Vec<f32> = (0..150).map(|nth| (nth as f32 * 0.7).sin() * 30.0).collect();
    floats[20] = f32::NEG_INFINITY;
    let top = floats[argmax(&floats)];
    for length in [0, 1, 15, 16, 17, 150] {
        let expected: f64 = floats[..length].iter().map(|float| f64::from(float - top).exp()).sum();
        for level in usable_levels() {
            let found = f64::from(vector::sum_of_powers_at(level, &floats[..length], top));
            assert!(
                (found - expected).abs() <= 3e-6 * expected + 1e-30,
                "{level:?} {length}: {found} {expected}"
            );
        }
    }
}

#[test]
fn the_rms_norm_is_that_of_its_definition() {
    for level in usable_levels() {
        for width in [1, 7, 64, 200] {
            let floats: Vec<f32> = (0..3 * width).map(|nth| (nth as f32 * 0.7).sin() * 3.0).collect();
            let gain: Vec<f32> = (0..width).map(|nth| 1.0 + nth as f32 / 100.0).collect();
            let mut out = vec![0.0; floats.len()];
            norm::rms_norm_at(level, &floats, &gain, 0.01, &mut out);
            for (row, out) in floats.chunks_exact(width).zip(out.chunks_exact(width)) {
                let square = row.iter().map(|float| float * float).sum::<f32>() / width as f32;
                let factor = 1.0 / (square + 0.01).sqrt();
                for ((float, gain), out) in row.iter().zip(&gain).zip(out) {
                    assert!((float * factor * gain - out).abs() < 1e-5, "{level:?} {width}");
                }
            }
        }
    }
}
