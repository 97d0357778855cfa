//! What the levels of ARM processors share: the order of blocks, and rows as signed bytes.

use std::arch::aarch64::*;

use super::product::Product;

/// The rows that pass all weights before the next ones, in bytes: they stay in the second-level cache.
const CHUNK_BYTES: usize = 256 * 1024;

/// Some rows of one panel. More rows than these may be read: rows are padded to a multiple of sixteen.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) row: usize,
    pub(super) rows: usize,
    pub(super) panel: usize,
}

/// The functions of a level.
///
/// # Safety
/// To call one of them, the processor must have the instructions of the level, and the block must be within the product.
pub(super) struct BlockKernel {
    /// The rows of a block; sixteen is a multiple of it.
    pub(super) rows: usize,
    pub(super) many: unsafe fn(&Product<'_>, Block),
    /// For a block of a single row.
    pub(super) single: unsafe fn(&Product<'_>, Block),
}

/// # Safety
/// The processor has the instructions of the kernel.
pub(super) unsafe fn run(product: &Product<'_>, kernel: &BlockKernel) {
    let rows = product.x.rows();
    let chunk = (CHUNK_BYTES / product.x.stride()).max(1).next_multiple_of(kernel.rows);
    for first in (0..rows).step_by(chunk) {
        let end = (first + chunk).min(rows);
        for panel in 0..product.shape.panels() {
            for row in (first..end).step_by(kernel.rows) {
                let rows = (end - row).min(kernel.rows);
                let run = if rows == 1 { kernel.single } else { kernel.many };
                // SAFETY: the instructions, as the caller promises; rows and panel are within the product.
                unsafe { run(product, Block { row, rows, panel }) };
            }
        }
    }
}

/// Sixteen numbers of a row. They are stored plus 128; flipping the highest bit makes signed bytes of them.
///
/// # Safety
/// There are sixteen bytes.
#[inline]
#[target_feature(enable = "neon")]
pub(super) unsafe fn signed_row(from: *const u8) -> int8x16_t {
    // SAFETY: as the caller promises.
    vreinterpretq_s8_u8(veorq_u8(unsafe { vld1q_u8(from) }, vdupq_n_u8(0x80)))
}

/// Sixteen weights.
///
/// # Safety
/// There are sixteen bytes.
#[inline]
#[target_feature(enable = "neon")]
pub(super) unsafe fn weights(from: *const u8) -> int8x16_t {
    // SAFETY: as the caller promises.
    unsafe { vld1q_s8(from.cast()) }
}
