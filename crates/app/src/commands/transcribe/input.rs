//! Recordings: files by their name, or standard input as `-`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tempfile::NamedTempFile;

/// A recording on disk.
pub(super) enum Recording {
    File(PathBuf),
    /// A copy of standard input, because decoders must be able to seek.
    Copied(NamedTempFile),
}

impl Recording {
    pub(super) fn open(name: &str) -> anyhow::Result<Self> {
        if name == "-" {
            return copy(std::io::stdin().lock()).map(Self::Copied).context("cannot read standard input");
        }
        let path = PathBuf::from(name);
        let metadata = std::fs::metadata(&path).context("cannot read the file")?;
        if metadata.is_dir() {
            bail!("this is a folder; name the files in it");
        }
        if metadata.len() == 0 {
            bail!("the file is empty");
        }
        Ok(Self::File(path))
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Copied(file) => file.path(),
        }
    }
}

/// Whether there is a recording with this name.
pub(super) fn exists(name: &str) -> bool {
    name == "-" || Path::new(name).is_file()
}

fn copy(mut input: impl Read) -> std::io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    std::io::copy(&mut input, &mut file)?;
    file.flush()?;
    Ok(file)
}
