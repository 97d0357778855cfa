//! Speaker embeddings: 192 numbers for a few seconds of one voice, with CAM++ of 3D-Speaker.

use auris_engine_core::EngineError;
use auris_onnx::{Net, floats};
use rten::NodeId;
use rten_tensor::NdTensor;

use super::fbank::BINS;

/// Numbers of an embedding.
pub(crate) const SIZE: usize = 192;

static FILE: &[u8] = include_bytes!("../../../models/campplus_zh_en_16k_common_advanced.onnx");

/// The embedding of a voice, normalized: the dot product of two is their similarity.
pub(crate) type Voice = [f32; SIZE];

/// The loaded model.
pub(crate) struct EmbeddingNet {
    net: Net,
    input: NodeId,
    output: NodeId,
}

impl EmbeddingNet {
    pub(crate) fn load() -> Result<Self, EngineError> {
        let net = Net::from_bytes(FILE)?;
        Ok(Self { input: net.node("x")?, output: net.node("embedding")?, net })
    }

    /// The voice in these frames. Their mean is subtracted first.
    pub(crate) fn voice(&self, frames: &[[f32; BINS]]) -> Result<Voice, EngineError> {
        let mut mean = [0.0f32; BINS];
        for frame in frames {
            mean.iter_mut().zip(frame).for_each(|(sum, bin)| *sum += bin / frames.len() as f32);
        }
        let centered = frames.iter().flat_map(|frame| frame.iter().zip(&mean).map(|(bin, mean)| bin - mean));
        let numbers = self.run(centered.collect(), frames.len())?;
        let voice = <Voice>::try_from(numbers);
        voice.map(normalized).map_err(|_| EngineError::internal("the embedding has an unexpected size"))
    }

    /// Runs the model on frames whose mean is zero.
    pub(crate) fn run(&self, centered: Vec<f32>, frames: usize) -> Result<Vec<f32>, EngineError> {
        let centered = NdTensor::from_data([1, frames, BINS], centered);
        let output = self.net.run(vec![(self.input, centered.into())], &[self.output])?.into_iter().next();
        floats(output.ok_or_else(|| EngineError::internal("the embedding model has no output"))?)
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
