//! The tensors that a model of given sizes consists of, with their shapes.

use std::collections::BTreeSet;

use crate::config::{Family, ModelConfig};
use crate::error::WeightsError;
use crate::source::TensorSource;

/// A tensor that a model has, or may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorShape {
    pub name: String,
    pub shape: Vec<usize>,
    /// Whether some models of this family leave it out.
    pub is_optional: bool,
}

/// Every tensor of a model.
pub fn expected_tensors(config: &ModelConfig) -> Vec<TensorShape> {
    let mut list = TensorList::default();
    match config.family {
        Family::Whisper => list.whisper(config),
        Family::Moonshine => list.moonshine(config),
    }
    list.0
}

/// The names of the tensors that the source has. Fails if one is missing or has another shape.
pub(crate) fn check_tensors(
    source: &dyn TensorSource,
    config: &ModelConfig,
) -> Result<BTreeSet<String>, WeightsError> {
    let mut names = BTreeSet::new();
    for expected in expected_tensors(config) {
        if !source.contains(&expected.name) {
            if expected.is_optional {
                continue;
            }
            return Err(WeightsError::missing(expected.name));
        }
        let found = source.shape(&expected.name)?;
        if without_ones(&found) != without_ones(&expected.shape) {
            let TensorShape { name, shape, .. } = expected;
            return Err(WeightsError::damaged(format!(
                "the tensor `{name}` has the shape {found:?}; this model needs {shape:?}"
            )));
        }
        names.insert(expected.name);
    }
    Ok(names)
}

/// Sizes of one are written or left out as the exporter likes.
fn without_ones(shape: &[usize]) -> Vec<usize> {
    shape.iter().copied().filter(|size| *size != 1).collect()
}

#[derive(Default)]
struct TensorList(Vec<TensorShape>);

impl TensorList {
    fn add(&mut self, name: String, shape: &[usize]) {
        self.0.push(TensorShape { name, shape: shape.to_vec(), is_optional: false });
    }

    fn add_optional(&mut self, name: String, shape: &[usize]) {
        self.0.push(TensorShape { name, shape: shape.to_vec(), is_optional: true });
    }

    /// Weights and bias.
    fn product(&mut self, module: &str, outputs: usize, inputs: usize) {
        self.add(format!("{module}.weight"), &[outputs, inputs]);
        self.add(format!("{module}.bias"), &[outputs]);
    }

    fn norm(&mut self, module: &str, width: usize) {
        self.add(format!("{module}.weight"), &[width]);
        self.add(format!("{module}.bias"), &[width]);
    }

    fn whisper(&mut self, config: &ModelConfig) {
        let width = config.width;
        for (name, channels) in [("encoder.conv1", config.mel_bins), ("encoder.conv2", width)] {
            self.add(format!("{name}.weight"), &[width, channels, 3]);
            self.add(format!("{name}.bias"), &[width]);
        }
        self.add("encoder.positional_embedding".to_owned(), &[config.audio_positions, width]);
        self.add("decoder.positional_embedding".to_owned(), &[config.text_positions, width]);
        self.add("decoder.token_embedding.weight".to_owned(), &[config.vocabulary, width]);
        for layer in 0..config.encoder_layers {
            self.whisper_layer(&format!("encoder.blocks.{layer}"), width, config.encoder_feed_forward);
        }
        for layer in 0..config.decoder_layers {
            let block = format!("decoder.blocks.{layer}");
            self.whisper_layer(&block, width, config.decoder_feed_forward);
            self.norm(&format!("{block}.cross_attn_ln"), width);
            self.whisper_attention(&format!("{block}.cross_attn"), width);
        }
        self.norm("encoder.ln_post", width);
        self.norm("decoder.ln", width);
    }

    fn whisper_layer(&mut self, block: &str, width: usize, inner: usize) {
        self.norm(&format!("{block}.attn_ln"), width);
        self.whisper_attention(&format!("{block}.attn"), width);
        self.norm(&format!("{block}.mlp_ln"), width);
        self.product(&format!("{block}.mlp.0"), inner, width);
        self.product(&format!("{block}.mlp.2"), width, inner);
    }

    /// Whisper's keys have no bias.
    fn whisper_attention(&mut self, module: &str, width: usize) {
        for part in ["query", "value", "out"] {
            self.product(&format!("{module}.{part}"), width, width);
        }
        self.add(format!("{module}.key.weight"), &[width, width]);
    }

    fn moonshine(&mut self, config: &ModelConfig) {
        let width = config.width;
        self.add("model.encoder.conv1.weight".to_owned(), &[width, 1, 127]);
        self.norm("model.encoder.groupnorm", width);
        self.add("model.encoder.conv2.weight".to_owned(), &[2 * width, width, 7]);
        self.add("model.encoder.conv2.bias".to_owned(), &[2 * width]);
        self.add("model.encoder.conv3.weight".to_owned(), &[width, 2 * width, 3]);
        self.add("model.encoder.conv3.bias".to_owned(), &[width]);
        self.add("model.encoder.layer_norm.weight".to_owned(), &[width]);
        self.add("model.decoder.embed_tokens.weight".to_owned(), &[config.vocabulary, width]);
        self.add("model.decoder.norm.weight".to_owned(), &[width]);
        for layer in 0..config.encoder_layers {
            let inner = config.encoder_feed_forward;
            let layer = format!("model.encoder.layers.{layer}");
            self.moonshine_layer(&layer, width, (inner, inner));
        }
        for layer in 0..config.decoder_layers {
            let inner = config.decoder_feed_forward;
            let layer = format!("model.decoder.layers.{layer}");
            self.moonshine_layer(&layer, width, (2 * inner, inner));
            self.moonshine_attention(&format!("{layer}.encoder_attn"), width);
            self.add(format!("{layer}.final_layernorm.weight"), &[width]);
        }
    }

    /// The feed-forward part has `outputs` of its first product and `inputs` of its second.
    fn moonshine_layer(&mut self, layer: &str, width: usize, (outputs, inputs): (usize, usize)) {
        self.moonshine_attention(&format!("{layer}.self_attn"), width);
        self.add(format!("{layer}.input_layernorm.weight"), &[width]);
        self.add(format!("{layer}.post_attention_layernorm.weight"), &[width]);
        self.product(&format!("{layer}.mlp.fc1"), outputs, width);
        self.product(&format!("{layer}.mlp.fc2"), width, inputs);
    }

    fn moonshine_attention(&mut self, module: &str, width: usize) {
        for part in ["q_proj", "k_proj", "v_proj", "o_proj"] {
            self.add(format!("{module}.{part}.weight"), &[width, width]);
            self.add_optional(format!("{module}.{part}.bias"), &[width]);
        }
    }
}
