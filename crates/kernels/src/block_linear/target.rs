//! What a kernel of one kind of weights works on: a panel of weights, some rows, and where their outputs go.

use std::marker::PhantomData;

use crate::lanes::Lanes;
use crate::memory::Line;

/// With a single row the weights come from memory. Asking for them this many bytes early hides the wait.
pub(super) const AHEAD: usize = 2048;

/// A panel of weights.
pub(super) struct Block<'a> {
    pub(super) lines: *const Line,
    pub(super) bias: *const f32,
    pub(super) blocks: usize,
    pub(super) weights: PhantomData<&'a [Line]>,
}

/// A row of `x`.
#[derive(Clone, Copy)]
pub(super) struct RowPointers {
    pub(super) numbers: *const i8,
    pub(super) scales: *const f32,
    pub(super) negative_sums: *const f32,
    pub(super) offsets: *const i32,
}

/// Some rows, and where a register of their outputs is written.
pub(super) struct Target<'a, const ROWS: usize> {
    pub(super) rows: [RowPointers; ROWS],
    /// Outputs of the panel before those of the register.
    pub(super) outputs_before: usize,
    pub(super) y: *mut f32,
    /// Floats from row to row.
    pub(super) stride: usize,
    /// Outputs that exist from here on.
    pub(super) left: usize,
    pub(super) row_memory: PhantomData<&'a [f32]>,
}

impl<const ROWS: usize> Target<'_, ROWS> {
    /// # Safety
    /// The processor has the instructions of the lanes.
    #[inline(always)]
    pub(super) unsafe fn store<L: Lanes>(&self, sums: [L; ROWS]) {
        for r in 0..ROWS {
            // SAFETY: the target has a row of outputs for each row; what is behind the last output is not written.
            unsafe { sums[r].store_some(self.y.add(r * self.stride), self.left.min(L::WIDTH)) };
        }
    }
}
