//! A register of floats of any width, so that every float kernel is written once.
//!
//! The methods are inlined into functions that enable the instructions: see `lanes_dispatch`. Closures and iterators
//! that take one do not inherit the instructions unless they are inlined too, so that kernels use plain loops.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Eight;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Sixteen;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Four;
pub(crate) use scalar::One;

/// Floats side by side.
///
/// # Safety
/// For every method: the processor has the instructions of the implementation, and pointers are valid for the floats
/// that are read or written.
pub(crate) trait Lanes: Copy {
    const WIDTH: usize;
    unsafe fn splat(value: f32) -> Self;
    unsafe fn load(from: *const f32) -> Self;
    /// The first `count` floats (at most `WIDTH`), zeros behind them.
    unsafe fn load_some(from: *const f32, count: usize) -> Self;
    unsafe fn store(self, to: *mut f32);
    /// Writes the first `count` floats, at most `WIDTH`.
    unsafe fn store_some(self, to: *mut f32, count: usize);
    unsafe fn load_integers(from: *const i32) -> Self;
    /// Rounded to the nearest integer, plus 128, each as a byte. The values are within ±127.
    unsafe fn store_bytes(self, to: *mut u8);
    /// Bytes as they are: what `store_bytes` wrote, still plus 128.
    unsafe fn load_bytes(from: *const u8) -> Self;
    /// Rounded to bfloat16.
    unsafe fn store_bfloats(self, to: *mut u16);
    /// Pairs of bfloat16: the first ones and the second ones.
    unsafe fn load_pairs(from: *const u16) -> (Self, Self);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// `self / other`, good to six digits.
    unsafe fn div(self, other: Self) -> Self;
    /// `self × factor + summand`, rounded once where the processor can.
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self;
    /// `self × factor + summand`, rounded once on every processor, for results that are the same at every level.
    unsafe fn fused_mul_add(self, factor: Self, summand: Self) -> Self;
    unsafe fn max(self, other: Self) -> Self;
    unsafe fn min(self, other: Self) -> Self;
    unsafe fn abs(self) -> Self;
    /// Zeros behind the first `count` floats.
    unsafe fn first(self, count: usize) -> Self;
    /// Each pair of neighbors in the opposite order.
    unsafe fn swap_neighbors(self) -> Self;
    /// The size of `self` with the sign of the other.
    unsafe fn with_sign_of(self, other: Self) -> Self;
    /// Two to the power of `self`, good to six digits. Values beyond ±126 count as ±126.
    unsafe fn exp2(self) -> Self;
    unsafe fn sum(self) -> f32;
    unsafe fn largest(self) -> f32;
}

/// The polynomial of 2^x for x within ±0.5, without its constant 1.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const EXP2: [f32; 5] = [std::f32::consts::LN_2, 0.240_226_46, 0.055_503_28, 0.009_618_13, 0.001_333_35];

/// # Safety
/// That of the lanes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn power_of_fraction<L: Lanes>(fraction: L) -> L {
    // SAFETY: as the caller promises.
    unsafe {
        let mut sum = L::splat(EXP2[4]);
        for nth in (0..4).rev() {
            sum = sum.mul_add(fraction, L::splat(EXP2[nth]));
        }
        sum.mul_add(fraction, L::splat(1.0))
    }
}

/// Asks for a line of memory that is needed soon. A single row waits for memory at every line, and the processor's own
/// guesses stop at the end of a page. Any address is allowed.
#[inline(always)]
pub(crate) fn prefetch<T>(from: *const T) {
    // SAFETY: a prefetch has no effect that a program can observe, and never faults.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(from.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = from;
}

/// Defines a function with a usable level as its first argument. It calls the generic `$body` compiled for the
/// registers of that level.
macro_rules! lanes_dispatch {
    (
        $(#[$meta:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? = $body:ident
    ) => {
        $(#[$meta])*
        $visibility fn $name(level: $crate::levels::UsableLevel, $($argument: $kind),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
            unsafe fn sixteen($($argument: $kind),*) $(-> $result)? {
                // SAFETY: the function enables the instructions; the rest is what `$body` demands.
                unsafe { $body::<$crate::lanes::Sixteen>($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn eight($($argument: $kind),*) $(-> $result)? {
                // SAFETY: the function enables the instructions; the rest is what `$body` demands.
                unsafe { $body::<$crate::lanes::Eight>($($argument),*) }
            }
            // SAFETY: a usable level is one that this processor has; the callers check sizes.
            match level.get() {
                $crate::Level::Scalar => unsafe { $body::<$crate::lanes::One>($($argument),*) },
                #[cfg(target_arch = "x86_64")]
                $crate::Level::Avx2 => unsafe { eight($($argument),*) },
                #[cfg(target_arch = "x86_64")]
                $crate::Level::Avx512 | $crate::Level::Vnni | $crate::Level::Amx => unsafe {
                    sixteen($($argument),*)
                },
                #[cfg(target_arch = "aarch64")]
                $crate::Level::Neon | $crate::Level::DotProduct | $crate::Level::I8mm => unsafe {
                    $body::<$crate::lanes::Four>($($argument),*)
                },
                // The levels of other processors are never usable here.
                #[cfg(not(target_arch = "x86_64"))]
                $crate::Level::Avx2 | $crate::Level::Avx512 | $crate::Level::Vnni | $crate::Level::Amx => unsafe {
                    $body::<$crate::lanes::One>($($argument),*)
                },
                #[cfg(not(target_arch = "aarch64"))]
                $crate::Level::Neon | $crate::Level::DotProduct | $crate::Level::I8mm => unsafe {
                    $body::<$crate::lanes::One>($($argument),*)
                },
            }
        }
    };
}
pub(crate) use lanes_dispatch;
