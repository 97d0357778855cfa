//! Checks files against their SHA-256.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use auris_engine_core::Ignore;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::error::InstallError;
use super::sink::PullSink;

/// Fails, and deletes the file, if its hash is not `sha256`.
pub(super) fn require_hash(part: &Path, sha256: &str) -> Result<(), InstallError> {
    let found = hash(part, &mut Ignore).map_err(|error| InstallError::at(part, &error))?;
    if found == sha256 {
        return Ok(());
    }
    // The next source must not resume with these bytes. It does not matter if the file is already deleted.
    let _ = fs::remove_file(part);
    Err(InstallError::new(format!("its SHA-256 is {found}, not {sha256}")))
}

/// The packed copy of a model's weights, which the first load writes if the folder allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PackedCopyState {
    Absent,
    Intact,
    /// It was damaged and is deleted now. The next load writes another one.
    Deleted,
    /// It is damaged and cannot be deleted, so that the next load would use it.
    Damaged,
}

impl PackedCopyState {
    /// Reads the whole copy in the folder of a model, and deletes a damaged one.
    pub(super) fn check(folder: &Path) -> Self {
        let path = auris_weights::packed_copy_path(folder);
        match path.exists().then(|| auris_weights::verify_copy(&path)) {
            None => Self::Absent,
            Some(Ok(())) => Self::Intact,
            Some(Err(_)) if path.exists() => Self::Damaged,
            Some(Err(_)) => Self::Deleted,
        }
    }
}

/// Whether the file can be read and has this hash. False if it was cancelled.
pub(super) fn has_hash(path: &Path, sha256: &str, sink: &mut dyn PullSink) -> bool {
    hash(path, sink).is_ok_and(|found| found == sha256)
}

fn hash(path: &Path, sink: &mut dyn PullSink) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut bytes = vec![0; 1 << 20];
    let mut done = 0;
    loop {
        if sink.is_cancelled() {
            return Err(io::Error::other("the verification was cancelled"));
        }
        let read = file.read(&mut bytes)?;
        if read == 0 {
            break;
        }
        hasher.update(&bytes[..read]);
        done += read as u64;
        sink.progress(done);
    }
    Ok(hex::encode(hasher.finalize()))
}
