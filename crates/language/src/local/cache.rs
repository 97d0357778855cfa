//! The key-value cache: keys and values of the positions that were read.

use auris_kernels::KeyValues;

use super::model_config::ModelConfig;

/// The key-value cache of one conversation.
pub(super) struct Cache {
    /// Of each head of each block: block by block.
    heads: Vec<KeyValues>,
    kv_heads: usize,
    /// Positions that were read.
    pub(super) length: usize,
    /// Maximum number of positions.
    pub(super) room: usize,
}

/// The beginning of a conversation, for others that begin with the same tokens.
pub(super) struct SavedPrefix {
    heads: Vec<KeyValues>,
    pub(super) length: usize,
}

impl Cache {
    /// An empty cache for at most `room` positions. Memory is taken as positions are read.
    pub(super) fn new(config: &ModelConfig, room: usize) -> Self {
        let heads = (0..config.blocks * config.kv_heads).map(|_| KeyValues::new(config.head_width));
        Self { heads: heads.collect(), kv_heads: config.kv_heads, length: 0, room }
    }

    /// The heads of a block. Each has as many positions as were read, or more if the last pass was cancelled.
    pub(super) fn block(&mut self, block: usize) -> &mut [KeyValues] {
        let heads = &mut self.heads[block * self.kv_heads..][..self.kv_heads];
        for head in &mut *heads {
            head.truncate(self.length);
        }
        heads
    }

    /// A copy of the first positions.
    pub(super) fn save(&self, length: usize) -> SavedPrefix {
        SavedPrefix { heads: self.heads.iter().map(|head| first(head, length)).collect(), length }
    }

    /// Copies the first positions of a saved prefix.
    pub(super) fn restore(&mut self, saved: &SavedPrefix, length: usize) {
        self.heads = saved.heads.iter().map(|head| first(head, length)).collect();
        self.length = length;
    }
}

fn first(head: &KeyValues, length: usize) -> KeyValues {
    let mut copy = head.clone();
    copy.truncate(length);
    copy
}
