//! A convolution in blocks of rows: what is encoded can be cancelled between them, and lets more urgent work run.

use auris_engine_core::EngineError;

use super::encoder::ROWS_AT_ONCE;
use crate::net::Pause;

/// A convolution over inputs that are stored one after the other, as windows of numbers.
#[derive(Clone, Copy)]
pub(super) struct Convolution<'a> {
    pub(super) inputs: &'a [f32],
    /// The numbers in a window.
    pub(super) window: usize,
    /// The numbers from the beginning of a window to that of the next.
    pub(super) step: usize,
    /// The results of each window.
    pub(super) width: usize,
}

impl Convolution<'_> {
    /// Has `run` compute the rows of results block by block, from the inputs of their windows. Pauses before each block.
    pub(super) fn in_blocks(
        self,
        results: &mut [f32],
        pause: Pause<'_>,
        mut run: impl FnMut(&[f32], &mut [f32]),
    ) -> Result<(), EngineError> {
        for (nth, results) in results.chunks_mut(ROWS_AT_ONCE * self.width).enumerate() {
            pause()?;
            let begin = nth * ROWS_AT_ONCE * self.step;
            let rows = results.len() / self.width;
            let end = begin + rows.saturating_sub(1) * self.step + self.window;
            run(&self.inputs[begin..end], results);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Windows of three numbers that start every two; the results are their sum and its negative.
    fn sums(inputs: &[f32], results: &mut [f32], pause: Pause<'_>) -> Result<(), EngineError> {
        Convolution { inputs, window: 3, step: 2, width: 2 }.in_blocks(results, pause, |inputs, results| {
            assert_eq!(inputs.len(), results.len() + 1);
            for (nth, row) in results.chunks_mut(2).enumerate() {
                let sum: f32 = inputs[2 * nth..2 * nth + 3].iter().sum();
                row.copy_from_slice(&[sum, -sum]);
            }
        })
    }

    #[test]
    fn every_row_gets_its_window_whatever_the_number_of_blocks() {
        for rows in [1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1, 3 * ROWS_AT_ONCE - 5] {
            let inputs: Vec<f32> = (0..2 * rows + 1).map(|at| at as f32).collect();
            let mut results = vec![0.0; 2 * rows];
            sums(&inputs, &mut results, &|| Ok(())).unwrap();
            for (nth, row) in results.chunks(2).enumerate() {
                let sum = (6 * nth + 3) as f32;
                assert_eq!(row, [sum, -sum], "row {nth} of {rows}");
            }
        }
    }

    #[test]
    fn a_cancelled_convolution_stops_before_the_next_block() {
        let checks = Cell::new(0);
        let pause = || {
            checks.set(checks.get() + 1);
            if checks.get() == 2 { Err(EngineError::Cancelled) } else { Ok(()) }
        };
        let mut results = vec![0.0; 2 * 3 * ROWS_AT_ONCE];
        let inputs = vec![1.0; results.len() + 1];
        assert!(matches!(sums(&inputs, &mut results, &pause), Err(EngineError::Cancelled)));
        assert_eq!(results.iter().filter(|result| **result != 0.0).count(), 2 * ROWS_AT_ONCE);
    }
}
