//! Where a node has its master keys from: the settings, or a file in the data folder with one key per line.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use auris_store::private_files;

use super::error::Context;
use super::{OperatorError, Result};
use crate::secrets::{MasterKey, MasterKeys};

/// Where the master keys of a node are.
pub enum MasterKeySource {
    Settings {
        current: MasterKey,
        previous: Vec<MasterKey>,
    },
    /// The first start creates the file.
    File(PathBuf),
}

impl MasterKeySource {
    /// The file in the data folder.
    pub fn in_folder(data: &Path) -> Self {
        Self::File(data.join("master.key"))
    }

    /// The keys that exist, the current one first. Empty before the first start. Fails if the file cannot be read.
    pub fn existing(&self) -> Result<Vec<MasterKey>> {
        match self {
            Self::Settings { current, previous } => {
                Ok(std::iter::once(current).chain(previous).cloned().collect())
            }
            Self::File(path) if path.exists() => read(path),
            Self::File(_) => Ok(Vec::new()),
        }
    }

    /// Loads the keys. If they are in a file, it is created if necessary and made private.
    pub fn load(&self) -> Result<MasterKeys> {
        match self {
            Self::Settings { current, previous } => Ok(MasterKeys::new(current.clone(), previous.clone())),
            Self::File(path) => load_file(path),
        }
    }

    /// Adds a new current key to the file. The old keys stay, to decrypt what they encrypted. Refused if the keys are in
    /// the settings.
    pub fn create_new(&self) -> Result<()> {
        let path = self.changeable()?;
        load_file(path)?;
        let mut keys = vec![MasterKey::generate()];
        keys.extend(read(path)?);
        replace(path, &keys)
    }

    /// Removes all keys of the file except the current one. Returns how many were removed. Refused if the keys are in the
    /// settings.
    pub fn forget_old(&self) -> Result<usize> {
        let path = self.changeable()?;
        let keys = read(path)?;
        let current = keys.get(..1).ok_or_else(|| OperatorError::not_found("there is no master key yet"))?;
        replace(path, current)?;
        Ok(keys.len() - 1)
    }

    fn changeable(&self) -> Result<&Path> {
        match self {
            Self::File(path) => Ok(path),
            Self::Settings { .. } => Err(OperatorError::conflict(
                "the master key is the setting `security.master_key`, not a file. Change the setting, move the old key \
                 to `security.previous_master_keys`, and run `auris webhooks reseal`",
            )),
        }
    }
}

fn load_file(path: &Path) -> Result<MasterKeys> {
    if !path.exists() {
        let first = MasterKey::generate().to_base64();
        write_new(path, &first).context(|| format!("cannot write `{}`", path.display()))?;
    }
    let wrong = || format!("cannot change the permissions of `{}`", path.display());
    private_files::restrict(path).context(wrong)?;
    let keys = read(path)?;
    let reload = path.to_owned();
    MasterKeys::reloading(keys, Box::new(move || read(&reload).ok()))
        .ok_or_else(|| OperatorError::not_found(format!("`{}` contains no key", path.display())))
}

fn read(path: &Path) -> Result<Vec<MasterKey>> {
    let text = fs::read_to_string(path).context(|| format!("cannot read `{}`", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let keys: std::result::Result<Vec<MasterKey>, _> = lines.map(MasterKey::from_base64).collect();
    keys.context(|| format!("`{}`", path.display()))
}

/// Writes a new file that only its owner can read. If two processes start at once, both use the first one's key.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    match write_temporary(path, text)?.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error),
    }
}

/// Replaces all keys of the file at once.
fn replace(path: &Path, keys: &[MasterKey]) -> Result<()> {
    let lines: Vec<String> = keys.iter().map(MasterKey::to_base64).collect();
    let file = write_temporary(path, &format!("{}\n", lines.join("\n")))?;
    file.persist(path).context(|| format!("cannot write `{}`", path.display())).map(drop)
}

/// A temporary file in the same folder, so that it can replace the real one in one step.
fn write_temporary(path: &Path, text: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}
