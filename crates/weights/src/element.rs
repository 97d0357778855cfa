//! The types of numbers in files, and how they become floats.

use crate::blocks::BlockType;
use crate::error::WeightsError;
use crate::half::{bf16_to_f32, f16_to_f32};

/// How the numbers of a tensor are stored, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementType {
    F64,
    F32,
    F16,
    Bf16,
    I64,
    I32,
    I16,
    U16,
    I8,
    U8,
    Blocks(BlockType),
}

impl ElementType {
    /// The type with this number in ggml.h.
    pub(crate) fn from_ggml(kind: u32) -> Result<Self, WeightsError> {
        Ok(match kind {
            0 => Self::F32,
            1 => Self::F16,
            2 => Self::Blocks(BlockType::Q4_0),
            3 => Self::Blocks(BlockType::Q4_1),
            6 => Self::Blocks(BlockType::Q5_0),
            7 => Self::Blocks(BlockType::Q5_1),
            8 => Self::Blocks(BlockType::Q8_0),
            10 => Self::Blocks(BlockType::Q2K),
            11 => Self::Blocks(BlockType::Q3K),
            12 => Self::Blocks(BlockType::Q4K),
            13 => Self::Blocks(BlockType::Q5K),
            14 => Self::Blocks(BlockType::Q6K),
            30 => Self::Bf16,
            other => {
                return Err(WeightsError::unsupported(format!(
                    "its GGML type is {other}; use f32, f16, bf16, q4_0, q4_1, q5_0, q5_1, q8_0 or q2_K to \
                     q6_K"
                )));
            }
        })
    }

    /// Bytes of this many numbers. Nothing if they do not fill whole blocks or if no memory is that large.
    pub(crate) fn bytes(self, count: usize) -> Option<usize> {
        let size = match self {
            Self::F64 | Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::F16 | Self::Bf16 | Self::I16 | Self::U16 => 2,
            Self::I8 | Self::U8 => 1,
            Self::Blocks(kind) => {
                let is_whole = count.is_multiple_of(kind.weights());
                return is_whole.then_some(count / kind.weights())?.checked_mul(kind.bytes());
            }
        };
        count.checked_mul(size)
    }

    /// Writes as many floats as there are numbers for.
    pub(crate) fn decode(self, bytes: &[u8], out: &mut [f32]) {
        match self {
            Self::F64 => numbers(bytes, out, |eight| f64::from_le_bytes(eight) as f32),
            Self::F32 => numbers(bytes, out, f32::from_le_bytes),
            Self::F16 => numbers(bytes, out, |two| f16_to_f32(u16::from_le_bytes(two))),
            Self::Bf16 => numbers(bytes, out, |two| bf16_to_f32(u16::from_le_bytes(two))),
            Self::I64 => numbers(bytes, out, |eight| i64::from_le_bytes(eight) as f32),
            Self::I32 => numbers(bytes, out, |four| i32::from_le_bytes(four) as f32),
            Self::I16 => numbers(bytes, out, |two| f32::from(i16::from_le_bytes(two))),
            Self::U16 => numbers(bytes, out, |two| f32::from(u16::from_le_bytes(two))),
            Self::I8 => numbers(bytes, out, |[byte]| f32::from(byte as i8)),
            Self::U8 => numbers(bytes, out, |[byte]| f32::from(byte)),
            Self::Blocks(kind) => kind.decode(bytes, out),
        }
    }

    /// Whether the numbers are single bytes, which products use as they are.
    pub(crate) fn is_byte(self) -> bool {
        matches!(self, Self::I8 | Self::U8)
    }
}

fn numbers<const SIZE: usize>(bytes: &[u8], out: &mut [f32], number: impl Fn([u8; SIZE]) -> f32) {
    let (chunks, _) = bytes.as_chunks::<SIZE>();
    for (out, chunk) in out.iter_mut().zip(chunks) {
        *out = number(*chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_become_floats() {
        let floats = |element: ElementType, bytes: &[u8]| {
            let mut out = [0.0; 2];
            element.decode(bytes, &mut out);
            out
        };
        assert_eq!(
            floats(ElementType::F64, &[1.5f64.to_le_bytes(), 2f64.to_le_bytes()].concat()),
            [1.5, 2.0]
        );
        assert_eq!(
            floats(ElementType::F32, &[1.5f32.to_le_bytes(), 2f32.to_le_bytes()].concat()),
            [1.5, 2.0]
        );
        assert_eq!(
            floats(ElementType::I64, &[7i64.to_le_bytes(), (-2i64).to_le_bytes()].concat()),
            [7.0, -2.0]
        );
        assert_eq!(
            floats(ElementType::I32, &[7i32.to_le_bytes(), (-2i32).to_le_bytes()].concat()),
            [7.0, -2.0]
        );
        assert_eq!(floats(ElementType::I16, &[0xFE, 0xFF, 1, 0]), [-2.0, 1.0]);
        assert_eq!(floats(ElementType::U16, &[0xFE, 0xFF, 1, 0]), [65_534.0, 1.0]);
        assert_eq!(floats(ElementType::F16, &[0, 0x3C, 0, 0xC0]), [1.0, -2.0]);
        assert_eq!(floats(ElementType::Bf16, &[0x80, 0x3F, 0, 0xC0]), [1.0, -2.0]);
        assert_eq!(floats(ElementType::I8, &[0x80, 1]), [-128.0, 1.0]);
        assert_eq!(floats(ElementType::U8, &[0x80, 1]), [128.0, 1.0]);
    }

    #[test]
    fn sizes_that_no_memory_holds_and_parts_of_blocks_are_refused() {
        assert_eq!(ElementType::F32.bytes(3), Some(12));
        assert_eq!(ElementType::F32.bytes(usize::MAX / 2), None);
        assert_eq!(ElementType::Blocks(BlockType::Q4_0).bytes(64), Some(36));
        assert_eq!(ElementType::Blocks(BlockType::Q4_0).bytes(65), None);
    }
}
