//! The part of an LSTM that is not a product.

use super::activation::{sigmoid_of, tanh_of};
use crate::lanes::{Lanes, lanes_dispatch};
use crate::usable_level;

/// One step of a long short-term memory. `gates` are the sums of the input, forget, cell and output gates, in this order,
/// each as long as `cell`. Replaces the cell state and writes the hidden state.
pub fn lstm_cell(gates: &[f32], cell: &mut [f32], hidden: &mut [f32]) {
    assert_eq!(gates.len(), 4 * cell.len(), "four gates for each cell");
    assert_eq!(hidden.len(), cell.len(), "a hidden state for each cell");
    lstm_cell_at(usable_level(), gates, cell, hidden);
}

lanes_dispatch! {
    pub(crate) fn lstm_cell_at(gates: &[f32], cell: &mut [f32], hidden: &mut [f32]) = lstm_cell_all
}

#[inline(always)]
unsafe fn lstm_cell_all<L: Lanes>(gates: &[f32], cell: &mut [f32], hidden: &mut [f32]) {
    let size = cell.len();
    for at in (0..size).step_by(L::WIDTH) {
        // SAFETY: within the four gates, the cells and the hidden states.
        unsafe {
            let left = size - at;
            let from = gates.as_ptr().add(at);
            let input = sigmoid_of(L::load_some(from, left));
            let forget = sigmoid_of(L::load_some(from.add(size), left));
            let candidate = tanh_of(L::load_some(from.add(2 * size), left));
            let output = sigmoid_of(L::load_some(from.add(3 * size), left));
            let old = L::load_some(cell.as_ptr().add(at), left);
            let new = forget.mul_add(old, input.mul(candidate));
            new.store_some(cell.as_mut_ptr().add(at), left);
            output.mul(tanh_of(new)).store_some(hidden.as_mut_ptr().add(at), left);
        }
    }
}
