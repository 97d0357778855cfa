//! The product of rows with weights in blocks: each block of inputs has scales of its own. Language models are published
//! like this, and a token reads all of their weights once, so that fewer bits mean more tokens per second.
//!
//! Three kinds of weights: 4 and 6 bits, which store what GGUF's Q4_K and Q6_K mean without loss, and 8 bits for all
//! others. All levels add up the same integers and then the same floats in the same order, so that their results are the
//! same to the last bit, and a row does not depend on the other rows.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bytes;
mod four_bits;
mod layout;
mod lines;
#[cfg(target_arch = "aarch64")]
mod neon;
mod product;
mod rows;
mod scalar;
mod six_bits;
mod target;
mod workers;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

pub use four_bits::FourBitBlock;
pub use rows::BlockRows;
pub use six_bits::SixBitBlock;
pub use workers::{OneWorker, Workers};

use crate::levels::UsableLevel;
use crate::memory::Line;
use crate::usable_level;
use layout::{Kind, PANEL, Shape};
use product::Product;

/// A product is shared out in at most this many parts: one bit each.
const MAX_PARTS: usize = u64::BITS as usize;

/// Weights in blocks, and a bias. Packed in panels of sixteen outputs.
pub struct BlockLinear {
    lines: Box<[Line]>,
    /// Padded to whole panels.
    bias: Vec<f32>,
    shape: Shape,
}

impl BlockLinear {
    /// The same weights with a bias for each output.
    pub fn with_bias(mut self, bias: &[f32]) -> Self {
        assert_eq!(bias.len(), self.outputs(), "a bias for each output");
        self.bias[..bias.len()].copy_from_slice(bias);
        self
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.shape.inputs
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.shape.outputs
    }

    /// The memory that it occupies, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.lines) + size_of_val(&*self.bias)
    }

    /// Multiplies: a row of outputs in `y` for each row of `x`, which is as wide as there are inputs.
    pub fn run(&self, x: &BlockRows, y: &mut [f32], workers: &dyn Workers) {
        Self::run_all([(self, y)], x, workers);
    }

    /// Multiplies the same rows by several matrices at once, which shares the work out only once. Each matrix comes with
    /// the room for its outputs.
    pub fn run_all<const N: usize>(products: [(&Self, &mut [f32]); N], x: &BlockRows, workers: &dyn Workers) {
        run_all_at(usable_level(), products, x, workers);
    }

    /// The weights of one output as floats: the embedding of a token, if this is the table of all tokens.
    pub fn row(&self, output: usize, out: &mut [f32]) {
        assert!(output < self.outputs(), "there is no output {output}");
        assert_eq!(out.len(), self.inputs(), "a float for each input");
        let panel = self.panel(output / PANEL);
        for (block, out) in
            panel.chunks_exact(self.shape.block_lines).zip(out.chunks_mut(self.shape.kind.inputs()))
        {
            match self.shape.kind {
                Kind::FourBits => four_bits::weights(block, output % PANEL, out),
                Kind::SixBits => six_bits::weights(block, output % PANEL, out),
                Kind::Bytes => bytes::weights(block, output % PANEL, out),
            }
        }
    }

    fn panel(&self, panel: usize) -> &[Line] {
        let size = self.shape.panel_lines();
        &self.lines[panel * size..(panel + 1) * size]
    }
}

/// As `BlockLinear::run_all`, at the given level.
pub(crate) fn run_all_at<const N: usize>(
    level: UsableLevel,
    products: [(&BlockLinear, &mut [f32]); N],
    x: &BlockRows,
    workers: &dyn Workers,
) {
    let products = products.map(|(linear, y)| Product::new(linear, x, y));
    // Twice as many parts as workers: one that is held up does not keep all others waiting.
    let parts = if workers.count() > 1 { (2 * workers.count()).min(MAX_PARTS) } else { 1 };
    let taken = AtomicU64::new(0);
    workers.share(parts, &|part| {
        let bit = 1 << (part % MAX_PARTS);
        // Two threads that compute the same part would write the same outputs, so this does not depend on the workers.
        if part >= parts || taken.fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            return;
        }
        for product in &products {
            // SAFETY: each part is computed once.
            unsafe { product.run_part(level, part, parts) };
        }
    });
}

impl fmt::Debug for BlockLinear {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BlockLinear").field("shape", &self.shape).finish_non_exhaustive()
    }
}
