//! A register of weights as the kernels see it: bytes of a few outputs, four inputs each.

use crate::lanes::Lanes;

/// Registers of one level. As many outputs fit a register as it has floats.
///
/// # Safety
/// For every method: the processor has the instructions of the implementation, and pointers are valid for what is read.
pub(super) trait ByteLanes {
    type Floats: Lanes;
    /// A group of four weights for each output.
    type Bytes: Copy;
    /// Signed weights, prepared for products with signed numbers.
    type Signed: Copy;
    /// Sums of a few products, before they could overflow.
    type Shorts: Copy;
    /// A sum for each output.
    type Integers: Copy;

    /// Rows that are computed together if there are as many: their sums fit the registers.
    const ROWS: usize;

    unsafe fn load(from: *const u8) -> Self::Bytes;
    unsafe fn low_halves(bytes: Self::Bytes) -> Self::Bytes;
    unsafe fn high_halves(bytes: Self::Bytes) -> Self::Bytes;
    /// Adds the `NTH` two bits of each byte above the four bits of the weights.
    unsafe fn with_upper_bits<const NTH: usize>(weights: Self::Bytes, bits: Self::Bytes) -> Self::Bytes;
    unsafe fn no_shorts() -> Self::Shorts;
    /// Adds the products of unsigned weights with four numbers. At most eight times for weights of 4 bits, twice for
    /// weights of 6 bits.
    unsafe fn multiply(sums: Self::Shorts, weights: Self::Bytes, four: *const i8) -> Self::Shorts;
    unsafe fn splat(value: i32) -> Self::Integers;
    unsafe fn add(sums: Self::Integers, shorts: Self::Shorts) -> Self::Integers;
    unsafe fn signed(weights: Self::Bytes) -> Self::Signed;
    /// Adds the products of signed weights within ±127 with four numbers.
    unsafe fn multiply_signed(sums: Self::Integers, weights: Self::Signed, four: *const i8)
    -> Self::Integers;
    unsafe fn floats(sums: Self::Integers) -> Self::Floats;
}

/// The four numbers as the bytes of one integer.
///
/// # Safety
/// Four bytes can be read.
#[inline(always)]
pub(super) unsafe fn together(four: *const i8) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { four.cast::<i32>().read_unaligned() }
}
