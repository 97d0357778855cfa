//! Writes the weights of a model in the other formats that are supported: GGML files of whisper.cpp, and folders of
//! Hugging Face with safetensors.

mod blocks;
mod ggml;
mod k_blocks;
mod safetensors;
mod vocabulary;

/// What a test needs to read the weights that it converts.
pub use auris_weights::{Family, ModelFiles, open_source};
pub use ggml::{GgmlType, write_ggml};
pub use safetensors::{FloatType, write_safetensors};
pub use vocabulary::read_vocabulary;
