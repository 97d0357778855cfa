//! NEON: products of bytes as 16-bit integers, two of them added exactly before they are widened to 32 bits.

use std::arch::aarch64::*;

use super::arm::{self, Block, BlockKernel, weights};
use super::epilogue::{Sums, finish};
use super::packed::{GROUP, PANEL};
use super::product::Product;
use crate::lanes::{Four, prefetch};
use crate::memory::LINE;

const ROWS: usize = 4;
/// Half a panel: its sums of four rows take sixteen registers.
const HALF: usize = PANEL / 2;
/// With few rows the weights come from memory. Asking for them this many bytes early hides the wait.
const AHEAD: usize = 1024;

const KERNEL: BlockKernel = BlockKernel { rows: ROWS, many: both_halves::<ROWS>, single: both_halves::<1> };

pub(super) fn run(product: &Product<'_>) {
    // SAFETY: every processor of this architecture has NEON.
    unsafe { arm::run(product, &KERNEL) };
}

/// # Safety
/// The block is within the product and has at most `ROWS` rows.
unsafe fn both_halves<const ROWS: usize>(product: &Product<'_>, block: Block) {
    for half in 0..2 {
        let first_output = block.panel * PANEL + half * HALF;
        if first_output < product.shape.outputs() {
            // SAFETY: as the caller promises.
            unsafe { half_panel::<ROWS>(product, block, first_output) };
        }
    }
}

/// # Safety
/// That of `both_halves`; the output exists and starts half a panel.
#[target_feature(enable = "neon")]
unsafe fn half_panel<const ROWS: usize>(product: &Product<'_>, block: Block, first_output: usize) {
    // Two sums for each output: of the first two inputs of every group, and of the other two.
    let mut sums = [[vdupq_n_s32(0); 4]; ROWS];
    let a = product.x.row(block.row);
    let stride = product.x.stride();
    // SAFETY: panels are padded to an even number of groups, and rows to whole lines.
    unsafe {
        let line = product.panel(block.panel).add(first_output % PANEL * GROUP);
        for group in (0..product.shape.used_groups()).step_by(2) {
            let first = line.add(group * LINE);
            if ROWS == 1 {
                prefetch(first.wrapping_add(AHEAD));
            }
            for r in 0..ROWS {
                let eight = a.add(r * stride + group * GROUP);
                two_groups(&mut sums[r], [four_times(eight), four_times(eight.add(GROUP))], first);
            }
        }
        let mut whole = [[vdupq_n_s32(0); 2]; ROWS];
        for r in 0..ROWS {
            let sums = sums[r];
            whole[r] = [vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3])];
        }
        let sums = whole.as_ptr().cast();
        finish::<Four>(
            product,
            &Sums { sums, stride: HALF, first_row: block.row, rows: block.rows, first_output },
        );
    }
}

/// Adds two groups of inputs to the sums of eight outputs. Two products of bytes within ±128 and ±127 fit in 16 bits.
///
/// # Safety
/// Both lines of weights exist.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn two_groups(sums: &mut [int32x4_t; 4], inputs: [int8x16_t; 2], line: *const u8) {
    for quarter in 0..2 {
        // SAFETY: as the caller promises.
        let (first, second) =
            unsafe { (weights(line.add(quarter * 16)), weights(line.add(LINE + quarter * 16))) };
        let low = vmull_s8(vget_low_s8(first), vget_low_s8(inputs[0]));
        let low = vmlal_s8(low, vget_low_s8(second), vget_low_s8(inputs[1]));
        let high = vmlal_high_s8(vmull_high_s8(first, inputs[0]), second, inputs[1]);
        sums[2 * quarter] = vpadalq_s16(sums[2 * quarter], low);
        sums[2 * quarter + 1] = vpadalq_s16(sums[2 * quarter + 1], high);
    }
}

/// Four numbers of a row as signed bytes, four times.
///
/// # Safety
/// There are four bytes.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn four_times(from: *const u8) -> int8x16_t {
    // SAFETY: as the caller promises.
    let four = unsafe { from.cast::<u32>().read_unaligned() };
    vreinterpretq_s8_u32(vdupq_n_u32(four ^ 0x8080_8080))
}
