//! Reads a GGUF file: its metadata and its tensors. Errors name the metadata key.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use auris_engine_core::EngineError;
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};

/// An open file.
pub(super) struct Gguf {
    content: Content,
    reader: BufReader<File>,
    name: String,
}

impl Gguf {
    pub(super) fn open(path: &Path) -> Result<Self, EngineError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = File::open(path).map_err(|error| broken(&name, &error))?;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let content = Content::read(&mut reader).map_err(|error| broken(&name, &error))?;
        Ok(Self { content, reader, name })
    }

    /// An error about this file.
    pub(super) fn broken(&self, what: impl std::fmt::Display) -> EngineError {
        broken(&self.name, &what)
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.content.metadata.get(key)?.to_string().ok().map(String::as_str)
    }

    pub(super) fn required_text(&self, key: &str) -> Result<&str, EngineError> {
        self.text(key).ok_or_else(|| self.broken(format!("it has no text `{key}`")))
    }

    pub(super) fn number(&self, key: &str) -> Option<u64> {
        let value = self.content.metadata.get(key)?;
        value.to_u64().ok().or_else(|| value.to_i32().ok()?.try_into().ok())
    }

    pub(super) fn required_number(&self, key: &str) -> Result<usize, EngineError> {
        let number = self.number(key).filter(|number| *number > 0 && *number < 1 << 32);
        number
            .map(|number| number as usize)
            .ok_or_else(|| self.broken(format!("it has no usable number `{key}`")))
    }

    pub(super) fn float(&self, key: &str) -> Option<f32> {
        let value = self.content.metadata.get(key)?;
        value.to_f32().ok().or_else(|| value.to_f64().ok().map(|value| value as f32))
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.content.metadata.get(key)?.to_bool().ok()
    }

    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, EngineError> {
        let missing = || self.broken(format!("it has no list of texts `{key}`"));
        let values = self.list(key).ok_or_else(missing)?;
        values.iter().map(|value| value.to_string().cloned().map_err(|_| missing())).collect()
    }

    /// A list of integers of any type.
    pub(super) fn numbers(&self, key: &str) -> Option<Vec<i64>> {
        let values = self.list(key)?;
        let number = |value: &Value| {
            value.to_u64().ok().map(|number| number as i64).or_else(|| value.to_i32().ok().map(i64::from))
        };
        values.iter().map(number).collect()
    }

    fn list(&self, key: &str) -> Option<&Vec<Value>> {
        self.content.metadata.get(key)?.to_vec().ok()
    }

    pub(super) fn has(&self, tensor: &str) -> bool {
        self.content.tensor_infos.contains_key(tensor)
    }

    /// A quantized tensor. Types without a fast product are converted to one that has it.
    pub(super) fn quantized(&mut self, name: &str) -> Result<Arc<QTensor>, EngineError> {
        let tensor = self.content.tensor(&mut self.reader, name, &Device::Cpu);
        let tensor = tensor.map_err(|error| broken(&self.name, &error))?;
        let tensor = match tensor.dtype() {
            // Only these types have no vectorized product. Eight bits store their values with negligible loss.
            GgmlDType::Q4_1 | GgmlDType::Q5_0 | GgmlDType::Q5_1 => {
                let plain = tensor.dequantize(&Device::Cpu);
                let changed = plain.and_then(|plain| QTensor::quantize(&plain, GgmlDType::Q8_0));
                changed.map_err(|error| broken(&self.name, &error))?
            }
            _ => tensor,
        };
        Ok(Arc::new(tensor))
    }

    /// A tensor as plain floats.
    pub(super) fn plain(&mut self, name: &str) -> Result<Tensor, EngineError> {
        let tensor = self.content.tensor(&mut self.reader, name, &Device::Cpu);
        tensor.and_then(|tensor| tensor.dequantize(&Device::Cpu)).map_err(|error| broken(&self.name, &error))
    }

    /// The same; `None` if the file does not have it.
    pub(super) fn optional(&mut self, name: &str) -> Result<Option<Tensor>, EngineError> {
        if self.has(name) { self.plain(name).map(Some) } else { Ok(None) }
    }
}

fn broken(name: &str, what: &dyn std::fmt::Display) -> EngineError {
    EngineError::Internal(format!("the language model `{name}` cannot be loaded: {what}"))
}
