//! AVX2: eight outputs in a register. Weights of 4 and 6 bits are so small that sums of a few products fit 16 bits.

use std::arch::x86_64::*;

use super::lines::{ByteLanes, together};
use crate::lanes::Eight;

pub(super) struct Avx2;

impl ByteLanes for Avx2 {
    type Floats = Eight;
    type Bytes = __m256i;
    /// Sizes and signs.
    type Signed = (__m256i, __m256i);
    type Shorts = __m256i;
    type Integers = __m256i;

    const ROWS: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self::Bytes {
        unsafe { _mm256_loadu_si256(from.cast()) }
    }
    #[inline(always)]
    unsafe fn low_halves(bytes: Self::Bytes) -> Self::Bytes {
        unsafe { _mm256_and_si256(bytes, _mm256_set1_epi8(15)) }
    }
    #[inline(always)]
    unsafe fn high_halves(bytes: Self::Bytes) -> Self::Bytes {
        unsafe { _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(15)) }
    }
    #[inline(always)]
    unsafe fn with_upper_bits<const NTH: usize>(weights: Self::Bytes, bits: Self::Bytes) -> Self::Bytes {
        unsafe {
            let moved = match NTH {
                0 => _mm256_slli_epi16::<4>(bits),
                1 => _mm256_slli_epi16::<2>(bits),
                2 => bits,
                _ => _mm256_srli_epi16::<2>(bits),
            };
            _mm256_or_si256(weights, _mm256_and_si256(moved, _mm256_set1_epi8(0x30)))
        }
    }
    #[inline(always)]
    unsafe fn no_shorts() -> Self::Shorts {
        unsafe { _mm256_setzero_si256() }
    }
    #[inline(always)]
    unsafe fn multiply(sums: Self::Shorts, weights: Self::Bytes, four: *const i8) -> Self::Shorts {
        unsafe {
            let four = _mm256_set1_epi32(together(four));
            _mm256_add_epi16(sums, _mm256_maddubs_epi16(weights, four))
        }
    }
    #[inline(always)]
    unsafe fn splat(value: i32) -> Self::Integers {
        unsafe { _mm256_set1_epi32(value) }
    }
    #[inline(always)]
    unsafe fn add(sums: Self::Integers, shorts: Self::Shorts) -> Self::Integers {
        unsafe { _mm256_add_epi32(sums, _mm256_madd_epi16(shorts, _mm256_set1_epi16(1))) }
    }
    #[inline(always)]
    unsafe fn signed(weights: Self::Bytes) -> Self::Signed {
        unsafe { (_mm256_abs_epi8(weights), weights) }
    }
    #[inline(always)]
    unsafe fn multiply_signed(
        sums: Self::Integers,
        (sizes, signs): Self::Signed,
        four: *const i8,
    ) -> Self::Integers {
        unsafe {
            let four = _mm256_sign_epi8(_mm256_set1_epi32(together(four)), signs);
            Self::add(sums, _mm256_maddubs_epi16(sizes, four))
        }
    }
    #[inline(always)]
    unsafe fn floats(sums: Self::Integers) -> Self::Floats {
        unsafe { Eight::of_integers(sums) }
    }
}
