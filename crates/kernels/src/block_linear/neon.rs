//! ARM: four outputs in a register, with the dot products of four bytes where the processor has them.

use std::arch::aarch64::*;
use std::arch::asm;

use super::lines::{ByteLanes, together};
use crate::lanes::Four;

/// Without dot products.
pub(super) struct Neon;

/// With dot products.
pub(super) struct DotProduct;

/// Implements everything but the sum of four products, which is what the two levels differ in.
macro_rules! byte_lanes {
    ($level:ident, $dot:ident) => {
        impl ByteLanes for $level {
            type Floats = Four;
            type Bytes = uint8x16_t;
            type Signed = uint8x16_t;
            type Shorts = int32x4_t;
            type Integers = int32x4_t;

            const ROWS: usize = 8;

            #[inline(always)]
            unsafe fn load(from: *const u8) -> Self::Bytes {
                unsafe { vld1q_u8(from) }
            }
            #[inline(always)]
            unsafe fn low_halves(bytes: Self::Bytes) -> Self::Bytes {
                unsafe { vandq_u8(bytes, vdupq_n_u8(15)) }
            }
            #[inline(always)]
            unsafe fn high_halves(bytes: Self::Bytes) -> Self::Bytes {
                unsafe { vshrq_n_u8::<4>(bytes) }
            }
            #[inline(always)]
            unsafe fn with_upper_bits<const NTH: usize>(
                weights: Self::Bytes,
                bits: Self::Bytes,
            ) -> Self::Bytes {
                unsafe {
                    let moved = match NTH {
                        0 => vshlq_n_u8::<4>(bits),
                        1 => vshlq_n_u8::<2>(bits),
                        2 => bits,
                        _ => vshrq_n_u8::<2>(bits),
                    };
                    vorrq_u8(weights, vandq_u8(moved, vdupq_n_u8(0x30)))
                }
            }
            #[inline(always)]
            unsafe fn no_shorts() -> Self::Shorts {
                unsafe { vdupq_n_s32(0) }
            }
            #[inline(always)]
            unsafe fn multiply(sums: Self::Shorts, weights: Self::Bytes, four: *const i8) -> Self::Shorts {
                // Weights without a sign are smaller than 64, so that they are the same as signed bytes.
                unsafe { Self::multiply_signed(sums, weights, four) }
            }
            #[inline(always)]
            unsafe fn splat(value: i32) -> Self::Integers {
                unsafe { vdupq_n_s32(value) }
            }
            #[inline(always)]
            unsafe fn add(sums: Self::Integers, shorts: Self::Shorts) -> Self::Integers {
                unsafe { vaddq_s32(sums, shorts) }
            }
            #[inline(always)]
            unsafe fn signed(weights: Self::Bytes) -> Self::Signed {
                weights
            }
            #[inline(always)]
            unsafe fn multiply_signed(
                sums: Self::Integers,
                weights: Self::Signed,
                four: *const i8,
            ) -> Self::Integers {
                unsafe {
                    let four = vreinterpretq_s8_s32(vdupq_n_s32(together(four)));
                    $dot(sums, vreinterpretq_s8_u8(weights), four)
                }
            }
            #[inline(always)]
            unsafe fn floats(sums: Self::Integers) -> Self::Floats {
                unsafe { Four::of_integers(sums) }
            }
        }
    };
}

byte_lanes!(Neon, long_dot);
byte_lanes!(DotProduct, dot);

/// # Safety
/// The processor has NEON.
#[inline(always)]
unsafe fn long_dot(sums: int32x4_t, weights: int8x16_t, four: int8x16_t) -> int32x4_t {
    unsafe {
        let first = vpaddlq_s16(vmull_s8(vget_low_s8(weights), vget_low_s8(four)));
        let second = vpaddlq_s16(vmull_s8(vget_high_s8(weights), vget_high_s8(four)));
        vaddq_s32(sums, vpaddq_s32(first, second))
    }
}

/// # Safety
/// The processor has dot products.
#[inline(always)]
unsafe fn dot(mut sums: int32x4_t, weights: int8x16_t, four: int8x16_t) -> int32x4_t {
    // SAFETY: only registers are used.
    unsafe {
        asm!(
            "sdot {sums:v}.4s, {weights:v}.16b, {four:v}.16b",
            sums = inout(vreg) sums, weights = in(vreg) weights, four = in(vreg) four,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}
