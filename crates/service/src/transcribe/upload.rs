//! Uploads: written to disk as they arrive, counted and hashed, and deleted when they are dropped.

use std::path::Path;

use sha2::{Digest, Sha256};
use tempfile::TempPath;
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use crate::Service;
use crate::error::Outcome;

/// An upload that is still arriving.
pub struct SpoolWriter {
    file: File,
    path: TempPath,
    hasher: Sha256,
    bytes: u64,
}

/// A complete upload; its file is deleted when it is dropped.
pub struct Spool {
    path: TempPath,
    pub bytes: u64,
    pub sha256: String,
}

impl Service {
    /// Starts an upload.
    pub async fn open_spool(&self) -> Outcome<SpoolWriter> {
        let folder = self.settings().spool_dir.clone();
        let made = tokio::task::spawn_blocking(move || {
            tempfile::Builder::new().prefix("upload-").tempfile_in(folder)
        });
        let (file, path) = made.await.map_err(crate::ServiceError::internal)??.into_parts();
        Ok(SpoolWriter { file: File::from_std(file), path, hasher: Sha256::new(), bytes: 0 })
    }
}

impl SpoolWriter {
    pub async fn write(&mut self, chunk: &[u8]) -> Outcome<()> {
        self.hasher.update(chunk);
        self.bytes += chunk.len() as u64;
        Ok(self.file.write_all(chunk).await?)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub async fn finish(mut self) -> Outcome<Spool> {
        self.file.flush().await?;
        let sha256 = self.hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Spool { path: self.path, bytes: self.bytes, sha256 })
    }
}

impl Spool {
    pub fn path(&self) -> &Path {
        &self.path
    }
}
