//! Quantizes rows to the blocks of GGML with 32 weights, and floats to halves.

/// The half that is nearest to a float; the even one of two.
pub(super) fn f32_to_f16(float: f32) -> u16 {
    let bits = float.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = (bits >> 23 & 0xFF) as i32 - 112;
    let fraction = bits & 0x7F_FFFF;
    if float.is_nan() {
        return sign | 0x7E00;
    }
    // The fraction with its leading one, and how far it is shifted.
    let (whole, shift, base) = match exponent {
        31.. => return sign | 0x7C00,
        1.. => (fraction, 13, (exponent as u32) << 10),
        -10.. => (fraction | 0x80_0000, 14 - exponent, 0),
        _ => return sign,
    };
    let kept = whole >> shift;
    let rest = whole & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let up = rest > half || rest == half && kept & 1 == 1;
    sign | (base + kept + u32::from(up)) as u16
}

pub(super) fn f16_to_f32(bits: u16) -> f32 {
    let magnitude = match (bits >> 10 & 31, bits & 1023) {
        (0, fraction) => f32::from(fraction) / 16_777_216.0,
        (exponent, fraction) => (1.0 + f32::from(fraction) / 1024.0) * 2f32.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// A half scale and signed bytes.
pub(super) fn q8_0(block: &[f32], out: &mut Vec<u8>) {
    let scale = push_half(largest(block).abs() / 127.0, out);
    out.extend(block.iter().map(|weight| (weight * inverse(scale)).round().clamp(-127.0, 127.0) as i8 as u8));
}

/// A half scale and numbers from 0 to 15 that stand for −8 to 7.
pub(super) fn q4_0(block: &[f32], out: &mut Vec<u8>) {
    let scale = push_half(largest(block) / -8.0, out);
    let number = |weight: f32| (weight * inverse(scale) + 8.5).clamp(0.0, 15.0) as u8;
    out.extend((0..16).map(|at| number(block[at]) | number(block[at + 16]) << 4));
}

/// A half scale, a half minimum, and numbers from 0 to 15.
pub(super) fn q4_1(block: &[f32], out: &mut Vec<u8>) {
    let numbers = above_the_least(block, 15.0, out);
    out.extend((0..16).map(|at| numbers[at] | numbers[at + 16] << 4));
}

/// A half scale and numbers from 0 to 31 that stand for −16 to 15, whose fifth bits are apart.
pub(super) fn q5_0(block: &[f32], out: &mut Vec<u8>) {
    let scale = push_half(largest(block) / -16.0, out);
    let number = |weight: &f32| (weight * inverse(scale) + 16.5).clamp(0.0, 31.0) as u8;
    push_five_bits(&block.iter().map(number).collect::<Vec<u8>>(), out);
}

/// A half scale, a half minimum, and numbers from 0 to 31, whose fifth bits are apart.
pub(super) fn q5_1(block: &[f32], out: &mut Vec<u8>) {
    let numbers = above_the_least(block, 31.0, out);
    push_five_bits(&numbers, out);
}

/// Appends a half scale and a half minimum, and returns numbers from 0 to the largest one.
fn above_the_least(block: &[f32], largest: f32, out: &mut Vec<u8>) -> Vec<u8> {
    let least = block.iter().copied().fold(f32::INFINITY, f32::min);
    let most = block.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let scale = push_half((most - least) / largest, out);
    let least = push_half(least, out);
    let number = |weight: &f32| ((weight - least) * inverse(scale) + 0.5).clamp(0.0, largest) as u8;
    block.iter().map(number).collect()
}

fn push_five_bits(numbers: &[u8], out: &mut Vec<u8>) {
    let high = (0..32).fold(0u32, |bits, at| bits | u32::from(numbers[at] >> 4) << at);
    out.extend(high.to_le_bytes());
    out.extend((0..16).map(|at| numbers[at] & 15 | (numbers[at + 16] & 15) << 4));
}

/// Appends a half and returns what it stands for.
pub(super) fn push_half(float: f32, out: &mut Vec<u8>) -> f32 {
    let half = f32_to_f16(float);
    out.extend(half.to_le_bytes());
    f16_to_f32(half)
}

/// The weight that is the farthest from zero, with its sign.
pub(super) fn largest(block: &[f32]) -> f32 {
    block
        .iter()
        .copied()
        .fold(0.0, |largest: f32, weight| if weight.abs() > largest.abs() { weight } else { largest })
}

pub(super) fn inverse(scale: f32) -> f32 {
    if scale == 0.0 { 0.0 } else { 1.0 / scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_and_others_go_to_the_nearest() {
        for bits in (0..=u16::MAX).filter(|bits| bits >> 10 & 31 != 31) {
            assert_eq!(f32_to_f16(f16_to_f32(bits)), bits);
        }
        assert_eq!(f32_to_f16(1.0 + 1.0 / 2048.0), 0x3C00);
        assert_eq!(f32_to_f16(1.0 + 3.0 / 2048.0), 0x3C02);
        assert_eq!(f32_to_f16(1e9), 0x7C00);
        assert_eq!(f32_to_f16(1e-9), 0);
    }
}
