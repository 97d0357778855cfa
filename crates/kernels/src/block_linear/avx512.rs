//! AVX-512: sixteen outputs in a register, as with AVX2, or with the dot products of VNNI.

use std::arch::x86_64::*;

use super::lines::{ByteLanes, together};
use crate::lanes::Sixteen;

/// Without VNNI.
pub(super) struct Avx512;

/// With VNNI.
pub(super) struct Vnni;

impl ByteLanes for Avx512 {
    type Floats = Sixteen;
    type Bytes = __m512i;
    /// Sizes, and which weights are negative.
    type Signed = (__m512i, __mmask64);
    type Shorts = __m512i;
    type Integers = __m512i;

    const ROWS: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self::Bytes {
        unsafe { _mm512_loadu_si512(from.cast()) }
    }
    #[inline(always)]
    unsafe fn low_halves(bytes: Self::Bytes) -> Self::Bytes {
        unsafe { _mm512_and_si512(bytes, _mm512_set1_epi8(15)) }
    }
    #[inline(always)]
    unsafe fn high_halves(bytes: Self::Bytes) -> Self::Bytes {
        unsafe { _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), _mm512_set1_epi8(15)) }
    }
    #[inline(always)]
    unsafe fn with_upper_bits<const NTH: usize>(weights: Self::Bytes, bits: Self::Bytes) -> Self::Bytes {
        unsafe {
            let moved = match NTH {
                0 => _mm512_slli_epi16::<4>(bits),
                1 => _mm512_slli_epi16::<2>(bits),
                2 => bits,
                _ => _mm512_srli_epi16::<2>(bits),
            };
            _mm512_or_si512(weights, _mm512_and_si512(moved, _mm512_set1_epi8(0x30)))
        }
    }
    #[inline(always)]
    unsafe fn no_shorts() -> Self::Shorts {
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn multiply(sums: Self::Shorts, weights: Self::Bytes, four: *const i8) -> Self::Shorts {
        unsafe {
            let four = _mm512_set1_epi32(together(four));
            _mm512_add_epi16(sums, _mm512_maddubs_epi16(weights, four))
        }
    }
    #[inline(always)]
    unsafe fn splat(value: i32) -> Self::Integers {
        unsafe { _mm512_set1_epi32(value) }
    }
    #[inline(always)]
    unsafe fn add(sums: Self::Integers, shorts: Self::Shorts) -> Self::Integers {
        unsafe { _mm512_add_epi32(sums, _mm512_madd_epi16(shorts, _mm512_set1_epi16(1))) }
    }
    #[inline(always)]
    unsafe fn signed(weights: Self::Bytes) -> Self::Signed {
        unsafe { (_mm512_abs_epi8(weights), _mm512_movepi8_mask(weights)) }
    }
    #[inline(always)]
    unsafe fn multiply_signed(
        sums: Self::Integers,
        (sizes, negative): Self::Signed,
        four: *const i8,
    ) -> Self::Integers {
        unsafe { Self::add(sums, _mm512_maddubs_epi16(sizes, negated(four, negative))) }
    }
    #[inline(always)]
    unsafe fn floats(sums: Self::Integers) -> Self::Floats {
        unsafe { Sixteen::of_integers(sums) }
    }
}

impl ByteLanes for Vnni {
    type Floats = Sixteen;
    type Bytes = __m512i;
    type Signed = (__m512i, __mmask64);
    /// The dot products are whole integers already.
    type Shorts = __m512i;
    type Integers = __m512i;

    const ROWS: usize = Avx512::ROWS;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self::Bytes {
        unsafe { Avx512::load(from) }
    }
    #[inline(always)]
    unsafe fn low_halves(bytes: Self::Bytes) -> Self::Bytes {
        unsafe { Avx512::low_halves(bytes) }
    }
    #[inline(always)]
    unsafe fn high_halves(bytes: Self::Bytes) -> Self::Bytes {
        unsafe { Avx512::high_halves(bytes) }
    }
    #[inline(always)]
    unsafe fn with_upper_bits<const NTH: usize>(weights: Self::Bytes, bits: Self::Bytes) -> Self::Bytes {
        unsafe { Avx512::with_upper_bits::<NTH>(weights, bits) }
    }
    #[inline(always)]
    unsafe fn no_shorts() -> Self::Shorts {
        unsafe { Avx512::no_shorts() }
    }
    #[inline(always)]
    unsafe fn multiply(sums: Self::Shorts, weights: Self::Bytes, four: *const i8) -> Self::Shorts {
        unsafe { _mm512_dpbusd_epi32(sums, weights, _mm512_set1_epi32(together(four))) }
    }
    #[inline(always)]
    unsafe fn splat(value: i32) -> Self::Integers {
        unsafe { Avx512::splat(value) }
    }
    #[inline(always)]
    unsafe fn add(sums: Self::Integers, shorts: Self::Shorts) -> Self::Integers {
        unsafe { _mm512_add_epi32(sums, shorts) }
    }
    #[inline(always)]
    unsafe fn signed(weights: Self::Bytes) -> Self::Signed {
        unsafe { Avx512::signed(weights) }
    }
    #[inline(always)]
    unsafe fn multiply_signed(
        sums: Self::Integers,
        (sizes, negative): Self::Signed,
        four: *const i8,
    ) -> Self::Integers {
        unsafe { _mm512_dpbusd_epi32(sums, sizes, negated(four, negative)) }
    }
    #[inline(always)]
    unsafe fn floats(sums: Self::Integers) -> Self::Floats {
        unsafe { Avx512::floats(sums) }
    }
}

/// The four numbers for every output, negated where the weight is negative.
///
/// # Safety
/// The processor has AVX-512; four bytes can be read.
#[inline(always)]
unsafe fn negated(four: *const i8, negative: __mmask64) -> __m512i {
    unsafe {
        let four = _mm512_set1_epi32(together(four));
        _mm512_mask_sub_epi8(four, negative, _mm512_setzero_si512(), four)
    }
}
