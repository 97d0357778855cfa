//! Uploads: written to disk as they arrive, counted and hashed, and deleted when they are dropped.

use std::path::Path;

use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use crate::Service;
use crate::access::FileSlot;
use crate::error::Outcome;
use crate::spool::SpoolFile;

/// An upload that is still arriving.
pub struct SpoolWriter {
    file: SpoolFile,
    hasher: Sha256,
    bytes: u64,
}

/// A complete upload; its file is deleted when it is dropped.
pub struct Spool {
    file: SpoolFile,
    slot: Option<FileSlot>,
    pub bytes: u64,
    pub sha256: String,
}

impl Service {
    /// Starts an upload.
    pub async fn open_spool(&self) -> Outcome<SpoolWriter> {
        let file = SpoolFile::create(&self.settings().spool_dir).await?;
        Ok(SpoolWriter { file, hasher: Sha256::new(), bytes: 0 })
    }
}

impl SpoolWriter {
    pub async fn write(&mut self, chunk: &[u8]) -> Outcome<()> {
        self.hasher.update(chunk);
        self.bytes += chunk.len() as u64;
        Ok(self.file.file.write_all(chunk).await?)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub async fn finish(mut self) -> Outcome<Spool> {
        self.file.file.flush().await?;
        let sha256 = hex::encode(self.hasher.finalize());
        Ok(Spool { file: self.file, slot: None, bytes: self.bytes, sha256 })
    }
}

impl Spool {
    /// Counts the file as one of those that uploads may have open, until it is dropped.
    pub fn count(&mut self, slot: FileSlot) {
        self.slot = Some(slot);
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }
}
