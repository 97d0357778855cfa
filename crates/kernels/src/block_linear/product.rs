//! One product to compute, with the sizes checked, and the order in which its parts are computed.

use std::marker::PhantomData;

use super::layout::{Kind, PANEL};
use super::lines::ByteLanes;
use super::scalar::Scalar;
use super::target::{Block, RowPointers, Target};
use super::{BlockLinear, BlockRows, bytes, four_bits, six_bits};
use crate::Level;
use crate::lanes::Lanes;
use crate::levels::UsableLevel;

/// A product: weights, rows and target. The constructor checks that all sizes agree; kernels rely on it.
pub(super) struct Product<'a> {
    linear: &'a BlockLinear,
    x: &'a BlockRows,
    /// Room for a row of outputs for each row of `x`. Parts write different outputs.
    y: *mut f32,
    target: PhantomData<&'a mut [f32]>,
}

// SAFETY: weights and rows are only read; each part writes other outputs, and `run_part` is called once for each.
unsafe impl Sync for Product<'_> {}

impl<'a> Product<'a> {
    pub(super) fn new(linear: &'a BlockLinear, x: &'a BlockRows, y: &'a mut [f32]) -> Self {
        assert!(x.rows() == 0 || x.width() == linear.inputs(), "rows are as wide as there are inputs");
        assert!(y.len() >= x.rows() * linear.outputs(), "there is room for all outputs");
        Self { linear, x, y: y.as_mut_ptr(), target: PhantomData }
    }

    /// Computes one of some parts: a share of the panels.
    ///
    /// # Safety
    /// It is called once for each part, always with the same number of parts.
    pub(super) unsafe fn run_part(&self, level: UsableLevel, part: usize, parts: usize) {
        let panels = self.linear.shape.panels();
        let first = part * panels / parts;
        let end = (part + 1) * panels / parts;
        for panel in first..end {
            self.run_panel(level, panel);
        }
    }

    fn run_panel(&self, level: UsableLevel, panel: usize) {
        // SAFETY: a usable level is one that this processor has.
        match level.get() {
            Level::Scalar => unsafe { rows::<Scalar>(self, panel) },
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2(self, panel) },
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512(self, panel) },
            #[cfg(target_arch = "x86_64")]
            Level::Vnni | Level::Amx => unsafe { vnni(self, panel) },
            #[cfg(target_arch = "aarch64")]
            Level::Neon => unsafe { rows::<super::neon::Neon>(self, panel) },
            #[cfg(target_arch = "aarch64")]
            Level::DotProduct | Level::I8mm => unsafe { dot_product(self, panel) },
            // The levels of other processors are never usable here.
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 | Level::Vnni | Level::Amx => unsafe { rows::<Scalar>(self, panel) },
            #[cfg(not(target_arch = "aarch64"))]
            Level::Neon | Level::DotProduct | Level::I8mm => unsafe { rows::<Scalar>(self, panel) },
        }
    }

    fn block(&self, panel: usize) -> Block<'a> {
        Block {
            lines: self.linear.panel(panel).as_ptr(),
            bias: self.linear.bias[panel * PANEL..][..PANEL].as_ptr(),
            blocks: self.linear.shape.blocks(),
            weights: PhantomData,
        }
    }

    /// The rows from `first` on, and the outputs of a panel from `outputs_before` on.
    fn target<const ROWS: usize>(
        &self,
        first: usize,
        panel: usize,
        outputs_before: usize,
    ) -> Target<'a, ROWS> {
        let outputs = self.linear.outputs();
        let output = panel * PANEL + outputs_before;
        assert!(first + ROWS <= self.x.rows());
        let rows = std::array::from_fn(|r| {
            let (numbers, scales, negative_sums, offsets) = self.x.row(first + r);
            RowPointers {
                numbers: numbers.as_ptr(),
                scales: scales.as_ptr(),
                negative_sums: negative_sums.as_ptr(),
                offsets: offsets.as_ptr(),
            }
        });
        Target {
            rows,
            outputs_before,
            y: self.y.wrapping_add(first * outputs + output),
            stride: outputs,
            left: outputs.saturating_sub(output),
            row_memory: PhantomData,
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(product: &Product<'_>, panel: usize) {
    // SAFETY: the function enables the instructions.
    unsafe { rows::<super::avx2::Avx2>(product, panel) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
unsafe fn avx512(product: &Product<'_>, panel: usize) {
    // SAFETY: the function enables the instructions.
    unsafe { rows::<super::avx512::Avx512>(product, panel) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
unsafe fn vnni(product: &Product<'_>, panel: usize) {
    // SAFETY: the function enables the instructions.
    unsafe { rows::<super::avx512::Vnni>(product, panel) }
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon,dotprod")]
unsafe fn dot_product(product: &Product<'_>, panel: usize) {
    // SAFETY: the function enables the instructions.
    unsafe { rows::<super::neon::DotProduct>(product, panel) }
}

/// All rows of a panel, as many together as the registers allow.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn rows<B: ByteLanes>(product: &Product<'_>, panel: usize) {
    let block = product.block(panel);
    let mut row = 0;
    while row < product.x.rows() {
        let left = (product.x.rows() - row).min(B::ROWS);
        // SAFETY: as the caller promises.
        unsafe {
            row += match left {
                8.. => registers::<B, 8>(product, &block, row, panel),
                4.. => registers::<B, 4>(product, &block, row, panel),
                2.. => registers::<B, 2>(product, &block, row, panel),
                _ => registers::<B, 1>(product, &block, row, panel),
            };
        }
    }
}

/// Some rows of a panel, register by register; returns how many rows.
///
/// # Safety
/// The processor has the instructions of the lanes.
#[inline(always)]
unsafe fn registers<B: ByteLanes, const ROWS: usize>(
    product: &Product<'_>,
    block: &Block<'_>,
    row: usize,
    panel: usize,
) -> usize {
    for outputs in (0..PANEL).step_by(B::Floats::WIDTH) {
        let target = product.target::<ROWS>(row, panel, outputs);
        // SAFETY: as the caller promises.
        unsafe {
            match product.linear.shape.kind {
                Kind::FourBits => four_bits::run::<B, ROWS>(block, &target),
                Kind::SixBits => six_bits::run::<B, ROWS>(block, &target),
                Kind::Bytes => bytes::run::<B, ROWS>(block, &target),
            }
        }
    }
    ROWS
}
