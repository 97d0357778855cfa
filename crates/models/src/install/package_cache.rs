//! Package archives fetched with `npm` and `pip`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::InstallError;

/// The archives fetched during one pull, so that several files of one package need one download.
pub(super) struct PackageCache {
    folder: PathBuf,
}

impl PackageCache {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns the archive that `client` downloads with these arguments.
    pub(super) fn fetch(&self, client: &str, arguments: &[&str]) -> Result<PathBuf, InstallError> {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let scratch = self.folder.join(arguments.concat().chars().map(plain).collect::<String>());
        if let Some(package) = first_file(&scratch) {
            return Ok(package);
        }
        fs::create_dir_all(&scratch).map_err(|error| InstallError::at(&scratch, &error))?;
        run(client, arguments, &scratch)?;
        first_file(&scratch).ok_or_else(|| InstallError::new(format!("`{client}` fetched nothing")))
    }
}

impl Drop for PackageCache {
    fn drop(&mut self) {
        // The folder may not exist, and a leftover folder does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn first_file(folder: &Path) -> Option<PathBuf> {
    let mut files = fs::read_dir(folder).ok()?;
    files.find_map(|file| file.ok().map(|file| file.path()).filter(|path| path.is_file()))
}

fn run(client: &str, arguments: &[&str], folder: &Path) -> Result<(), InstallError> {
    let output = Command::new(client).args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            InstallError::new(format!("`{client}` is not installed; install it, or set `models.mirror`"))
        }
        _ => InstallError::new(format!("`{client}`: {error}")),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it failed");
    Err(InstallError::new(format!("`{client}`: {last}")))
}
