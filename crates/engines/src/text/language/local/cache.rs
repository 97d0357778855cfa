//! Keys and values of the positions that a net has read, in room that was made beforehand.

use candle_core::{DType, Device, Result, Tensor};

use super::shape::Shape;

/// One block's keys and values: heads, positions, width.
#[derive(Clone)]
struct Block {
    keys: Tensor,
    values: Tensor,
}

/// What a net remembers of one text.
pub(super) struct Cache {
    blocks: Vec<Block>,
    pub(super) length: usize,
    pub(super) room: usize,
}

/// The beginning of a text, kept for others that begin in the same way.
pub(super) struct Saved {
    blocks: Vec<Block>,
    pub(super) length: usize,
}

impl Cache {
    /// Room for so many positions.
    pub(super) fn new(shape: &Shape, room: usize) -> Result<Self> {
        let size = (shape.kv_heads, room, shape.head_width);
        let block = || {
            let zeros = || Tensor::zeros(size, DType::F32, &Device::Cpu);
            Ok(Block { keys: zeros()?, values: zeros()? })
        };
        let blocks = (0..shape.blocks).map(|_| block()).collect::<Result<_>>()?;
        Ok(Self { blocks, length: 0, room })
    }

    /// Writes the keys and values of new positions in place; both come back with all before them.
    pub(super) fn extend(&self, block: usize, keys: &Tensor, values: &Tensor) -> Result<(Tensor, Tensor)> {
        let memory = &self.blocks[block];
        memory.keys.slice_set(keys, 1, self.length)?;
        memory.values.slice_set(values, 1, self.length)?;
        let length = self.length + keys.dim(1)?;
        Ok((memory.keys.narrow(1, 0, length)?, memory.values.narrow(1, 0, length)?))
    }

    /// A copy of the first positions.
    pub(super) fn save(&self, length: usize) -> Result<Saved> {
        let copy = |tensor: &Tensor| tensor.narrow(1, 0, length)?.copy();
        let block = |block: &Block| Ok(Block { keys: copy(&block.keys)?, values: copy(&block.values)? });
        Ok(Saved { blocks: self.blocks.iter().map(block).collect::<Result<_>>()?, length })
    }

    /// Takes over the first positions of a saved text.
    pub(super) fn restore(&mut self, saved: &Saved, length: usize) -> Result<()> {
        for (memory, saved) in self.blocks.iter().zip(&saved.blocks) {
            memory.keys.slice_set(&saved.keys.narrow(1, 0, length)?.contiguous()?, 1, 0)?;
            memory.values.slice_set(&saved.values.narrow(1, 0, length)?.contiguous()?, 1, 0)?;
        }
        self.length = length;
        Ok(())
    }
}
