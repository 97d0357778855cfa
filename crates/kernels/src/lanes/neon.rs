//! Four floats: NEON, which every 64-bit ARM processor has.

use std::arch::aarch64::*;

use super::Lanes;

/// A register of four floats.
#[derive(Clone, Copy)]
pub(crate) struct Four(float32x4_t);

impl Lanes for Four {
    const WIDTH: usize = 4;
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        unsafe { Self(vdupq_n_f32(value)) }
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { Self(vld1q_f32(from)) }
    }
    #[inline(always)]
    unsafe fn load_some(from: *const f32, count: usize) -> Self {
        if count >= 4 {
            return unsafe { Self::load(from) };
        }
        let mut floats = [0.0; 4];
        for nth in 0..count {
            floats[nth] = unsafe { *from.add(nth) };
        }
        unsafe { Self::load(floats.as_ptr()) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { vst1q_f32(to, self.0) }
    }
    #[inline(always)]
    unsafe fn store_some(self, to: *mut f32, count: usize) {
        if count >= 4 {
            return unsafe { self.store(to) };
        }
        let mut floats = [0.0; 4];
        unsafe { self.store(floats.as_mut_ptr()) };
        for nth in 0..count {
            unsafe { *to.add(nth) = floats[nth] };
        }
    }
    #[inline(always)]
    unsafe fn load_integers(from: *const i32) -> Self {
        unsafe { Self(vcvtq_f32_s32(vld1q_s32(from))) }
    }
    #[inline(always)]
    unsafe fn load_bytes(from: *const u8) -> Self {
        unsafe {
            let bytes = vreinterpret_u8_u32(vdup_n_u32(from.cast::<u32>().read_unaligned()));
            Self(vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes)))))
        }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8) {
        unsafe {
            let shorts = vqmovn_s32(vcvtnq_s32_f32(self.0));
            let bytes = vreinterpret_u32_s8(vqmovn_s16(vcombine_s16(shorts, shorts)));
            to.cast::<u32>().write_unaligned(vget_lane_u32::<0>(bytes) ^ 0x8080_8080);
        }
    }
    #[inline(always)]
    unsafe fn store_bfloats(self, to: *mut u16) {
        unsafe {
            let rounded = vaddq_u32(vreinterpretq_u32_f32(self.0), vdupq_n_u32(0x8000));
            vst1_u16(to, vshrn_n_u32::<16>(rounded));
        }
    }
    #[inline(always)]
    unsafe fn load_pairs(from: *const u16) -> (Self, Self) {
        unsafe {
            let pairs = vreinterpretq_u32_u16(vld1q_u16(from));
            let odd = vandq_u32(pairs, vdupq_n_u32(0xFFFF_0000));
            (Self(vreinterpretq_f32_u32(vshlq_n_u32::<16>(pairs))), Self(vreinterpretq_f32_u32(odd)))
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(vaddq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { Self(vsubq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { Self(vmulq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        unsafe { Self(vdivq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
        unsafe { Self(vfmaq_f32(summand.0, self.0, factor.0)) }
    }
    #[inline(always)]
    unsafe fn fused_mul_add(self, factor: Self, summand: Self) -> Self {
        unsafe { self.mul_add(factor, summand) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        unsafe { Self(vmaxq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        unsafe { Self(vminq_f32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        unsafe { Self(vabsq_f32(self.0)) }
    }
    #[inline(always)]
    unsafe fn first(self, count: usize) -> Self {
        const PLACES: [u32; 4] = [0, 1, 2, 3];
        unsafe {
            let kept = vcltq_u32(vld1q_u32(PLACES.as_ptr()), vdupq_n_u32(count.min(4) as u32));
            Self(vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(self.0), kept)))
        }
    }
    #[inline(always)]
    unsafe fn swap_neighbors(self) -> Self {
        unsafe { Self(vrev64q_f32(self.0)) }
    }
    #[inline(always)]
    unsafe fn with_sign_of(self, other: Self) -> Self {
        unsafe { Self(vbslq_f32(vdupq_n_u32(0x8000_0000), other.0, self.0)) }
    }
    #[inline(always)]
    unsafe fn exp2(self) -> Self {
        unsafe {
            let held = vminq_f32(vmaxq_f32(self.0, vdupq_n_f32(-126.0)), vdupq_n_f32(126.0));
            let whole = vrndnq_f32(held);
            let exponent = vshlq_n_s32::<23>(vcvtnq_s32_f32(whole));
            let scaled = super::power_of_fraction(Self(vsubq_f32(held, whole)));
            Self(vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(scaled.0), exponent)))
        }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        unsafe { vaddvq_f32(self.0) }
    }
    #[inline(always)]
    unsafe fn largest(self) -> f32 {
        unsafe { vmaxvq_f32(self.0) }
    }
}

impl Four {
    /// Four integers as floats.
    ///
    /// # Safety
    /// The processor has NEON.
    #[inline(always)]
    pub(crate) unsafe fn of_integers(integers: int32x4_t) -> Self {
        unsafe { Self(vcvtq_f32_s32(integers)) }
    }
}
