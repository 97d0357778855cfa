//! From sums of integers to results: scales, bias, and what the caller would do with a result next.

use super::product::{Epilogue, Product};
use crate::elementwise::gelu_of;
use crate::lanes::Lanes;

/// A block of sums, `stride` integers from row to row.
pub(super) struct Sums {
    pub(super) sums: *const i32,
    pub(super) stride: usize,
    pub(super) first_row: usize,
    pub(super) rows: usize,
    pub(super) first_output: usize,
}

/// Writes the results of a block. Outputs behind the last one of the product are left out. The steps are rounded in the
/// same way at every level.
///
/// # Safety
/// The processor has the instructions of the lanes. The rows are within the product. The sums are whole registers.
#[inline(always)]
pub(super) unsafe fn finish<L: Lanes>(product: &Product<'_>, block: &Sums) {
    let outputs = block.stride.min(product.shape.outputs() - block.first_output);
    // SAFETY: scales and biases are padded to whole panels; the target has a row of outputs for each row.
    unsafe {
        for row in 0..block.rows {
            let row_scale = L::splat(*product.x.scales().get_unchecked(block.first_row + row));
            let y = product.y.add((block.first_row + row) * product.shape.outputs() + block.first_output);
            for at in (0..outputs).step_by(L::WIDTH) {
                let left = outputs - at;
                let scale = L::load(product.scales.as_ptr().add(block.first_output + at)).mul(row_scale);
                let sum = L::load_integers(block.sums.add(row * block.stride + at));
                let bias = match product.epilogue {
                    Epilogue::AddGelu => L::load_some(y.add(at), left),
                    Epilogue::Store | Epilogue::Add | Epilogue::Gelu => {
                        L::load(product.bias.as_ptr().add(block.first_output + at))
                    }
                };
                let value = sum.fused_mul_add(scale, bias);
                let value = match product.epilogue {
                    Epilogue::Store => value,
                    Epilogue::Add => value.add(L::load_some(y.add(at), left)),
                    Epilogue::Gelu | Epilogue::AddGelu => gelu_of(value),
                };
                value.store_some(y.add(at), left);
            }
        }
    }
}
