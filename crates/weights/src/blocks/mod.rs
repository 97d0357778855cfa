//! The blocks of GGML's quantized types: 32 or 256 weights with a common scale, as floats.
//!
//! The layouts are those of ggml-quants.c.

mod k_quants;

use crate::half::f16_at;

pub(crate) use k_quants::{Q4_K_BYTES, Q6_K_BYTES, unpack_q4_k, unpack_q6_k};

/// A quantized type of GGML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockType {
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2K,
    Q3K,
    Q4K,
    Q5K,
    Q6K,
}

impl BlockType {
    /// Weights in a block.
    pub(crate) fn weights(self) -> usize {
        match self {
            Self::Q4_0 | Self::Q4_1 | Self::Q5_0 | Self::Q5_1 | Self::Q8_0 => 32,
            Self::Q2K | Self::Q3K | Self::Q4K | Self::Q5K | Self::Q6K => 256,
        }
    }

    /// Bytes of a block.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Q4_0 => 18,
            Self::Q4_1 => 20,
            Self::Q5_0 => 22,
            Self::Q5_1 => 24,
            Self::Q8_0 => 34,
            Self::Q2K => 84,
            Self::Q3K => 110,
            Self::Q4K => Q4_K_BYTES,
            Self::Q5K => 176,
            Self::Q6K => Q6_K_BYTES,
        }
    }

    /// Writes the weights of whole blocks. What is not a whole block is left out.
    pub(crate) fn decode(self, bytes: &[u8], out: &mut [f32]) {
        let blocks = bytes.chunks_exact(self.bytes()).zip(out.chunks_exact_mut(self.weights()));
        for (block, out) in blocks {
            match self {
                Self::Q4_0 => q4_0(block, out),
                Self::Q4_1 => q4_1(block, out),
                Self::Q5_0 => q5_0(block, out),
                Self::Q5_1 => q5_1(block, out),
                Self::Q8_0 => q8_0(block, out),
                Self::Q2K => k_quants::q2_k(block, out),
                Self::Q3K => k_quants::q3_k(block, out),
                Self::Q4K => k_quants::q4_k(block, out),
                Self::Q5K => k_quants::q5_k(block, out),
                Self::Q6K => k_quants::q6_k(block, out),
            }
        }
    }
}

/// A scale, then 16 bytes: the low half of byte `i` is weight `i`, the high half weight `i + 16`.
fn q4_0(block: &[u8], out: &mut [f32]) {
    let scale = f16_at(block);
    nibbles(&block[2..], out, |_, number| (f32::from(number) - 8.0) * scale);
}

/// A scale and a minimum, then as above.
fn q4_1(block: &[u8], out: &mut [f32]) {
    let scale = f16_at(block);
    let minimum = f16_at(&block[2..]);
    nibbles(&block[4..], out, |_, number| f32::from(number) * scale + minimum);
}

/// A scale, a fifth bit for each weight, then the other four as above.
fn q5_0(block: &[u8], out: &mut [f32]) {
    let scale = f16_at(block);
    let high = high_bits(&block[2..]);
    nibbles(&block[6..], out, |at, number| (f32::from(fifth(high, at) | number) - 16.0) * scale);
}

fn q5_1(block: &[u8], out: &mut [f32]) {
    let scale = f16_at(block);
    let minimum = f16_at(&block[2..]);
    let high = high_bits(&block[4..]);
    nibbles(&block[8..], out, |at, number| f32::from(fifth(high, at) | number) * scale + minimum);
}

/// A scale, then a signed byte per weight.
fn q8_0(block: &[u8], out: &mut [f32]) {
    let scale = f16_at(block);
    for (out, byte) in out.iter_mut().zip(&block[2..]) {
        *out = f32::from(*byte as i8) * scale;
    }
}

fn nibbles(bytes: &[u8], out: &mut [f32], value: impl Fn(usize, u8) -> f32) {
    let (low, high) = out.split_at_mut(16);
    for (at, byte) in bytes.iter().take(16).enumerate() {
        low[at] = value(at, byte & 15);
        high[at] = value(at + 16, byte >> 4);
    }
}

fn high_bits(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |four| u32::from_le_bytes(*four))
}

fn fifth(high: u32, at: usize) -> u8 {
    ((high >> at & 1) as u8) << 4
}

#[cfg(test)]
mod tests;
