//! The tensors of one safetensors file or of several that belong together.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::bytes::FileBytes;
use crate::error::WeightsError;
use crate::matrix::Matrix;
use crate::safetensors::header::{Entry, read_header};
use crate::source::TensorSource;
use crate::tensor::Tensor;

const SINGLE: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
/// The index of the largest published model has some thousand lines.
const MAX_INDEX: u64 = 50_000_000;

/// Tensors by the names that the file has.
#[derive(Debug, Default)]
pub struct SafetensorsFile {
    tensors: HashMap<String, Tensor>,
}

/// The list of files that a model was split into.
#[derive(Deserialize)]
struct Index {
    /// From the name of a tensor to its file.
    weight_map: BTreeMap<String, String>,
}

impl SafetensorsFile {
    /// Maps a file, or all files of a folder. Fails if one cannot be read or is damaged.
    pub fn open(path: &Path) -> Result<Self, WeightsError> {
        let mut found = Self::default();
        for path in Self::files(path)? {
            let bytes = FileBytes::open(&path)?;
            found.add(&bytes).map_err(|error| error.of_file(&path))?;
        }
        Ok(found)
    }

    /// Reads a file that is in memory.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, WeightsError> {
        let mut found = Self::default();
        found.add(&FileBytes::from_memory(bytes))?;
        Ok(found)
    }

    /// The files that a model in this folder consists of, or the file itself.
    pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>, WeightsError> {
        if !path.is_dir() {
            return Ok(vec![path.to_owned()]);
        }
        let index = path.join(INDEX);
        if !index.exists() {
            return Ok(vec![path.join(SINGLE)]);
        }
        let text = read_text(&index, MAX_INDEX)?;
        let names = Self::names_in_index(&text).map_err(|error| error.of_file(&index))?;
        Ok(names.into_iter().map(|name| path.join(name)).collect())
    }

    /// The names of the files that an index lists. Fails if it cannot be read or leads out of its folder.
    pub fn names_in_index(text: &str) -> Result<BTreeSet<String>, WeightsError> {
        let parsed: Index =
            serde_json::from_str(text).map_err(|error| WeightsError::damaged(error.to_string()))?;
        let names: BTreeSet<String> = parsed.weight_map.into_values().collect();
        let leads_out =
            |name: &&String| name.contains(['/', '\\']) || matches!(name.as_str(), "" | "." | "..");
        match names.iter().find(leads_out) {
            Some(name) => Err(WeightsError::damaged(format!("it names the file `{name}`"))),
            None => Ok(names),
        }
    }

    fn add(&mut self, file: &FileBytes) -> Result<(), WeightsError> {
        let (entries, start) = read_header(file.as_ref())?;
        for (name, entry) in entries {
            let tensor = read_tensor(file, start, &entry).map_err(|error| error.of_tensor(&name))?;
            if self.tensors.insert(name.clone(), tensor).is_some() {
                return Err(WeightsError::damaged(format!("the tensor `{name}` is in two files")));
            }
        }
        Ok(())
    }

    fn tensor(&self, name: &str) -> Result<&Tensor, WeightsError> {
        self.tensors.get(name).ok_or_else(|| WeightsError::missing(name))
    }
}

fn read_tensor(file: &FileBytes, start: usize, entry: &Entry) -> Result<Tensor, WeightsError> {
    let [from, to] = entry.data_offsets;
    let range = start.checked_add(from).zip(start.checked_add(to));
    let bytes = range.and_then(|(from, to)| file.slice(from..to));
    let bytes = bytes.ok_or_else(|| {
        WeightsError::damaged(format!("its bytes {from} to {to} are not in the file of {} bytes", file.len()))
    })?;
    Tensor::new(entry.shape.clone(), entry.element()?, bytes)
}

/// A text file, unless it is absurdly large.
pub(super) fn read_text(path: &Path, most: u64) -> Result<String, WeightsError> {
    let metadata = path.metadata().map_err(|error| WeightsError::io(path, error))?;
    // A pipe or a device would never end.
    if !metadata.is_file() || metadata.len() > most {
        let what = format!("it is not a text file of at most {most} bytes");
        return Err(WeightsError::damaged(what).of_file(path));
    }
    std::fs::read_to_string(path).map_err(|error| WeightsError::io(path, error))
}

impl TensorSource for SafetensorsFile {
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
