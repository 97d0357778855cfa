//! Files mapped into memory, read-only. The one module of this crate with unsafe code.
//!
//! Mapping is unsafe because another process can change the file underneath. If it truncates the file, reading past the
//! new end kills this process with SIGBUS; if it writes into the file, weights change while they are used. Both need
//! somebody who may write to the folder of models, and who could just as well replace the program's models by others.
//! This program never writes into a file that it may have mapped: it writes a new file and renames it, so that a mapped
//! one stays as it was. What was read from a mapping is never trusted to stay the same: sizes are copied before they are
//! checked, and every access to the content is checked by its slice.
#![expect(unsafe_code, reason = "mapping a file is unsafe: see above")]

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::{Mmap, MmapOptions};

/// A whole file in memory.
#[derive(Debug)]
pub(crate) struct MappedFile {
    map: Mmap,
}

impl MappedFile {
    /// Maps a file as long as it is now.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        // Opening a pipe would wait for somebody to write to it.
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
        }
        let file = File::open(path)?;
        // SAFETY: the mapping is read-only, and nobody else changes the file: see the head of this module.
        let map = unsafe { MmapOptions::new().map(&file)? };
        Ok(Self { map })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Lets the system take the pages back. They are read from the file again if somebody needs them.
    pub(crate) fn release(&self) {
        #[cfg(unix)]
        // SAFETY: the mapping is read-only and of a file, so that dropped pages have the same content when they are read
        // again.
        let _ = unsafe { self.map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
    }
}
