//! Speaker embeddings: 192 numbers for a few seconds of one voice, with CAM++ of 3D-Speaker.

use auris_engine_core::EngineError;

use super::fbank::BINS;
use super::nets::Campplus;

/// Numbers of an embedding.
pub(crate) const SIZE: usize = 192;

/// The embedding of a voice, normalized: the dot product of two is their similarity.
pub(crate) type Voice = [f32; SIZE];

/// The loaded model.
pub(crate) struct EmbeddingNet {
    net: Campplus,
}

impl EmbeddingNet {
    pub(crate) fn load() -> Result<Self, EngineError> {
        Ok(Self { net: Campplus::load().map_err(EngineError::internal)? })
    }

    /// The voice in these frames. Their mean is subtracted first.
    pub(crate) fn voice(&self, frames: &[[f32; BINS]]) -> Result<Voice, EngineError> {
        let mut mean = [0.0f32; BINS];
        for frame in frames {
            mean.iter_mut().zip(frame).for_each(|(sum, bin)| *sum += bin / frames.len() as f32);
        }
        let centered = frames.iter().flat_map(|frame| frame.iter().zip(&mean).map(|(bin, mean)| bin - mean));
        let voice = <Voice>::try_from(self.run(&centered.collect::<Vec<f32>>()));
        voice.map(normalized).map_err(|_| EngineError::internal("the embedding has an unexpected size"))
    }

    /// Runs the model on frames whose mean is zero.
    pub(crate) fn run(&self, centered: &[f32]) -> Vec<f32> {
        self.net.embedding(centered)
    }
}

pub(crate) fn normalized(mut voice: Voice) -> Voice {
    let length = similarity(&voice, &voice).sqrt();
    if length > 0.0 {
        voice.iter_mut().for_each(|value| *value /= length);
    }
    voice
}

/// The similarity of two voices: 1 for the same voice, about 0 for different ones.
pub(crate) fn similarity(one: &Voice, other: &Voice) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
