//! AVX-512 with VNNI: one instruction multiplies sixteen groups of four bytes and adds them up.

use std::arch::x86_64::*;
use std::ops::Range;

use super::epilogue::{Sums, finish};
use super::packed::{GROUP, PANEL};
use super::product::Product;
use crate::lanes::{Sixteen, prefetch};
use crate::memory::LINE;

/// The rows that pass all weights before the next ones, in bytes: they stay in the second-level cache.
const CHUNK_BYTES: usize = 256 * 1024;
/// 24 of the 32 registers are sums.
const BLOCK_ROWS: usize = 12;
/// With few rows the weights come from memory. Asking for them this many bytes early hides the wait.
const AHEAD: usize = 2048;

/// # Safety
/// The processor has AVX-512 F, BW, DQ, VL and VNNI.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
pub(super) unsafe fn run(product: &Product<'_>) {
    let rows = product.x.rows();
    let panels = product.shape.panels();
    let chunk = (CHUNK_BYTES / product.x.stride()).max(1).next_multiple_of(BLOCK_ROWS);
    // Few rows: four panels at once, so that enough loads are on their way.
    let together = if rows < BLOCK_ROWS { 4 } else { 2 };
    for first_row in (0..rows).step_by(chunk) {
        let end = (first_row + chunk).min(rows);
        for first in (0..panels).step_by(together) {
            let part = first..(first + together).min(panels);
            let mut row = first_row;
            while row < end {
                // SAFETY: blocks within the rows, panels within the weights.
                row += unsafe {
                    match end - row {
                        BLOCK_ROWS.. => blocks::<BLOCK_ROWS, 2>(product, row, part.clone()),
                        6.. => blocks::<6, 4>(product, row, part.clone()),
                        4.. => blocks::<4, 4>(product, row, part.clone()),
                        3 => blocks::<3, 4>(product, row, part.clone()),
                        2 => blocks::<2, 4>(product, row, part.clone()),
                        _ => blocks::<1, 4>(product, row, part.clone()),
                    }
                };
            }
        }
    }
}

/// The blocks of `ROWS` rows with some panels; returns the number of rows.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
unsafe fn blocks<const ROWS: usize, const PANELS: usize>(
    product: &Product<'_>,
    row: usize,
    panels: Range<usize>,
) -> usize {
    let mut panel = panels.start;
    // SAFETY: as the caller promises.
    unsafe {
        while panels.end - panel >= PANELS {
            block::<ROWS, PANELS>(product, row, panel);
            panel += PANELS;
        }
        if panels.end - panel >= 2 {
            block::<ROWS, 2>(product, row, panel);
            panel += 2;
        }
        if panel < panels.end {
            block::<ROWS, 1>(product, row, panel);
        }
    }
    ROWS
}

/// A block whose sums stay in registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
unsafe fn block<const ROWS: usize, const PANELS: usize>(product: &Product<'_>, row: usize, panel: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        let mut sums = [first_sums::<PANELS>(product, panel); ROWS];
        let a = product.x.row(row);
        let stride = product.x.stride();
        let b = product.panel(panel);
        let panel_bytes = product.panel_bytes();
        for group in 0..product.shape.used_groups() {
            let mut weights = [_mm512_setzero_si512(); PANELS];
            for p in 0..PANELS {
                let line = b.add(p * panel_bytes + group * LINE);
                if ROWS <= 4 {
                    prefetch(line.wrapping_add(AHEAD));
                }
                weights[p] = _mm512_loadu_si512(line.cast());
            }
            for r in 0..ROWS {
                let from = a.add(r * stride + group * GROUP).cast::<i32>();
                let four = _mm512_set1_epi32(from.read_unaligned());
                for p in 0..PANELS {
                    sums[r][p] = _mm512_dpbusd_epi32(sums[r][p], four, weights[p]);
                }
            }
        }
        let block = Sums {
            sums: sums.as_ptr().cast(),
            stride: PANELS * PANEL,
            first_row: row,
            rows: ROWS,
            first_output: panel * PANEL,
        };
        finish::<Sixteen>(product, &block);
    }
}

/// What the sums of each row start at: the offsets of the panels.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
unsafe fn first_sums<const PANELS: usize>(product: &Product<'_>, panel: usize) -> [__m512i; PANELS] {
    let offsets = product.panel_offsets(panel);
    let mut start = [_mm512_setzero_si512(); PANELS];
    for p in 0..PANELS {
        // SAFETY: as the caller promises.
        start[p] = unsafe { _mm512_loadu_si512(offsets.add(p * PANEL).cast()) };
    }
    start
}
