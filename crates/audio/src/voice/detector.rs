//! Voice activity detection: the probability of speech for each 32 ms of audio, with Silero VAD.

use std::sync::OnceLock;

use auris_onnx::{Net, floats};
use rten::NodeId;
use rten_tensor::NdTensor;

use crate::EngineError;

/// Samples of a frame, which gets one probability.
pub const FRAME: usize = 512;
/// Samples of the previous frame that the model also reads.
const CONTEXT: usize = 64;
/// Size of the recurrent state.
const STATE: usize = 128;

static FILE: &[u8] = include_bytes!("../../../../models/silero_vad_16k_sequence.onnx");

struct VoiceNet {
    net: Net,
    inputs: [NodeId; 3],
    outputs: [NodeId; 3],
}

/// The model is small: it is loaded once and never unloaded.
fn voice_net() -> Result<&'static VoiceNet, EngineError> {
    static NET: OnceLock<Result<VoiceNet, EngineError>> = OnceLock::new();
    NET.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<VoiceNet, EngineError> {
    let net = Net::from_bytes(FILE)?;
    let inputs = [net.node("input")?, net.node("h")?, net.node("c")?];
    let outputs = [net.node("speech_probs")?, net.node("hn")?, net.node("cn")?];
    Ok(VoiceNet { net, inputs, outputs })
}

/// Detects speech in a stream of samples.
pub(super) struct VoiceDetector {
    hidden: Vec<f32>,
    cell: Vec<f32>,
    /// The context, followed by samples that do not fill a frame yet.
    waiting: Vec<f32>,
}

impl VoiceDetector {
    pub(super) fn new() -> Self {
        Self { hidden: vec![0.0; STATE], cell: vec![0.0; STATE], waiting: vec![0.0; CONTEXT] }
    }

    /// The probabilities of all frames that `samples` completes.
    pub(super) fn push(&mut self, samples: &[f32]) -> Result<Vec<f32>, EngineError> {
        self.waiting.extend_from_slice(samples);
        let frames = (self.waiting.len() - CONTEXT) / FRAME;
        if frames == 0 {
            return Ok(Vec::new());
        }
        let windows =
            (0..frames).flat_map(|frame| &self.waiting[frame * FRAME..][..FRAME + CONTEXT]).copied();
        let windows = NdTensor::from_data([frames, FRAME + CONTEXT], windows.collect::<Vec<f32>>());
        let probabilities = self.run(windows)?;
        self.waiting.drain(..frames * FRAME);
        Ok(probabilities)
    }

    /// The probability of the last frame, padded with silence; empty if there is none.
    pub(super) fn finish(&mut self) -> Result<Vec<f32>, EngineError> {
        let left = self.waiting.len() - CONTEXT;
        if left == 0 { Ok(Vec::new()) } else { self.push(&vec![0.0; FRAME - left]) }
    }

    fn run(&mut self, windows: NdTensor<f32, 2>) -> Result<Vec<f32>, EngineError> {
        let voice = voice_net()?;
        let hidden = NdTensor::from_data([1, 1, STATE], std::mem::take(&mut self.hidden));
        let cell = NdTensor::from_data([1, 1, STATE], std::mem::take(&mut self.cell));
        let [input, h, c] = voice.inputs;
        let inputs = vec![(input, windows.into()), (h, hidden.into()), (c, cell.into())];
        let mut outputs = voice.net.run(inputs, &voice.outputs)?.into_iter();
        let mut next = || {
            outputs.next().ok_or_else(|| EngineError::internal("the voice model returned too few outputs"))
        };
        let probabilities = floats(next()?)?;
        self.hidden = floats(next()?)?;
        self.cell = floats(next()?)?;
        Ok(probabilities)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probabilities(samples: &[f32], piece: usize) -> Vec<f32> {
        let mut detector = VoiceDetector::new();
        let mut found = Vec::new();
        for piece in samples.chunks(piece) {
            found.extend(detector.push(piece).unwrap());
        }
        found.extend(detector.finish().unwrap());
        found
    }

    #[test]
    fn a_tone_and_silence_are_not_speech() {
        let tone: Vec<f32> = (0..32_000).map(|n| (n as f32 * 0.172_787_6).sin() * 0.5).collect();
        for samples in [tone, vec![0.0; 32_000]] {
            assert!(probabilities(&samples, 8_000).iter().all(|probability| *probability < 0.2));
        }
    }

    #[test]
    fn the_chunk_size_does_not_change_the_result() {
        let samples: Vec<f32> = (0..20_000).map(|n| ((n * n) as f32 * 0.001).sin() * 0.3).collect();
        let one = probabilities(&samples, 20_000);
        let other = probabilities(&samples, 777);
        assert_eq!(one.len(), 40);
        assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-4));
    }
}
