//! The register of a machine without wide registers: one float.

use super::Lanes;

/// A single float.
#[derive(Clone, Copy)]
pub(crate) struct One(f32);

impl Lanes for One {
    const WIDTH: usize = 1;
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self(value)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { Self(*from) }
    }
    #[inline(always)]
    unsafe fn load_some(from: *const f32, count: usize) -> Self {
        if count == 0 { Self(0.0) } else { unsafe { Self(*from) } }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { *to = self.0 }
    }
    #[inline(always)]
    unsafe fn store_some(self, to: *mut f32, count: usize) {
        if count > 0 {
            unsafe { *to = self.0 }
        }
    }
    #[inline(always)]
    unsafe fn load_integers(from: *const i32) -> Self {
        unsafe { Self(*from as f32) }
    }
    #[inline(always)]
    unsafe fn load_bytes(from: *const u8) -> Self {
        unsafe { Self(f32::from(*from)) }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8) {
        unsafe { *to = (self.0.round_ties_even() as i8 as u8) ^ 0x80 }
    }
    #[inline(always)]
    unsafe fn store_bfloats(self, to: *mut u16) {
        unsafe { *to = (self.0.to_bits().wrapping_add(0x8000) >> 16) as u16 }
    }
    #[inline(always)]
    unsafe fn load_pairs(from: *const u16) -> (Self, Self) {
        unsafe {
            let first = u32::from(*from);
            let second = u32::from(*from.add(1));
            (Self(f32::from_bits(first << 16)), Self(f32::from_bits(second << 16)))
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        Self(self.0 / other.0)
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
        // Rounded twice: rounding once is a function call on processors without the instruction.
        Self(self.0 * factor.0 + summand.0)
    }
    #[inline(always)]
    unsafe fn fused_mul_add(self, factor: Self, summand: Self) -> Self {
        Self(self.0.mul_add(factor.0, summand.0))
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        Self(self.0.abs())
    }
    #[inline(always)]
    unsafe fn first(self, count: usize) -> Self {
        if count == 0 { Self(0.0) } else { self }
    }
    #[inline(always)]
    unsafe fn swap_neighbors(self) -> Self {
        // A single float has no neighbor. `rotate` never asks for one.
        self
    }
    #[inline(always)]
    unsafe fn with_sign_of(self, other: Self) -> Self {
        Self(self.0.copysign(other.0))
    }
    #[inline(always)]
    unsafe fn exp2(self) -> Self {
        Self(self.0.clamp(-126.0, 126.0).exp2())
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        self.0
    }
    #[inline(always)]
    unsafe fn largest(self) -> f32 {
        self.0
    }
}
