//! The "k" types: blocks of 256 weights, in sub-blocks with small scales of their own.

use auris_kernels::{FourBitBlock, SixBitBlock};

use crate::half::f16_at;

/// Bytes of a block of four bits per weight.
pub(crate) const Q4_K_BYTES: usize = 144;
/// Bytes of a block of six bits per weight.
pub(crate) const Q6_K_BYTES: usize = 210;

/// Sixteen sub-blocks of 16: a byte each with scale and minimum, two bits per weight.
pub(super) fn q2_k(block: &[u8], out: &mut [f32]) {
    let scales = &block[..16];
    let numbers = &block[16..80];
    let scale = f16_at(&block[80..]);
    let minimum = f16_at(&block[82..]);
    for (nth, out) in out.chunks_exact_mut(16).enumerate() {
        let step = scale * f32::from(scales[nth] & 15);
        let shift = minimum * f32::from(scales[nth] >> 4);
        for (at, out) in out.iter_mut().enumerate() {
            *out = step * f32::from(two_bits(numbers, nth, at)) - shift;
        }
    }
}

/// Sixteen sub-blocks of 16: six bits of scale each, three bits per weight, the third one apart and inverted.
pub(super) fn q3_k(block: &[u8], out: &mut [f32]) {
    let high = &block[..32];
    let numbers = &block[32..96];
    let scales = &block[96..108];
    let scale = f16_at(&block[108..]);
    for (nth, out) in out.chunks_exact_mut(16).enumerate() {
        let step = scale * (f32::from(six_bits(scales, nth)) - 32.0);
        for (at, out) in out.iter_mut().enumerate() {
            let is_high = high[nth % 2 * 16 + at] >> (nth / 2) & 1 == 1;
            let number = f32::from(two_bits(numbers, nth, at)) - if is_high { 0.0 } else { 4.0 };
            *out = step * number;
        }
    }
}

/// Eight sub-blocks of 32: six bits of scale and of minimum each, four bits per weight.
pub(super) fn q4_k(block: &[u8], out: &mut [f32]) {
    let scale = f16_at(block);
    let minimum = f16_at(&block[2..]);
    let scales = &block[4..16];
    let numbers = &block[16..144];
    for (nth, out) in out.chunks_exact_mut(32).enumerate() {
        let (step, shift) = scale_and_minimum(scales, nth);
        let step = scale * f32::from(step);
        let shift = minimum * f32::from(shift);
        for (at, out) in out.iter_mut().enumerate() {
            *out = step * f32::from(nibble(numbers, nth, at)) - shift;
        }
    }
}

/// As the one above, with a fifth bit per weight.
pub(super) fn q5_k(block: &[u8], out: &mut [f32]) {
    let scale = f16_at(block);
    let minimum = f16_at(&block[2..]);
    let scales = &block[4..16];
    let high = &block[16..48];
    let numbers = &block[48..176];
    for (nth, out) in out.chunks_exact_mut(32).enumerate() {
        let (step, shift) = scale_and_minimum(scales, nth);
        let step = scale * f32::from(step);
        let shift = minimum * f32::from(shift);
        for (at, out) in out.iter_mut().enumerate() {
            let number = nibble(numbers, nth, at) | (high[at] >> nth & 1) << 4;
            *out = step * f32::from(number) - shift;
        }
    }
}

/// Sixteen sub-blocks of 16: a signed byte of scale each; four bits of each weight, and two more apart.
pub(super) fn q6_k(block: &[u8], out: &mut [f32]) {
    let low = &block[..128];
    let high = &block[128..192];
    let scales = &block[192..208];
    let scale = f16_at(&block[208..]);
    for (place, out) in out.iter_mut().enumerate() {
        // Two halves of 128, each in four quarters of 32.
        let half = place / 128;
        let quarter = place / 32 % 4;
        let at = place % 32;
        let low = low[half * 64 + quarter % 2 * 32 + at] >> (quarter / 2 * 4) & 15;
        let high = high[half * 32 + at] >> (quarter * 2) & 3;
        let step = scale * f32::from(scales[place / 16] as i8);
        *out = step * (f32::from(low | high << 4) - 32.0);
    }
}

/// The numbers of a block of four bits as the kernels want them, without the floats between.
pub(crate) fn unpack_q4_k(bytes: &[u8; Q4_K_BYTES], block: &mut FourBitBlock) {
    block.scale = f16_at(bytes);
    block.minimum = f16_at(&bytes[2..]);
    let scales = &bytes[4..16];
    let numbers = &bytes[16..];
    for (nth, (scale, minimum)) in block.scales.iter_mut().zip(&mut block.minimums).enumerate() {
        (*scale, *minimum) = scale_and_minimum(scales, nth);
    }
    // Two sub-blocks share 32 bytes. Straight loops over slices, which the compiler turns into vector instructions.
    for (out, packed) in block.numbers.chunks_exact_mut(64).zip(numbers.chunks_exact(32)) {
        let (low, high) = out.split_at_mut(32);
        for ((low, high), byte) in low.iter_mut().zip(high).zip(packed) {
            *low = byte & 15;
            *high = byte >> 4;
        }
    }
}

/// The same for six bits.
pub(crate) fn unpack_q6_k(bytes: &[u8; Q6_K_BYTES], block: &mut SixBitBlock) {
    block.scale = f16_at(&bytes[208..]);
    for (scale, byte) in block.scales.iter_mut().zip(&bytes[192..208]) {
        *scale = *byte as i8;
    }
    let halves = bytes[..128].chunks_exact(64).zip(bytes[128..192].chunks_exact(32));
    for (out, (low, high)) in block.numbers.chunks_exact_mut(128).zip(halves) {
        for (quarter, out) in out.chunks_exact_mut(32).enumerate() {
            // The shifts are the same for a whole quarter, so that the compiler can use vector instructions here too.
            let low = &low[quarter % 2 * 32..][..32];
            let low_shift = quarter / 2 * 4;
            let high_shift = quarter * 2;
            for ((out, low), high) in out.iter_mut().zip(low).zip(high) {
                *out = low >> low_shift & 15 | (high >> high_shift & 3) << 4;
            }
        }
    }
}

/// Weight `at` of sub-block `nth` of 16: 128 weights share 32 bytes, the sub-blocks of a pair lie side by side.
fn two_bits(numbers: &[u8], nth: usize, at: usize) -> u8 {
    let half = nth / 8;
    let pair = nth / 2 % 4;
    let side = nth % 2;
    numbers[half * 32 + side * 16 + at] >> (pair * 2) & 3
}

/// Weight `at` of sub-block `nth` of 32: two sub-blocks share 32 bytes.
fn nibble(numbers: &[u8], nth: usize, at: usize) -> u8 {
    numbers[nth / 2 * 32 + at] >> (nth % 2 * 4) & 15
}

/// Scale `nth` of sixteen in twelve bytes: four bits in the first eight bytes, two in the last four.
fn six_bits(scales: &[u8], nth: usize) -> u8 {
    let low = scales[nth % 8] >> (nth / 8 * 4) & 15;
    let high = scales[8 + nth % 4] >> (nth / 4 * 2) & 3;
    low | high << 4
}

/// Scale and minimum `nth` of eight in twelve bytes: the first four in six bits of a byte; the others in halves of the
/// last four bytes, and in the upper two bits of the first eight.
fn scale_and_minimum(bytes: &[u8], nth: usize) -> (u8, u8) {
    if nth < 4 {
        return (bytes[nth] & 63, bytes[nth + 4] & 63);
    }
    let both = bytes[nth + 4];
    (both & 15 | bytes[nth - 4] >> 6 << 4, both >> 4 | bytes[nth] >> 6 << 4)
}
