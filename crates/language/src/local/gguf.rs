//! Reads a GGUF file: its metadata and its tensors. Errors name the file, and the metadata key or the tensor.

use std::path::Path;

use auris_engine_core::EngineError;
use auris_kernels::BlockLinear;
use auris_weights::GgufFile;

/// An open file.
pub(super) struct Gguf {
    file: GgufFile,
    name: String,
}

impl Gguf {
    pub(super) fn open(path: &Path) -> Result<Self, EngineError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = GgufFile::open(path).map_err(|error| broken(&name, &error))?;
        Ok(Self { file, name })
    }

    /// An error about this file.
    pub(super) fn broken(&self, what: impl std::fmt::Display) -> EngineError {
        broken(&self.name, &what)
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.file.text(key)
    }

    pub(super) fn required_text(&self, key: &str) -> Result<&str, EngineError> {
        self.text(key).ok_or_else(|| self.broken(format!("it has no text `{key}`")))
    }

    pub(super) fn number(&self, key: &str) -> Option<u64> {
        self.file.number(key)
    }

    pub(super) fn required_number(&self, key: &str) -> Result<usize, EngineError> {
        let number = self.number(key).filter(|number| *number > 0 && *number < 1 << 32);
        number
            .map(|number| number as usize)
            .ok_or_else(|| self.broken(format!("it has no usable number `{key}`")))
    }

    pub(super) fn float(&self, key: &str) -> Option<f32> {
        self.file.float(key)
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.file.flag(key)
    }

    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, EngineError> {
        let texts = self.file.texts(key);
        let texts = texts.ok_or_else(|| self.broken(format!("it has no list of texts `{key}`")))?;
        Ok(texts.into_iter().map(str::to_owned).collect())
    }

    /// A list of integers of any type.
    pub(super) fn numbers(&self, key: &str) -> Option<Vec<i64>> {
        self.file.numbers(key)
    }

    pub(super) fn has(&self, tensor: &str) -> bool {
        self.file.has(tensor)
    }

    /// The sizes of a tensor, the outermost first; `None` if the file does not have it.
    pub(super) fn shape(&self, tensor: &str) -> Option<&[usize]> {
        self.file.shape(tensor)
    }

    /// A tensor of this many floats.
    pub(super) fn floats(&self, name: &str, count: usize) -> Result<Vec<f32>, EngineError> {
        let floats = self.file.floats(name).map_err(|error| self.broken(error))?;
        if floats.len() == count {
            return Ok(floats);
        }
        Err(self.broken(format!("its tensor `{name}` has {} numbers instead of {count}", floats.len())))
    }

    /// The same; `None` if the file does not have it.
    pub(super) fn optional(&self, name: &str, count: usize) -> Result<Option<Vec<f32>>, EngineError> {
        if self.has(name) { self.floats(name, count).map(Some) } else { Ok(None) }
    }

    /// The weights of a product with these sizes.
    pub(super) fn linear(
        &self,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<BlockLinear, EngineError> {
        let expected = [outputs, inputs];
        if let Some(shape) = self.shape(name).filter(|shape| **shape != expected) {
            return Err(
                self.broken(format!("its tensor `{name}` has the shape {shape:?} instead of {expected:?}"))
            );
        }
        self.file.linear(name).map_err(|error| self.broken(error))
    }

    /// Lets the system take back the memory of what was read. The file can still be read.
    pub(super) fn release(&self) {
        self.file.release();
    }
}

fn broken(name: &str, what: &dyn std::fmt::Display) -> EngineError {
    EngineError::Internal(format!("the language model `{name}` cannot be loaded: {what}"))
}
