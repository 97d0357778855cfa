//! NEON with products of small matrices: one instruction multiplies two rows with two outputs, eight inputs each.

use std::arch::aarch64::*;
use std::arch::asm;

use super::arm::{self, Block, BlockKernel};
use super::dot_product;
use super::epilogue::{Sums, finish};
use super::packed::{GROUP, PANEL};
use super::product::Product;
use crate::lanes::Four;
use crate::memory::LINE;

/// Four pairs of rows with four pairs of outputs: sixteen registers of sums.
const ROWS: usize = 8;
const HALF: usize = PANEL / 2;

const KERNEL: BlockKernel = BlockKernel { rows: ROWS, many: both_halves, single: dot_product::panel::<1, 2> };

/// # Safety
/// The processor has dot products and products of matrices of bytes.
pub(super) unsafe fn run(product: &Product<'_>) {
    // SAFETY: as the caller promises.
    unsafe { arm::run(product, &KERNEL) };
}

/// # Safety
/// The processor has the instructions; the block is within the product.
unsafe fn both_halves(product: &Product<'_>, block: Block) {
    for half in 0..2 {
        let first_output = block.panel * PANEL + half * HALF;
        if first_output < product.shape.outputs() {
            // SAFETY: as the caller promises.
            unsafe { half_panel(product, block, first_output) };
        }
    }
}

/// # Safety
/// That of `both_halves`; the output exists and starts half a panel.
#[target_feature(enable = "neon,i8mm")]
unsafe fn half_panel(product: &Product<'_>, block: Block, first_output: usize) {
    let mut sums = [[vdupq_n_s32(0); 4]; ROWS / 2];
    let a = product.x.row(block.row);
    let stride = product.x.stride();
    // SAFETY: panels are padded to an even number of groups, rows to whole lines, and there are sixteen rows.
    unsafe {
        let line = product.panel(block.panel).add(first_output % PANEL * GROUP);
        for group in (0..product.shape.used_groups()).step_by(2) {
            let outputs = output_pairs(line.add(group * LINE));
            for pair in 0..ROWS / 2 {
                let rows = row_pair(a.add(2 * pair * stride + group * GROUP), stride);
                for nth in 0..4 {
                    sums[pair][nth] = multiply(sums[pair][nth], rows, outputs[nth]);
                }
            }
        }
        let whole = rows_of_sums(&sums);
        let sums = whole.as_ptr().cast();
        finish::<Four>(
            product,
            &Sums { sums, stride: HALF, first_row: block.row, rows: block.rows, first_output },
        );
    }
}

/// The weights of four pairs of outputs: eight inputs of the first, eight of the second. The layout has four inputs of
/// each output in a line.
///
/// # Safety
/// The two lines exist.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn output_pairs(line: *const u8) -> [int8x16_t; 4] {
    // SAFETY: as the caller promises.
    let [first, second, third, fourth] = unsafe {
        let line = line.cast::<i32>();
        [
            vld1q_s32(line),
            vld1q_s32(line.add(LINE / 4)),
            vld1q_s32(line.add(4)),
            vld1q_s32(line.add(LINE / 4 + 4)),
        ]
    };
    [
        vreinterpretq_s8_s32(vzip1q_s32(first, second)),
        vreinterpretq_s8_s32(vzip2q_s32(first, second)),
        vreinterpretq_s8_s32(vzip1q_s32(third, fourth)),
        vreinterpretq_s8_s32(vzip2q_s32(third, fourth)),
    ]
}

/// Eight numbers of two rows as signed bytes.
///
/// # Safety
/// There are eight bytes in both rows.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn row_pair(from: *const u8, stride: usize) -> int8x16_t {
    // SAFETY: as the caller promises.
    let rows = unsafe { vcombine_u8(vld1_u8(from), vld1_u8(from.add(stride))) };
    vreinterpretq_s8_u8(veorq_u8(rows, vdupq_n_u8(0x80)))
}

/// From sums of pairs (first row: two outputs, second row: two outputs) to rows of eight outputs.
#[inline]
#[target_feature(enable = "neon")]
fn rows_of_sums(sums: &[[int32x4_t; 4]; ROWS / 2]) -> [[int32x4_t; 2]; ROWS] {
    let mut whole = [[vdupq_n_s32(0); 2]; ROWS];
    for pair in 0..ROWS / 2 {
        for nth in 0..2 {
            let left = sums[pair][2 * nth];
            let right = sums[pair][2 * nth + 1];
            whole[2 * pair][nth] = vcombine_s32(vget_low_s32(left), vget_low_s32(right));
            whole[2 * pair + 1][nth] = vcombine_s32(vget_high_s32(left), vget_high_s32(right));
        }
    }
    whole
}

/// `sums` plus the products of two rows with two outputs.
#[inline]
#[target_feature(enable = "neon,i8mm")]
fn multiply(mut sums: int32x4_t, rows: int8x16_t, outputs: int8x16_t) -> int32x4_t {
    // SAFETY: only registers are used.
    unsafe {
        asm!(
            "smmla {sums:v}.4s, {rows:v}.16b, {outputs:v}.16b",
            sums = inout(vreg) sums, rows = in(vreg) rows, outputs = in(vreg) outputs,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}
