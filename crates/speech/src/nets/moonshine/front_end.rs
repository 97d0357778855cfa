//! Three convolutions over the samples.

use auris_engine_core::EngineError;
use auris_kernels::{Epilogue, FloatLinear, Linear, QuantizedRows};

use crate::net::{Margin, NetInput, Pause};
use crate::nets::buffers::sized;
use crate::nets::convolution::Convolution;
use crate::nets::encoder_decoder::{FrontEnd, FrontEndWork};
use crate::nets::loader::Loader;
use crate::nets::positions::Rotary;

/// Windows and steps of the three convolutions.
const FIRST: Sizes = Sizes { window: 127, step: 64 };
const SECOND: Sizes = Sizes { window: 7, step: 3 };
const THIRD: Sizes = Sizes { window: 3, step: 2 };
/// The samples that give one frame. Less is padded with silence.
const MIN_SAMPLES: usize = FIRST.inputs(SECOND.inputs(THIRD.inputs(1)));
const GROUP_EPSILON: f32 = 1e-5;

/// The rows of inputs in a window, and from one window to the next.
#[derive(Clone, Copy)]
struct Sizes {
    window: usize,
    step: usize,
}

impl Sizes {
    /// The rows that this many rows of inputs give.
    const fn outputs(self, inputs: usize) -> usize {
        if inputs < self.window { 0 } else { (inputs - self.window) / self.step + 1 }
    }

    /// The rows of inputs that this many rows of outputs need; at least one.
    const fn inputs(self, outputs: usize) -> usize {
        self.window + self.step * (outputs - 1)
    }

    /// The convolution over these inputs, rows of `numbers` numbers, with results of this width.
    fn over(self, inputs: &[f32], numbers: usize, width: usize) -> Convolution<'_> {
        Convolution { inputs, window: self.window * numbers, step: self.step * numbers, width }
    }
}

/// The convolutions of a net.
pub(crate) struct MoonshineFrontEnd {
    /// Floats, because it reads samples.
    first: FloatLinear,
    group_gain: Vec<f32>,
    group_bias: Vec<f32>,
    second: Linear,
    third: Linear,
}

#[derive(Default)]
pub(crate) struct ConvolutionBuffers {
    padded: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    coarse: QuantizedRows,
    remainders: QuantizedRows,
}

impl MoonshineFrontEnd {
    pub(super) fn load(loader: &mut Loader<'_>, width: usize) -> Result<Self, EngineError> {
        let weights = loader.vector("model.encoder.conv1.weight", width * FIRST.window)?;
        let mut convolution = |name: &str, inputs: usize, outputs: usize| {
            loader.linear(&[format!("model.encoder.{name}")], inputs, Some(outputs))
        };
        let second = convolution("conv2", SECOND.window * width, 2 * width)?;
        let third = convolution("conv3", THIRD.window * 2 * width, width)?;
        Ok(Self {
            first: FloatLinear::new(&weights, FIRST.window, &[]),
            group_gain: loader.vector("model.encoder.groupnorm.weight", width)?,
            group_bias: loader.vector("model.encoder.groupnorm.bias", width)?,
            second,
            third,
        })
    }

    /// The mean and the variance are over all frames: this is why padding a segment changes its words.
    fn group_norm(&self, rows: &mut [f32]) {
        let (mean, variance) = auris_kernels::moments(rows);
        let scale = 1.0 / (variance + GROUP_EPSILON).sqrt();
        let gain: Vec<f32> = self.group_gain.iter().map(|gain| gain * scale).collect();
        let shift: Vec<f32> =
            gain.iter().zip(&self.group_bias).map(|(gain, bias)| bias - mean * gain).collect();
        for row in rows.chunks_exact_mut(gain.len()) {
            auris_kernels::scale_shift(row, &gain, &shift);
        }
    }
}

impl FrontEnd for MoonshineFrontEnd {
    type Buffers = ConvolutionBuffers;

    fn run(
        &self,
        input: NetInput<'_>,
        work: FrontEndWork<'_, ConvolutionBuffers>,
        pause: Pause<'_>,
    ) -> Result<usize, EngineError> {
        let FrontEndWork { buffers, frames } = work;
        let width = self.group_gain.len();
        let count = self.frames(input.samples.len(), input.margin);
        if count > Rotary::MAX {
            let most = Rotary::MAX;
            return Err(EngineError::internal(format!(
                "a segment has {count} frames; Moonshine takes {most}"
            )));
        }
        let ConvolutionBuffers { padded, first, second, coarse, remainders } = buffers;
        let samples = at_least(input.samples, padded);
        let first = sized(first, FIRST.outputs(samples.len()) * width);
        FIRST.over(samples, 1, width).in_blocks(first, pause, |samples, results| {
            self.first.run_windows(samples, FIRST.step, results);
            auris_kernels::tanh(results);
        })?;
        self.group_norm(first);
        let second = sized(second, SECOND.outputs(first.len() / width) * 2 * width);
        let mut fine = FineConvolution { coarse, remainders };
        fine.run(&self.second, SECOND.over(first, width, 2 * width), second, pause)?;
        frames.resize(count * width, 0.0);
        fine.run(&self.third, THIRD.over(second, 2 * width, width), frames, pause)?;
        Ok(count)
    }

    /// Moonshine reads no silence after the audio.
    fn frames(&self, samples: usize, _: Margin) -> usize {
        THIRD.outputs(SECOND.outputs(FIRST.outputs(samples.max(MIN_SAMPLES))))
    }
}

/// The samples, or a copy with silence behind them if they are too few.
fn at_least<'a>(samples: &'a [f32], padded: &'a mut Vec<f32>) -> &'a [f32] {
    if samples.len() >= MIN_SAMPLES {
        return samples;
    }
    padded.clear();
    padded.extend_from_slice(samples);
    padded.resize(MIN_SAMPLES, 0.0);
    padded
}

/// A convolution and its GELU on inputs of sixteen bits: bytes, and what they lost as bytes too. With bytes alone, four
/// or five more of 305 words were wrong; with both, one or none.
struct FineConvolution<'a> {
    coarse: &'a mut QuantizedRows,
    remainders: &'a mut QuantizedRows,
}

impl FineConvolution<'_> {
    fn run(
        &mut self,
        linear: &Linear,
        convolution: Convolution<'_>,
        results: &mut [f32],
        pause: Pause<'_>,
    ) -> Result<(), EngineError> {
        convolution.in_blocks(results, pause, |inputs, results| {
            self.coarse.fill_windows(inputs, linear.inputs(), convolution.step);
            self.remainders.fill_remainders(self.coarse, inputs, convolution.step);
            linear.run(self.coarse, results, Epilogue::Store);
            linear.run(self.remainders, results, Epilogue::AddGelu);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_samples_give_one_frame() {
        let frames = |samples| THIRD.outputs(SECOND.outputs(FIRST.outputs(samples)));
        assert_eq!(MIN_SAMPLES, 895);
        assert_eq!((frames(MIN_SAMPLES - 1), frames(MIN_SAMPLES)), (0, 1));
        assert_eq!(frames(16_000), 40);
    }

    #[test]
    fn only_short_segments_are_padded() {
        let mut padded = Vec::new();
        assert_eq!(at_least(&[1.0; 1_000], &mut padded).len(), 1_000);
        let short = at_least(&[1.0; 3], &mut padded);
        assert_eq!((short.len(), short[2], short[3]), (MIN_SAMPLES, 1.0, 0.0));
        assert_eq!(at_least(&[], &mut padded), [0.0; MIN_SAMPLES]);
    }
}
