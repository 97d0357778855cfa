//! One product to compute: weights, rows and target, with the sizes checked, and what is done with its results.

#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

use super::Linear;
#[cfg(target_arch = "x86_64")]
use super::large_groups::LargeGroups;
use super::packed::{PANEL, Shape};
use crate::QuantizedRows;
use crate::memory::LINE;

/// What is done with a result before it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epilogue {
    /// The result is stored.
    Store,
    /// The result is added to what is stored: a residual connection.
    Add,
    /// The GELU of the result is stored.
    Gelu,
    /// The result without its bias is added to what is stored, and the GELU of the sum is stored. For the second half of
    /// a product in two parts: the first one has added the bias already.
    AddGelu,
}

/// What a kernel needs. The constructor checks that all sizes agree; kernels rely on it.
pub(super) struct Product<'a> {
    pub(super) x: &'a QuantizedRows,
    pub(super) shape: Shape,
    pub(super) epilogue: Epilogue,
    weights: &'a [u8],
    /// Of all outputs, padded to whole panels.
    pub(super) offsets: &'a [i32],
    pub(super) scales: &'a [f32],
    pub(super) bias: &'a [f32],
    #[cfg(target_arch = "x86_64")]
    large_groups: &'a OnceLock<LargeGroups>,
    /// Room for a row of outputs for each row of `x`.
    pub(super) y: *mut f32,
}

impl<'a> Product<'a> {
    pub(super) fn new(
        linear: &'a Linear,
        x: &'a QuantizedRows,
        y: &'a mut [f32],
        epilogue: Epilogue,
    ) -> Self {
        let shape = linear.shape;
        let weights = linear.weights.as_slice();
        assert!(x.rows() == 0 || x.width() == shape.inputs(), "rows are as wide as there are inputs");
        assert!(y.len() >= x.rows() * shape.outputs(), "there is room for all outputs");
        assert_eq!(weights.len(), shape.weight_bytes(), "borrowed weights stay the same");
        let offsets = &linear.offsets;
        let scales = &linear.scales;
        let bias = &linear.bias;
        Self {
            x,
            shape,
            epilogue,
            weights,
            offsets,
            scales,
            bias,
            #[cfg(target_arch = "x86_64")]
            large_groups: &linear.large_groups,
            y: y.as_mut_ptr(),
        }
    }

    /// The first byte of a panel of weights.
    pub(super) fn panel(&self, panel: usize) -> *const u8 {
        self.panel_slice(panel).as_ptr()
    }

    /// The bytes of a panel of weights.
    pub(super) fn panel_slice(&self, panel: usize) -> &[u8] {
        let size = self.panel_bytes();
        &self.weights[panel * size..(panel + 1) * size]
    }

    /// Bytes from panel to panel.
    pub(super) fn panel_bytes(&self) -> usize {
        self.shape.groups() * LINE
    }

    /// The offsets of a panel.
    pub(super) fn panel_offsets(&self, panel: usize) -> *const i32 {
        self.offsets[panel * PANEL..].as_ptr()
    }

    /// The groups of weights that are too large for products of bytes. Found once, by the first product that asks.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    pub(super) unsafe fn large_groups(&self) -> &'a LargeGroups {
        // SAFETY: as the caller promises.
        self.large_groups.get_or_init(|| unsafe { LargeGroups::find(self.shape, self.weights) })
    }
}
