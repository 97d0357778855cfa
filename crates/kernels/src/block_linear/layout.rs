//! The layout of weights: in panels of sixteen outputs. Each panel has its blocks of inputs one after the other.

use super::BlockLinear;
use crate::memory::{LINE, Line};

/// Outputs in a panel.
pub(super) const PANEL: usize = 16;
/// Inputs in a group, which one instruction adds up. A line has one group for each output of a panel.
pub(super) const GROUP: usize = LINE / PANEL;
/// Inputs in a block of 4 or 6 bits.
pub(super) const LARGE_BLOCK: usize = 256;
/// Inputs that share a scale: in the rows that are multiplied, and in a block of bytes.
pub(super) const PART: usize = 32;

/// How weights are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    FourBits,
    SixBits,
    Bytes,
}

impl Kind {
    /// Inputs in a block.
    pub(super) fn inputs(self) -> usize {
        match self {
            Self::FourBits | Self::SixBits => LARGE_BLOCK,
            Self::Bytes => PART,
        }
    }
}

/// The sizes of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) kind: Kind,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// Lines of a block of a panel.
    pub(super) block_lines: usize,
}

impl Shape {
    pub(super) fn panels(self) -> usize {
        self.outputs.div_ceil(PANEL)
    }

    /// Blocks in a row of weights.
    pub(super) fn blocks(self) -> usize {
        self.inputs.div_ceil(self.kind.inputs())
    }

    pub(super) fn panel_lines(self) -> usize {
        self.blocks() * self.block_lines
    }
}

impl BlockLinear {
    /// Packs block by block: `write` stores one block of one output in the lines of its panel.
    pub(super) fn pack(shape: Shape, mut write: impl FnMut(usize, usize, &mut [Line])) -> Self {
        assert!(shape.inputs > 0, "a product has inputs");
        assert!(
            shape.kind == Kind::Bytes || shape.inputs.is_multiple_of(LARGE_BLOCK),
            "the inputs are whole blocks"
        );
        let mut lines = vec![Line::ZERO; shape.panels() * shape.panel_lines()].into_boxed_slice();
        for output in 0..shape.outputs {
            let panel = &mut lines[output / PANEL * shape.panel_lines()..][..shape.panel_lines()];
            for (block, lines) in panel.chunks_exact_mut(shape.block_lines).enumerate() {
                write(output, block, lines);
            }
        }
        Self { lines, bias: vec![0.0; shape.panels() * PANEL], shape }
    }
}

/// Writes the float of one output into a line that has a float for each output of a panel.
pub(super) fn put_float(line: &mut Line, output: usize, float: f32) {
    line.0[output * 4..][..4].copy_from_slice(&float.to_ne_bytes());
}

/// Reads the float of one output from such a line.
pub(super) fn float(line: &Line, output: usize) -> f32 {
    line.0[output * 4..].first_chunk().map_or(0.0, |four| f32::from_ne_bytes(*four))
}
