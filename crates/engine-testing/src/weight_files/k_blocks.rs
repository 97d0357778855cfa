//! Quantizes rows to the "K" blocks of GGML: 256 weights in sub-blocks, each with a small scale. The layouts are those of
//! ggml-quants.c; scales are rounded, not searched for the least error.

use super::blocks::{f16_to_f32, f32_to_f16, inverse, largest, push_half};

/// Weights of a block.
pub(super) const SIZE: usize = 256;

/// A scale and a minimum of four bits for each 16 weights, and two bits per weight.
pub(super) fn q2_k(block: &[f32], out: &mut Vec<u8>) {
    let parts = Shifted::of(block, Limits { part: 16, scale: 15.0, number: 3.0 });
    out.extend(parts.scales.iter().zip(&parts.minimums).map(|(scale, minimum)| scale | minimum << 4));
    push_two_bits(&parts.numbers, out);
    out.extend(parts.scale.to_le_bytes());
    out.extend(parts.minimum.to_le_bytes());
}

/// A scale of six bits for each 16 weights, and three bits per weight, the third ones first.
pub(super) fn q3_k(block: &[f32], out: &mut Vec<u8>) {
    let parts = Signed::of(block, Limits { part: 16, scale: 31.0, number: 4.0 });
    let high = |at: usize| (0..8).fold(0, |bits, nth| bits | (parts.numbers[nth * 32 + at] >> 2) << nth);
    out.extend((0..32).map(high));
    push_two_bits(&parts.numbers.iter().map(|number| number & 3).collect::<Vec<u8>>(), out);
    let scales: Vec<u8> = parts.scales.iter().map(|scale| (scale + 32) as u8).collect();
    out.extend((0..8).map(|at| scales[at] & 15 | (scales[at + 8] & 15) << 4));
    out.extend((0..4).map(|at| (0..4).fold(0, |bits, nth| bits | scales[nth * 4 + at] >> 4 << (2 * nth))));
    push_half(parts.scale, out);
}

/// A scale and a minimum of six bits for each 32 weights, and four bits per weight.
pub(super) fn q4_k(block: &[f32], out: &mut Vec<u8>) {
    let parts = Shifted::of(block, Limits { part: 32, scale: 63.0, number: 15.0 });
    parts.push_scales(out);
    push_nibbles(&parts.numbers, out);
}

/// As the one above, with a fifth bit per weight before the other four.
pub(super) fn q5_k(block: &[f32], out: &mut Vec<u8>) {
    let parts = Shifted::of(block, Limits { part: 32, scale: 63.0, number: 31.0 });
    parts.push_scales(out);
    let high = |at: usize| (0..8).fold(0, |bits, nth| bits | (parts.numbers[nth * 32 + at] >> 4) << nth);
    out.extend((0..32).map(high));
    push_nibbles(&parts.numbers, out);
}

/// A scale of eight bits for each 16 weights; four bits of each weight, and two more after all of them.
pub(super) fn q6_k(block: &[f32], out: &mut Vec<u8>) {
    let parts = Signed::of(block, Limits { part: 16, scale: 127.0, number: 32.0 });
    for half in parts.numbers.chunks_exact(128) {
        out.extend((0..64).map(|at| half[at] & 15 | (half[at + 64] & 15) << 4));
    }
    for half in parts.numbers.chunks_exact(128) {
        let high = |at: usize| (0..4).fold(0, |bits, nth| bits | half[nth * 32 + at] >> 4 << (2 * nth));
        out.extend((0..32).map(high));
    }
    out.extend(parts.scales.iter().map(|scale| *scale as u8));
    push_half(parts.scale, out);
}

/// The weights of a part, and the largest numbers for its scale and for a weight.
#[derive(Clone, Copy)]
struct Limits {
    part: usize,
    scale: f32,
    number: f32,
}

/// Numbers from zero on: `scale × scales × number − minimum × minimums`.
struct Shifted {
    /// Halves.
    scale: u16,
    minimum: u16,
    scales: Vec<u8>,
    minimums: Vec<u8>,
    numbers: Vec<u8>,
}

impl Shifted {
    fn of(block: &[f32], limits: Limits) -> Self {
        let parts = || block.chunks_exact(limits.part);
        let least = |part: &[f32]| -part.iter().copied().fold(0.0, f32::min);
        let most = |part: &[f32]| part.iter().copied().fold(0.0, f32::max);
        let (minimum, minimums) = rounded(parts().map(least).collect(), limits.scale);
        let steps = parts().map(|part| (most(part) + least(part)) / limits.number).collect();
        let (scale, scales) = rounded(steps, limits.scale);
        let mut numbers = Vec::with_capacity(SIZE);
        for ((part, step), shift) in parts().zip(&scales).zip(&minimums) {
            let step = inverse(f16_to_f32(scale) * f32::from(*step));
            let shift = f16_to_f32(minimum) * f32::from(*shift);
            let number = |weight: &f32| ((weight + shift) * step).round().clamp(0.0, limits.number) as u8;
            numbers.extend(part.iter().map(number));
        }
        Self { scale, minimum, scales, minimums, numbers }
    }

    /// Both halves, then eight scales and minimums of six bits in twelve bytes.
    fn push_scales(&self, out: &mut Vec<u8>) {
        out.extend(self.scale.to_le_bytes());
        out.extend(self.minimum.to_le_bytes());
        for numbers in [&self.scales, &self.minimums] {
            out.extend((0..4).map(|at| numbers[at] | numbers[at + 4] >> 4 << 6));
        }
        out.extend((4..8).map(|at| self.scales[at] & 15 | (self.minimums[at] & 15) << 4));
    }
}

/// The half that a scale of parts is a multiple of, and the multiples.
fn rounded(parts: Vec<f32>, limit: f32) -> (u16, Vec<u8>) {
    let half = f32_to_f16(largest(&parts) / limit);
    let step = inverse(f16_to_f32(half));
    (half, parts.iter().map(|part| (part * step).round().clamp(0.0, limit) as u8).collect())
}

/// Numbers around a middle, which is the limit: `scale × scales × (number − middle)`.
struct Signed {
    scale: f32,
    scales: Vec<i8>,
    numbers: Vec<u8>,
}

impl Signed {
    fn of(block: &[f32], limits: Limits) -> Self {
        let parts = || block.chunks_exact(limits.part);
        // The largest weight of a part is the lowest number.
        let steps: Vec<f32> = parts().map(|part| largest(part) / -limits.number).collect();
        let scale = f16_to_f32(f32_to_f16(largest(&steps).abs() / limits.scale));
        let multiple = |step: &f32| (step * inverse(scale)).round().clamp(-limits.scale, limits.scale) as i8;
        let scales: Vec<i8> = steps.iter().map(multiple).collect();
        let mut numbers = Vec::with_capacity(SIZE);
        for (part, step) in parts().zip(&scales) {
            let step = inverse(scale * f32::from(*step));
            let number = |weight: &f32| (weight * step + limits.number).round();
            numbers
                .extend(part.iter().map(|weight| number(weight).clamp(0.0, 2.0 * limits.number - 1.0) as u8));
        }
        Self { scale, scales, numbers }
    }
}

/// Two bits of four weights that are 32 apart in a byte.
fn push_two_bits(numbers: &[u8], out: &mut Vec<u8>) {
    for half in numbers.chunks_exact(128) {
        out.extend((0..32).map(|at| (0..4).fold(0, |bits, nth| bits | half[nth * 32 + at] << (2 * nth))));
    }
}

/// Four bits of two weights that are 32 apart in a byte.
fn push_nibbles(numbers: &[u8], out: &mut Vec<u8>) {
    for pair in numbers.chunks_exact(64) {
        out.extend((0..32).map(|at| pair[at] & 15 | (pair[at + 32] & 15) << 4));
    }
}
