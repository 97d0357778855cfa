//! Recognizes whether the source of a packed copy changed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

use crate::error::WeightsError;
use crate::packed::VERSION;

/// Bytes at the start and at the end of each file that are part of the fingerprint: files of another model with the same
/// length and time differ there.
const SAMPLE: u64 = 4_096;

/// A text that changes with the program's version, and with the names, lengths, times and ends of the files. Hashing all
/// of them would take longer than the copy saves.
pub(crate) fn fingerprint(paths: &[PathBuf]) -> Result<String, WeightsError> {
    let mut hash = Sha256::new();
    hash.update(VERSION.to_le_bytes());
    hash.update(env!("CARGO_PKG_VERSION"));
    for path in paths {
        add_file(&mut hash, path).map_err(|error| WeightsError::io(path, error))?;
    }
    Ok(hex::encode(hash.finalize()))
}

fn add_file(hash: &mut Sha256, path: &Path) -> io::Result<()> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Lengths before texts, so that no two lists of files give the same bytes.
    hash.update((name.len() as u64).to_le_bytes());
    hash.update(name.as_bytes());
    hash.update(metadata.len().to_le_bytes());
    hash.update(changed.as_nanos().to_le_bytes());
    for start in [0, metadata.len().saturating_sub(SAMPLE)] {
        let mut sample = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        (&mut file).take(SAMPLE).read_to_end(&mut sample)?;
        hash.update(&sample);
    }
    Ok(())
}
