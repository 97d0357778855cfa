//! The sizes of a model from the shapes of its tensors: ONNX files do not name them.

use crate::config::{Family, ModelConfig};
use crate::error::WeightsError;
use crate::source::TensorSource;

/// Every published Whisper has heads of this width.
const WHISPER_HEAD: usize = 64;
/// Both published sizes of Moonshine have eight heads, and rotate the first 32 dimensions of each.
const MOONSHINE_HEADS: usize = 8;
const MOONSHINE_ROTARY_WIDTH: usize = 32;
const ROTARY_BASE: f32 = 10_000.0;
/// More layers are refused later. This only ends the count.
const MAX_LAYERS: usize = 1_000;

pub(super) fn config_from_shapes(
    source: &dyn TensorSource,
    family: Family,
) -> Result<ModelConfig, WeightsError> {
    match family {
        Family::Whisper => whisper(source),
        Family::Moonshine => moonshine(source),
    }
}

fn whisper(source: &dyn TensorSource) -> Result<ModelConfig, WeightsError> {
    let width = size(source, "encoder.conv1.weight", 0)?;
    let layers = |side: &str| count(source, |layer| format!("{side}.blocks.{layer}.attn.query.weight"));
    ModelConfig {
        family: Family::Whisper,
        width,
        encoder_layers: layers("encoder"),
        decoder_layers: layers("decoder"),
        heads: width / WHISPER_HEAD,
        head_width: WHISPER_HEAD,
        encoder_feed_forward: size(source, "encoder.blocks.0.mlp.0.weight", 0)?,
        decoder_feed_forward: size(source, "decoder.blocks.0.mlp.0.weight", 0)?,
        mel_bins: size(source, "encoder.conv1.weight", 1)?,
        vocabulary: size(source, "decoder.token_embedding.weight", 0)?,
        audio_positions: size(source, "encoder.positional_embedding", 0)?,
        text_positions: size(source, "decoder.positional_embedding", 0)?,
        rotary_width: 0,
        rotary_base: 0.0,
    }
    .checked()
}

fn moonshine(source: &dyn TensorSource) -> Result<ModelConfig, WeightsError> {
    let width = size(source, "model.encoder.layer_norm.weight", 0)?;
    let layers =
        |side: &str| count(source, |layer| format!("model.{side}.layers.{layer}.self_attn.q_proj.weight"));
    ModelConfig {
        family: Family::Moonshine,
        width,
        encoder_layers: layers("encoder"),
        decoder_layers: layers("decoder"),
        heads: MOONSHINE_HEADS,
        head_width: width / MOONSHINE_HEADS,
        encoder_feed_forward: size(source, "model.encoder.layers.0.mlp.fc1.weight", 0)?,
        decoder_feed_forward: size(source, "model.decoder.layers.0.mlp.fc2.weight", 1)?,
        mel_bins: 0,
        vocabulary: size(source, "model.decoder.embed_tokens.weight", 0)?,
        audio_positions: 0,
        text_positions: 0,
        rotary_width: MOONSHINE_ROTARY_WIDTH,
        rotary_base: ROTARY_BASE,
    }
    .checked()
}

fn size(source: &dyn TensorSource, name: &str, axis: usize) -> Result<usize, WeightsError> {
    let shape = source.shape(name)?;
    let size = shape.get(axis).copied();
    size.ok_or_else(|| WeightsError::damaged(format!("the tensor `{name}` has the shape {shape:?}")))
}

fn count(source: &dyn TensorSource, name: impl Fn(usize) -> String) -> usize {
    (0..MAX_LAYERS).take_while(|layer| source.contains(&name(*layer))).count()
}
