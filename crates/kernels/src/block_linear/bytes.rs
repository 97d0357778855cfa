//! Weights of 8 bits: 32 inputs with a common scale. A block of a panel: a line of scales, then a line for each group.

use super::BlockLinear;
use super::layout::{GROUP, Kind, PANEL, PART, Shape, float, put_float};
use super::lines::ByteLanes;
use super::target::{AHEAD, Block, Target};
use crate::lanes::{Lanes, prefetch};
use crate::memory::{LINE, Line};

const FIRST_NUMBER_LINE: usize = 1;
const NUMBER_LINES: usize = PART / GROUP;
const BLOCK_LINES: usize = FIRST_NUMBER_LINE + NUMBER_LINES;

impl BlockLinear {
    /// Rounds floats to 8 bits in blocks of 32 inputs. `read` fills in the weights of an output.
    pub fn from_floats(inputs: usize, outputs: usize, mut read: impl FnMut(usize, &mut [f32])) -> Self {
        let mut row = vec![0.0; inputs];
        let shape = Shape { kind: Kind::Bytes, inputs, outputs, block_lines: BLOCK_LINES };
        Self::pack(shape, |output, nth, lines| {
            if nth == 0 {
                read(output, &mut row);
            }
            let end = (nth * PART + PART).min(inputs);
            pack(&row[nth * PART..end], output % PANEL, lines);
        })
    }
}

fn pack(weights: &[f32], output: usize, lines: &mut [Line]) {
    let largest = weights.iter().fold(0.0f32, |largest, weight| largest.max(weight.abs()));
    // Smaller weights are zeros: their scale would not be a normal number.
    let is_zero = largest < 1e-30;
    let factor = if is_zero { 0.0 } else { 127.0 / largest };
    put_float(&mut lines[0], output, if is_zero { 0.0 } else { largest / 127.0 });
    for (line, weights) in lines[FIRST_NUMBER_LINE..].iter_mut().zip(weights.chunks(GROUP)) {
        let to = &mut line.0[output * GROUP..][..GROUP];
        for (byte, weight) in to.iter_mut().zip(weights) {
            *byte = (weight * factor).round() as i8 as u8;
        }
    }
}

/// The weights of one output of a block as floats.
pub(super) fn weights(lines: &[Line], output: usize, out: &mut [f32]) {
    let scale = float(&lines[0], output);
    for (line, out) in lines[FIRST_NUMBER_LINE..].iter().zip(out.chunks_mut(GROUP)) {
        for (out, byte) in out.iter_mut().zip(&line.0[output * GROUP..][..GROUP]) {
            *out = scale * f32::from(*byte as i8);
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
        for place in 0..block.blocks {
            let lines = block.lines.add(place * BLOCK_LINES).cast::<u8>();
            let scale = B::Floats::load(lines.cast::<f32>().add(outputs));
            let numbers = lines.add(FIRST_NUMBER_LINE * LINE + outputs * GROUP);
            let mut integers = [B::splat(0); ROWS];
            for line in 0..NUMBER_LINES {
                if ROWS == 1 {
                    prefetch(numbers.wrapping_add(line * LINE + AHEAD));
                }
                let weights = B::signed(B::load(numbers.add(line * LINE)));
                for r in 0..ROWS {
                    let from = target.rows[r].numbers.add(place * PART + line * GROUP);
                    integers[r] = B::multiply_signed(integers[r], weights, from);
                }
            }
            for r in 0..ROWS {
                let scale = scale.mul(B::Floats::splat(*target.rows[r].scales.add(place)));
                sums[r] = B::floats(integers[r]).fused_mul_add(scale, sums[r]);
            }
        }
        target.store(sums);
    }
}
