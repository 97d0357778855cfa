//! AVX2: weights widened to 16 bits in registers, pairs of products added exactly, eight outputs in a register. Products
//! of many rows with small weights are faster as bytes: see `avx2_bytes`.

use std::arch::x86_64::*;
use std::ops::Range;

use super::avx2_bytes;
use super::byte_products::ByteProduct;
use super::epilogue::{Sums, finish};
use super::packed::PANEL;
use super::product::Product;
use super::row_scratch::with_scratch;
use super::widened_rows::{chunk_rows, row_bytes, widen};
use crate::lanes::{Eight, prefetch};
use crate::memory::LINE;

/// Half a panel: the outputs in a register.
const HALF: usize = PANEL / 2;
/// Twelve sums, two registers of weights, one of a row and one of products: all sixteen registers.
const BLOCK_ROWS: usize = 6;
/// With few rows the weights come from memory. Asking for them this many bytes early hides the wait.
const AHEAD: usize = 1024;

/// # Safety
/// The processor has AVX2 and FMA.
pub(super) unsafe fn run(product: &Product<'_>) {
    // SAFETY: as the caller promises.
    if let Some(bytes) = unsafe { ByteProduct::new(product) } {
        // SAFETY: as the caller promises.
        return unsafe { avx2_bytes::run(bytes) };
    }
    let rows = product.x.rows();
    let inputs = product.shape.inputs();
    let chunk = chunk_rows(inputs, BLOCK_ROWS).min(rows);
    with_scratch(chunk * row_bytes(inputs), |scratch| {
        for first in (0..rows).step_by(chunk) {
            // SAFETY: there is room for a chunk of rows.
            unsafe { run_chunk(product, first..(first + chunk).min(rows), scratch.cast()) };
        }
    });
}

/// Rows that are computed together, of those that are left.
fn block_rows(left: usize) -> usize {
    match left {
        BLOCK_ROWS.. => BLOCK_ROWS,
        3.. => 3,
        left => left,
    }
}

/// # Safety
/// That of `run`; there is room for these rows.
#[target_feature(enable = "avx2,fma")]
unsafe fn run_chunk(product: &Product<'_>, rows: Range<usize>, scratch: *mut i16) {
    let row_size = row_bytes(product.shape.inputs()) / 2;
    let halves = product.shape.outputs().div_ceil(HALF);
    // Few rows: four panels at once, so that enough loads are on their way.
    let together = if rows.len() < BLOCK_ROWS { 8 } else { 4 };
    let mut row = rows.start;
    // SAFETY: blocks within the rows, each in its place of the scratch; halves within the panels.
    unsafe {
        while row < rows.end {
            let to = scratch.add((row - rows.start) * row_size);
            row += match block_rows(rows.end - row) {
                6 => widen_rows::<6>(product, row, to),
                3 => widen_rows::<3>(product, row, to),
                2 => widen_rows::<2>(product, row, to),
                _ => widen_rows::<1>(product, row, to),
            };
        }
        for first in (0..halves).step_by(together) {
            let part = first..(first + together).min(halves);
            let mut row = rows.start;
            while row < rows.end {
                let a = scratch.add((row - rows.start) * row_size);
                row += match block_rows(rows.end - row) {
                    6 => blocks::<6, 1>(product, a, row, part.clone()),
                    3 => blocks::<3, 2>(product, a, row, part.clone()),
                    2 => blocks::<2, 2>(product, a, row, part.clone()),
                    _ => blocks::<1, 4>(product, a, row, part.clone()),
                };
            }
        }
    }
}

#[target_feature(enable = "avx2")]
unsafe fn widen_rows<const ROWS: usize>(product: &Product<'_>, row: usize, to: *mut i16) -> usize {
    // SAFETY: as the caller promises.
    unsafe { widen::<ROWS>(product.x, row, to) };
    ROWS
}

/// The blocks of `ROWS` rows with some halves of panels; returns the number of rows.
#[target_feature(enable = "avx2,fma")]
unsafe fn blocks<const ROWS: usize, const HALVES: usize>(
    product: &Product<'_>,
    a: *const i16,
    row: usize,
    halves: Range<usize>,
) -> usize {
    let mut half = halves.start;
    // SAFETY: as the caller promises.
    unsafe {
        while halves.end - half >= HALVES {
            block::<ROWS, HALVES>(product, a, row, half);
            half += HALVES;
        }
        while half < halves.end {
            block::<ROWS, 1>(product, a, row, half);
            half += 1;
        }
    }
    ROWS
}

/// A block whose sums stay in registers.
#[target_feature(enable = "avx2,fma")]
unsafe fn block<const ROWS: usize, const HALVES: usize>(
    product: &Product<'_>,
    a: *const i16,
    row: usize,
    half: usize,
) {
    // SAFETY: as the caller promises.
    unsafe {
        // Two sums for each output: of the first two inputs of every group, and of the other two.
        let mut sums = [[[_mm256_setzero_si256(); 2]; HALVES]; ROWS];
        let mut b = [std::ptr::null::<u8>(); HALVES];
        for (nth, b) in b.iter_mut().enumerate() {
            *b = product.panel((half + nth) / 2).add((half + nth) % 2 * LINE / 2);
        }
        for group in 0..product.shape.used_groups() {
            let four = a.add(group * ROWS * 4);
            for nth in 0..HALVES {
                let line = b[nth].add(group * LINE);
                if ROWS <= 2 {
                    prefetch(line.wrapping_add(AHEAD));
                }
                let first = _mm256_cvtepi8_epi16(_mm_loadu_si128(line.cast()));
                let second = _mm256_cvtepi8_epi16(_mm_loadu_si128(line.add(16).cast()));
                for r in 0..ROWS {
                    let four = _mm256_set1_epi64x(four.add(r * 4).cast::<i64>().read_unaligned());
                    let sums = &mut sums[r][nth];
                    sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(four, first));
                    sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(four, second));
                }
            }
        }
        finish_block(product, &sums, row, half);
    }
}

/// Adds the two sums of each output of a block, and finishes the outputs.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn finish_block<const ROWS: usize, const HALVES: usize>(
    product: &Product<'_>,
    sums: &[[[__m256i; 2]; HALVES]; ROWS],
    row: usize,
    half: usize,
) {
    let mut whole = [[_mm256_setzero_si256(); HALVES]; ROWS];
    for r in 0..ROWS {
        for nth in 0..HALVES {
            let [low, high] = sums[r][nth];
            // The sum of neighbors works within halves of the register: put its quarters back in order.
            whole[r][nth] = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(low, high));
        }
    }
    let block = Sums {
        sums: whole.as_ptr().cast(),
        stride: HALVES * HALF,
        first_row: row,
        rows: ROWS,
        first_output: half * HALF,
    };
    // SAFETY: as the caller promises.
    unsafe { finish::<Eight>(product, &block) };
}
