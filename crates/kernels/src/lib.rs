//! The computations that the nets consist of, for whatever this processor offers: integer products, float products,
//! attention, and element-wise functions.
//!
//! Everything processor-specific is in this crate, and so is the `unsafe` code that it takes. The public functions are
//! safe: they check the sizes of the slices that they are given. Each computation exists for every [`Level`]. The level
//! is chosen once in a process: the best one that the processor has, limited by the environment variable
//! `AURIS_KERNEL_LEVEL`, and only if its results agree with the scalar level.
//!
//! Integer products are the same to the last bit at every level, and a row of a product does not depend on the other
//! rows of the batch. Attention and some functions differ between levels by rounding.
#![expect(unsafe_code, reason = "processor instructions and raw loads; the safe functions check every size")]
#![expect(
    clippy::needless_range_loop,
    reason = "loops over registers: an iterator might not be inlined into the kernel"
)]

mod attention;
mod block_linear;
mod elementwise;
mod float_linear;
mod lanes;
mod levels;
mod linear;
mod memory;
mod quantized_rows;
mod self_check;
#[cfg(target_arch = "x86_64")]
mod tiles;

use std::sync::OnceLock;

pub use attention::{KeyValues, Keys, Queries, Scratch, attend, attend_first};
pub use block_linear::{BlockLinear, BlockRows, FourBitBlock, OneWorker, SixBitBlock, Workers};
pub use elementwise::{
    LayerNorm, add, argmax, dot, gated_silu, gelu, layer_norm, lstm_cell, moments, relu, rms_norm, rotate,
    scale_shift, sigmoid, sum_of_powers, tanh,
};
pub use float_linear::FloatLinear;
pub use levels::{Level, available_levels};
pub use linear::{Epilogue, LayoutError, Linear, PackedLayout, PackedLinear};
pub use memory::Storage;
pub use quantized_rows::QuantizedRows;

use levels::UsableLevel;
use self_check::Selection;

/// The level in use: the best one that this processor has, that `AURIS_KERNEL_LEVEL` allows and that passes the
/// self-check. Chosen at the first call.
pub fn level() -> Level {
    usable_level().get()
}

/// Why the level in use is not the best one of this processor, or not the one that `AURIS_KERNEL_LEVEL` asks for; for
/// the log of the program. `None` if there is nothing to report.
pub fn level_note() -> Option<&'static str> {
    selection().note.as_deref()
}

/// The level in use, for the kernels themselves.
fn usable_level() -> UsableLevel {
    selection().level
}

fn selection() -> &'static Selection {
    static SELECTION: OnceLock<Selection> = OnceLock::new();
    SELECTION.get_or_init(|| self_check::select(std::env::var("AURIS_KERNEL_LEVEL").ok().as_deref()))
}
