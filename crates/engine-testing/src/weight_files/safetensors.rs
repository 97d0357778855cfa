//! A folder of Hugging Face: `config.json` and `model.safetensors`, in one file or in two with an index.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use auris_weights::{Family, ModelConfig, TensorShape, TensorSource, expected_tensors};
use serde_json::{Value, json};

use super::blocks::f32_to_f16;

/// How the weights are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatType {
    F32,
    F16,
    Bf16,
}

impl FloatType {
    fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::Bf16 => "BF16",
        }
    }

    fn encode(self, float: f32, out: &mut Vec<u8>) {
        match self {
            Self::F32 => out.extend(float.to_le_bytes()),
            Self::F16 => out.extend(f32_to_f16(float).to_le_bytes()),
            Self::Bf16 => out.extend(((float.to_bits() + 0x8000) >> 16).to_le_bytes().into_iter().take(2)),
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
}

/// Writes a model as a folder of Hugging Face, split into this number of files.
pub fn write_safetensors(
    folder: &Path,
    (source, config): (&dyn TensorSource, &ModelConfig),
    kind: FloatType,
    files: usize,
) {
    fs::create_dir_all(folder).unwrap();
    let (json, name): (_, fn(&str) -> String) = match config.family {
        Family::Whisper => (whisper_config(config), whisper_name),
        Family::Moonshine => (moonshine_config(config), str::to_owned),
    };
    fs::write(folder.join("config.json"), json.to_string()).unwrap();
    let tensors: Vec<Stored> = expected_tensors(config)
        .into_iter()
        .filter(|tensor| source.contains(&tensor.name))
        .map(|tensor| Stored { name: name(&tensor.name), tensor })
        .collect();
    if files == 1 {
        return write_file(&folder.join("model.safetensors"), source, &tensors, kind);
    }
    let mut index = BTreeMap::new();
    for (nth, tensors) in tensors.chunks(tensors.len().div_ceil(files)).enumerate() {
        let name = format!("model-{:05}-of-{files:05}.safetensors", nth + 1);
        write_file(&folder.join(&name), source, tensors, kind);
        index.extend(tensors.iter().map(|stored| (stored.name.clone(), name.clone())));
    }
    let index = json!({ "metadata": { "total_size": 0 }, "weight_map": index });
    fs::write(folder.join("model.safetensors.index.json"), index.to_string()).unwrap();
}

/// A tensor and its name in the files.
struct Stored {
    name: String,
    tensor: TensorShape,
}

fn write_file(path: &Path, source: &dyn TensorSource, tensors: &[Stored], kind: FloatType) {
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".to_owned(), json!({ "format": "pt" }));
    let mut start = 0;
    for Stored { name, tensor } in tensors {
        let end = start + tensor.shape.iter().product::<usize>() * kind.bytes();
        let entry = json!({ "dtype": kind.name(), "shape": tensor.shape, "data_offsets": [start, end] });
        header.insert(name.clone(), entry);
        start = end;
    }
    let header = Value::Object(header).to_string();
    let mut file = BufWriter::new(File::create(path).unwrap());
    file.write_all(&(header.len() as u64).to_le_bytes()).unwrap();
    file.write_all(header.as_bytes()).unwrap();
    for Stored { tensor, .. } in tensors {
        let mut bytes = Vec::new();
        source.floats(&tensor.name).unwrap().iter().for_each(|float| kind.encode(*float, &mut bytes));
        file.write_all(&bytes).unwrap();
    }
    file.flush().unwrap();
}

fn whisper_config(config: &ModelConfig) -> Value {
    json!({
        "architectures": ["WhisperForConditionalGeneration"],
        "model_type": "whisper",
        "activation_function": "gelu",
        "d_model": config.width,
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "encoder_attention_heads": config.heads,
        "decoder_attention_heads": config.heads,
        "encoder_ffn_dim": config.encoder_feed_forward,
        "decoder_ffn_dim": config.decoder_feed_forward,
        "num_mel_bins": config.mel_bins,
        "vocab_size": config.vocabulary,
        "max_source_positions": config.audio_positions,
        "max_target_positions": config.text_positions,
    })
}

fn moonshine_config(config: &ModelConfig) -> Value {
    json!({
        "architectures": ["MoonshineForConditionalGeneration"],
        "model_type": "moonshine",
        "encoder_hidden_act": "gelu",
        "decoder_hidden_act": "silu",
        "hidden_size": config.width,
        "intermediate_size": config.encoder_feed_forward,
        "encoder_num_hidden_layers": config.encoder_layers,
        "decoder_num_hidden_layers": config.decoder_layers,
        "encoder_num_attention_heads": config.heads,
        "decoder_num_attention_heads": config.heads,
        "vocab_size": config.vocabulary,
        "max_position_embeddings": config.text_positions,
        // Rounded down by the reader, like the published 0.9.
        "partial_rotary_factor": (config.rotary_width as f64 + 0.5) / config.head_width as f64,
        "rope_theta": config.rotary_base,
    })
}

/// The name of a tensor in `WhisperForConditionalGeneration`.
fn whisper_name(name: &str) -> String {
    let replaced = [
        (".blocks.", ".layers."),
        ("encoder.ln_post", "encoder.layer_norm"),
        ("decoder.ln.", "decoder.layer_norm."),
        (".cross_attn_ln", ".encoder_attn_layer_norm"),
        (".attn_ln", ".self_attn_layer_norm"),
        (".mlp_ln", ".final_layer_norm"),
        (".cross_attn.", ".encoder_attn."),
        (".attn.", ".self_attn."),
        (".query.", ".q_proj."),
        (".key.", ".k_proj."),
        (".value.", ".v_proj."),
        (".out.", ".out_proj."),
        (".mlp.0.", ".fc1."),
        (".mlp.2.", ".fc2."),
        ("token_embedding", "embed_tokens"),
        ("positional_embedding", "embed_positions.weight"),
    ];
    let name = replaced.iter().fold(name.to_owned(), |name, (ours, theirs)| name.replace(ours, theirs));
    format!("model.{name}")
}
