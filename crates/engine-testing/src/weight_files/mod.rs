//! Writes the weights of a Whisper model in the other formats that are supported: GGML files of whisper.cpp, and folders
//! of Hugging Face with safetensors.

mod blocks;
mod ggml;
mod safetensors;
mod vocabulary;

pub use ggml::{GgmlType, write_ggml};
pub use safetensors::{FloatType, write_safetensors};
pub use vocabulary::read_vocabulary;
