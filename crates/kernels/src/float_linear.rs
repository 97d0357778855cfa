//! The product of float rows with float weights, for small or sensitive products where 8 bits are too coarse.

use std::ops::Range;

use crate::lanes::{Lanes, lanes_dispatch};
use crate::levels::UsableLevel;
use crate::usable_level;

/// Outputs side by side in the packed weights: whole registers of every width.
const PANEL: usize = 32;

/// Float weights and a bias. Packed in panels of 32 outputs, in each panel input by input.
#[derive(Debug, Clone)]
pub struct FloatLinear {
    weights: Vec<f32>,
    /// Padded to whole panels.
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl FloatLinear {
    /// Packs weights, a row of `inputs` for each output. The bias may be empty.
    pub fn new(weights: &[f32], inputs: usize, bias: &[f32]) -> Self {
        assert!(inputs > 0 && weights.len().is_multiple_of(inputs), "a row of weights for each output");
        let outputs = weights.len() / inputs;
        assert!(bias.is_empty() || bias.len() == outputs, "a bias for each output");
        let padded = outputs.next_multiple_of(PANEL);
        let mut packed = vec![0.0; inputs * padded];
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let panel = &mut packed[output / PANEL * PANEL * inputs..];
            for (input, weight) in row.iter().enumerate() {
                panel[input * PANEL + output % PANEL] = *weight;
            }
        }
        let mut bias = bias.to_vec();
        bias.resize(padded, 0.0);
        Self { weights: packed, bias, inputs, outputs }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Multiplies: a row of outputs in `y` for each row of inputs in `x`.
    pub fn run(&self, x: &[f32], y: &mut [f32]) {
        assert!(x.len().is_multiple_of(self.inputs), "whole rows are multiplied");
        assert_eq!(y.len(), x.len() / self.inputs * self.outputs, "a row of outputs for each row");
        self.run_windows(x, self.inputs, y);
    }

    /// Multiplies windows of `x` that start every `step` floats: a convolution. `y` has a row of outputs for each window.
    pub fn run_windows(&self, x: &[f32], step: usize, y: &mut [f32]) {
        self.run_at(usable_level(), x, step, y);
    }

    /// As `run_windows`, at the given level.
    pub(crate) fn run_at(&self, level: UsableLevel, x: &[f32], step: usize, y: &mut [f32]) {
        if self.outputs == 0 {
            return;
        }
        let rows = y.len() / self.outputs;
        let needed = rows.saturating_sub(1).saturating_mul(step).saturating_add(self.inputs);
        assert!(rows == 0 || x.len() >= needed, "all windows are within the input");
        let job = Job { linear: self, x: x.as_ptr(), step, y: y.as_mut_ptr(), rows };
        run_all_at(level, &job);
    }
}

/// A product with all sizes checked.
struct Job<'a> {
    linear: &'a FloatLinear,
    x: *const f32,
    step: usize,
    y: *mut f32,
    rows: usize,
}

lanes_dispatch! {
    fn run_all_at(job: &Job<'_>) = run_all
}

#[inline(always)]
unsafe fn run_all<L: Lanes>(job: &Job<'_>) {
    let padded = job.linear.bias.len();
    let together = 8 * L::WIDTH;
    for first in (0..padded).step_by(together) {
        let part = first..(first + together).min(padded);
        let mut row = 0;
        while row < job.rows {
            // As many sums as keep both multipliers busy and fit the registers.
            // SAFETY: blocks within the rows.
            row += unsafe {
                match (L::WIDTH, job.rows - row) {
                    (16, 6..) => blocks::<L, 6, 4>(job, row, part.clone()),
                    (16, 3..) => blocks::<L, 3, 4>(job, row, part.clone()),
                    (8, 6..) => blocks::<L, 6, 2>(job, row, part.clone()),
                    (8, 2..) => blocks::<L, 2, 4>(job, row, part.clone()),
                    _ => blocks::<L, 1, 8>(job, row, part.clone()),
                }
            };
        }
    }
}

/// The blocks of `ROWS` rows with some outputs; returns the number of rows.
///
/// # Safety
/// The processor has the instructions of the lanes; the rows exist; the outputs are whole panels or registers.
#[inline(always)]
unsafe fn blocks<L: Lanes, const ROWS: usize, const REGISTERS: usize>(
    job: &Job<'_>,
    row: usize,
    outputs: Range<usize>,
) -> usize {
    let mut output = outputs.start;
    // SAFETY: as the caller promises.
    unsafe {
        while outputs.end - output >= REGISTERS * L::WIDTH {
            block::<L, ROWS, REGISTERS>(job, row, output);
            output += REGISTERS * L::WIDTH;
        }
        while output < outputs.end {
            block::<L, ROWS, 2>(job, row, output);
            output += 2 * L::WIDTH;
        }
    }
    ROWS
}

/// A block whose sums stay in registers.
///
/// # Safety
/// As for `blocks`.
#[inline(always)]
unsafe fn block<L: Lanes, const ROWS: usize, const REGISTERS: usize>(
    job: &Job<'_>,
    row: usize,
    output: usize,
) {
    let FloatLinear { weights, bias, inputs, .. } = job.linear;
    // SAFETY: weights and bias are padded to whole panels; results are cut where the outputs end.
    unsafe {
        let mut start = [L::splat(0.0); REGISTERS];
        let mut from = [weights.as_ptr(); REGISTERS];
        for nth in 0..REGISTERS {
            let output = output + nth * L::WIDTH;
            start[nth] = L::load(bias.as_ptr().add(output));
            from[nth] = from[nth].add(output / PANEL * PANEL * inputs + output % PANEL);
        }
        let mut sums = [start; ROWS];
        let x = job.x.add(row * job.step);
        for input in 0..*inputs {
            let mut weights = [L::splat(0.0); REGISTERS];
            for nth in 0..REGISTERS {
                weights[nth] = L::load(from[nth].add(input * PANEL));
            }
            for r in 0..ROWS {
                let value = L::splat(*x.add(r * job.step + input));
                for nth in 0..REGISTERS {
                    sums[r][nth] = weights[nth].mul_add(value, sums[r][nth]);
                }
            }
        }
        store(job, sums, row, output);
    }
}

/// Stores the sums of a block, without those behind the last output.
///
/// # Safety
/// As for `blocks`.
#[inline(always)]
unsafe fn store<L: Lanes, const ROWS: usize, const REGISTERS: usize>(
    job: &Job<'_>,
    sums: [[L; REGISTERS]; ROWS],
    row: usize,
    output: usize,
) {
    let outputs = job.linear.outputs;
    for r in 0..ROWS {
        for nth in 0..REGISTERS {
            let at = output + nth * L::WIDTH;
            let left = outputs.saturating_sub(at);
            if left > 0 {
                // SAFETY: as the caller promises.
                unsafe { sums[r][nth].store_some(job.y.add((row + r) * outputs + at), left) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::usable_levels;

    fn wave(length: usize, step: f32) -> Vec<f32> {
        (0..length).map(|nth| (nth as f32 * step).sin()).collect()
    }

    #[test]
    fn every_level_multiplies_windows_as_the_definition_says() {
        for level in usable_levels() {
            for rows in [1, 2, 3, 5, 6, 7, 13] {
                for (inputs, outputs, step) in
                    [(128, 512, 128), (9, 1, 3), (127, 288, 64), (33, 70, 33), (1, 33, 1)]
                {
                    let (weights, bias) = (wave(inputs * outputs, 0.7), wave(outputs, 0.3));
                    let x = wave((rows - 1) * step + inputs, 0.11);
                    let mut y = vec![9.0; rows * outputs];
                    FloatLinear::new(&weights, inputs, &bias).run_at(level, &x, step, &mut y);
                    for (place, y) in y.iter().enumerate() {
                        let (row, output) = (place / outputs, place % outputs);
                        let pairs = x[row * step..].iter().zip(&weights[output * inputs..][..inputs]);
                        let sum: f32 = pairs.map(|(x, weight)| x * weight).sum();
                        let expected = sum + bias[output];
                        assert!(
                            (y - expected).abs() < 1e-4,
                            "{level:?} {rows} {inputs} {outputs}: {y} {expected}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_row_does_not_depend_on_the_others() {
        let linear = FloatLinear::new(&wave(50 * 70, 0.7), 50, &[]);
        let x = wave(11 * 50, 0.13);
        for level in usable_levels() {
            let mut together = vec![0.0; 11 * 70];
            linear.run_at(level, &x, 50, &mut together);
            for row in 0..11 {
                let mut alone = vec![0.0; 70];
                linear.run_at(level, &x[row * 50..][..50], 50, &mut alone);
                assert_eq!(alone, together[row * 70..][..70], "{level:?} row {row}");
            }
        }
    }

    #[test]
    fn no_rows_give_no_outputs() {
        FloatLinear::new(&wave(20, 0.1), 4, &[]).run(&[], &mut []);
    }
}
