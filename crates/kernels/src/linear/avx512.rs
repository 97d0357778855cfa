//! AVX-512 without VNNI: weights widened to 16 bits in registers, pairs of products added exactly, sixteen outputs in two
//! registers. Products of many rows with small weights are faster as bytes: see `avx512_bytes`.

use std::arch::x86_64::*;
use std::ops::Range;

use super::avx512_bytes;
use super::byte_products::ByteProduct;
use super::epilogue::{Sums, finish};
use super::packed::PANEL;
use super::product::Product;
use super::row_scratch::with_scratch;
use super::widened_rows::{chunk_rows, row_bytes, widen};
use crate::lanes::{Sixteen, prefetch};
use crate::memory::LINE;

/// 24 of the 32 registers are sums.
const BLOCK_ROWS: usize = 12;
/// With few rows the weights come from memory. Asking for them this many bytes early hides the wait.
const AHEAD: usize = 2048;

/// # Safety
/// The processor has AVX-512 F, BW, DQ and VL.
pub(super) unsafe fn run(product: &Product<'_>) {
    // SAFETY: as the caller promises.
    if let Some(bytes) = unsafe { ByteProduct::new(product) } {
        // SAFETY: as the caller promises.
        return unsafe { avx512_bytes::run(bytes) };
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
        6.. => 6,
        3.. => 3,
        left => left,
    }
}

/// # Safety
/// That of `run`; there is room for these rows.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn run_chunk(product: &Product<'_>, rows: Range<usize>, scratch: *mut i16) {
    let row_size = row_bytes(product.shape.inputs()) / 2;
    let panels = product.shape.panels();
    // Few rows: four panels at once, so that enough loads are on their way.
    let together = if rows.len() < BLOCK_ROWS { 4 } else { 2 };
    let mut row = rows.start;
    // SAFETY: blocks within the rows, each in its place of the scratch; panels within the weights.
    unsafe {
        while row < rows.end {
            let to = scratch.add((row - rows.start) * row_size);
            row += match block_rows(rows.end - row) {
                12 => widen_rows::<12>(product, row, to),
                6 => widen_rows::<6>(product, row, to),
                3 => widen_rows::<3>(product, row, to),
                2 => widen_rows::<2>(product, row, to),
                _ => widen_rows::<1>(product, row, to),
            };
        }
        for first in (0..panels).step_by(together) {
            let part = first..(first + together).min(panels);
            let mut row = rows.start;
            while row < rows.end {
                let a = scratch.add((row - rows.start) * row_size);
                row += match block_rows(rows.end - row) {
                    12 => blocks::<12, 1>(product, a, row, part.clone()),
                    6 => blocks::<6, 2>(product, a, row, part.clone()),
                    3 => blocks::<3, 2>(product, a, row, part.clone()),
                    2 => blocks::<2, 4>(product, a, row, part.clone()),
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

/// The blocks of `ROWS` rows with some panels; returns the number of rows.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn blocks<const ROWS: usize, const PANELS: usize>(
    product: &Product<'_>,
    a: *const i16,
    row: usize,
    panels: Range<usize>,
) -> usize {
    let mut panel = panels.start;
    // SAFETY: as the caller promises.
    unsafe {
        while panels.end - panel >= PANELS {
            block::<ROWS, PANELS>(product, a, row, panel);
            panel += PANELS;
        }
        while panel < panels.end {
            block::<ROWS, 1>(product, a, row, panel);
            panel += 1;
        }
    }
    ROWS
}

/// A block whose sums stay in registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn block<const ROWS: usize, const PANELS: usize>(
    product: &Product<'_>,
    a: *const i16,
    row: usize,
    panel: usize,
) {
    // SAFETY: as the caller promises.
    unsafe {
        // Two sums for each output: of the first two inputs of every group, and of the other two.
        let mut sums = [[[_mm512_setzero_si512(); 2]; PANELS]; ROWS];
        let b = product.panel(panel);
        let panel_bytes = product.panel_bytes();
        for group in 0..product.shape.used_groups() {
            let four = a.add(group * ROWS * 4);
            for p in 0..PANELS {
                let line = b.add(p * panel_bytes + group * LINE);
                if ROWS <= 2 {
                    prefetch(line.wrapping_add(AHEAD));
                }
                let first = _mm512_cvtepi8_epi16(_mm256_loadu_si256(line.cast()));
                let second = _mm512_cvtepi8_epi16(_mm256_loadu_si256(line.add(32).cast()));
                for r in 0..ROWS {
                    let four = _mm512_set1_epi64(four.add(r * 4).cast::<i64>().read_unaligned());
                    let sums = &mut sums[r][p];
                    sums[0] = _mm512_add_epi32(sums[0], _mm512_madd_epi16(four, first));
                    sums[1] = _mm512_add_epi32(sums[1], _mm512_madd_epi16(four, second));
                }
            }
        }
        finish_block(product, &sums, row, panel);
    }
}

/// Adds the two sums of each output of a block, and finishes the outputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn finish_block<const ROWS: usize, const PANELS: usize>(
    product: &Product<'_>,
    sums: &[[[__m512i; 2]; PANELS]; ROWS],
    row: usize,
    panel: usize,
) {
    let mut whole = [[_mm512_setzero_si512(); PANELS]; ROWS];
    let even = every_second(0);
    let odd = every_second(1);
    for r in 0..ROWS {
        for p in 0..PANELS {
            let [low, high] = sums[r][p];
            let one = _mm512_permutex2var_epi32(low, even, high);
            whole[r][p] = _mm512_add_epi32(one, _mm512_permutex2var_epi32(low, odd, high));
        }
    }
    let block = Sums {
        sums: whole.as_ptr().cast(),
        stride: PANELS * PANEL,
        first_row: row,
        rows: ROWS,
        first_output: panel * PANEL,
    };
    // SAFETY: as the caller promises.
    unsafe { finish::<Sixteen>(product, &block) };
}

/// The indices of every second number of two registers, from `first` on.
#[target_feature(enable = "avx512f")]
fn every_second(first: i32) -> __m512i {
    let even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    _mm512_add_epi32(even, _mm512_set1_epi32(first))
}
