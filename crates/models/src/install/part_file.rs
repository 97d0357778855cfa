//! A file that is being downloaded.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::Path;

use super::error::InstallError;
use super::sink::PullSink;

/// Bytes copied at a time.
const BUFFER: usize = 256 * 1024;

/// Why a pull that was cancelled ended.
pub(super) const CANCELLED: &str = "the download was cancelled";

/// The bytes of a model file that were fetched so far.
pub(super) struct PartFile<'a> {
    pub(super) path: &'a Path,
    /// The size of the complete file, from the catalogue.
    pub(super) full_size: u64,
}

impl PartFile<'_> {
    /// The bytes that are on disk.
    pub(super) fn size(&self) -> u64 {
        self.path.metadata().map_or(0, |part| part.len())
    }

    /// Keeps only the first `length` bytes.
    pub(super) fn truncate(&self, length: u64) -> Result<(), InstallError> {
        let file = OpenOptions::new().create(true).write(true).truncate(false).open(self.path);
        let truncated = file.and_then(|file| file.set_len(length));
        truncated.map_err(|error| InstallError::at(self.path, &error))
    }

    /// Appends everything that `from` yields. `WouldBlock` means that nothing has arrived yet. Fails if the file gets
    /// larger than the catalogue says, or if the pull is cancelled.
    pub(super) fn append(&self, from: &mut dyn Read, sink: &mut dyn PullSink) -> io::Result<()> {
        let mut part = OpenOptions::new().create(true).append(true).open(self.path)?;
        let mut size = part.metadata()?.len();
        let mut buffer = vec![0; BUFFER];
        // A download that is resumed does not begin at zero.
        sink.progress(size);
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => return part.sync_all(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                read => read?,
            };
            part.write_all(&buffer[..read])?;
            size += read as u64;
            if size > self.full_size {
                return Err(io::Error::other("it is larger than the catalogue says"));
            }
            sink.progress(size);
            if sink.is_cancelled() {
                return Err(io::Error::other(CANCELLED));
            }
        }
    }
}
