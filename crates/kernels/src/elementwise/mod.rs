//! The functions between the products, each a single pass over its floats.

mod activation;
mod lstm;
mod norm;
mod rotary;
mod vector;

pub use activation::{gated_silu, gelu, relu, sigmoid, tanh};
pub(crate) use activation::{gelu_at, gelu_of};
pub use lstm::lstm_cell;
pub(crate) use lstm::lstm_cell_at;
pub use norm::{LayerNorm, layer_norm, moments, rms_norm};
pub(crate) use norm::{layer_norm_at, normalize_row};
pub use rotary::rotate;
pub(crate) use vector::largest_size;
pub use vector::{add, argmax, dot, scale_shift, sum_of_powers};

#[cfg(test)]
mod tests;
