//! The files of llama.cpp, `*.gguf`: metadata, descriptions of the tensors, then their data. Versions 2 and 3.

mod linear;
mod reader;
mod tensors;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use auris_kernels::BlockLinear;

use crate::bytes::FileBytes;
use crate::error::WeightsError;
use crate::tensor::Tensor;

use reader::Reader;
use tensors::{place_tensors, read_descriptions};
use value::{Value, read_values};

const MAGIC: &[u8] = b"GGUF";
const ALIGNMENT: &str = "general.alignment";
/// The alignment of files that do not have the key.
const DEFAULT_ALIGNMENT: u64 = 32;

/// A GGUF file. Its keys and names are those of llama.cpp; one that occurs twice is refused.
#[derive(Debug)]
pub struct GgufFile {
    file: FileBytes,
    values: HashMap<String, Value>,
    tensors: HashMap<String, Tensor>,
}

impl GgufFile {
    /// Maps a file. Fails if it cannot be read, is not a GGUF file of version 2 or 3, or is damaged.
    pub fn open(path: &Path) -> Result<Self, WeightsError> {
        Self::new(FileBytes::open(path)?).map_err(|error| error.of_file(path))
    }

    /// Reads a file that is in memory.
    pub fn from_memory(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, WeightsError> {
        Self::new(FileBytes::from_memory(bytes))
    }

    fn new(file: FileBytes) -> Result<Self, WeightsError> {
        let mut reader = Reader::new(file.as_ref());
        check_version(&mut reader)?;
        let tensor_count = reader.u64()?;
        let key_count = reader.u64()?;
        let values = read_values(&mut reader, key_count)?;
        let descriptions = read_descriptions(&mut reader, tensor_count)?;
        let start = data_start(reader.position(), values.get(ALIGNMENT))?;
        let tensors = place_tensors(&file, start, descriptions)?;
        Ok(Self { file, values, tensors })
    }

    /// A text. Bytes that are not UTF-8 are replaced.
    pub fn text(&self, key: &str) -> Option<&str> {
        let Value::Text(text) = self.values.get(key)? else { return None };
        Some(text)
    }

    /// An integer of any type that is not negative.
    pub fn number(&self, key: &str) -> Option<u64> {
        let Value::Integer(number) = self.values.get(key)? else { return None };
        u64::try_from(*number).ok()
    }

    /// A float of either size.
    pub fn float(&self, key: &str) -> Option<f32> {
        let Value::Float(number) = self.values.get(key)? else { return None };
        Some(*number)
    }

    /// A flag.
    pub fn flag(&self, key: &str) -> Option<bool> {
        let Value::Flag(flag) = self.values.get(key)? else { return None };
        Some(*flag)
    }

    /// A list of texts. Nothing if one of them is not UTF-8.
    pub fn texts(&self, key: &str) -> Option<Vec<&str>> {
        let Value::Texts { place } = self.values.get(key)? else { return None };
        let mut reader = Reader::new(self.file.as_ref().get(place.clone())?);
        let mut texts = Vec::new();
        while !reader.is_at_end() {
            texts.push(std::str::from_utf8(reader.text().ok()?).ok()?);
        }
        Some(texts)
    }

    /// A list of integers of any type. Nothing if one of them does not fit.
    pub fn numbers(&self, key: &str) -> Option<Vec<i64>> {
        let Value::Numbers { kind, place } = self.values.get(key)? else { return None };
        let numbers = self.file.as_ref().get(place.clone())?.chunks_exact(kind.bytes() as usize);
        let number = |bytes: &[u8]| {
            let Value::Integer(number) = kind.value(bytes)? else { return None };
            i64::try_from(number).ok()
        };
        numbers.map(number).collect()
    }

    /// Whether the file has a tensor with this name.
    pub fn has(&self, tensor: &str) -> bool {
        self.tensors.contains_key(tensor)
    }

    /// The sizes of a tensor, the outermost first.
    pub fn shape(&self, tensor: &str) -> Option<&[usize]> {
        self.tensors.get(tensor).map(|tensor| tensor.shape.as_slice())
    }

    /// All numbers of a tensor of any type. Fails if the file does not have it.
    pub fn floats(&self, tensor: &str) -> Result<Vec<f32>, WeightsError> {
        Ok(self.tensor(tensor)?.floats())
    }

    /// The weights of a product, `[outputs, inputs]`. Fails if the file does not have the tensor, or if it is not a
    /// matrix of finite numbers.
    pub fn linear(&self, tensor: &str) -> Result<BlockLinear, WeightsError> {
        linear::block_linear(self.tensor(tensor)?).map_err(|error| error.of_tensor(tensor))
    }

    /// Lets the system take back the memory of what was read. The file can still be read.
    pub fn release(&self) {
        self.file.release();
    }

    fn tensor(&self, name: &str) -> Result<&Tensor, WeightsError> {
        self.tensors.get(name).ok_or_else(|| WeightsError::missing(name))
    }
}

fn check_version(reader: &mut Reader<'_>) -> Result<(), WeightsError> {
    if reader.take(4).ok() != Some(MAGIC) {
        return Err(WeightsError::damaged("it is not a GGUF file: it does not start with `GGUF`"));
    }
    match reader.u32()? {
        2 | 3 => Ok(()),
        version => Err(WeightsError::unsupported(format!(
            "its GGUF version is {version}; use a little-endian file of version 2 or 3"
        ))),
    }
}

/// The data section starts at the next multiple of the alignment after the descriptions, which end at `end`.
fn data_start(end: usize, alignment: Option<&Value>) -> Result<usize, WeightsError> {
    let alignment = match alignment {
        None => Some(DEFAULT_ALIGNMENT),
        Some(Value::Integer(alignment)) => u64::try_from(*alignment).ok(),
        Some(_) => None,
    };
    let alignment = alignment.filter(|alignment| alignment.is_power_of_two());
    let start = alignment
        .and_then(|alignment| usize::try_from(alignment).ok())
        .and_then(|alignment| end.checked_next_multiple_of(alignment));
    start.ok_or_else(|| WeightsError::damaged(format!("its `{ALIGNMENT}` is not a usable power of two")))
}
