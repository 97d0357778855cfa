//! Parts of small nets with random weights, which are the same in every run.

use auris_kernels::Linear;
use auris_weights::{Family, ModelConfig, ModelParts, WeightsError, expected_tensors};

const MOONSHINE: ModelConfig = ModelConfig {
    family: Family::Moonshine,
    width: 72,
    encoder_layers: 2,
    decoder_layers: 3,
    heads: 2,
    head_width: 36,
    encoder_feed_forward: 96,
    decoder_feed_forward: 80,
    mel_bins: 0,
    vocabulary: 50,
    audio_positions: 0,
    text_positions: 0,
    rotary_width: 32,
    rotary_base: 10_000.0,
};

const WHISPER: ModelConfig = ModelConfig {
    family: Family::Whisper,
    width: 128,
    encoder_layers: 2,
    decoder_layers: 3,
    heads: 2,
    head_width: 64,
    encoder_feed_forward: 96,
    decoder_feed_forward: 96,
    mel_bins: 80,
    vocabulary: 60,
    audio_positions: 300,
    text_positions: 40,
    rotary_width: 0,
    rotary_base: 0.0,
};

/// A model that does not exist.
pub(super) struct RandomParts {
    pub(super) config: ModelConfig,
    /// A tensor that has one number too many.
    pub(super) too_long: &'static str,
}

impl RandomParts {
    pub(super) fn moonshine() -> Self {
        Self { config: MOONSHINE, too_long: "" }
    }

    pub(super) fn whisper() -> Self {
        Self { config: WHISPER, too_long: "" }
    }

    /// The number of numbers in each tensor that a net needs.
    pub(super) fn tensor_sizes(&self) -> impl Iterator<Item = usize> {
        let needed = expected_tensors(&self.config).into_iter().filter(|tensor| !tensor.is_optional);
        needed.map(|tensor| tensor.shape.iter().product::<usize>())
    }

    fn shape(&self, name: &str) -> Vec<usize> {
        let mut expected = expected_tensors(&self.config).into_iter();
        expected.find(|tensor| tensor.name == name).unwrap().shape
    }

    fn numbers(&self, name: &str, count: usize) -> Vec<f32> {
        let count = count + usize::from(name == self.too_long);
        let mut state = name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(next).collect()
    }
}

impl ModelParts for RandomParts {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn contains(&self, name: &str) -> bool {
        let expected = expected_tensors(&self.config);
        expected.iter().any(|tensor| tensor.name == name && !tensor.is_optional)
    }

    fn floats(&mut self, name: &str) -> Result<Vec<f32>, WeightsError> {
        Ok(self.numbers(name, self.shape(name).iter().product()))
    }

    fn linear(&mut self, weights: &[&str], biases: &[Option<&str>]) -> Result<Linear, WeightsError> {
        let (mut rows, mut bias) = (Vec::new(), Vec::new());
        let inputs = self.shape(weights[0])[1..].iter().product::<usize>();
        for (weights, name) in weights.iter().zip(biases) {
            let outputs = self.shape(weights)[0];
            let scale = 2.0 / (inputs as f32).sqrt();
            rows.extend(self.numbers(weights, outputs * inputs).iter().map(|number| number * scale));
            bias.extend(name.map_or_else(|| vec![0.0; outputs], |name| self.numbers(name, outputs)));
        }
        Ok(Linear::from_floats(&rows, inputs, &bias))
    }
}
