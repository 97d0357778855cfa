//! A folder in which a model is put together before it is moved into place as a whole.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::InstallError;
use super::own_weights::OwnFile;
use super::sink::PullSink;
use crate::catalog::ModelFile;

/// Bytes copied at a time.
const BUFFER: usize = 1 << 20;

/// How the hidden folder is named: `.ID.adding`.
const SUFFIX: &str = ".adding";

/// A hidden folder with the folder of one model. It is deleted with everything in it when it is dropped.
pub(super) struct Staging {
    root: PathBuf,
    model: PathBuf,
}

impl Staging {
    /// The caller has locked the id, so that nobody else uses the same folder. Deletes what killed processes have left.
    pub(super) fn create(models_dir: &Path, id: &str) -> Result<Self, InstallError> {
        delete_leftovers(models_dir);
        let root = models_dir.join(format!(".{id}{SUFFIX}"));
        let staging = Self { model: root.join(id), root };
        let _ = fs::remove_dir_all(&staging.root);
        fs::create_dir_all(&staging.model).map_err(|error| InstallError::at(&staging.model, &error))?;
        Ok(staging)
    }

    /// The folder that contains the folder of the model.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Copies a file and returns its description. A link to the file would not do: somebody could still change it.
    pub(super) fn copy(
        &self,
        file: &OwnFile,
        sink: &mut dyn PullSink,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<ModelFile, InstallError> {
        let OwnFile { path: from, name } = file;
        let model = self.model.file_name().unwrap_or_default().to_string_lossy();
        let bytes = from.metadata().map_err(|error| InstallError::at(from, &error))?.len();
        sink.file(&model, name, bytes);
        let mut source = File::open(from).map_err(|error| InstallError::at(from, &error))?;
        let target = self.model.join(name);
        let copied = copy_hashed(&mut source, &target, sink, is_cancelled);
        let (bytes, sha256) = copied.map_err(|error| InstallError::at(&target, &error))?;
        Ok(ModelFile { name: name.clone(), sha256, bytes, sources: Vec::new() })
    }

    /// Moves the folder of the model to its place.
    pub(super) fn finish(self, place: &Path) -> Result<(), InstallError> {
        fs::rename(&self.model, place).map_err(|error| InstallError::at(place, &error))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // A leftover folder does no harm: the next attempt deletes it.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Deletes the folders that nobody adds a model in: the lock of their id is free.
fn delete_leftovers(models_dir: &Path) {
    for entry in fs::read_dir(models_dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(hidden_id) = name.strip_suffix(SUFFIX).filter(|id| id.starts_with('.')) else { continue };
        let Ok(lock) = File::open(models_dir.join(format!("{hidden_id}.lock"))) else { continue };
        if lock.try_lock().is_ok() {
            // Somebody else may delete it at the same time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Copies everything that `source` has. Returns the bytes and their SHA-256.
fn copy_hashed(
    source: &mut dyn Read,
    target: &Path,
    sink: &mut dyn PullSink,
    is_cancelled: &dyn Fn() -> bool,
) -> io::Result<(u64, String)> {
    let mut file = File::create(target)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BUFFER];
    let mut bytes = 0;
    loop {
        if is_cancelled() {
            return Err(io::Error::other("the copy was cancelled"));
        }
        let read = source.read(&mut buffer)?;
        if read == 0 {
            file.sync_all()?;
            return Ok((bytes, hex::encode(hasher.finalize())));
        }
        hasher.update(&buffer[..read]);
        file.write_all(&buffer[..read])?;
        bytes += read as u64;
        sink.progress(bytes);
    }
}
