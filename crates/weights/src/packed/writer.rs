//! Writes a packed copy part by part, while a model is loaded from its source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use auris_kernels::Linear;
use sha2::{Digest, Sha256};
use tempfile::{Builder, NamedTempFile};

use crate::config::ModelConfig;
use crate::packed::copy::checksum;
use crate::packed::directory::{Directory, LinearEntry, Span};
use crate::packed::{ALIGNMENT, CHECKSUM, HEADER, MAGIC, VERSION, copy_name};

/// Temporary files are recognized by these, so that those of a crashed process can be deleted.
const PREFIX: &str = ".packed-";
const SUFFIX: &str = ".tmp";

/// A copy in the making. It has a temporary name until it is complete, and is deleted if it never is.
pub(crate) struct CopyWriter {
    file: BufWriter<NamedTempFile>,
    position: usize,
    /// Of everything after the header.
    hash: Sha256,
    directory: Directory,
}

impl CopyWriter {
    /// Starts a copy in the folder. Fails if nothing can be written there.
    pub(crate) fn create(
        folder: &Path,
        fingerprint: String,
        config: ModelConfig,
        names: BTreeSet<String>,
    ) -> io::Result<Self> {
        delete_leftovers(folder);
        let file = temporary_file(folder)?;
        // Shows other processes that somebody is still writing. Not every file system has locks.
        let _ = file.as_file().lock();
        let directory = Directory {
            fingerprint,
            content: String::new(),
            config,
            names,
            floats: BTreeMap::new(),
            linears: BTreeMap::new(),
        };
        let file = BufWriter::with_capacity(1 << 16, file);
        let mut writer = Self { file, position: 0, hash: Sha256::new(), directory };
        writer.append(&[0; HEADER])?;
        writer.hash = Sha256::new();
        Ok(writer)
    }

    pub(crate) fn add_floats(&mut self, name: &str, floats: &[f32]) -> io::Result<()> {
        if !self.directory.floats.contains_key(name) {
            let span = self.append_numbers(floats.iter().map(|float| float.to_le_bytes()))?;
            self.directory.floats.insert(name.to_owned(), span);
        }
        Ok(())
    }

    pub(crate) fn add_linear(&mut self, key: String, linear: &Linear) -> io::Result<()> {
        if self.directory.linears.contains_key(&key) {
            return Ok(());
        }
        let packed = linear.packed();
        let entry = LinearEntry {
            inputs: packed.inputs,
            outputs: packed.outputs,
            weights: self.append(packed.weights)?,
            offsets: self.append_numbers(packed.offsets.iter().map(|number| number.to_le_bytes()))?,
            scales: self.append_numbers(packed.scales.iter().map(|number| number.to_le_bytes()))?,
            bias: self.append_numbers(packed.bias.iter().map(|number| number.to_le_bytes()))?,
        };
        self.directory.linears.insert(key, entry);
        Ok(())
    }

    /// Writes the directory and the header, waits until everything is on disk, and gives the file its name.
    pub(crate) fn finish(mut self, path: &Path) -> io::Result<()> {
        // The padding before the directory belongs to the content.
        self.append(&[])?;
        self.directory.content = hex::encode(self.hash.finalize_reset());
        let directory = serde_json::to_vec(&self.directory)?;
        let Span(start, _) = self.append(&directory)?;
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        for (at, number) in [(8, VERSION), (16, start as u64), (24, directory.len() as u64)] {
            header[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        let checksum = checksum(&header[..CHECKSUM.start], &directory);
        header[CHECKSUM].copy_from_slice(&checksum);
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header)?;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn append_numbers(&mut self, numbers: impl Iterator<Item = [u8; 4]>) -> io::Result<Span> {
        self.append(&numbers.flatten().collect::<Vec<u8>>())
    }

    /// Appends a part at the next multiple of 64.
    fn append(&mut self, bytes: &[u8]) -> io::Result<Span> {
        let start = self.position.next_multiple_of(ALIGNMENT);
        let padding = [0; ALIGNMENT];
        for part in [&padding[..start - self.position], bytes] {
            self.hash.update(part);
            self.file.write_all(part)?;
        }
        self.position = start + bytes.len();
        Ok(Span(start, self.position))
    }
}

/// A file that everybody may read, as the other files of a model.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o644));
    builder.tempfile_in(folder)
}

/// Deletes the copies of earlier versions, and the temporary files of processes that ended before they were done: nobody
/// has a lock on those.
fn delete_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_abandoned = name.starts_with(PREFIX)
            && name.ends_with(SUFFIX)
            && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_abandoned || (0..VERSION).any(|version| name == copy_name(version)) {
            // Somebody else may delete it at the same time.
            let _ = fs::remove_file(entry.path());
        }
    }
}
