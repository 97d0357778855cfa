//! The key-value cache: keys and values of the positions that were read, in preallocated memory.

use candle_core::{DType, Device, Result, Tensor};

use super::model_config::ModelConfig;

/// The keys and values of one block: heads × positions × width.
#[derive(Clone)]
struct BlockCache {
    keys: Tensor,
    values: Tensor,
}

/// The key-value cache of one conversation.
pub(super) struct Cache {
    blocks: Vec<BlockCache>,
    /// Positions that were read.
    pub(super) length: usize,
    /// Maximum number of positions.
    pub(super) room: usize,
}

/// The beginning of a conversation, for others that begin with the same tokens.
pub(super) struct SavedPrefix {
    blocks: Vec<BlockCache>,
    pub(super) length: usize,
}

impl Cache {
    /// Allocates memory for `room` positions.
    pub(super) fn new(config: &ModelConfig, room: usize) -> Result<Self> {
        let size = (config.kv_heads, room, config.head_width);
        let block = || {
            let zeros = || Tensor::zeros(size, DType::F32, &Device::Cpu);
            Ok(BlockCache { keys: zeros()?, values: zeros()? })
        };
        let blocks = (0..config.blocks).map(|_| block()).collect::<Result<_>>()?;
        Ok(Self { blocks, length: 0, room })
    }

    /// Stores the keys and values of new positions and returns those of all positions.
    pub(super) fn extend(&self, block: usize, keys: &Tensor, values: &Tensor) -> Result<(Tensor, Tensor)> {
        let memory = &self.blocks[block];
        memory.keys.slice_set(keys, 1, self.length)?;
        memory.values.slice_set(values, 1, self.length)?;
        let length = self.length + keys.dim(1)?;
        Ok((memory.keys.narrow(1, 0, length)?, memory.values.narrow(1, 0, length)?))
    }

    /// A copy of the first positions.
    pub(super) fn save(&self, length: usize) -> Result<SavedPrefix> {
        let copy = |tensor: &Tensor| tensor.narrow(1, 0, length)?.copy();
        let block =
            |block: &BlockCache| Ok(BlockCache { keys: copy(&block.keys)?, values: copy(&block.values)? });
        Ok(SavedPrefix { blocks: self.blocks.iter().map(block).collect::<Result<_>>()?, length })
    }

    /// Copies the first positions of a saved prefix.
    pub(super) fn restore(&mut self, saved: &SavedPrefix, length: usize) -> Result<()> {
        for (memory, saved) in self.blocks.iter().zip(&saved.blocks) {
            memory.keys.slice_set(&saved.keys.narrow(1, 0, length)?.contiguous()?, 1, 0)?;
            memory.values.slice_set(&saved.values.narrow(1, 0, length)?.contiguous()?, 1, 0)?;
        }
        self.length = length;
        Ok(())
    }
}
