//! What a voice sounds like: 192 numbers for some seconds of one speaker, by CAM++ of 3D-Speaker.

use rten::NodeId;
use rten_tensor::NdTensor;

use super::fbank::BINS;
use crate::EngineError;
use crate::speech::net::{Net, floats};

pub(crate) const SIZE: usize = 192;

static FILE: &[u8] = include_bytes!("../../../../models/campplus_zh_en_16k_common_advanced.onnx");

/// A voice as a vector of length one: the product of two is their likeness.
pub(crate) type Voice = [f32; SIZE];

/// The net.
pub(crate) struct EmbeddingNet {
    net: Net,
    input: NodeId,
    output: NodeId,
}

impl EmbeddingNet {
    pub(crate) fn load() -> Result<Self, EngineError> {
        let net = Net::from_bytes(FILE)?;
        let (input, output) = (net.node("x")?, net.node("embedding")?);
        Ok(Self { net, input, output })
    }

    /// The voice in these frames, whose mean is taken away first.
    pub(crate) fn voice(&self, frames: &[[f32; BINS]]) -> Result<Voice, EngineError> {
        let mut mean = [0.0f32; BINS];
        for frame in frames {
            mean.iter_mut().zip(frame).for_each(|(sum, bin)| *sum += bin / frames.len() as f32);
        }
        let level = frames.iter().flat_map(|frame| frame.iter().zip(&mean).map(|(bin, mean)| bin - mean));
        let numbers = self.run(level.collect(), frames.len())?;
        let voice = <Voice>::try_from(numbers);
        voice.map(of_length_one).map_err(|_| EngineError::internal("the embedding net gave another size"))
    }

    /// The net alone, on frames that are level already.
    pub(crate) fn run(&self, level: Vec<f32>, frames: usize) -> Result<Vec<f32>, EngineError> {
        let level = NdTensor::from_data([1, frames, BINS], level);
        let output = self.net.run(vec![(self.input, level.into())], &[self.output])?.into_iter().next();
        floats(output.ok_or_else(|| EngineError::internal("the embedding net gave nothing"))?)
    }
}

pub(crate) fn of_length_one(mut voice: Voice) -> Voice {
    let length = likeness(&voice, &voice).sqrt();
    if length > 0.0 {
        voice.iter_mut().for_each(|value| *value /= length);
    }
    voice
}

/// How alike two voices are: 1 for the same, about 0 for strangers.
pub(crate) fn likeness(one: &Voice, other: &Voice) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
