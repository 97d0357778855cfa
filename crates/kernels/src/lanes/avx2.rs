//! Eight floats: AVX2 and FMA.

use std::arch::x86_64::*;

use super::Lanes;

/// A register of eight floats.
#[derive(Clone, Copy)]
pub(crate) struct Eight(__m256);

impl Lanes for Eight {
    const WIDTH: usize = 8;
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        unsafe { Self(_mm256_set1_ps(value)) }
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { Self(_mm256_loadu_ps(from)) }
    }
    #[inline(always)]
    unsafe fn load_some(from: *const f32, count: usize) -> Self {
        unsafe { Self(_mm256_maskload_ps(from, mask(count))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm256_storeu_ps(to, self.0) }
    }
    #[inline(always)]
    unsafe fn store_some(self, to: *mut f32, count: usize) {
        unsafe { _mm256_maskstore_ps(to, mask(count), self.0) }
    }
    #[inline(always)]
    unsafe fn load_integers(from: *const i32) -> Self {
        unsafe { Self(_mm256_cvtepi32_ps(_mm256_loadu_si256(from.cast()))) }
    }
    #[inline(always)]
    unsafe fn load_bytes(from: *const u8) -> Self {
        unsafe { Self(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(from.cast())))) }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8) {
        unsafe {
            let integers = _mm256_cvtps_epi32(self.0);
            let upper = _mm256_extracti128_si256::<1>(integers);
            let shorts = _mm_packs_epi32(_mm256_castsi256_si128(integers), upper);
            _mm_storel_epi64(to.cast(), _mm_xor_si128(_mm_packs_epi16(shorts, shorts), _mm_set1_epi8(-128)));
        }
    }
    #[inline(always)]
    unsafe fn store_bfloats(self, to: *mut u16) {
        unsafe {
            let rounded = _mm256_add_epi32(_mm256_castps_si256(self.0), _mm256_set1_epi32(0x8000));
            let upper = _mm256_srli_epi32::<16>(rounded);
            let bfloats =
                _mm_packus_epi32(_mm256_castsi256_si128(upper), _mm256_extracti128_si256::<1>(upper));
            _mm_storeu_si128(to.cast(), bfloats);
        }
    }
    #[inline(always)]
    unsafe fn load_pairs(from: *const u16) -> (Self, Self) {
        unsafe {
            let pairs = _mm256_loadu_si256(from.cast());
            let even = _mm256_slli_epi32::<16>(pairs);
            let odd = _mm256_and_si256(pairs, _mm256_set1_epi32(0xFFFF_0000_u32 as i32));
            (Self(_mm256_castsi256_ps(even)), Self(_mm256_castsi256_ps(odd)))
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm256_add_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm256_sub_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { Self(_mm256_mul_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        unsafe { Self(_mm256_div_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
        unsafe { Self(_mm256_fmadd_ps(self.0, factor.0, summand.0)) }
    }
    #[inline(always)]
    unsafe fn fused_mul_add(self, factor: Self, summand: Self) -> Self {
        unsafe { self.mul_add(factor, summand) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        unsafe { Self(_mm256_max_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        unsafe { Self(_mm256_min_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn first(self, count: usize) -> Self {
        unsafe { Self(_mm256_and_ps(self.0, _mm256_castsi256_ps(mask(count)))) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        unsafe { Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
    }
    #[inline(always)]
    unsafe fn swap_neighbors(self) -> Self {
        unsafe { Self(_mm256_permute_ps::<0b10_11_00_01>(self.0)) }
    }
    #[inline(always)]
    unsafe fn with_sign_of(self, other: Self) -> Self {
        unsafe {
            let sign = _mm256_set1_ps(-0.0);
            Self(_mm256_or_ps(_mm256_and_ps(sign, other.0), _mm256_andnot_ps(sign, self.0)))
        }
    }
    #[inline(always)]
    unsafe fn exp2(self) -> Self {
        unsafe {
            let held = _mm256_max_ps(self.0, _mm256_set1_ps(-126.0));
            let held = _mm256_min_ps(held, _mm256_set1_ps(126.0));
            let whole = _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(held);
            let exponent = _mm256_slli_epi32::<23>(_mm256_cvtps_epi32(whole));
            let scaled = _mm256_castps_si256(super::power_of_fraction(Self(_mm256_sub_ps(held, whole))).0);
            Self(_mm256_castsi256_ps(_mm256_add_epi32(scaled, exponent)))
        }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        }
    }
    #[inline(always)]
    unsafe fn largest(self) -> f32 {
        unsafe {
            let four = _mm_max_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)))
        }
    }
}

impl Eight {
    /// Eight integers as floats.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    pub(crate) unsafe fn of_integers(integers: __m256i) -> Self {
        unsafe { Self(_mm256_cvtepi32_ps(integers)) }
    }
}

#[inline(always)]
unsafe fn mask(count: usize) -> __m256i {
    const EDGE: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
    // SAFETY: eight numbers from the first, ..., ninth place on are within the table.
    unsafe { _mm256_loadu_si256(EDGE.as_ptr().add(8 - count.min(8)).cast()) }
}
