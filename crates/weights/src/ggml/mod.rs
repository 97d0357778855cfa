//! The files of whisper.cpp, `ggml-*.bin`: sizes, mel filters, vocabulary, then named tensors.

mod header;
mod reader;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use crate::bytes::FileBytes;
use crate::config::ModelConfig;
use crate::error::WeightsError;
use crate::matrix::Matrix;
use crate::source::TensorSource;
use crate::tensor::Tensor;

use header::Header;
use reader::Reader;

/// The largest Whisper has 1,259. An entry takes more memory than its twenty bytes in a hostile file.
const MAX_TENSORS: usize = 1 << 16;

/// A file of whisper.cpp, of any of its types. Its names are those that this program uses for Whisper.
#[derive(Debug)]
pub struct GgmlFile {
    header: Header,
    tensors: HashMap<String, Tensor>,
}

impl GgmlFile {
    /// Maps a file. Fails if it cannot be read, is not a file of whisper.cpp or is damaged.
    pub fn open(path: &Path) -> Result<Self, WeightsError> {
        Self::new(&FileBytes::open(path)?).map_err(|error| error.of_file(path))
    }

    /// Reads a file that is in memory.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, WeightsError> {
        Self::new(&FileBytes::from_memory(bytes))
    }

    fn new(bytes: &FileBytes) -> Result<Self, WeightsError> {
        let mut reader = Reader::new(bytes);
        let mut header = Header::read(&mut reader)?;
        let mut tensors = HashMap::new();
        while !reader.is_at_end() {
            if tensors.len() == MAX_TENSORS {
                return Err(WeightsError::damaged(format!("it has more than {MAX_TENSORS} tensors")));
            }
            let (name, tensor) = reader.tensor()?;
            if tensors.insert(name.clone(), tensor).is_some() {
                return Err(WeightsError::damaged(format!("it has two tensors with the name `{name}`")));
            }
        }
        // The pages between the tensors were read with those around them.
        bytes.release();
        let feed_forward = |side: &str| {
            let name = format!("{side}.blocks.0.mlp.0.weight");
            let tensor = tensors.get(&name).ok_or_else(|| WeightsError::missing(name))?;
            Ok::<usize, WeightsError>(tensor.shape.first().copied().unwrap_or(0))
        };
        header.config.encoder_feed_forward = feed_forward("encoder")?;
        header.config.decoder_feed_forward = feed_forward("decoder")?;
        header.config = header.config.checked()?;
        Ok(Self { header, tensors })
    }

    /// The sizes of the model.
    pub fn config(&self) -> &ModelConfig {
        &self.header.config
    }

    /// The bytes of each token that the file has. Ids from here up to the vocabulary of the config are special tokens.
    pub fn vocabulary(&self) -> &[Vec<u8>] {
        &self.header.vocabulary
    }

    /// The filters from the spectrum to the mel bands: a row of `bins` floats per band.
    pub fn mel_filters(&self) -> Vec<f32> {
        self.header.mel_filters.floats()
    }

    fn tensor(&self, name: &str) -> Result<&Tensor, WeightsError> {
        self.tensors.get(name).ok_or_else(|| WeightsError::missing(name))
    }
}

impl TensorSource for GgmlFile {
    fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    fn shape(&self, name: &str) -> Result<Vec<usize>, WeightsError> {
        Ok(self.tensor(name)?.shape.clone())
    }

    fn floats(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
        Ok(self.tensor(name)?.floats())
    }

    fn matrix(&self, name: &str) -> Result<Matrix, WeightsError> {
        Matrix::from_rows(self.tensor(name)?.clone()).map_err(|error| error.of_tensor(name))
    }
}
