//! Weights of 4 bits: 256 inputs with a common scale and minimum, in parts of 32 with small factors for both.
//!
//! A block of a panel: a line of scales, a line of minimums, then the factors of each part (16 bytes for the scales, 16 for
//! the minimums), then the numbers. A line of numbers has two groups: one in the low halves of its bytes, one in the high
//! halves.

use super::BlockLinear;
use super::layout::{GROUP, Kind, LARGE_BLOCK, PANEL, PART, Shape, float, put_float};
use super::lines::ByteLanes;
use super::target::{AHEAD, Block, Target};
use crate::lanes::{Lanes, prefetch};
use crate::memory::{LINE, Line};

/// Parts of a block.
const PARTS: usize = LARGE_BLOCK / PART;
/// Bytes of the factors of a part.
const FACTORS: usize = 2 * PANEL;
const FIRST_FACTOR_LINE: usize = 2;
const FIRST_NUMBER_LINE: usize = FIRST_FACTOR_LINE + PARTS * FACTORS / LINE;
/// Lines of the numbers of a part.
const PART_LINES: usize = PART / GROUP / 2;
const BLOCK_LINES: usize = FIRST_NUMBER_LINE + PARTS * PART_LINES;

/// 256 weights of one output. Weight `i` is `scale × scales[i / 32] × numbers[i] − minimum × minimums[i / 32]`.
#[derive(Debug, Clone)]
pub struct FourBitBlock {
    pub scale: f32,
    pub minimum: f32,
    pub scales: [u8; 8],
    pub minimums: [u8; 8],
    /// 0 to 15.
    pub numbers: [u8; 256],
}

impl Default for FourBitBlock {
    fn default() -> Self {
        Self { scale: 0.0, minimum: 0.0, scales: [0; 8], minimums: [0; 8], numbers: [0; 256] }
    }
}

impl BlockLinear {
    /// Packs weights of 4 bits. `read` fills in a block: its arguments are the output and the number of the block in the
    /// row. The inputs are whole blocks.
    pub fn from_four_bits(
        inputs: usize,
        outputs: usize,
        mut read: impl FnMut(usize, usize, &mut FourBitBlock),
    ) -> Self {
        let mut block = FourBitBlock::default();
        let shape = Shape { kind: Kind::FourBits, inputs, outputs, block_lines: BLOCK_LINES };
        Self::pack(shape, |output, nth, lines| {
            read(output, nth, &mut block);
            pack(&block, output % PANEL, lines);
        })
    }
}

fn pack(block: &FourBitBlock, output: usize, lines: &mut [Line]) {
    put_float(&mut lines[0], output, block.scale);
    put_float(&mut lines[1], output, block.minimum);
    for part in 0..PARTS {
        let factors = factors_mut(lines, part);
        factors[output] = block.scales[part];
        factors[PANEL + output] = block.minimums[part];
    }
    let lines = &mut lines[FIRST_NUMBER_LINE..];
    for (line, numbers) in lines.iter_mut().zip(block.numbers.chunks_exact(2 * GROUP)) {
        let (low, high) = numbers.split_at(GROUP);
        let to = &mut line.0[output * GROUP..][..GROUP];
        for (byte, (low, high)) in to.iter_mut().zip(low.iter().zip(high)) {
            *byte = low & 15 | high << 4;
        }
    }
}

fn factors_mut(lines: &mut [Line], part: usize) -> &mut [u8] {
    let at = part * FACTORS;
    &mut lines[FIRST_FACTOR_LINE + at / LINE].0[at % LINE..][..FACTORS]
}

/// The weights of one output of a block as floats.
pub(super) fn weights(lines: &[Line], output: usize, out: &mut [f32]) {
    let scale = float(&lines[0], output);
    let minimum = float(&lines[1], output);
    for (part, out) in out.chunks_exact_mut(PART).enumerate() {
        let at = part * FACTORS;
        let factors = &lines[FIRST_FACTOR_LINE + at / LINE].0[at % LINE..];
        let scale = scale * f32::from(factors[output]);
        let minimum = minimum * f32::from(factors[PANEL + output]);
        let lines = &lines[FIRST_NUMBER_LINE + part * PART_LINES..];
        for (line, out) in lines.iter().zip(out.chunks_exact_mut(2 * GROUP)) {
            let bytes = &line.0[output * GROUP..][..GROUP];
            for (nth, byte) in bytes.iter().enumerate() {
                out[nth] = scale * f32::from(byte & 15) - minimum;
                out[GROUP + nth] = scale * f32::from(byte >> 4) - minimum;
            }
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
        for nth in 0..block.blocks {
            let lines = block.lines.add(nth * BLOCK_LINES).cast::<u8>();
            let scale = B::Floats::load(lines.cast::<f32>().add(outputs));
            let minimum = B::Floats::load(lines.add(LINE).cast::<f32>().add(outputs));
            for part in 0..PARTS {
                let factors = lines.add(FIRST_FACTOR_LINE * LINE + part * FACTORS + outputs);
                let part_scale = B::Floats::load_bytes(factors).mul(scale);
                let part_minimum = B::Floats::load_bytes(factors.add(PANEL)).mul(minimum);
                let numbers = lines.add((FIRST_NUMBER_LINE + part * PART_LINES) * LINE + outputs * GROUP);
                let place = nth * PARTS + part;
                let shorts = part_products::<B, ROWS>(numbers, target, place);
                for r in 0..ROWS {
                    let row = &target.rows[r];
                    let products = B::floats(B::add(B::splat(0), shorts[r]));
                    let scale = part_scale.mul(B::Floats::splat(*row.scales.add(place)));
                    sums[r] = products.fused_mul_add(scale, sums[r]);
                    let sum = B::Floats::splat(*row.negative_sums.add(place));
                    sums[r] = part_minimum.fused_mul_add(sum, sums[r]);
                }
            }
        }
        target.store(sums);
    }
}

/// The products of the numbers of a part with each row.
///
/// # Safety
/// As for `run`; the part is in the panel and in the rows.
#[inline(always)]
unsafe fn part_products<B: ByteLanes, const ROWS: usize>(
    numbers: *const u8,
    target: &Target<'_, ROWS>,
    place: usize,
) -> [B::Shorts; ROWS] {
    // SAFETY: as the caller promises.
    unsafe {
        let mut shorts = [B::no_shorts(); ROWS];
        for line in 0..PART_LINES {
            if ROWS == 1 {
                prefetch(numbers.wrapping_add(line * LINE + AHEAD));
            }
            let both = B::load(numbers.add(line * LINE));
            let low = B::low_halves(both);
            let high = B::high_halves(both);
            for r in 0..ROWS {
                let from = target.rows[r].numbers.add(place * PART + line * 2 * GROUP);
                shorts[r] = B::multiply(shorts[r], low, from);
                shorts[r] = B::multiply(shorts[r], high, from.add(GROUP));
            }
        }
        shorts
    }
}
