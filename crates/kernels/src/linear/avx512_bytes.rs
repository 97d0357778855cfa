//! AVX-512 without VNNI: products of bytes for sixteen outputs in a register.

use std::arch::x86_64::*;
use std::ops::Range;

use super::byte_products::{ByteLanes, ByteProduct};
use crate::lanes::Sixteen;

/// 24 of the 32 registers are sums.
const BLOCK_ROWS: usize = 24;

/// # Safety
/// The processor has AVX-512 F, BW, DQ and VL.
pub(super) unsafe fn run(product: ByteProduct<'_>) {
    // SAFETY: as the caller promises.
    unsafe { product.run(BLOCK_ROWS, run_chunk) };
}

/// # Safety
/// That of `run`; the rows exist, and there is room for them.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn run_chunk(product: ByteProduct<'_>, rows: Range<usize>, scratch: *mut u8) {
    // SAFETY: as the caller promises.
    unsafe { product.run_chunk::<SixteenSums>(rows, scratch) };
}

/// A register of 64 bytes, or of sixteen sums.
#[derive(Clone, Copy)]
struct SixteenSums(__m512i);

impl ByteLanes for SixteenSums {
    const SUMS: usize = 16;
    type Floats = Sixteen;
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }
    #[inline(always)]
    unsafe fn splat_group(group: i32) -> Self {
        unsafe { Self(_mm512_set1_epi32(group)) }
    }
    #[inline(always)]
    unsafe fn ones() -> Self {
        unsafe { Self(_mm512_set1_epi16(1)) }
    }
    #[inline(always)]
    unsafe fn firsts(self) -> Self {
        unsafe { Self(_mm512_and_si512(self.0, _mm512_set1_epi16(0x00FF))) }
    }
    #[inline(always)]
    unsafe fn seconds(self) -> Self {
        unsafe { Self(_mm512_andnot_si512(_mm512_set1_epi16(0x00FF), self.0)) }
    }
    #[inline(always)]
    unsafe fn add_products(self, bytes: Self, weights: Self, ones: Self) -> Self {
        unsafe {
            let pairs = _mm512_maddubs_epi16(bytes.0, weights.0);
            Self(_mm512_add_epi32(self.0, _mm512_madd_epi16(pairs, ones.0)))
        }
    }
}
