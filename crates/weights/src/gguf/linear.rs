//! Packs a matrix of the file for the kernels, block by block or row by row, so that no tensor is in memory twice.

use auris_kernels::BlockLinear;

use crate::blocks::{BlockType, Q4_K_BYTES, Q6_K_BYTES, unpack_q4_k, unpack_q6_k};
use crate::element::ElementType;
use crate::error::WeightsError;
use crate::matrix::not_a_matrix;
use crate::pack::NOT_FINITE;
use crate::tensor::Tensor;

/// Weights in a block of the types that the kernels use as they are.
const BLOCK: usize = 256;

/// The rows of a tensor.
struct Rows<'a> {
    outputs: usize,
    inputs: usize,
    element: ElementType,
    bytes: &'a [u8],
    /// Whether all weights so far are numbers that a net can compute with.
    is_finite: bool,
}

/// The product of a tensor `[outputs, inputs]`. Blocks of four and of six bits keep their values. The other types
/// become eight bits with a scale for each 32 weights.
pub(super) fn block_linear(tensor: &Tensor) -> Result<BlockLinear, WeightsError> {
    let mut rows = Rows::new(tensor)?;
    let linear = match tensor.element {
        ElementType::Blocks(BlockType::Q4K) => rows.four_bits(),
        ElementType::Blocks(BlockType::Q6K) => rows.six_bits(),
        // Whatever can be decoded can be packed, so that a new type needs no line here.
        _ => rows.floats(),
    };
    tensor.bytes.release();
    if rows.is_finite { Ok(linear) } else { Err(WeightsError::damaged(NOT_FINITE)) }
}

impl<'a> Rows<'a> {
    fn new(tensor: &'a Tensor) -> Result<Self, WeightsError> {
        match tensor.shape[..] {
            [outputs, inputs] if outputs > 0 && inputs > 0 => {
                let element = tensor.element;
                let bytes = tensor.bytes.as_ref();
                Ok(Self { outputs, inputs, element, bytes, is_finite: true })
            }
            _ => Err(not_a_matrix(&tensor.shape)),
        }
    }

    fn four_bits(&mut self) -> BlockLinear {
        let (blocks, _) = self.bytes.as_chunks::<Q4_K_BYTES>();
        let blocks_per_row = self.inputs / BLOCK;
        BlockLinear::from_four_bits(self.inputs, self.outputs, |output, nth, block| {
            if let Some(bytes) = blocks.get(output * blocks_per_row + nth) {
                unpack_q4_k(bytes, block);
                self.is_finite &= block.scale.is_finite() && block.minimum.is_finite();
            }
        })
    }

    fn six_bits(&mut self) -> BlockLinear {
        let (blocks, _) = self.bytes.as_chunks::<Q6_K_BYTES>();
        let blocks_per_row = self.inputs / BLOCK;
        BlockLinear::from_six_bits(self.inputs, self.outputs, |output, nth, block| {
            if let Some(bytes) = blocks.get(output * blocks_per_row + nth) {
                unpack_q6_k(bytes, block);
                self.is_finite &= block.scale.is_finite();
            }
        })
    }

    fn floats(&mut self) -> BlockLinear {
        // There are bytes for all rows, so that the length of one fits.
        let row_bytes = self.element.bytes(self.inputs).unwrap_or(0);
        BlockLinear::from_floats(self.inputs, self.outputs, |output, row| {
            let bytes = self.bytes.get(output * row_bytes..(output + 1) * row_bytes);
            self.element.decode(bytes.unwrap_or_default(), row);
            if !row.iter().all(|weight| weight.is_finite()) {
                self.is_finite = false;
                // There is no scale for such a row.
                row.fill(0.0);
            }
        })
    }
}
