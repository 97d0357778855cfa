//! Without particular instructions: the result that all levels must have.

use super::epilogue::{Sums, finish};
use super::packed::{GROUP, PANEL};
use super::product::Product;
use crate::lanes::One;
use crate::memory::LINE;

pub(super) fn run(product: &Product<'_>) {
    for row in 0..product.x.rows() {
        // SAFETY: a row has as many numbers as there are inputs.
        let numbers = unsafe { std::slice::from_raw_parts(product.x.row(row), product.shape.inputs()) };
        for panel in 0..product.shape.panels() {
            let sums = sums_of(numbers, product.panel_slice(panel));
            let block = Sums {
                sums: sums.as_ptr(),
                stride: PANEL,
                first_row: row,
                rows: 1,
                first_output: panel * PANEL,
            };
            // SAFETY: the block is one row of one panel.
            unsafe { finish::<One>(product, &block) };
        }
    }
}

fn sums_of(numbers: &[u8], panel: &[u8]) -> [i32; PANEL] {
    let mut sums = [0i32; PANEL];
    for (numbers, line) in numbers.chunks(GROUP).zip(panel.chunks_exact(LINE)) {
        for (nth, number) in numbers.iter().enumerate() {
            let number = i32::from(*number) - 128;
            for output in 0..PANEL {
                let weight = i32::from(line[output * GROUP + nth] as i8);
                sums[output] = sums[output].wrapping_add(number * weight);
            }
        }
    }
    sums
}
