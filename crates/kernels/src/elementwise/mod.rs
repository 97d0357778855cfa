//! The functions between the products, each a single pass over its floats.

mod activation;
mod lstm;
mod norm;
mod rotary;
mod vector;

pub use activation::{gated_silu, gelu, relu, sigmoid, tanh};
pub(crate) use activation::{gated_silu_at, gelu_at, gelu_of, relu_at, sigmoid_at, tanh_at};
pub use lstm::lstm_cell;
pub(crate) use lstm::lstm_cell_at;
pub use norm::{LayerNorm, layer_norm, moments, rms_norm};
pub(crate) use norm::{layer_norm_at, moments_at, normalize_row, rms_norm_at};
pub use rotary::rotate;
pub(crate) use rotary::rotate_at;
pub use vector::{add, argmax, dot, scale_shift, sum_of_powers};
pub(crate) use vector::{add_at, dot_at, largest_at, largest_size, scale_shift_at, sum_of_powers_at};

#[cfg(test)]
mod tests;
