//! Weights of 6 bits: 256 inputs with a common scale, in parts of 16 with a small factor.
//!
//! A block of a panel: a line of scales, then the factors of each part (16 bytes, plus 128), then the numbers. A part has
//! three lines of numbers: the lower four bits of two groups in the first, of the other two in the second, and the upper
//! two bits of all four in the third. Numbers are stored without a sign; the rows have the offsets that take this back.

use super::BlockLinear;
use super::layout::{GROUP, Kind, LARGE_BLOCK, PANEL, PART, Shape, float, put_float};
use super::lines::ByteLanes;
use super::target::{AHEAD, Block, Target};
use crate::lanes::{Lanes, prefetch};
use crate::memory::{LINE, Line};

/// The number that means zero.
pub(super) const MIDDLE: i32 = 32;
/// Parts of a block.
pub(super) const PARTS: usize = 16;
/// Inputs of a part.
const PART_INPUTS: usize = LARGE_BLOCK / PARTS;
/// Added to a factor, so that it has no sign.
const FACTOR_OFFSET: u8 = 128;
const FIRST_FACTOR_LINE: usize = 1;
const FIRST_NUMBER_LINE: usize = FIRST_FACTOR_LINE + PARTS * PANEL / LINE;
const PART_LINES: usize = 3;
const BLOCK_LINES: usize = FIRST_NUMBER_LINE + PARTS * PART_LINES;

/// 256 weights of one output. Weight `i` is `scale × scales[i / 16] × (numbers[i] − 32)`.
#[derive(Debug, Clone)]
pub struct SixBitBlock {
    pub scale: f32,
    pub scales: [i8; 16],
    /// 0 to 63.
    pub numbers: [u8; 256],
}

impl Default for SixBitBlock {
    fn default() -> Self {
        Self { scale: 0.0, scales: [0; 16], numbers: [0; 256] }
    }
}

impl BlockLinear {
    /// Packs weights of 6 bits. `read` fills in a block: its arguments are the output and the number of the block in the
    /// row. The inputs are whole blocks.
    pub fn from_six_bits(
        inputs: usize,
        outputs: usize,
        mut read: impl FnMut(usize, usize, &mut SixBitBlock),
    ) -> Self {
        let mut block = SixBitBlock::default();
        let shape = Shape { kind: Kind::SixBits, inputs, outputs, block_lines: BLOCK_LINES };
        Self::pack(shape, |output, nth, lines| {
            read(output, nth, &mut block);
            pack(&block, output % PANEL, lines);
        })
    }
}

fn pack(block: &SixBitBlock, output: usize, lines: &mut [Line]) {
    put_float(&mut lines[0], output, block.scale);
    for (part, scale) in block.scales.iter().enumerate() {
        let at = part * PANEL + output;
        lines[FIRST_FACTOR_LINE + at / LINE].0[at % LINE] = (*scale as u8) ^ FACTOR_OFFSET;
    }
    let parts = lines[FIRST_NUMBER_LINE..].chunks_exact_mut(PART_LINES);
    for (lines, numbers) in parts.zip(block.numbers.chunks_exact(PART_INPUTS)) {
        for nth in 0..GROUP {
            let [one, two, three, four] = std::array::from_fn(|group| numbers[group * GROUP + nth] & 63);
            let at = output * GROUP + nth;
            lines[0].0[at] = one & 15 | two << 4;
            lines[1].0[at] = three & 15 | four << 4;
            lines[2].0[at] = one >> 4 | two >> 4 << 2 | three >> 4 << 4 | four >> 4 << 6;
        }
    }
}

/// The weights of one output of a block as floats.
pub(super) fn weights(lines: &[Line], output: usize, out: &mut [f32]) {
    let scale = float(&lines[0], output);
    for (part, out) in out.chunks_exact_mut(PART_INPUTS).enumerate() {
        let at = part * PANEL + output;
        let factor = (lines[FIRST_FACTOR_LINE + at / LINE].0[at % LINE] ^ FACTOR_OFFSET) as i8;
        let scale = scale * f32::from(factor);
        let lines = &lines[FIRST_NUMBER_LINE + part * PART_LINES..];
        for (nth, out) in out.iter_mut().enumerate() {
            let group = nth / GROUP;
            let at = output * GROUP + nth % GROUP;
            let low = lines[group / 2].0[at] >> (group % 2 * 4) & 15;
            let high = lines[2].0[at] >> (group * 2) & 3;
            *out = scale * (f32::from(low | high << 4) - MIDDLE as f32);
        }
    }
}

/// # Safety
/// The processor has the instructions of the lanes; the target has `ROWS` rows; its outputs fit a register of the panel.
#[inline(always)]
pub(super) unsafe fn run<B: ByteLanes, const ROWS: usize>(block: &Block<'_>, target: &Target<'_, ROWS>) {
    let outputs = target.outputs_before;
    // SAFETY: the constructors of block and target checked the sizes.
    unsafe {
        let mut sums = [B::Floats::load(block.bias.add(outputs)); ROWS];
        let factor_offset = B::Floats::splat(f32::from(FACTOR_OFFSET));
        for nth in 0..block.blocks {
            let lines = block.lines.add(nth * BLOCK_LINES).cast::<u8>();
            let scale = B::Floats::load(lines.cast::<f32>().add(outputs));
            for part in 0..PARTS {
                let factors = lines.add(FIRST_FACTOR_LINE * LINE + part * PANEL + outputs);
                let part_scale = B::Floats::load_bytes(factors).sub(factor_offset).mul(scale);
                let numbers = lines.add((FIRST_NUMBER_LINE + part * PART_LINES) * LINE + outputs * GROUP);
                let place = nth * PARTS + part;
                let groups = load_groups::<B, ROWS>(numbers);
                for r in 0..ROWS {
                    let row = &target.rows[r];
                    let from = row.numbers.add(place * PART_INPUTS);
                    let mut first = B::multiply(B::no_shorts(), groups[0], from);
                    first = B::multiply(first, groups[1], from.add(GROUP));
                    let mut second = B::multiply(B::no_shorts(), groups[2], from.add(2 * GROUP));
                    second = B::multiply(second, groups[3], from.add(3 * GROUP));
                    let integers = B::add(B::add(B::splat(*row.offsets.add(place)), first), second);
                    let row_scale = *row.scales.add(place * PART_INPUTS / PART);
                    let scale = part_scale.mul(B::Floats::splat(row_scale));
                    sums[r] = B::floats(integers).fused_mul_add(scale, sums[r]);
                }
            }
        }
        target.store(sums);
    }
}

/// The numbers of a part: four groups, put together from their lower four and upper two bits. With a single row, asks
/// for those of a later part, too.
///
/// # Safety
/// As for `run`; the part is in the panel.
#[inline(always)]
unsafe fn load_groups<B: ByteLanes, const ROWS: usize>(numbers: *const u8) -> [B::Bytes; 4] {
    if ROWS == 1 {
        for line in 0..PART_LINES {
            prefetch(numbers.wrapping_add(line * LINE + AHEAD));
        }
    }
    // SAFETY: as the caller promises.
    unsafe {
        let first = B::load(numbers);
        let second = B::load(numbers.add(LINE));
        let upper = B::load(numbers.add(2 * LINE));
        [
            B::with_upper_bits::<0>(B::low_halves(first), upper),
            B::with_upper_bits::<1>(B::high_halves(first), upper),
            B::with_upper_bits::<2>(B::low_halves(second), upper),
            B::with_upper_bits::<3>(B::high_halves(second), upper),
        ]
    }
}
