//! Buffers of one thread that the layers of both nets share.

use auris_kernels::{KeyValues, QuantizedRows, Scratch};

/// Kept from segment to segment: asking the system for pages costs more than some layers.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) quantized: QuantizedRows,
    pub(super) scratch: Scratch,
    /// Several products of the same input side by side.
    pub(super) joined: Vec<f32>,
    /// What attention returns.
    pub(super) attended: Vec<f32>,
    /// Between the two products of a feed-forward part.
    pub(super) inner: Vec<f32>,
    pub(super) gated: Vec<f32>,
    /// The queries of the encoder's current layer.
    pub(super) queries: Vec<f32>,
    /// The keys and values of each head of that layer.
    pub(super) heads: Vec<KeyValues>,
}

/// The first `length` floats of a buffer that only grows. They hold arbitrary values.
pub(super) fn sized(buffer: &mut Vec<f32>, length: usize) -> &mut [f32] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}
