//! One output at a time, without particular instructions.

use super::layout::GROUP;
use super::lines::ByteLanes;
use crate::lanes::{Lanes, One};

pub(super) struct Scalar;

impl ByteLanes for Scalar {
    type Floats = One;
    type Bytes = [u8; GROUP];
    type Signed = [i8; GROUP];
    type Shorts = i32;
    type Integers = i32;

    const ROWS: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self::Bytes {
        unsafe { from.cast::<Self::Bytes>().read() }
    }
    #[inline(always)]
    unsafe fn low_halves(bytes: Self::Bytes) -> Self::Bytes {
        bytes.map(|byte| byte & 15)
    }
    #[inline(always)]
    unsafe fn high_halves(bytes: Self::Bytes) -> Self::Bytes {
        bytes.map(|byte| byte >> 4)
    }
    #[inline(always)]
    unsafe fn with_upper_bits<const NTH: usize>(weights: Self::Bytes, bits: Self::Bytes) -> Self::Bytes {
        std::array::from_fn(|nth| weights[nth] | (bits[nth] >> (2 * NTH) & 3) << 4)
    }
    #[inline(always)]
    unsafe fn no_shorts() -> Self::Shorts {
        0
    }
    #[inline(always)]
    unsafe fn multiply(sums: Self::Shorts, weights: Self::Bytes, four: *const i8) -> Self::Shorts {
        let four = unsafe { four.cast::<[i8; GROUP]>().read() };
        let products =
            weights.iter().zip(four).map(|(weight, number)| i32::from(*weight) * i32::from(number));
        sums + products.sum::<i32>()
    }
    #[inline(always)]
    unsafe fn splat(value: i32) -> Self::Integers {
        value
    }
    #[inline(always)]
    unsafe fn add(sums: Self::Integers, shorts: Self::Shorts) -> Self::Integers {
        sums + shorts
    }
    #[inline(always)]
    unsafe fn signed(weights: Self::Bytes) -> Self::Signed {
        weights.map(|byte| byte as i8)
    }
    #[inline(always)]
    unsafe fn multiply_signed(
        sums: Self::Integers,
        weights: Self::Signed,
        four: *const i8,
    ) -> Self::Integers {
        let four = unsafe { four.cast::<[i8; GROUP]>().read() };
        let products =
            weights.iter().zip(four).map(|(weight, number)| i32::from(*weight) * i32::from(number));
        sums + products.sum::<i32>()
    }
    #[inline(always)]
    unsafe fn floats(sums: Self::Integers) -> Self::Floats {
        unsafe { One::load_integers(&sums) }
    }
}
