//! AVX2: products of bytes for eight outputs in a register.

use std::arch::x86_64::*;
use std::ops::Range;

use super::byte_products::{ByteLanes, ByteProduct};
use crate::lanes::Eight;

/// Twelve sums, one register of weights, one of a row and one of ones.
const BLOCK_ROWS: usize = 12;

/// # Safety
/// The processor has AVX2 and FMA.
pub(super) unsafe fn run(product: ByteProduct<'_>) {
    // SAFETY: as the caller promises.
    unsafe { product.run(BLOCK_ROWS, run_chunk) };
}

/// # Safety
/// That of `run`; the rows exist, and there is room for them.
#[target_feature(enable = "avx2,fma")]
unsafe fn run_chunk(product: ByteProduct<'_>, rows: Range<usize>, scratch: *mut u8) {
    // SAFETY: as the caller promises.
    unsafe { product.run_chunk::<EightSums>(rows, scratch) };
}

/// A register of 32 bytes, or of eight sums.
#[derive(Clone, Copy)]
struct EightSums(__m256i);

impl ByteLanes for EightSums {
    const SUMS: usize = 8;
    type Floats = Eight;
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        unsafe { Self(_mm256_loadu_si256(from.cast())) }
    }
    #[inline(always)]
    unsafe fn splat_group(group: i32) -> Self {
        unsafe { Self(_mm256_set1_epi32(group)) }
    }
    #[inline(always)]
    unsafe fn ones() -> Self {
        unsafe { Self(_mm256_set1_epi16(1)) }
    }
    #[inline(always)]
    unsafe fn firsts(self) -> Self {
        unsafe { Self(_mm256_and_si256(self.0, _mm256_set1_epi16(0x00FF))) }
    }
    #[inline(always)]
    unsafe fn seconds(self) -> Self {
        unsafe { Self(_mm256_andnot_si256(_mm256_set1_epi16(0x00FF), self.0)) }
    }
    #[inline(always)]
    unsafe fn add_products(self, bytes: Self, weights: Self, ones: Self) -> Self {
        unsafe {
            let pairs = _mm256_maddubs_epi16(bytes.0, weights.0);
            Self(_mm256_add_epi32(self.0, _mm256_madd_epi16(pairs, ones.0)))
        }
    }
}
