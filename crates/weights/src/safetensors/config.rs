//! `config.json`: the sizes of a model of Hugging Face.

use std::path::Path;

use serde::Deserialize;

use crate::config::{Family, ModelConfig};
use crate::error::WeightsError;
use crate::safetensors::file::read_text;

const CONFIG: &str = "config.json";
const MAX_CONFIG: u64 = 1_000_000;

#[derive(Deserialize)]
struct ModelType {
    model_type: String,
}

/// The fields of `WhisperConfig` that matter.
#[derive(Deserialize)]
struct WhisperConfig {
    d_model: usize,
    encoder_layers: usize,
    decoder_layers: usize,
    encoder_attention_heads: usize,
    decoder_attention_heads: usize,
    encoder_ffn_dim: usize,
    decoder_ffn_dim: usize,
    num_mel_bins: usize,
    vocab_size: usize,
    max_source_positions: usize,
    max_target_positions: usize,
    #[serde(default = "gelu")]
    activation_function: String,
}

/// The fields of `MoonshineConfig` that matter, with its defaults.
#[derive(Deserialize)]
struct MoonshineConfig {
    hidden_size: usize,
    intermediate_size: usize,
    encoder_num_hidden_layers: usize,
    decoder_num_hidden_layers: usize,
    encoder_num_attention_heads: usize,
    decoder_num_attention_heads: usize,
    encoder_num_key_value_heads: Option<usize>,
    decoder_num_key_value_heads: Option<usize>,
    vocab_size: usize,
    #[serde(default)]
    max_position_embeddings: usize,
    partial_rotary_factor: Option<f64>,
    rope_theta: Option<f32>,
    rope_parameters: Option<RotaryConfig>,
    #[serde(default = "gelu")]
    encoder_hidden_act: String,
    #[serde(default = "silu")]
    decoder_hidden_act: String,
}

/// Newer files have the rotary numbers here.
#[derive(Deserialize)]
struct RotaryConfig {
    partial_rotary_factor: Option<f64>,
    rope_theta: Option<f32>,
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn silu() -> String {
    "silu".to_owned()
}

/// The family that the folder's `config.json` names.
pub(crate) fn family_of_config(folder: &Path) -> Result<Family, WeightsError> {
    of_folder(folder, family_of)
}

/// The sizes in the folder's `config.json`.
pub(super) fn read_config(folder: &Path, family: Family) -> Result<ModelConfig, WeightsError> {
    of_folder(folder, |text| parse_config(text, family))
}

/// What the text of the folder's `config.json` says.
fn of_folder<T>(
    folder: &Path,
    parse: impl FnOnce(&str) -> Result<T, WeightsError>,
) -> Result<T, WeightsError> {
    let path = folder.join(CONFIG);
    parse(&read_text(&path, MAX_CONFIG)?).map_err(|error| error.of_file(&path))
}

/// The family that this `config.json` names.
pub(super) fn family_of(text: &str) -> Result<Family, WeightsError> {
    match parse::<ModelType>(text)?.model_type.as_str() {
        "whisper" => Ok(Family::Whisper),
        "moonshine" => Ok(Family::Moonshine),
        other => {
            let what = format!("models of the type `{other}`; Whisper and Moonshine are");
            Err(WeightsError::unsupported(what))
        }
    }
}

/// The sizes in this `config.json`.
pub(super) fn parse_config(text: &str, family: Family) -> Result<ModelConfig, WeightsError> {
    let config = match family {
        Family::Whisper => parse::<WhisperConfig>(text)?.model_config(),
        Family::Moonshine => parse::<MoonshineConfig>(text)?.model_config(),
    };
    config.and_then(ModelConfig::checked)
}

fn parse<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, WeightsError> {
    serde_json::from_str(text).map_err(|error| WeightsError::damaged(error.to_string()))
}

impl WhisperConfig {
    fn model_config(self) -> Result<ModelConfig, WeightsError> {
        expect("activation_function", &self.activation_function, "gelu")?;
        let heads = same_heads(&[self.encoder_attention_heads, self.decoder_attention_heads])?;
        Ok(ModelConfig {
            family: Family::Whisper,
            width: self.d_model,
            encoder_layers: self.encoder_layers,
            decoder_layers: self.decoder_layers,
            heads,
            head_width: self.d_model / heads,
            encoder_feed_forward: self.encoder_ffn_dim,
            decoder_feed_forward: self.decoder_ffn_dim,
            mel_bins: self.num_mel_bins,
            vocabulary: self.vocab_size,
            audio_positions: self.max_source_positions,
            text_positions: self.max_target_positions,
            rotary_width: 0,
            rotary_base: 0.0,
        })
    }
}

impl MoonshineConfig {
    fn model_config(self) -> Result<ModelConfig, WeightsError> {
        expect("encoder_hidden_act", &self.encoder_hidden_act, "gelu")?;
        expect("decoder_hidden_act", &self.decoder_hidden_act, "silu")?;
        let encoder = self.encoder_num_attention_heads;
        let decoder = self.decoder_num_attention_heads;
        let heads = same_heads(&[
            encoder,
            decoder,
            self.encoder_num_key_value_heads.unwrap_or(encoder),
            self.decoder_num_key_value_heads.unwrap_or(decoder),
        ])?;
        let head_width = self.hidden_size / heads;
        let nested = self.rope_parameters.as_ref();
        let factor = self.partial_rotary_factor.or(nested.and_then(|nested| nested.partial_rotary_factor));
        let base = self.rope_theta.or(nested.and_then(|nested| nested.rope_theta));
        // As transformers does: rounded down, and down to whole pairs.
        let rotary_width = (head_width as f64 * factor.unwrap_or(0.9)) as usize / 2 * 2;
        Ok(ModelConfig {
            family: Family::Moonshine,
            width: self.hidden_size,
            encoder_layers: self.encoder_num_hidden_layers,
            decoder_layers: self.decoder_num_hidden_layers,
            heads,
            head_width,
            encoder_feed_forward: self.intermediate_size,
            decoder_feed_forward: self.intermediate_size,
            mel_bins: 0,
            vocabulary: self.vocab_size,
            audio_positions: 0,
            text_positions: self.max_position_embeddings,
            rotary_width,
            rotary_base: base.unwrap_or(10_000.0),
        })
    }
}

fn expect(field: &str, found: &str, supported: &str) -> Result<(), WeightsError> {
    if found == supported {
        return Ok(());
    }
    Err(WeightsError::unsupported(format!("`{field}` is `{found}`; only `{supported}` is supported")))
}

fn same_heads(heads: &[usize]) -> Result<usize, WeightsError> {
    match heads {
        [first, rest @ ..] if *first > 0 && rest.iter().all(|other| other == first) => Ok(*first),
        _ => Err(WeightsError::unsupported(format!(
            "all numbers of heads must be the same, but they are {heads:?}"
        ))),
    }
}
