//! What is kept of a segment while it is decoded.

use std::sync::Arc;

use crate::nets::memory::Memory;

/// What the encoder computed for a segment, as keys and values for every layer of the decoder.
pub(crate) struct EncodedAudio {
    pub(super) memory: Memory,
    /// The first of its frames that hold audio; the others are padding.
    pub(super) audio_frames: usize,
}

#[cfg(test)]
impl EncodedAudio {
    /// All frames, with those of the padding.
    pub(crate) fn frames(&self) -> usize {
        self.memory.layer(0)[0].len()
    }

    pub(crate) fn audio_frames(&self) -> usize {
        self.audio_frames
    }

    pub(crate) fn bytes(&self) -> usize {
        self.memory.bytes()
    }
}

/// A decoding in progress.
pub(crate) struct Sequence {
    pub(super) audio: Arc<EncodedAudio>,
    /// The keys and values of its tokens.
    pub(super) own: Memory,
    /// The number of tokens that were fed.
    pub(super) position: usize,
}

impl Sequence {
    /// Another sequence of the same audio with the same tokens.
    pub(crate) fn fork(&self) -> Self {
        Self { audio: self.audio.clone(), own: self.own.copy(), position: self.position }
    }
}
