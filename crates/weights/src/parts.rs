//! The parts that a net is built from, out of the packed copy or out of the weights themselves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use auris_kernels::Linear;

use crate::config::{Family, ModelConfig};
use crate::error::WeightsError;
use crate::files::ModelFiles;
use crate::pack::{NOT_FINITE, linear};
use crate::packed::{CopyPolicy, CopyWriter, PackedCopy, fingerprint, linear_key, packed_copy_path};
use crate::source::TensorSource;
use crate::tensor_list::check_tensors;

/// What a net is built from. The same names whether the parts come from a file of weights or from the packed copy, and
/// the same parts to the last bit.
pub trait ModelParts {
    /// The sizes of the model.
    fn config(&self) -> &ModelConfig;

    /// Whether the model has a tensor with this name.
    fn contains(&self, name: &str) -> bool;

    /// A vector, a norm, a table or a convolution as floats, in the order of its shape.
    fn floats(&mut self, name: &str) -> Result<Vec<f32>, WeightsError>;

    /// Products of the same input joined into one. A bias that is not named, or that the model does not have, is zeros.
    /// The rows of a convolution are window × channel.
    fn linear(&mut self, weights: &[&str], biases: &[Option<&str>]) -> Result<Linear, WeightsError>;
}

/// Finds the weights in a folder and opens them. All shapes are checked before a part is read.
///
/// With [`CopyPolicy::Use`], the parts come from the packed copy if there is one of these weights. Otherwise they come
/// from the weights, and a copy is written while they are read. It gets its name when the parts are dropped, unless
/// something failed. Nothing depends on that: in a folder that is read-only or full, the next load reads the weights
/// again.
pub fn open_model(
    folder: &Path,
    family: Family,
    policy: CopyPolicy,
) -> Result<Box<dyn ModelParts>, WeightsError> {
    let files = ModelFiles::find(folder)?;
    let path = packed_copy_path(folder);
    if policy == CopyPolicy::Ignore {
        return Ok(Box::new(PartsFromSource::open(&files, family, None)?));
    }
    let fingerprint = fingerprint(&files.paths()?)?;
    match PackedCopy::open(&path, &fingerprint) {
        Ok(copy) if copy.directory.config.family == family => {
            return Ok(Box::new(PartsFromCopy { copy, files, path, source: None }));
        }
        Ok(_) | Err(WeightsError::Io { .. }) => {}
        Err(error) => {
            tracing::info!(path = %path.display(), %error, "the packed copy of a model is not used and is replaced");
        }
    }
    Ok(Box::new(PartsFromSource::open(&files, family, Some((path, fingerprint)))?))
}

/// The weights of a model, by the names that this program uses, and its sizes. All shapes are checked.
pub fn open_source(
    files: &ModelFiles,
    family: Family,
) -> Result<(Box<dyn TensorSource>, ModelConfig), WeightsError> {
    let (source, config) = files.open(family)?;
    check_tensors(&*source, &config)?;
    Ok((source, config))
}

/// Checks a file or a folder that an operator wants to add: whether it is a complete model of a supported kind.
pub fn inspect(path: &Path) -> Result<ModelConfig, WeightsError> {
    let files = ModelFiles::find(path)?;
    let (_, config) = open_source(&files, files.family()?)?;
    Ok(config)
}

/// Parts that are packed from the weights. Collects them in a copy, if wanted.
struct PartsFromSource {
    source: Box<dyn TensorSource>,
    config: ModelConfig,
    names: BTreeSet<String>,
    writer: Option<(CopyWriter, PathBuf)>,
}

impl PartsFromSource {
    /// `copy` is the path and the fingerprint of the copy to write.
    fn open(
        files: &ModelFiles,
        family: Family,
        copy: Option<(PathBuf, String)>,
    ) -> Result<Self, WeightsError> {
        let (source, config) = files.open(family)?;
        let names = check_tensors(&*source, &config)?;
        let writer = copy.and_then(|(path, fingerprint)| {
            let folder = path.parent()?;
            match CopyWriter::create(folder, fingerprint, config, names.clone()) {
                Ok(writer) => Some((writer, path)),
                Err(error) => {
                    tracing::debug!(path = %path.display(), %error, "no packed copy is written");
                    None
                }
            }
        });
        Ok(Self { source, config, names, writer })
    }

    /// Adds a part to the copy, if one is written.
    fn record(&mut self, add: impl FnOnce(&mut CopyWriter) -> std::io::Result<()>) {
        if let Some((writer, path)) = &mut self.writer
            && let Err(error) = add(writer)
        {
            tracing::warn!(path = %path.display(), %error, "the packed copy of a model cannot be written");
            self.writer = None;
        }
    }

    /// Only the tensors that a model of these sizes has: their shapes were checked.
    fn require(&self, name: &str) -> Result<(), WeightsError> {
        if self.names.contains(name) { Ok(()) } else { Err(WeightsError::missing(name)) }
    }

    /// A model that cannot be loaded needs no copy.
    fn checked<T>(&mut self, part: Result<T, WeightsError>) -> Result<T, WeightsError> {
        if part.is_err() {
            self.writer = None;
        }
        part
    }
}

impl ModelParts for PartsFromSource {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn floats(&mut self, name: &str) -> Result<Vec<f32>, WeightsError> {
        let floats = self.require(name).and_then(|()| self.source.floats(name)).and_then(|floats| {
            let is_finite = floats.iter().all(|float| float.is_finite());
            if is_finite { Ok(floats) } else { Err(WeightsError::damaged(NOT_FINITE).of_tensor(name)) }
        });
        let floats = self.checked(floats)?;
        self.record(|writer| writer.add_floats(name, &floats));
        Ok(floats)
    }

    fn linear(&mut self, weights: &[&str], biases: &[Option<&str>]) -> Result<Linear, WeightsError> {
        let known = weights.iter().try_for_each(|name| self.require(name));
        let product = known.and_then(|()| linear(&*self.source, weights, biases));
        let product = self.checked(product)?;
        self.record(|writer| writer.add_linear(linear_key(weights, biases), &product));
        Ok(product)
    }
}

impl Drop for PartsFromSource {
    fn drop(&mut self) {
        if let Some((writer, path)) = self.writer.take()
            && !std::thread::panicking()
            && let Err(error) = writer.finish(&path)
        {
            tracing::warn!(path = %path.display(), %error, "the packed copy of a model cannot be written");
        }
    }
}

/// Parts from a packed copy. If a net asks for a part that the copy does not have, because the program was changed, it
/// comes from the weights, and the copy is deleted, so that the next load writes a new one.
struct PartsFromCopy {
    copy: PackedCopy,
    files: ModelFiles,
    path: PathBuf,
    source: Option<Box<dyn TensorSource>>,
}

impl PartsFromCopy {
    fn source(&mut self) -> Result<&dyn TensorSource, WeightsError> {
        if self.source.is_none() {
            let (source, _) = open_source(&self.files, self.copy.directory.config.family)?;
            self.source = Some(source);
            // The copy lacks a part, so the next load should write a new one. This process keeps the file mapped. In a
            // read-only folder it cannot be removed.
            let _ = std::fs::remove_file(&self.path);
        }
        self.source.as_deref().ok_or_else(|| WeightsError::damaged("the weights are not open"))
    }
}

impl ModelParts for PartsFromCopy {
    fn config(&self) -> &ModelConfig {
        &self.copy.directory.config
    }

    fn contains(&self, name: &str) -> bool {
        self.copy.directory.names.contains(name)
    }

    fn floats(&mut self, name: &str) -> Result<Vec<f32>, WeightsError> {
        match self.copy.floats(name) {
            Some(floats) => Ok(floats),
            None => self.source()?.floats(name),
        }
    }

    fn linear(&mut self, weights: &[&str], biases: &[Option<&str>]) -> Result<Linear, WeightsError> {
        match self.copy.linear(&linear_key(weights, biases)) {
            Some(product) => Ok(product),
            None => linear(self.source()?, weights, biases),
        }
    }
}
