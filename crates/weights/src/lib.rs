//! Files of weights: ONNX, whisper.cpp's GGML, llama.cpp's GGUF and Hugging Face's safetensors, and a packed copy of
//! speech models that the next load maps into memory.
//!
//! A net is built from [`ModelParts`], which [`open_model`] finds in a folder. The names of the parts are the same
//! whatever the kind of file: OpenAI's for Whisper (`encoder.blocks.0.attn.query.weight`), Hugging Face's for Moonshine
//! (`model.encoder.layers.0.self_attn.q_proj.weight`). Other nets read an [`OnnxFile`] by the names that it has,
//! and language models a [`GgufFile`].
//!
//! No file is trusted: every size and every position is checked against the length of the file, and nothing is allocated
//! that the file does not have the bytes for. A damaged file gives a [`WeightsError`] that says what is wrong.

mod blocks;
mod bytes;
mod config;
mod element;
mod error;
mod files;
mod ggml;
mod gguf;
mod half;
mod mapped;
mod matrix;
mod names;
mod onnx;
mod pack;
mod packed;
mod parts;
mod safetensors;
mod source;
mod tensor;
mod tensor_list;
#[cfg(test)]
mod test_files;

pub use config::{Family, ModelConfig};
pub use error::WeightsError;
pub use files::ModelFiles;
pub use ggml::GgmlFile;
pub use gguf::GgufFile;
pub use matrix::Matrix;
pub use onnx::{Attribute, Node, OnnxFile, OnnxModel};
pub use pack::linear;
pub use packed::{CopyPolicy, check_copy, packed_copy_path, verify_copy};
pub use parts::{ModelParts, inspect, open_model, open_source};
pub use safetensors::{SafetensorsFile, SafetensorsModel};
pub use source::TensorSource;
pub use tensor_list::{TensorShape, expected_tensors};
