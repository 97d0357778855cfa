//! Hugging Face's safetensors: one file, or several in a folder with an index, beside a `config.json`.

mod config;
mod file;
mod header;
mod model;
#[cfg(test)]
mod tests;

pub use file::SafetensorsFile;
pub use model::SafetensorsModel;

pub(crate) use config::family_of_config;
