//! NEON with dot products: one instruction multiplies four groups of four bytes and adds them up.

use std::arch::aarch64::*;
use std::arch::asm;

use super::arm::{self, Block, BlockKernel, signed_row, weights};
use super::epilogue::{Sums, finish};
use super::packed::PANEL;
use super::product::Product;
use crate::lanes::{Four, prefetch};
use crate::memory::LINE;

const ROWS: usize = 4;
/// Groups of a register of row numbers.
const GROUPS: usize = 4;
/// With few rows the weights come from memory. Asking for them this many bytes early hides the wait.
const AHEAD: usize = 1024;

const KERNEL: BlockKernel = BlockKernel { rows: ROWS, many: panel::<ROWS, 1>, single: panel::<1, 2> };

/// # Safety
/// The processor has dot products.
pub(super) unsafe fn run(product: &Product<'_>) {
    // SAFETY: as the caller promises.
    unsafe { arm::run(product, &KERNEL) };
}

/// # Safety
/// The processor has dot products; the block is within the product and has at most `ROWS` rows.
#[target_feature(enable = "neon,dotprod")]
pub(super) unsafe fn panel<const ROWS: usize, const SUMS: usize>(product: &Product<'_>, block: Block) {
    // With several sums of each output, an instruction does not wait for the one before it.
    let mut sums = [[[vdupq_n_s32(0); 4]; SUMS]; ROWS];
    let a = product.x.row(block.row);
    let stride = product.x.stride();
    let lines = product.panel(block.panel);
    // SAFETY: panels are padded to a multiple of four groups, and rows to whole lines.
    unsafe {
        for group in (0..product.shape.used_groups()).step_by(GROUPS) {
            let mut rows = [vdupq_n_s8(0); ROWS];
            for r in 0..ROWS {
                rows[r] = signed_row(a.add(r * stride + group * GROUPS));
            }
            let line = lines.add(group * LINE);
            one_group::<ROWS, SUMS, 0>(&mut sums, &rows, line);
            one_group::<ROWS, SUMS, 1>(&mut sums, &rows, line.add(LINE));
            one_group::<ROWS, SUMS, 2>(&mut sums, &rows, line.add(2 * LINE));
            one_group::<ROWS, SUMS, 3>(&mut sums, &rows, line.add(3 * LINE));
        }
        let mut whole = [[vdupq_n_s32(0); 4]; ROWS];
        for r in 0..ROWS {
            for quarter in 0..4 {
                for sums in sums[r] {
                    whole[r][quarter] = vaddq_s32(whole[r][quarter], sums[quarter]);
                }
            }
        }
        let sums = whole.as_ptr().cast();
        let first_output = block.panel * PANEL;
        finish::<Four>(
            product,
            &Sums { sums, stride: PANEL, first_row: block.row, rows: block.rows, first_output },
        );
    }
}

/// Adds the group `GROUP` of the row registers to the sums of sixteen outputs.
///
/// # Safety
/// The line of weights exists.
#[inline]
#[target_feature(enable = "neon,dotprod")]
unsafe fn one_group<const ROWS: usize, const SUMS: usize, const GROUP: usize>(
    sums: &mut [[[int32x4_t; 4]; SUMS]; ROWS],
    rows: &[int8x16_t; ROWS],
    line: *const u8,
) {
    if ROWS == 1 {
        prefetch(line.wrapping_add(AHEAD));
    }
    for quarter in 0..4 {
        // SAFETY: as the caller promises.
        let weights = unsafe { weights(line.add(quarter * 16)) };
        for r in 0..ROWS {
            let sum = &mut sums[r][GROUP % SUMS][quarter];
            *sum = dot::<GROUP>(*sum, weights, rows[r]);
        }
    }
}

/// `sum` of each of four outputs plus the product of its four weights with the group `GROUP` of the row.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn dot<const GROUP: usize>(mut sum: int32x4_t, weights: int8x16_t, row: int8x16_t) -> int32x4_t {
    // SAFETY: only registers are used.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {weights:v}.16b, {row:v}.4b[{group}]",
            sum = inout(vreg) sum, weights = in(vreg) weights, row = in(vreg) row, group = const GROUP,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}
