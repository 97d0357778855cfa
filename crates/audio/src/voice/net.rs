//! Silero VAD: the probability of speech for windows of audio.
//!
//! Everything before the LSTM is computed for many windows at once.

use auris_kernels::{dot, sigmoid};
use auris_weights::{OnnxFile, WeightsError};

use super::convolution::{WindowConvolution, WindowFrames};
use super::spectrum::{FRAMES, Spectrum, Windows};
use crate::lstm::{Direction, Lstm, LstmState, LstmWeights};

/// Samples of a frame, which gets one probability.
pub const FRAME: usize = 512;
/// Samples of the previous frame that the model also reads.
pub(super) const CONTEXT: usize = 64;
/// Windows computed at once: enough to read the weights rarely, few enough for the cache of a core.
const BATCH: usize = 64;
/// Frames from one output frame to the next in each convolution.
const STRIDES: [usize; 4] = [1, 2, 2, 1];

static FILE: &[u8] = include_bytes!("../../../../models/silero_vad_16k_sequence.onnx");

/// The loaded model.
pub(super) struct VoiceNet {
    spectrum: Spectrum,
    convolutions: Vec<WindowConvolution>,
    lstm: Lstm,
    output: Vec<f32>,
    output_bias: f32,
}

/// What the model remembers of a recording, and its buffers.
pub(super) struct VoiceState {
    lstm: LstmState,
    x: Vec<f32>,
    y: Vec<f32>,
}

impl VoiceNet {
    pub(super) fn load() -> Result<Self, WeightsError> {
        let file = OnnxFile::from_bytes(FILE)?;
        let mut frames = FRAMES;
        let mut convolutions = Vec::new();
        for (nth, stride) in STRIDES.into_iter().enumerate() {
            let weights = file.floats(&format!("encoder.{nth}.weight"))?;
            let bias = file.floats(&format!("encoder.{nth}.bias"))?;
            let convolution = WindowConvolution::new(&weights, &bias, WindowFrames { frames, stride });
            frames = convolution.frames();
            convolutions.push(convolution);
        }
        Ok(Self {
            spectrum: Spectrum::new(&file.floats("stft.forward_basis_buffer")?),
            convolutions,
            lstm: lstm(&file)?,
            output: file.floats("output.weight")?,
            output_bias: file.floats("output.bias")?.first().copied().unwrap_or(0.0),
        })
    }

    /// The state at the beginning of a recording.
    pub(super) fn state(&self) -> VoiceState {
        VoiceState { lstm: LstmState::new(self.lstm.size()), x: Vec::new(), y: Vec::new() }
    }

    /// The probabilities of the frames after the context that `samples` begins with. What does not fill a frame is
    /// ignored.
    pub(super) fn probabilities(&self, samples: &[f32], state: &mut VoiceState) -> Vec<f32> {
        let frames = samples.len().saturating_sub(CONTEXT) / FRAME;
        let mut probabilities = Vec::with_capacity(frames);
        for first in (0..frames).step_by(BATCH) {
            let end = (first + BATCH).min(frames);
            self.batch(&samples[first * FRAME..end * FRAME + CONTEXT], state, &mut probabilities);
        }
        sigmoid(&mut probabilities);
        probabilities
    }

    /// Appends the outputs before the sigmoid.
    fn batch(&self, samples: &[f32], state: &mut VoiceState, outputs: &mut Vec<f32>) {
        let VoiceState { lstm, x, y } = state;
        x.clear();
        self.spectrum.append(Windows { samples, length: FRAME + CONTEXT, step: FRAME }, x);
        for convolution in &self.convolutions {
            convolution.run(x, y);
            std::mem::swap(x, y);
        }
        let mut positive = vec![0.0; self.lstm.size()];
        self.lstm.run(x, lstm, |_, hidden| {
            positive.iter_mut().zip(hidden).for_each(|(positive, value)| *positive = value.max(0.0));
            outputs.push(dot(&positive, &self.output) + self.output_bias);
        });
    }
}

fn lstm(file: &OnnxFile) -> Result<Lstm, WeightsError> {
    let node = file.nodes().iter().find(|node| node.operator == "LSTM");
    let inputs = node.map_or(&[][..], |node| node.inputs.as_slice());
    let floats = |nth: usize| file.floats(inputs.get(nth).map_or("LSTM", String::as_str));
    let input = floats(1)?;
    let recurrent = floats(2)?;
    let bias = floats(3)?;
    let weights = LstmWeights { input: &input, recurrent: &recurrent, bias: &bias };
    Ok(Lstm::new(weights, Direction::Forward))
}
