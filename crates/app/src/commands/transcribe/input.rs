//! What is transcribed: a file by its name, or standard input as `-`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tempfile::NamedTempFile;

/// A recording on disk.
pub(super) enum Recording {
    File(PathBuf),
    /// Standard input, kept while it is heard: decoders must be able to go back.
    Copied(NamedTempFile),
}

impl Recording {
    pub(super) fn open(name: &str) -> anyhow::Result<Self> {
        if name == "-" {
            return copy(std::io::stdin().lock()).map(Self::Copied).context("cannot read standard input");
        }
        let path = PathBuf::from(name);
        let about = std::fs::metadata(&path).context("cannot read the file")?;
        if about.is_dir() {
            bail!("this is a folder; name the files in it");
        }
        if about.len() == 0 {
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

/// Whether there is something to hear under this name.
pub(super) fn is_there(name: &str) -> bool {
    name == "-" || Path::new(name).is_file()
}

fn copy(mut input: impl Read) -> std::io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    std::io::copy(&mut input, &mut file)?;
    file.flush()?;
    Ok(file)
}
