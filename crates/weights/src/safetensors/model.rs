//! A folder of Hugging Face as a source, with the names that this program uses.

use std::path::Path;

use crate::config::{Family, ModelConfig};
use crate::error::WeightsError;
use crate::matrix::Matrix;
use crate::names::hugging_face_name;
use crate::safetensors::config::{family_of, parse_config, read_config};
use crate::safetensors::file::SafetensorsFile;
use crate::source::TensorSource;

/// A model of Hugging Face: `config.json` and the tensors.
#[derive(Debug)]
pub struct SafetensorsModel {
    file: SafetensorsFile,
    config: ModelConfig,
}

impl SafetensorsModel {
    /// Opens a folder. Fails if its `config.json` is of another family or its files are damaged.
    pub fn open(folder: &Path, family: Family) -> Result<Self, WeightsError> {
        let config = read_config(folder, family)?;
        Ok(Self { file: SafetensorsFile::open(folder)?, config })
    }

    /// A model in memory: the text of its `config.json`, and its tensors. Fails as `open` does.
    pub fn from_memory(config: &str, file: SafetensorsFile) -> Result<Self, WeightsError> {
        Ok(Self { config: parse_config(config, family_of(config)?)?, file })
    }

    /// The sizes of the model.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn find(&self, name: &str) -> Result<String, WeightsError> {
        self.locate(name).ok_or_else(|| WeightsError::missing(name))
    }

    /// The name in the file. Files of the bare net lack the prefix `model.`; the table of tokens may only be there as the
    /// output product, which has the same weights.
    fn locate(&self, name: &str) -> Option<String> {
        let full = hugging_face_name(self.config.family, name)?;
        let bare = full.strip_prefix("model.").unwrap_or(&full).to_owned();
        let tied = full.ends_with("decoder.embed_tokens.weight").then(|| "proj_out.weight".to_owned());
        let names = [Some(full), Some(bare), tied];
        names.into_iter().flatten().find(|name| self.file.contains(name))
    }
}

impl TensorSource for SafetensorsModel {
    fn contains(&self, name: &str) -> bool {
        self.locate(name).is_some()
    }

    fn shape(&self, name: &str) -> Result<Vec<usize>, WeightsError> {
        self.file.shape(&self.find(name)?)
    }

    fn floats(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
        self.file.floats(&self.find(name)?)
    }

    fn matrix(&self, name: &str) -> Result<Matrix, WeightsError> {
        self.file.matrix(&self.find(name)?)
    }
}
