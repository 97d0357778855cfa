//! Each block type against the loops of the reference implementation, on random blocks.

use auris_kernels::{FourBitBlock, SixBitBlock};

use super::*;
use crate::half::f16_to_f32;
use crate::test_files::Random;

/// Random blocks whose halves at the given places are ordinary numbers.
fn check(kind: BlockType, halves: &[usize], reference: fn(&[u8], &mut Vec<f32>)) {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..200 {
        let mut block: Vec<u8> = (0..kind.bytes()).map(|_| random.byte()).collect();
        for place in halves {
            // An exponent from 2⁻⁷ to 1.
            block[place + 1] = block[place + 1] & 0x83 | 0x20 | random.byte() & 0x1C;
        }
        let (mut expected, mut decoded) = (Vec::new(), vec![0.0; kind.weights()]);
        reference(&block, &mut expected);
        kind.decode(&block, &mut decoded);
        assert_eq!(decoded, expected, "{kind:?}");
    }
}

fn half(block: &[u8], at: usize) -> f32 {
    f16_to_f32(u16::from_le_bytes([block[at], block[at + 1]]))
}

#[test]
fn four_and_five_and_eight_bits_are_as_defined() {
    check(BlockType::Q4_0, &[0], |block, out| {
        out.extend((0..16).map(|j| ((block[2 + j] & 0xF) as f32 - 8.0) * half(block, 0)));
        out.extend((0..16).map(|j| ((block[2 + j] >> 4) as f32 - 8.0) * half(block, 0)));
    });
    check(BlockType::Q4_1, &[0, 2], |block, out| {
        out.extend((0..16).map(|j| (block[4 + j] & 0xF) as f32 * half(block, 0) + half(block, 2)));
        out.extend((0..16).map(|j| (block[4 + j] >> 4) as f32 * half(block, 0) + half(block, 2)));
    });
    check(BlockType::Q5_0, &[0], |block, out| {
        let high = u32::from_le_bytes([block[2], block[3], block[4], block[5]]);
        let low = |j: usize| (block[6 + j] & 0xF) as u32 | (high >> j) << 4 & 0x10;
        let upper = |j: usize| (block[6 + j] >> 4) as u32 | high >> (j + 12) & 0x10;
        out.extend((0..16).map(|j| (low(j) as i32 - 16) as f32 * half(block, 0)));
        out.extend((0..16).map(|j| (upper(j) as i32 - 16) as f32 * half(block, 0)));
    });
    check(BlockType::Q5_1, &[0, 2], |block, out| {
        let high = u32::from_le_bytes([block[4], block[5], block[6], block[7]]);
        let low = |j: usize| (block[8 + j] & 0xF) as u32 | (high >> j) << 4 & 0x10;
        let upper = |j: usize| (block[8 + j] >> 4) as u32 | high >> (j + 12) & 0x10;
        out.extend((0..16).map(|j| low(j) as f32 * half(block, 0) + half(block, 2)));
        out.extend((0..16).map(|j| upper(j) as f32 * half(block, 0) + half(block, 2)));
    });
    check(BlockType::Q8_0, &[0], |block, out| {
        out.extend((0..32).map(|j| (block[2 + j] as i8) as f32 * half(block, 0)));
    });
}

#[test]
fn two_bits_are_as_defined() {
    check(BlockType::Q2K, &[80, 82], |block, out| {
        let (scales, mut q) = (&block[..16], &block[16..80]);
        let (d, min) = (half(block, 80), half(block, 82));
        let mut is = 0;
        for _ in 0..2 {
            for shift in [0, 2, 4, 6] {
                for side in [0, 16] {
                    let (dl, ml) = (d * (scales[is] & 0xF) as f32, min * (scales[is] >> 4) as f32);
                    is += 1;
                    out.extend((0..16).map(|l| dl * (q[l + side] >> shift & 3) as f32 - ml));
                }
            }
            q = &q[32..];
        }
    });
}

#[test]
fn three_bits_are_as_defined() {
    check(BlockType::Q3K, &[108], |block, out| {
        let (hm, mut q, packed) = (&block[..32], &block[32..96], &block[96..108]);
        let d = half(block, 108);
        let word = |at: usize| {
            u32::from_le_bytes([packed[at * 4], packed[at * 4 + 1], packed[at * 4 + 2], packed[at * 4 + 3]])
        };
        let (a, b, t) = (word(0), word(1), word(2));
        let (k1, k2) = (0x0303_0303, 0x0f0f_0f0f);
        let words = [
            a & k2 | (t & k1) << 4,
            b & k2 | (t >> 2 & k1) << 4,
            a >> 4 & k2 | (t >> 4 & k1) << 4,
            b >> 4 & k2 | (t >> 6 & k1) << 4,
        ];
        let scales: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (mut is, mut m) = (0, 1u8);
        for _ in 0..2 {
            for shift in [0, 2, 4, 6] {
                for side in [0, 16] {
                    let dl = d * (scales[is] as i32 - 32) as f32;
                    is += 1;
                    out.extend((0..16).map(|l| {
                        let high = if hm[l + side] & m != 0 { 0 } else { 4 };
                        dl * ((q[l + side] >> shift & 3) as i32 - high) as f32
                    }));
                }
                m = m.wrapping_shl(1);
            }
            q = &q[32..];
        }
    });
}

fn scale_min(j: usize, q: &[u8]) -> (f32, f32) {
    if j < 4 {
        ((q[j] & 63) as f32, (q[j + 4] & 63) as f32)
    } else {
        let d = (q[j + 4] & 0xF) | ((q[j - 4] >> 6) << 4);
        let m = (q[j + 4] >> 4) | ((q[j] >> 6) << 4);
        (d as f32, m as f32)
    }
}

#[test]
fn four_and_five_bits_in_sub_blocks_are_as_defined() {
    check(BlockType::Q4K, &[0, 2], |block, out| {
        let (d, min, scales, q) = (half(block, 0), half(block, 2), &block[4..16], &block[16..]);
        for j in 0..4 {
            let ((s1, m1), (s2, m2)) = (scale_min(2 * j, scales), scale_min(2 * j + 1, scales));
            let q = &q[32 * j..];
            out.extend((0..32).map(|l| d * s1 * (q[l] & 0xF) as f32 - min * m1));
            out.extend((0..32).map(|l| d * s2 * (q[l] >> 4) as f32 - min * m2));
        }
    });
    check(BlockType::Q5K, &[0, 2], |block, out| {
        let (d, min, scales) = (half(block, 0), half(block, 2), &block[4..16]);
        let (qh, ql) = (&block[16..48], &block[48..]);
        for j in 0..4 {
            let ((s1, m1), (s2, m2)) = (scale_min(2 * j, scales), scale_min(2 * j + 1, scales));
            let (u1, u2, ql) = (1u8 << (2 * j), 2u8 << (2 * j), &ql[32 * j..]);
            let high = |l: usize, u: u8| if qh[l] & u != 0 { 16 } else { 0 };
            out.extend((0..32).map(|l| d * s1 * ((ql[l] & 0xF) + high(l, u1)) as f32 - min * m1));
            out.extend((0..32).map(|l| d * s2 * ((ql[l] >> 4) + high(l, u2)) as f32 - min * m2));
        }
    });
}

#[test]
fn six_bits_are_as_defined() {
    check(BlockType::Q6K, &[208], |block, out| {
        out.resize(256, 0.0);
        let d = half(block, 208);
        for n in 0..2 {
            let (ql, qh, sc) = (&block[64 * n..], &block[128 + 32 * n..], &block[192 + 8 * n..]);
            for l in 0..32 {
                let q1 = ((ql[l] & 0xF) | (qh[l] & 3) << 4) as i32 - 32;
                let q2 = ((ql[l + 32] & 0xF) | (qh[l] >> 2 & 3) << 4) as i32 - 32;
                let q3 = ((ql[l] >> 4) | (qh[l] >> 4 & 3) << 4) as i32 - 32;
                let q4 = ((ql[l + 32] >> 4) | (qh[l] >> 6 & 3) << 4) as i32 - 32;
                for (quarter, q) in [q1, q2, q3, q4].into_iter().enumerate() {
                    let scale = (sc[l / 16 + 2 * quarter] as i8) as f32;
                    out[128 * n + 32 * quarter + l] = d * scale * q as f32;
                }
            }
        }
    });
}

#[test]
fn unpacked_blocks_have_the_decoded_weights() {
    check(BlockType::Q4K, &[0, 2], |bytes, out| {
        let mut block = FourBitBlock::default();
        unpack_q4_k(bytes.first_chunk().unwrap(), &mut block);
        assert!(block.numbers.iter().all(|number| *number < 16));
        out.extend(block.numbers.iter().enumerate().map(|(at, number)| {
            let (step, shift) = (f32::from(block.scales[at / 32]), f32::from(block.minimums[at / 32]));
            block.scale * step * f32::from(*number) - block.minimum * shift
        }));
    });
    check(BlockType::Q6K, &[208], |bytes, out| {
        let mut block = SixBitBlock::default();
        unpack_q6_k(bytes.first_chunk().unwrap(), &mut block);
        assert!(block.numbers.iter().all(|number| *number < 64));
        out.extend(block.numbers.iter().enumerate().map(|(at, number)| {
            block.scale * f32::from(block.scales[at / 16]) * (f32::from(*number) - 32.0)
        }));
    });
}
